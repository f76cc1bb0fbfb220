import type { Regions } from './detect.ts'
import { isInsideString } from './json.ts'
import type { Meter, Steps } from './meter.ts'
import type { Placeholders } from './placeholder.ts'
import type { Finding } from './rule.ts'

/** The number of characters around a replacement that are searched again, because a rule may read that far. */
const REACH = 256
/**
 * The maximum number of pieces that are joined in one step, because joining a million pieces takes too long for one
 * step. Fewer pieces are joined only at the end, because blocks that are joined earlier need as much memory as the
 * text.
 */
const PIECES = 262_144

export interface Replaced {
  readonly text: string
  readonly total: number
  /** Whether a replacement may have broken a JSON document. */
  readonly mayBreakJson: boolean
  /** The parts of the new text around each replacement. */
  readonly regions: Regions
}

/** Replaces a part of a text with a word. */
type Put = (first: number, last: number, word: string) => void

/** Returns the text with placeholders for the findings, which must be in order and must not overlap. */
export function* replace(
  text: string,
  findings: readonly Finding[],
  names: Placeholders,
  counts: Record<string, number>,
  meter: Meter,
): Steps<Replaced> {
  const blocks: string[] = []
  let parts: string[] = []
  const regions: [number, number][] = []
  let from = 0
  let length = 0
  let mayBreakJson = false
  const isDocument = /^\s*[[{]/.test(text)
  const put: Put = (first, last, word) => {
    parts.push(text.slice(from, first), word)
    length += first - from
    const region = regions[regions.length - 1]
    if (region && length - REACH <= region[1]) region[1] = length + word.length + REACH
    else regions.push([Math.max(0, length - REACH), length + word.length + REACH])
    length += word.length
    from = last
  }
  for (const finding of findings) {
    const { start, end } = finding
    const { category, placeholder } = names.of(finding)
    counts[category] = (counts[category] ?? 0) + 1
    const isBare = isDocument && isBareNumber(text, start, end)
    const word = isBare ? `"${placeholder}"` : placeholder
    mayBreakJson ||= isBare || (isDocument && !isInsideString(text, start, end))
    // In coordinates, the quote is the sign for seconds: `37°46'48.0"N`.
    if (category === 'coordinates' && !isDocument) put(start, end, word)
    else eachString(text, start, end, word, put)
    if (parts.length >= PIECES) {
      blocks.push(parts.join(''))
      parts = []
    }
    if (meter.spend(32)) yield
  }
  parts.push(text.slice(from))
  length += text.length - from
  const last = regions[regions.length - 1]
  if (last) last[1] = Math.min(last[1], length)
  blocks.push(parts.join(''))
  return { text: blocks.join(''), total: findings.length, mayBreakJson, regions }
}

/**
 * Replaces each string in a finding separately, so that quotes stay paired and JSON stays valid. A finding may contain
 * quotes if it is a key in several lines of code, or a match across strings of JSON.
 */
function eachString(text: string, start: number, end: number, word: string, put: Put): void {
  let from = start
  let inside = true
  for (let at = start; at <= end; at++) {
    if (at < end && (text.charCodeAt(at) !== 34 || text.charCodeAt(at - 1) === 92)) continue
    if (inside && at > from) put(from, at, word)
    inside = !inside
    from = at + 1
  }
}

/**
 * Returns whether a finding is a number in a JSON document, without quotes. Its placeholder needs quotes, so that the
 * document stays valid.
 */
function isBareNumber(text: string, start: number, end: number): boolean {
  const code = text.charCodeAt(end - 1)
  if (code < 48 || code > 57 || !/^-?\d+(?:\.\d+)?$/.test(text.slice(start, end))) return false
  return (
    /(?:"\s{0,8}:|[[,])\s{0,40}$/.test(text.slice(Math.max(0, start - 50), start)) &&
    /^\s{0,40}(?:[,}\]]|$)/.test(text.slice(end, end + 41))
  )
}
