import { AROUND, bytes, type Part } from './bytes.ts'
import { IN_RUN, isBase64, KINDS } from './character.ts'

const LEAST = 20
const MOST = 1_000_000

/** A run of base64 and the text it encodes; null if it encodes no text. */
export interface Run {
  readonly start: number
  readonly end: number
  readonly decoded: string | null
}

/**
 * Runs of base64 that touch the part of a text between `from` and `to`, added to `runs`. Looks back from every
 * twentieth character to the last break, since a run that matters has twenty, and decodes twelve characters before the
 * whole: names and hashes give bytes that no text holds. The part must be in `bytes`.
 * @param first what the part before returned; `from` for the first one.
 * @returns where to go on in the next part.
 */
export function baseRuns({ text, from, to }: Part, first: number, runs: Run[]): number {
  let i = first + LEAST - 1
  while (i < to) {
    // Nearly all of a text ends here.
    let start = i - from
    const floor = start - LEAST
    while (start > floor && (KINDS[bytes[AROUND + start]!]! & IN_RUN) !== 0) start--
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
    // Lines of words are as long as each other too: what begins with no text is not measured as a block.
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

/** Programs break base64 at 64 or 76 characters; people who paste it, anywhere above this. */
const WRAPPED = 32

/**
 * Returns where a run that is broken into lines of equal length ends, the last one shorter; `end` where it is not
 * broken.
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

/** Returns whether these four characters stand for three that a text holds. */
function readable(text: string, at: number): boolean {
  const bits =
    (VALUES[text.charCodeAt(at)]! << 18) |
    (VALUES[text.charCodeAt(at + 1)]! << 12) |
    (VALUES[text.charCodeAt(at + 2)]! << 6) |
    VALUES[text.charCodeAt(at + 3)]!
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
