import { bytes } from '../engine/bytes.ts'
import { rememberWords } from '../engine/remember.ts'
import type { Finding } from '../engine/rule.ts'
import { isPersonName, isSingleName } from '../detectors/identity/forms.ts'
import { pushIdentity } from '../detectors/identity/learned-identity.ts'
import {
  AROUND,
  CREDIT,
  FIRST,
  LAST,
  MIDDLE,
  NEVER_NAME,
  PUBLIC_NAMES,
  SURNAME_END,
  THRESHOLD,
  TITLES,
  WORDS_BEFORE,
  WORD_END,
  WORDS_BEHIND,
  type TokenKind,
} from './evidence.ts'
import { foldName, kindOf } from './lexicon.ts'

const RULE = { id: 'person-name', category: 'person', placeholder: 'PERSON' }

/** By byte: whether it may begin a name, stand before one, or be its second character. Beyond ASCII it may be all. */
const KINDS = new Uint8Array(256)
const CAPITAL = 1
const OPENS = 2
const SECOND = 4
const addKind = (chars: string, kind: number): void => {
  for (const char of chars) KINDS[char.charCodeAt(0)] = KINDS[char.charCodeAt(0)]! | kind
}
addKind('ABCDEFGHIJKLMNOPQRSTUVWXYZ', CAPITAL)
addKind(' \t\n\r"\'`([{>,:;-*|~@', OPENS)
addKind("abcdefghijklmnopqrstuvwxyz.'", SECOND)
KINDS[0xff] = CAPITAL | OPENS | SECOND

const MOST_WORDS = 6
const MOST_LETTERS = 40

/**
 * Adds the full names of people that begin between `from` and `to`, by the words that they are made of and by what
 * stands around them. The part must stand in `bytes`.
 */
export function findNames(text: string, from: number, to: number, found: Finding[]): void {
  const first = found.length
  unsure.length = 0
  findRows(text, from, to, found)
  if (unsure.length > 0 && found.length > first) addSiblings(text, unsure, first, found)
}

function findRows(text: string, from: number, to: number, found: Finding[]): void {
  const [length, fours] = [to - from, byFours]
  for (let first = 0, next = 0; first < length; first += 4) {
    const four = fours[first >> 2]!
    // Bits 5 and 6 of a capital letter are 0 and 1: where none of the four bytes has them, no name begins.
    const bits = (four & 0x60606060) ^ 0x40404040
    if (((bits | (bits << 1)) & 0x40404040) === 0x40404040 && (four & 0x80808080) === 0) continue
    const end = Math.min(first + 4, length)
    for (let i = Math.max(first, next); i < end; i = Math.max(i + 1, next))
      if ((KINDS[bytes[i]!]! & CAPITAL) !== 0 && (KINDS[bytes[i + 1]!]! & SECOND) !== 0)
        next = readRow(text, from + i, found) - from
  }
}

/** The same part, four bytes at once: most of a text has no capital letter. */
const byFours = new Int32Array(bytes.buffer)

/** Reads the row of capitalized words that begins at `at`, and returns from where on another may begin. */
function readRow(text: string, at: number, found: Finding[]): number {
  if (!isStart(text, at)) return at
  const end = wordEnd(text, at)
  if (end < 0) return at
  if (!leadsOn(text, end)) {
    if (SPEAKER_END.has(text.charCodeAt(end))) decideSpeaker(text, at, end, found)
    return end
  }
  const tokens = readTokens(text, at, end)
  if (tokens.length > 1) decide(text, tokens, found)
  else decideSpeaker(text, at, end, found)
  return tokens.at(-1)!.end
}

const SPACE = 32
const APOSTROPHE = 39
const HYPHEN = 45
const STOP = 46
const isCapital = (code: number): boolean => (code > 64 && code < 91) || (code > 0xbf && code < 0x2000)
const isSmall = (code: number): boolean => (code > 96 && code < 123) || (code > 0xbf && code < 0x2000)

