import { isBase64 } from './character.ts'
import type { View } from './decode.ts'
import { isRandom } from './randomness.ts'

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
