import { DecodedPart, type View } from './decode.ts'

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
const PIECE = 131_072
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
    if (to - from > PIECE) {
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
