/** The maximum number of characters that `load` loads as one part. */
export const PART = 16_384

/** A part of a text, at most `PART` characters. */
export interface Part {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** The number of characters before and after a part that `load` also loads. */
export const AROUND = 24

/** The maximum number of UTF-8 bytes for one UTF-16 code unit. */
const WIDEST = 3

/**
 * The loaded part of a text as bytes. A loop reads bytes twice as fast as the characters of a string. The next call of
 * `load` overwrites the array. The part begins at the index `AROUND`. `BEYOND` replaces each character beyond ASCII,
 * and each position before the start or after the end of the text.
 */
export const bytes = new Uint8Array(WIDEST * (PART + 2 * AROUND))
const BEYOND = 0xff
/** For more bytes than this, `copyWithin` is faster than a loop. */
const SHORT = 24

const encoder = new TextEncoder()
/** The indexes in `bytes` of the characters beyond ASCII. */
const beyond = new Int32Array(PART + 2 * AROUND)
let beyondCount = 0
const offsets = Array.from({ length: AROUND + 1 }, (_, at) => bytes.subarray(at))

/** Returns the byte that represents a character in `bytes`. */
export const byteOf = (code: number): number => (code < 128 ? code : BEYOND)

/**
 * Loads the characters from `from` to `to` (at most `PART`) into `bytes`, with `AROUND` more characters on either side.
 * Returns whether all loaded characters are ASCII.
 */
export function load(text: string, from: number, to: number): boolean {
  const start = Math.max(0, from - AROUND)
  const end = Math.min(text.length, to + AROUND)
  const first = AROUND - (from - start)
  const whole = start === 0 && end === text.length ? text : text.substring(start, end)
  const { written } = encoder.encodeInto(whole, offsets[first]!)
  bytes.fill(BEYOND, 0, first)
  const isAscii = written === end - start
  beyondCount = 0
  if (!isAscii) narrow(first, first + written)
  bytes.fill(BEYOND, first + end - start, AROUND + to - from + AROUND + 1)
  return isAscii
}

/** Returns the indexes of characters beyond ASCII from `first` to `last`. The part in `bytes` must begin at `from`. */
export function placesBeyond(from: number, first: number, last: number): number[] {
  const places: number[] = []
  for (let i = 0; i < beyondCount; i++) {
    const at = from + beyond[i]! - AROUND
    if (at >= first && at < last) places.push(at)
  }
  return places
}

/** The memory of `bytes`, with four bytes in each element. */
const quads = new Uint32Array(bytes.buffer)
const BEYOND_ASCII = 0x80808080

/** Returns the index of the first byte beyond ASCII from `from` on, or `to` if there is none. */
function endOfAscii(from: number, to: number): number {
  const [part, four] = [bytes, quads]
  let at = from
  while (at < to && (at & 3) !== 0 && part[at]! < 0x80) at++
  if ((at & 3) === 0) while (at + 4 <= to && (four[at >> 2]! & BEYOND_ASCII) === 0) at += 4
  while (at < to && part[at]! < 0x80) at++
  return at
}

/** Converts UTF-8 to one byte for each UTF-16 code unit, in place. */
function narrow(from: number, to: number): void {
  const part = bytes
  let at = endOfAscii(from, to)
  for (let read = at; read < to;) {
    const byte = part[read]!
    if (byte < 0x80) {
      const end = endOfAscii(read, to)
      if (end - read > SHORT) part.copyWithin(at, read, end)
      else for (let i = read; i < end; i++) part[at + i - read] = part[i]!
      at += end - read
      read = end
      continue
    }
    beyond[beyondCount++] = at
    part[at++] = BEYOND
    if (byte >= 0xf0) {
      beyond[beyondCount++] = at
      part[at++] = BEYOND
    }
    read += byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
  }
}

/**
 * The number of bits of a column. A column is the class of a character: one for both cases of a letter, one for all
 * digits, one for each punctuation mark.
 */
export const WIDTH = 6
/** The number of possible blocks. A block consists of the columns of three consecutive characters. */
export const BLOCKS = 1 << (3 * WIDTH)
/** The column of each byte. Bytes without a column of their own have column 0. */
export const COLUMNS = new Uint8Array(256)
const SIGNS = ' \n\t!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
for (let code = 97; code <= 122; code++) COLUMNS[code] = COLUMNS[code - 32] = code - 96
/** The column of all digits. */
export const DIGITS = 27
for (let code = 48; code <= 57; code++) COLUMNS[code] = DIGITS
for (const [i, sign] of [...SIGNS].entries()) COLUMNS[sign.charCodeAt(0)] = (28 + i) & 63

/** Returns the number of the block with these three columns. */
export const blockOf = (first: number, second: number, third: number): number =>
  (((first << WIDTH) | second) << WIDTH) | third

/** Returns the column of a character of a text. */
export const columnAt = (text: string, at: number): number => COLUMNS[byteOf(text.charCodeAt(at))]!

/** Returns the number of the block that begins at an index of a text. */
export const blockAt = (text: string, at: number): number =>
  blockOf(columnAt(text, at), columnAt(text, at + 1), columnAt(text, at + 2))

/** One character of each column. */
export const EVERY_COLUMN: readonly string[] = ['\x80', ...'abcdefghijklmnopqrstuvwxyz0', ...SIGNS]

/** The classes of a character, as bits. A table contains them, because they are read millions of times a second. */
const DIGIT = 1
const LOWER = 2
const UPPER = 4
const NAME = 8
const HEX = 16
const BASE64 = 32
const COLON = 64
const RUN = 128
const JOINT = 256
const ANY = 512

/** The conditions of rules for the characters next to a keyword. These conditions are checked first. */
export const GATES = {
  digit: DIGIT,
  alnum: DIGIT | LOWER | UPPER,
  address: HEX | COLON,
  hex: HEX,
  word: NAME | BASE64,
  number: DIGIT | UPPER | LOWER | JOINT,
  any: ANY,
} as const

/** The classes of each character code. Every code has an entry, so that a look-up needs no branch. */
export const KINDS = new Uint16Array(65_536).fill(ANY)
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code)
  let kind = 0
  if (char >= '0' && char <= '9') kind |= DIGIT | NAME | HEX | BASE64
  if (char >= 'a' && char <= 'z') kind |= LOWER | NAME | BASE64
  if (char >= 'A' && char <= 'Z') kind |= UPPER | NAME | BASE64
  if (/[a-fA-F]/.test(char)) kind |= HEX
  if (char === '_' || char === '-' || char === '.' || char === '$') kind |= NAME
  if (char === '+' || char === '/') kind |= BASE64
  if (char === ':') kind |= COLON
  if (' -.()/+'.includes(char)) kind |= JOINT
  if (kind & BASE64 || char === '-' || char === '_') kind |= RUN
  KINDS[code] = kind | ANY
}

