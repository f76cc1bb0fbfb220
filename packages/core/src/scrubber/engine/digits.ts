import { bytes } from './bytes.ts'
import { GATES, KINDS } from './character.ts'

const { alnum: ALNUM, digit: DIGIT } = GATES
const LETTER = ALNUM & ~DIGIT
/** The maximum number of letters before the digits of a number. */
const MOST_LETTERS = 6
const HYPHEN = 45
const DOT = 46
const SLASH = 47
const BACKSLASH = 92
const UNDERSCORE = 95
const BEYOND = 255

/** Creates `kindOfByte` with constants that V8 compiles into its code. See `makeLoops` in `scanner.ts`. */
function makeKindOfByte() {
  const part = bytes
  const kinds = KINDS
  return (at: number): number => kinds[part[at]!]!
}
/** Returns the classes of the character at an index of `bytes`. */
export const kindOfByte = makeKindOfByte()

/** Returns whether a character connects the next word with the text before the character. */
export const isJoining = (code: number | undefined): boolean =>
  code === DOT || code === UNDERSCORE || code === SLASH || code === BACKSLASH || code === HYPHEN

/** The minimum number of digits in an identity, account or card number. After letters, fewer digits are enough. */
const LEAST = 6
const LEAST_BEHIND_LETTERS = 4
/** The maximum length of a number, in characters. */
const REACH = 28

/**
 * Returns whether the digits that begin at a byte are certainly not an identity, account or card number, because there
 * are too few digits, or the digits are in the middle of a word. This is true for most digits, so the finder is rarely
 * called. Returns false if `bytes` does not contain enough of the text to decide.
 */
export function isPlainNumber(at: number): boolean {
  const lead = bytes[at - 1]
  if (lead === DOT || lead === UNDERSCORE) return true
  const isBehindLetters = (kindOfByte(at - 1) & LETTER) !== 0
  let from = at
  if (isBehindLetters) {
    while (at - from <= MOST_LETTERS && (kindOfByte(from - 1) & LETTER) !== 0) from--
    if (from <= 0) return false
    if (((kindOfByte(from - 1) & ALNUM) !== 0 || isJoining(bytes[from - 1])) && !mayFollowEscape(at)) return true
  }
  return !hasDigits(at, isBehindLetters ? LEAST_BEHIND_LETTERS : LEAST) && !mayBeCode(at, at - from)
}

/**
 * Returns whether the number that begins at a byte has enough digits. Letters and punctuation marks may be between the
 * digits.
 */
function hasDigits(at: number, least: number): boolean {
  let digits = 0
  for (let i = at; i < at + REACH; i++) {
    const kind = kindOfByte(i)
    if (bytes[i] === BEYOND) return true
    if ((kind & DIGIT) !== 0) {
      if (++digits === least) return true
    } else if ((kind & ALNUM) === 0) {
      if ((kind & GATES.number) === 0) return false
      // The separator may be one punctuation mark, a bracket and a space, or a hyphen between spaces.
      const next = kindOfByte(i + 1)
      if ((next & (DIGIT | ALNUM)) === 0 && (next & GATES.number) === 0) return false
    }
  }
  return false
}

/**
 * Returns whether a code with few digits may begin here: a bank account such as `DE89`, or letters and digits that
 * alternate.
 */
function mayBeCode(at: number, letters: number): boolean {
  if (letters === 2) return (kindOfByte(at + 1) & DIGIT) !== 0 && (kindOfByte(at + 2) & DIGIT) === 0
  if (letters > 0) return false
  const next = kindOfByte(at + 1)
  if ((next & LETTER) === 0) return false
  for (let i = at + 2; i < at + 5; i++) if ((kindOfByte(i) & ALNUM) === 0) return false
  return true
}

/** The number of characters before a word that may contain an escape. */
export const LONGEST_ESCAPE = 6

/** Returns whether an escape, such as a line break or a colour, may end before a byte. A word begins there. */
export const mayFollowEscape = (at: number): boolean =>
  bytes[at - 1] === 109 ||
  bytes[at - 2] === BACKSLASH ||
  bytes[at - 3] === 37 ||
  bytes[at - 4] === BACKSLASH ||
  bytes[at - 6] === BACKSLASH
