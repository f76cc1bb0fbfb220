import { startsPlaceholder, placeholderOf, takenNumbers } from './placeholder.ts'
import { findRepeats, isPlain, type Known } from './repeat.ts'
import type { Detector, Finding } from './rule.ts'
import { rules } from './rules/index.ts'
import { scan, wholeTable } from './scanner.ts'
import { VERSION } from './version.ts'

declare const clean: unique symbol
/** Text that went through the scrubber; only the scrubber makes it. Stores take nothing else for free text. */
export type Clean = string & { readonly [clean]: true }

export type ScrubResult =
  | { readonly ok: true; readonly texts: Clean[]; readonly counts: Record<string, number>; readonly total: number }
  | { readonly ok: false; readonly reason: string }

export interface ScrubOptions {
  /** Categories that may not be kept at all: a trace with one of them is refused. Default: none. */
  readonly reject?: readonly string[]
  /** What the table cannot say, such as names of people. */
  readonly detectors?: readonly Detector[]
  /** Milliseconds of any monotonic clock; with `limitMs`, the time limit of one call. Core reads no clock itself. */
  readonly now?: () => number
  readonly limitMs?: number
}

export interface Scrubber {
  /** The same table, the same version; changes whenever a rule does. */
  readonly version: string
  /**
   * Replaces secrets and personal data in all texts of one trace together, so that the same value gets the same
   * placeholder everywhere. Same length and order out. Never throws: what goes wrong refuses the trace, with a reason
   * that holds no value of it. `total` is the number of replacements, `counts` the same by category.
   * @example const done = createScrubber().scrub(['mail jane@corp.io']) // texts: ['mail [EMAIL_1]']
   */
  scrub(texts: readonly string[]): ScrubResult
}

const ROUNDS = 6
const rank = new Map(rules.map((rule, index) => [rule.id, index]))

class TimeLimit extends Error {}

export function createScrubber(options: ScrubOptions = {}): Scrubber {
  return {
    version: VERSION,
    scrub(texts) {
      try {
        return run(texts, options)
      } catch (error) {
        return { ok: false, reason: error instanceof TimeLimit ? 'the scrubber ran out of time' : 'the scrubber failed' }
      }
    },
  }
}

function run(input: readonly string[], options: ScrubOptions): ScrubResult {
  const tick = timer(options)
  const texts = [...input]
  const counts: Record<string, number> = {}
  const numbers = takenNumbers(texts)
  const names = new Map<string, { placeholder: string; category: string }>()
  let total = 0
  let dirty = texts.map((_, index) => index)
  for (let round = 0; dirty.length > 0; round++) {
    if (round === ROUNDS) return { ok: false, reason: 'the scrubber came to no end' }
    const found = new Map<number, Finding[]>()
    const known: Known[] = []
    for (const index of dirty) {
      const list = detect(texts[index]!, options.detectors, tick)
      if (list.length === 0) continue
      found.set(index, list)
      for (const finding of list) {
        if (options.reject?.includes(finding.rule.category)) return { ok: false, reason: `holds ${finding.rule.category}, which may not be kept` }
        if (names.has(finding.value)) continue
        const number = (numbers.get(finding.rule.placeholder) ?? 0) + 1
        numbers.set(finding.rule.placeholder, number)
        names.set(finding.value, { placeholder: placeholderOf(finding.rule.placeholder, number), category: finding.rule.category })
        if (finding.local) continue
        for (const literal of new Set([finding.value, ...(finding.also ?? [])])) if (finding.everywhere || !isPlain(literal)) known.push({ literal, value: finding.value })
      }
    }
    dirty = []
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index]!
      const list = found.get(index) ?? []
      if (known.length > 0)
        findRepeats(text, known, (start, end, value) => list.push({ start, end, value, rule: { id: '', category: '', placeholder: '' } }), tick)
      if (list.length === 0) continue
      const parts: string[] = []
      let from = 0
      for (const { start, end, value } of merge(list)) {
        const name = names.get(value)!
        counts[name.category] = (counts[name.category] ?? 0) + 1
        total++
        parts.push(text.slice(from, start), isBareNumber(text, start, end) ? `"${name.placeholder}"` : name.placeholder)
        from = end
      }
      parts.push(text.slice(from))
      texts[index] = parts.join('')
      dirty.push(index)
    }
  }
  return { ok: true, texts: texts as Clean[], counts, total }
}

function detect(text: string, detectors: readonly Detector[] | undefined, tick: (() => void) | undefined): Finding[] {
  const found: Finding[] = []
  scan(text, wholeTable(), found, tick)
  for (const { id, category, placeholder, find } of detectors ?? [])
    for (const { start, end } of find(text)) if (end > start) found.push({ start, end, rule: { id, category, placeholder }, value: text.slice(start, end) })
  return merge(found.filter(({ start, end }) => !(startsPlaceholder(text, start) && text.indexOf(']', start) >= end - 1)))
}

/** Overlapping findings become one that covers them all, named by the rule that stands first in the table. */
function merge(found: Finding[]): Finding[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  const merged: Finding[] = []
  for (const finding of found) {
    const last = merged[merged.length - 1]
    if (!last || finding.start >= last.end) {
      merged.push({ ...finding })
      continue
    }
    const end = Math.max(last.end, finding.end)
    if (order(finding) < order(last)) merged[merged.length - 1] = { ...finding, start: last.start, end }
    else last.end = end
  }
  return merged
}

const order = (finding: Finding): number => rank.get(finding.rule.id) ?? rules.length

/** A number that stands as itself in JSON: its placeholder needs quotes for the document to stay one. */
function isBareNumber(text: string, start: number, end: number): boolean {
  const code = text.charCodeAt(end - 1)
  if (code < 48 || code > 57 || !/^-?\d+(?:\.\d+)?$/.test(text.slice(start, end))) return false
  return /(?:"\s{0,8}:|[[,])\s{0,40}$/.test(text.slice(Math.max(0, start - 50), start)) && /^\s{0,40}(?:[,}\]]|$)/.test(text.slice(end, end + 41)) && /^\s*[[{]/.test(text)
}

function timer({ now, limitMs }: ScrubOptions): (() => void) | undefined {
  if (!now || limitMs === undefined) return undefined
  const until = now() + limitMs
  return () => {
    if (now() > until) throw new TimeLimit()
  }
}
