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
