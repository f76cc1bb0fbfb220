/** Characters that are read at once. */
export const PART = 16_384

/** A part of a text, at most `PART` characters. */
export interface Part {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** Characters before and after a part that can be read too. */
export const AROUND = 24

/** Bytes of UTF-8 for one character of UTF-16, at most. */
const WIDEST = 3

/**
 * A part of a text as bytes, which a loop reads twice as fast as a string's characters: filled by `load`, and read
 * before anything else can fill it again. The part begins at `AROUND`. Characters beyond ASCII are `BEYOND`, and so are the
 * places before the text's beginning and after its end.
 */
export const bytes = new Uint8Array(WIDEST * (PART + 2 * AROUND))
const BEYOND = 0xff
/** More bytes are moved faster by the engine than one by one. */
const SHORT = 24

const encoder = new TextEncoder()
/** The places of the characters beyond ASCII in `bytes`. */
const beyond = new Int32Array(PART + 2 * AROUND)
let beyondCount = 0
const offsets = Array.from({ length: AROUND + 1 }, (_, at) => bytes.subarray(at))

/** Returns the byte of a character. */
export const byteOf = (code: number): number => (code < 128 ? code : BEYOND)

/**
 * Reads the characters from `from` to `to`, at most `PART`, and `AROUND` more on either side. Returns whether all of
 * them are ASCII.
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

/** Returns where characters beyond ASCII are from `first` to `last`, of the part of a text from `from` on in `bytes`. */
export function placesBeyond(from: number, first: number, last: number): number[] {
  const places: number[] = []
  for (let i = 0; i < beyondCount; i++) {
    const at = from + beyond[i]! - AROUND
    if (at >= first && at < last) places.push(at)
  }
  return places
}

/** The same bytes, four at once. */
const quads = new Uint32Array(bytes.buffer)
const BEYOND_ASCII = 0x80808080

/** Returns where the first byte beyond ASCII is, from a place on; `to` for none. */
function endOfAscii(from: number, to: number): number {
  const [part, four] = [bytes, quads]
  let at = from
  while (at < to && (at & 3) !== 0 && part[at]! < 0x80) at++
  if ((at & 3) === 0) while (at + 4 <= to && (four[at >> 2]! & BEYOND_ASCII) === 0) at += 4
  while (at < to && part[at]! < 0x80) at++
  return at
}

/** Turns UTF-8 into one byte for each character of UTF-16, in place. */
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
