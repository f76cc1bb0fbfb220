import { DecodedPart, type View } from './decode.ts'

const BREAK = String.raw`\n|\\{1,4}n`
/** The prefixes that programs put before each line: a number, a quotation mark, a time, the name of a container. */
const PREFIXES = [
  String.raw`(?<number> {0,8}(?<digits>\d{1,6})(?:→|\t|\\{1,4}t))`,
  '(?<quotation>> ?)',
  String.raw`(?<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? )`,
  String.raw`(?<container>[a-z][\w.-]{1,60} {1,24}\| )`,
]
const PREFIXED = new RegExp(`(?:^|${BREAK})(?:${PREFIXES.join('|')})`, 'g')
const HAS_BREAK = new RegExp(BREAK)
/** Characters that are read as one view. */
const PIECE = 131_072
/** The characters that the next view reads again: longer than nearly every value. */
const OVERLAP = 4096

/** Text that continues in the next line: a private key, a name whose value is there, a command's answer, a table. */
const GOES_ON =
  /-----BEGIN [A-Z ]{0,24}PRIVATE|(?:pass|secret|token|key|cred|auth|pwd)[\w-]{0,24}["']?\s{0,2}[:=]\s{0,2}[|>\\]?-?\s{0,2}(?:\n|\\n)|[$>#%] (?:whoami|hostname)|[,\t;] ?(?:pass|pwd|secret|token|ssn|phone|dob|birth)|(?:password|secret|token|phone),|PASS /gi
/** A line with a prefix. Two of one kind must follow each other, which is looked at where something goes on. */
const HAS_PREFIX = /(?:\n|\\n)(?: {0,8}\d{1,6}(?:→|\t|\\{1,4}t)|> ?|\d{4}-\d\d-\d\d[T ]\d\d|[a-z][\w.-]{1,60} {1,24}\|)/
/** How much is read before what goes on, and after it. */
const BEFORE = 400
const BEHIND = 6000

/** Returns the parts of a text in which a secret may go on in the next line, if its lines may have prefixes. */
function* partsThatGoOn(text: string): Generator<readonly [from: number, to: number]> {
  if (!HAS_PREFIX.test(text)) return
  let [from, to] = [0, -1]
  for (const { index } of text.matchAll(GOES_ON)) {
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

/** Returns the parts of a text to read without the prefixes of its lines, as views. */
export function* unprefixedViews(text: string): Generator<View> {
  for (const [from, to] of partsThatGoOn(text)) {
    const view = withoutPrefixes(text, from, to)
    if (view) yield view
  }
}

/** A prefix and the line that it is in. */
interface Prefix {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly number: number
}

/** Returns a part of a text without the prefixes of its lines; null where no two lines with one follow each other. */
function withoutPrefixes(text: string, first: number, to: number): View | null {
  const part = new DecodedPart(first)
  let last: Prefix | undefined
  for (const { index, 0: match, groups } of text.slice(first, to).matchAll(PREFIXED)) {
    const [kind, prefix] = Object.entries(groups!).find(([, value]) => value !== undefined)!
    const end = first + index + match.length
    const next = { start: end - prefix.length, end, kind, number: Number(groups!['digits'] ?? 0) }
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

/** Returns whether a prefix belongs to the one before it: numbers go up by one, others are in lines that follow. */
const follows = (text: string, last: Prefix, next: Prefix, lineEnd: number): boolean =>
  last.kind === next.kind &&
  (next.kind === 'number'
    ? next.number === last.number + 1
    : lineEnd >= last.end && !HAS_BREAK.test(text.slice(last.end, lineEnd)))