/** The bit in `KINDS` for characters of the two base64 alphabets. */
export const IN_RUN = RUN

/** Creates `kindAt` with constants that V8 compiles into its code. See `makeLoops` in `scanner.ts`. */
function makeKindAt() {
  const kinds = KINDS
  const any = ANY
  return (text: string, at: number): number => (at >= 0 && at < text.length ? kinds[text.charCodeAt(at)]! : any)
}
/** Returns the classes of a character, or only `ANY` outside the text. */
export const kindAt = makeKindAt()

export const isDigit = (text: string, at: number): boolean => (kindAt(text, at) & DIGIT) !== 0
export const isAlnum = (text: string, at: number): boolean => (kindAt(text, at) & (DIGIT | LOWER | UPPER)) !== 0
export const isLetter = (text: string, at: number): boolean => (kindAt(text, at) & (LOWER | UPPER)) !== 0
export const isUpper = (text: string, at: number): boolean => (kindAt(text, at) & UPPER) !== 0
export const isLower = (text: string, at: number): boolean => (kindAt(text, at) & LOWER) !== 0
export const isHex = (text: string, at: number): boolean => (kindAt(text, at) & HEX) !== 0
/** Returns whether a character may be in the name of a variable, key or flag: letters, digits, `_`, `-`, `.`, `$`. */
export const isName = (text: string, at: number): boolean => (kindAt(text, at) & NAME) !== 0
/** Returns whether a character belongs to an alphabet of base64: the standard alphabet or the alphabet for URLs. */
export const isBase64 = (text: string, at: number): boolean => (kindAt(text, at) & RUN) !== 0
export const isSpace = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code === 32 || code === 9
}

/**
 * Returns whether a word begins at `at`. This is true right after an escape, even if the escape ends in a letter or
 * digit: an escaped newline (`\nAKIA`), a percent code (`%3DAKIA`), a unicode escape (`\u003dAKIA`) or a colour
 * (`ESC[31mAKIA`, also spelled out `\033[31m`).
 */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !isAlnum(text, at - 1)) return true
  const before = text.charAt(at - 1)
  if (text[at - 2] === '\\') return 'nrtbfv'.includes(before)
  if (isHex(text, at - 1) && isHex(text, at - 2)) {
    if (text[at - 3] === '%' || (text[at - 3] === 'x' && text[at - 4] === '\\')) return true
    if (isHex(text, at - 3) && text[at - 5] === 'u' && text[at - 6] === '\\') return true
  }
  if (before === 'm') {
    let open = at - 2
    const floor = Math.max(0, at - 20)
    while (open > floor && (isDigit(text, open) || text[open] === ';')) open--
    return (
      text[open] === '[' &&
      (text.charCodeAt(open - 1) === 27 ||
        /(?:\\033|\\x1[bB]|\\u001[bB]|\\e)$/.test(text.slice(Math.max(0, open - 6), open)))
    )
  }
  return false
}

/** The characters that may follow the name of a value. */
export const FOLLOWS = new Set([...'"\'`\\] \t=:?|>,-\u00a0.('].map((char) => char.charCodeAt(0)))
/** The characters that end a value without quotes. */
export const ENDS = new Set([...' \t\n\r"\'`;,)}]<>|&\u00a0'].map((char) => char.charCodeAt(0)))

const ALNUM = GATES.alnum
const LETTER = ALNUM & ~DIGIT
/** The maximum number of letters before the digits of a number. */
const MOST_LETTERS = 6
const HYPHEN = 45
const DOT = 46
const SLASH = 47
const BACKSLASH = 92
const UNDERSCORE = 95

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
const LEAST_DIGITS = 6
const LEAST_BEHIND_LETTERS = 4
/** The maximum length of a number, in characters. */
const LONGEST_NUMBER = 28

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
  return !hasDigits(at, isBehindLetters ? LEAST_BEHIND_LETTERS : LEAST_DIGITS) && !mayBeCode(at, at - from)
}

/**
 * Returns whether the number that begins at a byte has enough digits. Letters and punctuation marks may be between the
 * digits.
 */
function hasDigits(at: number, least: number): boolean {
  let digits = 0
  for (let i = at; i < at + LONGEST_NUMBER; i++) {
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
