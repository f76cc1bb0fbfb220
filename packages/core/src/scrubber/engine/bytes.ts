/** Characters that are read at once. */
export const PART = 16_384

/** Characters before and behind a part that can be read too. */
export const AROUND = 8

/** Bytes of UTF-8 for one character of UTF-16, at most. */
const WIDEST = 3

/**
 * A part of a text as bytes, which a loop reads twice as fast as a string's characters: filled by `load`, and read
 * before anything else can fill it again. The part begins at `AROUND`. What is beyond ASCII is `BEYOND`, and so is what
 * stands before the text's beginning and behind its end.
 */
export const bytes = new Uint8Array(WIDEST * (PART + 2 * AROUND))
const BEYOND = 0xff

const encoder = new TextEncoder()
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
  if (!isAscii) narrow(first, first + written)
  bytes.fill(BEYOND, first + end - start, AROUND + to - from + AROUND + 1)
  return isAscii
}

/** Returns where the characters beyond ASCII stand in the part of a text from `from` to `to`, which stands in `bytes`. */
export function placesBeyond(from: number, to: number): number[] {
  const places: number[] = []
  const end = AROUND + to - from
  for (let at = bytes.indexOf(BEYOND, AROUND); at >= 0 && at < end; at = bytes.indexOf(BEYOND, at + 1))
    places.push(from + at - AROUND)
  return places
}

/** Turns UTF-8 into one byte for each character of UTF-16, in place. */
function narrow(from: number, to: number): void {
  const part = bytes
  let at = from
  for (let read = from; read < to;) {
    const byte = part[read]!
    if (byte < 0x80) {
      part[at++] = byte
      read++
      continue
    }
    part[at++] = BEYOND
    if (byte >= 0xf0) part[at++] = BEYOND
    read += byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
  }
}
