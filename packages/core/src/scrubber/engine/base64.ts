import { IN_RUN, isBase64, kindOfByte, AROUND, type Part } from './character.ts'

const LEAST = 20
const MOST = 1_000_000

/** A run: consecutive base64 characters, with the text that they encode, or null if they encode no text. */
export interface Run {
  readonly start: number
  readonly end: number
  readonly decoded: string | null
}

/**
 * Adds to `runs` the runs of base64 that overlap the part of a text between `from` and `to`. The part must be in
 * `bytes`. A run has at least twenty characters, so the search checks every twentieth character and reads backwards
 * from there. Twelve characters are decoded first, because names and hashes seldom decode to text.
 * @param first the result for the previous part, or `from` for the first part.
 * @returns the index from which the next part continues.
 */
export function baseRuns({ text, from, to }: Part, first: number, runs: Run[]): number {
  let i = first + LEAST - 1
  while (i < to) {
    // Usually, one of the last twenty characters is not base64, so there is no run here.
    let start = i - from
    const floor = start - LEAST
    while (start > floor && (kindOfByte(AROUND + start) & IN_RUN) !== 0) start--
    if (start > floor) {
      i = from + start + LEAST
      continue
    }
    start += from
    while (start >= 0 && isBase64(text, start)) start--
    start++
    let end = i + 1
    while (end < text.length && isBase64(text, end)) end++
    const next = end + LEAST
    while (end < text.length && end < next && text[end] === '=') end++
    i = next
    // Only a run that begins with text may have several lines, because lines of words may also have equal lengths.
    const mayOpen = end - start >= WRAPPED && text[end] !== '=' && beginsReadable(text, start)
    const block = mayOpen ? blockEnd(text, end, end - start) : end
    if (block > end) {
      const decoded = decode(text, start, block)
      if (decoded !== null) {
        runs.push({ start, end: block, decoded })
        i = block + LEAST
        continue
      }
    }
    if (end - start >= LEAST && end - start <= MOST) runs.push({ start, end, decoded: decode(text, start, end) })
  }
  return i - LEAST + 1
}

/** The minimum width of wrapped base64. Programs wrap at 64 or 76 characters, but pasted text varies. */
const WRAPPED = 32

/**
 * Returns the end of a run that is wrapped into lines of equal length. The last line may be shorter. Returns `end` for
 * a run on one line.
 */
function blockEnd(text: string, end: number, width: number): number {
  let stop = end
  for (let n = 0; n < 4000; n++) {
    let at = stop
    if (text[at] === '\r') at++
    if (text[at] !== '\n' || !isBase64(text, at + 1)) return stop
    const from = ++at
    while (at - from <= width && isBase64(text, at)) at++
    if (at - from > width) return stop
    stop = at
    if (at - from < width) {
      if (at - from < 4 && text[at] !== '=') return end
      while (text[stop] === '=' && stop < at + 2) stop++
      return stop
    }
  }
  return stop
}

const PRINTABLE = /^[\t\n\r\x20-\x7e\x80-\xff]*$/

function decode(text: string, start: number, end: number): string | null {
  if (!beginsReadable(text, start)) return null
  const whole = attempt(text.slice(start, end).replace(/\s+/g, ''))
  if (whole === undefined || !PRINTABLE.test(whole)) return null
  return /[\x80-\xff]/.test(whole) ? utf8(whole) : whole
}

function utf8(bytes: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
  } catch {
    return null
  }
}

const VALUES = new Int8Array(128).fill(-1)
for (const [value, char] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  VALUES[char.charCodeAt(0)] = value
VALUES[45] = 62
VALUES[95] = 63

const beginsReadable = (text: string, start: number): boolean =>
  readable(text, start) && readable(text, start + 4) && readable(text, start + 8)

/** Returns the six bits that a character encodes, or -1 for a character that is not base64. */
const sextetAt = (text: string, at: number): number => VALUES[text.charCodeAt(at)] ?? -1

/** Returns whether these four characters encode three characters of text. */
function readable(text: string, at: number): boolean {
  const bits =
    (sextetAt(text, at) << 18) | (sextetAt(text, at + 1) << 12) | (sextetAt(text, at + 2) << 6) | sextetAt(text, at + 3)
  return bits >= 0 && plain(bits >> 16) && plain((bits >> 8) & 255) && plain(bits & 255)
}

const plain = (byte: number): boolean => (byte > 31 && byte < 127) || byte === 10 || byte === 13 || byte === 9

function attempt(run: string): string | undefined {
  const bare = run.replace(/=+$/, '').replace(/-/g, '+').replace(/_/g, '/')
  if (bare.length % 4 === 1) return undefined
  try {
    return atob(bare)
  } catch {
    return undefined
  }
}
