/** Characters that are read at once. */
export const PART = 8192

/** Characters behind a part that can be read too. */
export const AHEAD = 8

const encoder = new TextEncoder()

/**
 * A part of a text as bytes, which a loop reads twice as fast as a string's characters: filled by `load`, and read
 * before anything else can fill it again. What is beyond ASCII is `BEYOND`, and so is what stands behind the text's
 * end.
 */
export const bytes = new Uint8Array(PART + 2 * AHEAD)
const BEYOND = 0xff

/** Returns the byte of a character. */
export const byteOf = (code: number): number => (code < 128 ? code : BEYOND)

/** Reads the characters from `from` to `to`, at most `PART`, and `AHEAD` behind them: the first is byte 0. */
export function load(text: string, from: number, to: number): void {
  const end = Math.min(text.length, to + AHEAD)
  const length = end - from
  const { written } = encoder.encodeInto(from === 0 && end === text.length ? text : text.substring(from, end), bytes)
  // As many bytes as characters: ASCII all of it, since the buffer is longer than the part.
  if (written !== length) for (let i = 0; i < length; i++) bytes[i] = byteOf(text.charCodeAt(from + i))
  bytes.fill(BEYOND, length, to - from + AHEAD + 1)
}
