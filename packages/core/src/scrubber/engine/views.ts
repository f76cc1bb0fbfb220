// Views of texts besides the decoded ones: lines without their prefixes, the label of a question with the answer, and
// values that go on in the next line or message.

import { isBase64 } from './character.ts'
import { DecodedPart, type View } from './decode.ts'
import { isRandom } from './randomness.ts'

const BREAK = String.raw`\n|\\{1,4}n`
/** The prefixes that programs print before lines: a number, a quotation mark, a time, the name of a container. */
const PREFIXES = [
  String.raw`(?<number> {0,8}(?<digits>\d{1,6})(?:→|\t|\\{1,4}t))`,
  '(?<quotation>> ?)',
  String.raw`(?<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? )`,
  String.raw`(?<container>[a-z][\w.-]{1,60} {1,24}\| )`,
]
const PREFIXED = new RegExp(`(?:^|${BREAK})(?:${PREFIXES.join('|')})`, 'g')
const HAS_BREAK = new RegExp(BREAK)
/** The number of characters of one view. */
const LONGEST_VIEW = 131_072
/** The overlap of two views, in characters. It is longer than nearly every value. */
const OVERLAP = 4096

/** Text whose value is on the next line: the start of a private key, a name, or a command before its output. */
const GOES_ON =
  /-----BEGIN [A-Z ]{0,24}PRIVATE|(?:pass|secret|token|key|cred|auth|pwd)[\w-]{0,24}["']?\s{0,2}[:=]\s{0,2}[|>\\]?-?\s{0,2}(?:\n|\\n)|[$>#%] (?:whoami|hostname)|PASS /iy
/** The words in `GOES_ON`. A match begins with such a word, or up to `LEAD` characters before the word. */
export const wordsThatGoOn = '-----begin pass secret token key cred auth pwd whoami hostname'.split(' ')
const LEAD = 2
/** A line with a prefix. A later check near matches of `GOES_ON` requires two successive lines with prefixes. */
const HAS_PREFIX = /(?:\n|\\n)(?: {0,8}\d{1,6}(?:→|\t|\\{1,4}t)|> ?|\d{4}-\d\d-\d\d[T ]\d\d|[a-z][\w.-]{1,60} {1,24}\|)/
/** The numbers of characters that are read before and after a match of `GOES_ON`. */
const BEFORE = 400
const BEHIND = 6000

/**
 * Returns the positions of the matches of `GOES_ON`. For speed, tries the regular expression only near the words that
 * the scanner found.
 */
function* placesThatGoOn(text: string, words: readonly number[]): Generator<number> {
  let next = 0
  for (const word of words.toSorted((a, b) => a - b))
    for (next = Math.max(next, word - LEAD); next <= word; next++) {
      GOES_ON.lastIndex = next
      if (!GOES_ON.test(text)) continue
      const place = next
      next = GOES_ON.lastIndex - 1
      yield place
    }
}

/** Returns the parts of a text in which a secret may continue on the next line, if its lines may have prefixes. */
function* partsThatGoOn(text: string, words: readonly number[]): Generator<readonly [from: number, to: number]> {
  if (words.length === 0 || !HAS_PREFIX.test(text)) return
  let [from, to] = [0, -1]
  for (const index of placesThatGoOn(text, words)) {
    if (index <= to) to = Math.min(text.length, index + BEHIND)
    else {
      if (to >= 0) yield [from, to]
      ;[from, to] = [Math.max(0, index - BEFORE), Math.min(text.length, index + BEHIND)]
    }
    if (to - from > LONGEST_VIEW) {
      yield [from, to]
      from = to - OVERLAP
    }
  }
  if (to >= 0) yield [from, to]
}

/**
 * Returns views, without the prefixes of lines, of the parts of a text in which a secret may continue on the next line.
 * @param words the positions of `wordsThatGoOn`.
 */
export function* unprefixedViews(text: string, words: readonly number[]): Generator<View> {
  for (const [from, to] of partsThatGoOn(text, words)) {
    const view = withoutPrefixes(text, from, to)
    if (view) yield view
  }
}

/** The position and kind of a prefix, and its line number. */
interface Prefix {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly number: number
}

/** Returns a part of a text without the prefixes of its lines, or null if no two successive lines have prefixes. */
function withoutPrefixes(text: string, first: number, to: number): View | null {
  const part = new DecodedPart(first)
  let last: Prefix | undefined
  for (const { index, 0: match, groups = {} } of text.slice(first, to).matchAll(PREFIXED)) {
    const [kind = '', prefix = ''] = Object.entries(groups).find(([, value]) => value !== undefined) ?? []
    const end = first + index + match.length
    const next = { start: end - prefix.length, end, kind, number: Number(groups['digits'] ?? 0) }
    if (last && follows(text, last, next, first + index)) {
      if (part.from < last.end) part.skip(text, last.start, last.end)
      part.skip(text, next.start, next.end)
    }
    last = next
  }
  if (part.from === first) return null
  part.skip(text, to, to)
  return part.view(text)
}

/**
 * Returns whether a prefix continues the previous prefix: a line number must be one higher, and any other prefix must
 * be on the next line.
 */
const follows = (text: string, last: Prefix, next: Prefix, lineEnd: number): boolean =>
  last.kind === next.kind &&
  (next.kind === 'number'
    ? next.number === last.number + 1
    : lineEnd >= last.end && !HAS_BREAK.test(text.slice(last.end, lineEnd)))

/**
 * The words for the requested value in a question: `What is the database password?`, `Which API key should I use?`,
 * `Enter your PIN.`
 */
const ASKED =
  /(?:\b(?:your|the|my|an?|which|what) |^|[.:] )((?:[\w-]{2,20} ){0,3}?[\w-]{2,20})(?= (?:for|to|should|do|shall|please|that|is|can|in|on)\b|\s{0,2}[?.:=]|$)/gi
const IS_QUESTION = /[?？]|\b(?:please|enter|send|share|provide|give|need|tell)\b|(?:[:=]| is)\s*$/i
/** The words before the value in an answer. */
const OPENING =
  /^(?:\s*(?:sure|ok(?:ay)?|yes|yep|here|it['’]?s|it is|that['’]?s|use|try|you go|the \w{1,16} is|my (?:\w{1,16} ){1,3}is)\b[\s,:.!-]*)+/i
const IS_SECRET = /pass|secret|token|key|credential|pin\b/i
/** An answer without a secret: only words, a sentence, or a UUID. */
const IS_SENTENCE = /^[\p{L}'’ ]+[.!]?$|\S\s+\S|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu
const LONGEST_ANSWER = 400
const LONGEST_QUESTION = 240
const MOST_LABELS = 4

const NONE: readonly View[] = []

/**
 * Returns views that join a label from a question with the value from the answer. Only a short text may be an answer.
 * @param isLabel returns whether a rule has a keyword in a label: true for `the database password: `, false for `the
 * first file: `.
 */
export function answerViews(question: string, answer: string, isLabel: (lead: string) => boolean): readonly View[] {
  if (answer.length > LONGEST_ANSWER || answer.length < 3) return NONE
  const tail = question.slice(-LONGEST_QUESTION)
  if (!IS_QUESTION.test(tail)) return NONE
  const leads = [...tail.matchAll(ASKED)].map(([, label]) => `${label}: `).slice(-MOST_LABELS)
  const labels = leads.filter(isLabel)
  if (labels.length === 0) return NONE
  const from = OPENING.exec(answer)?.[0].length ?? 0
  const isSentence = IS_SENTENCE.test(answer.slice(from).trim())
  return [...new Set(labels.filter((lead) => !isSentence || !IS_SECRET.test(lead)))].map((lead) => {
    const place = (at: number): number => Math.max(0, at - lead.length + from)
    const text = lead + answer.slice(from)
    return { text, sure: [lead.length, text.length], start: place, end: place }
  })
}

/** A view that joins a text with its continuation on the next lines or in the next message. */
export interface JoinedView extends View {
  /** The positions in the view where two pieces meet. Only findings that cross such a position are new. */
  readonly joints: readonly number[]
}

/**
 * The text between two pieces of a value: a line break with an indent, a diff sign or a quotation mark, or the end of
 * one string and the beginning of the next string.
 */
const JOINT = /(?:["'`][ \t]{0,2}[+.&]?[ \t]{0,2}\\?)?(?:\r?\n|\\{1,4}n)[ \t]{0,24}(?:[+>|][ \t]?)?["'`]?/y
const PIECE = /[\w+/=.-]{4,400}/y
const RUN_BEFORE = /[\w+/=-]{16}(?:\r?\n|\\{1,4}n)[ \t]{0,24}$/
const MOST_PIECES = 40
const REACH = 200
/** The minimum width at which terminals and mail programs wrap lines, in characters. */
const WIDE = 60

/** The first characters of a JSON web token. */
const JWT = 'eyJ'
/** The same characters in lower case, for the scanner. */
export const startOfToken = JWT.toLowerCase()
const TOKEN = /eyJ[\w-]{0,8000}(?:\.[\w-]{0,8000}){0,2}/y
/** The end of a token with a signature of one of the usual lengths: HS256, ES256 or RS256. */
const COMPLETE = /[\w-]{16}\.(?!eyJ)(?:[\w-]{43}|[\w-]{86}|[\w-]{342})$/
const LONGEST_END = 360

/**
 * Joins JSON web tokens that are wrapped. A part of a token may be shorter than a run of base64.
 * @param words positions in the text, which include those of `startOfToken`.
 */
export function* unwrapTokens(text: string, words: readonly number[]): Generator<JoinedView> {
  if (!text.includes('\n') && !text.includes('\\n')) return
  let read = 0
  for (const start of words) {
    TOKEN.lastIndex = start
    if (start < read || !TOKEN.test(text)) continue
    read = TOKEN.lastIndex
    const view = unwrap(text, start, read)
    if (!view) continue
    read = view.end(view.text.length)
    yield view
  }
}

/**
 * Joins a long run of letters and digits at the end of a line with its continuation on the next lines, because a
 * terminal, a mail program or a person may wrap a key. Returns null if the run does not continue.
 */
export function unwrap(text: string, start: number, runEnd: number): JoinedView | null {
  // A token of several parts may be wrapped right after a full stop.
  const end = text[runEnd] === '.' ? runEnd + 1 : runEnd
  const next = text[end]
  if (next !== '\n' && next !== '\r' && next !== '"' && next !== "'" && next !== '`' && next !== '\\') return null
  JOINT.lastIndex = end
  if (!JOINT.test(text)) return null
  if (!text.startsWith(JWT, start)) {
    if (!isRandom(text.slice(start, Math.min(end, start + 256)))) return null
    if (RUN_BEFORE.test(text.slice(Math.max(0, start - 44), start))) return null
  }
  const first = Math.max(0, start - REACH)
  const before = text.slice(first, start)
  const isWide = end - start + before.length - 1 - before.lastIndexOf('\n') >= WIDE
  const pieces: (readonly [from: number, to: number])[] = [[first, end]]
  let at = end
  let token = text.slice(first, end)
  // Padding ends a value, so that the next line is not a part of it.
  while (pieces.length < MOST_PIECES && text[at - 1] !== '=' && !COMPLETE.test(token.slice(-LONGEST_END))) {
    JOINT.lastIndex = at
    const joint = JOINT.exec(text)
    if (!joint) break
    PIECE.lastIndex = JOINT.lastIndex
    const piece = PIECE.exec(text)
    if (!piece || (piece[0].startsWith(JWT) && text[at - 1] !== '.')) break
    const rest = text.slice(PIECE.lastIndex, PIECE.lastIndex + LONGEST_GAP)
    if (!goesOn(piece[0], rest, isWide || /^["'`]/.test(joint[0]))) break
    at = PIECE.lastIndex
    token += piece[0]
    pieces.push([piece.index, at])
  }
  if (pieces.length === 1) return null
  return join(text, [...pieces, [at, Math.min(text.length, at + 8)]])
}

const LONGEST_GAP = 12
/** A UUID is an id of its own, such as the id of the next message. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/i

/** Returns whether a piece continues a key. A separate word or name does not. `rest` is the text after the piece. */
function goesOn(piece: string, rest: string, isCertain: boolean): boolean {
  // The next line assigns a value to a name: `name=value`, `name = value`, `MAIL_NAME="value"`.
  if (/=[^=]/.test(piece) || /^[ \t]{0,11}[=:([]/.test(rest) || UUID.test(piece)) return false
  if (piece.endsWith('=') && /^["'][^\s,;:)\]}]/.test(rest)) return false
  return isRandom(piece) || (isCertain && /^(?:["'`\s,;)\\&]|$)/.test(rest) && /\d|[A-Z].*[a-z].*[A-Z]|=$/.test(piece))
}

function join(text: string, pieces: readonly (readonly [from: number, to: number])[]): JoinedView {
  const starts: number[] = []
  let joined = ''
  for (const [from, to] of pieces) {
    starts.push(joined.length)
    joined += text.slice(from, to)
  }
  const place = (at: number, isEnd: boolean): number => {
    let i = starts.length - 1
    while (i > 0 && (isEnd ? starts[i]! >= at : starts[i]! > at)) i--
    return pieces[i]![0] + at - starts[i]!
  }
  return {
    text: joined,
    sure: [0, joined.length],
    joints: starts.slice(1),
    start: (at) => place(at, false),
    end: (at) => place(at, true),
  }
}

const LEAST_RUN = 12
const LEAST_TAIL = 6
const FIRST_RUN = /^[\w+/=.-]{6,}/

/** Returns whether a character may be in a key or a path: an alphabet of base64, its padding, or a full stop. */
const isInRun = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return isBase64(text, at) || code === 46 || code === 61
}

/**
 * Returns the run at the end of a text. Reads backwards, because a regular expression would be tried at each character
 * before the run.
 */
function lastRun(text: string): string | undefined {
  let from = text.length
  const least = Math.max(0, from - REACH)
  while (from > least && isInRun(text, from - 1)) from--
  return text.length - from < LEAST_RUN ? undefined : text.slice(from)
}

/** Returns whether a text begins with a run that is long enough to continue a key. Most messages do not begin so. */
function beginsWithRun(text: string): boolean {
  for (let at = 0; at < LEAST_TAIL; at++) if (!isInRun(text, at)) return false
  return true
}

/**
 * Joins the end of a message with the beginning of the next message if a key seems to be cut between them. Returns one
 * view for each message.
 */
export function joinMessages(first: string, second: string): readonly [JoinedView, JoinedView] | null {
  const head = beginsWithRun(second) ? lastRun(first) : undefined
  const tail = head && isRandom(head) ? FIRST_RUN.exec(second.slice(0, REACH))?.[0] : undefined
  if (!tail || !goesOn(tail, second.slice(tail.length, tail.length + LONGEST_GAP), false)) return null
  const from = Math.max(0, first.length - REACH)
  const text = first.slice(from) + second.slice(0, tail.length + 8)
  const joint = first.length - from
  const view = (shift: number, least: number, most: number): JoinedView => ({
    text,
    sure: [0, text.length],
    joints: [joint],
    start: (at) => Math.max(least, at + shift),
    end: (at) => Math.min(most, at + shift),
  })
  return [view(from, 0, first.length), view(-joint, 0, second.length)]
}
