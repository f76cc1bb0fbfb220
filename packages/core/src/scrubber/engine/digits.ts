import { bytes } from './bytes.ts'
import { GATES, KINDS } from './character.ts'

const { alnum: ALNUM, digit: DIGIT } = GATES
const LETTER = ALNUM & ~DIGIT
/** The shortest run of digits that is looked at whatever stands behind it. */
const LONG_RUN = 6
/** The most letters before the digits of one number. */
const MOST_LETTERS = 6
const HYPHEN = 45
const DOT = 46
const SLASH = 47
const BACKSLASH = 92
const UNDERSCORE = 95

/** Returns whether a character joins a word to what stands before it. */
export const isJoining = (code: number): boolean =>
  code === DOT || code === UNDERSCORE || code === SLASH || code === BACKSLASH || code === HYPHEN

/**
 * Returns whether the digits that begin at a byte are certainly no number of a person, an account or a card: a short
 * run by itself, or one deep inside of a word. Most digits are, and the finder need not be called for them. Where the
 * part of the text that stands in `bytes` does not tell, the answer is no.
 */
export function isPlainNumber(at: number): boolean {
  const lead = bytes[at - 1]!
  if (lead === DOT || lead === UNDERSCORE) return true
  let stop = at + 1
  while ((KINDS[bytes[stop]!]! & DIGIT) !== 0) stop++
  const behind = KINDS[bytes[stop]!]!
  if ((KINDS[lead]! & LETTER) === 0) return stop - at < LONG_RUN && bytes[stop]! < 128 && (behind & GATES.number) === 0
  let from = at - 1
  while (at - from <= MOST_LETTERS && (KINDS[bytes[from - 1]!]! & LETTER) !== 0) from--
  if (from < 7) return false
  return ((KINDS[bytes[from - 1]!]! & ALNUM) !== 0 || isJoining(bytes[from - 1]!)) && !mayFollowEscape(at)
}

/** How many characters before a word are read for an escape. */
export const LONGEST_ESCAPE = 6

/** Returns whether an escape may end before a byte, such as a line break or a colour: a word begins behind it. */
export const mayFollowEscape = (at: number): boolean =>
  bytes[at - 1] === 109 ||
  bytes[at - 2] === BACKSLASH ||
  bytes[at - 3] === 37 ||
  bytes[at - 4] === BACKSLASH ||
  bytes[at - 6] === BACKSLASH