/** Returns where a capitalized word or an initial ends that begins at `at`; -1 where there is none. */
function wordEnd(text: string, at: number): number {
  const first = text.charCodeAt(at)
  if (!isCapital(first) || (first > 127 && !/\p{Lu}/u.test(text[at]!))) return -1
  let end = at + 1
  if (text.charCodeAt(end) === STOP) return end + 1
  const last = at + MOST_LETTERS
  for (; end < last; end++) {
    const code = text.charCodeAt(end)
    if (isSmall(code)) continue
    const isJoint = code === APOSTROPHE || code === HYPHEN || code === 0x2019
    const next = text.charCodeAt(end + 1)
    // `O'Brien`, `Jean-Paul`, `McAdam`: a capital letter inside a word.
    if (isJoint && isCapital(next)) end++
    else if (!(isJoint && code !== HYPHEN && isSmall(next)) && !(isCapital(code) && end - at < 4)) break
  }
  return end
}

interface Token {
  readonly start: number
  readonly end: number
  readonly word: string
  readonly kind: TokenKind
}

/** Reads the capitalized words of a row, of which the first one is known. */
function readTokens(text: string, at: number, firstEnd: number): Token[] {
  const tokens: Token[] = []
  for (let [start, end] = [at, firstEnd]; end > 0; end = wordEnd(text, start)) {
    const word = text.slice(start, end)
    tokens.push({ start, end, word, kind: tokenKind(word) })
    if (tokens.length === MOST_WORDS || text.charCodeAt(end) !== SPACE) break
    start = skipParticles(text, end + 1)
  }
  return tokens
}

const PARTICLE =
  /(?:(?:de|da|del|della|di|dos|das|do|du|van|von|der|den|ter|ten|zu|zum|bin|ibn|al|el|la|le|af|av|y|ni) ){1,3}(?=\p{Lu})/uy
const PARTICLE_START = new Set([...'adevlbtzyn'].map((char) => char.charCodeAt(0)))

/** Returns whether another word of a name may follow at once. */
const leadsOn = (text: string, end: number): boolean =>
  text.charCodeAt(end) === SPACE &&
  (isCapital(text.charCodeAt(end + 1)) || PARTICLE_START.has(text.charCodeAt(end + 1)))

function skipParticles(text: string, at: number): number {
  if (!PARTICLE_START.has(text.charCodeAt(at))) return at
  PARTICLE.lastIndex = at
  return PARTICLE.test(text) ? PARTICLE.lastIndex : at
}

/** Returns whether a word may begin here, also behind an escaped line break. */
function isStart(text: string, at: number): boolean {
  if (at === 0) return true
  const before = text.charCodeAt(at - 1)
  if (before < 128 ? (KINDS[before]! & OPENS) !== 0 : !/\p{L}|\p{M}/u.test(text[at - 1]!)) return true
  return (before === 110 || before === 116) && text[at - 2] === '\\'
}

