import { DecodedPart, type View } from './decode.ts'
import type { Meter, Steps } from './meter.ts'

const BREAK = String.raw`\n|\\{1,4}n`
/** What programs put before each line: a number, the sign of a quotation, a time, the name of a container. */
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
/** Of those that are read again in the next view: longer than nearly every value. */
const OVERLAP = 4096

/** What goes on in the next line: a private key, a name whose value stands there, a command's answer, a table. */
const GOES_ON =
  /-----BEGIN [A-Z ]{0,24}PRIVATE|(?:pass|secret|token|key|cred|auth|pwd)[\w-]{0,24}["']?\s{0,2}[:=]\s{0,2}[|>\\]?-?\s{0,2}(?:\n|\\n)|[$>#%] (?:whoami|hostname)|[,\t;] ?(?:pass|pwd|secret|token|ssn|phone|dob|birth)|(?:password|secret|token|phone),|PASS /i
/** What a prefix is known by. */
const MARKS = ['\t', '→', '\n>', '| ', '\\t', 'n>', ':']

/** Returns whether lines of a text may have prefixes and a secret may go on in the next line: then it is read twice. */
const mayHavePrefixes = (text: string): boolean =>
  text.includes('\n') || text.includes('\\n') ? MARKS.some((mark) => text.includes(mark)) && GOES_ON.test(text) : false

/** Returns whether two lines of a text that follow each other have prefixes of one kind. */
export function hasLinePrefixes(text: string): boolean {
  if (!mayHavePrefixes(text)) return false
  return text.length <= PIECE ? withoutPrefixes(text, 0) !== null : true
}

/** Calls `read` for each view of a text without the prefixes of its lines; for none where they have none. */
export function* eachUnprefixedView(text: string, meter: Meter, read: (view: View) => Steps<void>): Steps<void> {
  for (let from = 0; from < text.length; from += PIECE) {
    const view = withoutPrefixes(text, from)
    if (view) yield* read(view)
    if (meter.spend(PIECE >> 4)) yield
  }
}

/** A prefix and the line that it stands in. */
interface Prefix {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly number: number
}

/** Returns the piece of a text that begins at `from` without the prefixes of its lines; null where no two follow. */
function withoutPrefixes(text: string, from: number): View | null {
  const first = Math.max(0, from - OVERLAP)
  const to = Math.min(text.length, from + PIECE)
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

/** Returns whether a prefix belongs to the one before it: numbers go up by one, others stand in lines that follow. */
const follows = (text: string, last: Prefix, next: Prefix, lineEnd: number): boolean =>
  last.kind === next.kind &&
  (next.kind === 'number'
    ? next.number === last.number + 1
    : lineEnd >= last.end && !HAS_BREAK.test(text.slice(last.end, lineEnd)))