const NAME_WORD =
  /^(?:(?:Mc|Mac|De|Di|La|Le|Van|Fitz|\p{Lu}['’])?\p{Lu}[\p{Ll}\p{M}]+(?:['’]\p{Ll}{2,})?(?:-\p{Lu}[\p{Ll}\p{M}]+){0,2}(?:['’]s)?|\p{Lu}\.?)$/u

/** `Bcc`, `Ltd`: an abbreviation. */
const NO_VOWEL = /^[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz]+$/

function classifyToken(word: string): TokenKind {
  if (!NAME_WORD.test(word)) return 'word'
  if (word.replace('.', '').length === 1) return 'initial'
  const first = word.replace(/-.*|['’]s$/, '')
  if (NEVER_NAME.test(first)) return 'word'
  const kind = kindOf(first)
  if (kind !== 'unknown') return kind
  return NO_VOWEL.test(first) || (WORD_END.test(first) && !SURNAME_END.test(foldName(first))) ? 'word' : kind
}

const tokenKind = rememberWords(classifyToken)

/** Weighs each part of two to four words of a row, and adds the one with the most evidence if that is enough. */
function decide(text: string, tokens: readonly Token[], found: Finding[]): void {
  let best: { readonly from: number; readonly to: number; readonly weight: number } | null = null
  for (let from = 0; from < tokens.length - 1; from++)
    for (let to = from + 1; to < Math.min(tokens.length, from + 4); to++) {
      const inside = weighWords(tokens, from, to)
      if (inside < THRESHOLD - MOST_AROUND) continue
      const weight = inside + weighSurroundings(text, tokens, from, to)
      if (weight >= THRESHOLD && (!best || weight >= best.weight)) best = { from, to, weight }
    }
  if (best)
    return pushName(text, tokens[best.from]!.start, tokens[best.to]!.end, 0.5 + (best.weight - THRESHOLD) / 100, found)
  if (unsure.length < MOST_UNSURE && tokens.length < 5 && tokens.every(({ kind }) => kind !== 'word'))
    unsure.push([tokens[0]!.start, tokens.at(-1)!.end])
}

function pushName(text: string, start: number, end: number, score: number, found: Finding[]): void {
  const name = text.slice(start, end).replace(/(?<=\p{L}{2})['’]s$/u, '')
  if (!isPersonName(name) || PUBLIC_NAMES.has(foldName(name).replaceAll('-', ' '))) return
  pushIdentity('person', name, start, RULE, found)
  found.at(-1)!.score = Math.min(0.99, score)
}

/** What stands behind the first name of who speaks: a colon, or white space before a time. */
const SPEAKER_END = new Set([58, SPACE])

const SAYS_BEHIND = /^ (?:says|said|thinks|thought|mentioned|diz|disse|dice|dijo|sagt|sagte|meint|meinte)\b/

/**
 * Adds a first name that a chat shows with a time: `[10:05] Kazimir: looking`, `Kazimir — Today at 14:22`; or who says
 * something.
 */
function decideSpeaker(text: string, start: number, end: number, found: Finding[]): void {
  const name = text.slice(start, end)
  const kind = tokenKind(name)
  if (kind !== 'given' && kind !== 'both') return
  if (kind === 'given' && SAYS_BEHIND.test(text.slice(end, end + 12)) && isSingleName(name))
    return pushIdentity('person', name, start, RULE, found)
  const before = text.slice(Math.max(0, start - 60), start)
  const behind = text.slice(end, end + 40)
  if (!LINE_START.test(before)) return
  if (!TIME_BEHIND.test(behind) && !(TIME_BEFORE.test(before) && behind.startsWith(': '))) return
  if (isSingleName(name)) pushIdentity('person', name, start, RULE, found)
}

/** Rows of words that may be names, of which nothing else says so: filled and emptied within one call. */
const unsure: (readonly [start: number, end: number])[] = []
const MOST_UNSURE = 500
/** Stands between two names of one list. */
const JOINT = /^(?:[,;]? (?:and|und|y|et|e|&) |[,;] ?| \/ )$/

/**
 * Adds the rows that stand in the same form as a name that was found: behind it in one list, or between the same words
 * and signs on a line of their own.
 * @param first where the findings of this part begin.
 */
function addSiblings(text: string, rows: typeof unsure, first: number, found: Finding[]): void {
  const names = found.slice(first).map(({ start, end }) => [start, end] as const)
  const forms = new Set(names.map(([start, end]) => formOfLine(text, start, end)))
  const isBesideName = (start: number, end: number): boolean =>
    names.some(
      (name) =>
        (name[1] < start && start - name[1] < 7 && JOINT.test(text.slice(name[1], start))) ||
        (end < name[0] && name[0] - end < 7 && /^ (?:and|und|y|et|e|&) $/.test(text.slice(end, name[0]))),
    )
  for (const [start, end] of rows) {
    const form = formOfLine(text, start, end)
    if (!(form !== null && forms.has(form)) && !isBesideName(start, end)) continue
    pushName(text, start, end, 0.5, found)
    names.push([start, end])
  }
}

/** Returns what a line has before a name, and the signs behind it; null where that is only white space, or much. */
function formOfLine(text: string, start: number, end: number): string | null {
  const before = text.slice(Math.max(0, start - 41), start)
  const line = /(?:^|\n|\\n)([^\n]{0,40})$/.exec(before)
  const behind = /^[^\p{L}\d\n]{0,3}/u.exec(text.slice(end, end + 3))![0]
  if (!line || (before.length > 40 && line.index === 0 && !/^\n|^\\n/.test(line[0]))) return null
  const form = `${line[1]!.replace(/\d+/g, '0')}\n${behind}`
  return /[^\s]/.test(form) ? form : null
}

const MOST_AROUND = AROUND.title + AROUND.chat + AROUND.time

function weighWords(tokens: readonly Token[], from: number, to: number): number {
  const last = tokens[to]!
  let weight = FIRST[tokens[from]!.kind]
  for (let i = from + 1; i < to; i++) weight += MIDDLE[tokens[i]!.kind]
  if (last.kind === 'word' || last.kind === 'initial') return weight + LAST[last.kind]
  return (
    weight +
    Math.max(
      ...last.word
        .replace(/['’]s$/, '')
        .split('-')
        .map(weighLast),
    )
  )
}

function weighLast(part: string): number {
  const kind = tokenKind(part)
  return LAST[kind === 'unknown' && SURNAME_END.test(foldName(part)) ? 'surnameEnd' : kind]
}

const LINE_START = /(?:^|\n|\\n|\\r)[ \t>*•#-]*(?:\[?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[AaPp][Mm])?\]?[ ,-]*)?[<@*]*$/
const TIME_BEFORE = /\d{1,2}[:.]\d\d(?: ?[AaPp][Mm])?\]?[ ,-]*[<*]*$/
const COLON_BEHIND = /^[*>]*(?: \([^()\n]{1,30}\))?(?::[ \t*]|:?[ \t]*(?:\n|\\n))/
const TIME_BEHIND =
  /^[*>]*  ?[·•—–-]? ?(?:\d{1,2}:\d\d|\d{1,3} ?(?:s|m|h|d|w|min|hours?|days?|weeks?)\b|(?:[Tt]oday|[Yy]esterday) )/
const HANDLE_BEHIND = /^,? ?(?:[(<]@?[a-z][\w.@-]{2,60}[)>]|@[a-z]\w{2,})/
const END = /^(?:$|[\n\r\t"'`|<;]|\\[nrt"]|,$)/
const OPEN = /(?:^|[\n\r\t"`|>]|\\[nrt"]|[|,] )$/
/** What may not follow: a word that goes on, a path, a call. */
const GOES_ON = /^(?:[\p{L}\d_/(=&]|[.@:-][\p{L}\d_])/u

function weighSurroundings(text: string, tokens: readonly Token[], from: number, to: number): number {
  const [{ start }, { end }] = [tokens[from]!, tokens[to]!]
  const before = text.slice(Math.max(0, start - 60), start)
  const behind = text.slice(end, end + 40)
  if (GOES_ON.test(behind)) return -100
  if (CREDIT.test(before) || behind.startsWith('](http')) return AROUND.credit
  let weight = tokens.length > 4 ? AROUND.longRow : 0
  const wordBefore = /([\p{L}'’]+:?)[.,:]?[\s"'“(*@]{0,3}$/u.exec(before.slice(-30))?.[1]
  const lower = wordBefore?.toLowerCase() ?? ''
  if (TITLES.has(foldName(lower))) weight += AROUND.title
  else if (WORDS_BEFORE.has(lower)) weight += AROUND.before
  else if (from > 0) weight += AROUND.titleCase
  const wordBehind = /^,? (\p{L}+)/u.exec(behind)?.[1]
  if (/^['’]s\b/.test(behind) || /['’]s$/.test(tokens[to]!.word)) weight += AROUND.before
  else if (wordBehind && WORDS_BEHIND.has(wordBehind)) weight += AROUND.behind
  else if (to < tokens.length - 1) weight += AROUND.titleCase
  const isLineStart = LINE_START.test(before)
  const hasTimeBehind = TIME_BEHIND.test(behind)
  if (isLineStart && (hasTimeBehind || COLON_BEHIND.test(behind))) weight += AROUND.chat
  if (hasTimeBehind || TIME_BEFORE.test(before) || HANDLE_BEHIND.test(behind)) weight += AROUND.time
  if ((isLineStart || OPEN.test(before)) && END.test(behind)) weight += AROUND.alone
  return weight
}
