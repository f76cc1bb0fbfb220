import { detect, merge, type Regions } from './detect.ts'
import { spellings, undress, type View } from './dress.ts'
import { Naming } from './placeholder.ts'
import { findRepeats, isPlain, type Known } from './repeat.ts'
import type { Detector, Finding } from './rule.ts'
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
  const names = new Naming(texts)
  const views = new Map<number, readonly View[]>()
  const viewsOf = (index: number): readonly View[] => {
    let list = views.get(index)
    if (!list) views.set(index, (list = undress(texts[index]!)))
    return list
  }
  let total = 0
  let dirty = new Map<number, Regions>(texts.map((text, index) => [index, [[0, text.length]]]))
  for (let round = 0; dirty.size > 0; round++) {
    if (round === ROUNDS) return { ok: false, reason: 'the scrubber came to no end' }
    const found = new Map<number, Finding[]>()
    const known: Known[] = []
    for (const [index, regions] of dirty) {
      const text = texts[index]!
      const list = detect({ text, views: viewsOf(index) }, regions, options.detectors, tick)
      if (list.length === 0) continue
      found.set(index, list)
      for (const finding of list) {
        if (options.reject?.includes(finding.rule.category)) return { ok: false, reason: `holds ${finding.rule.category}, which may not be kept` }
        if (names.add(finding) && !finding.local) gather(finding, known)
      }
    }
    dirty = new Map()
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index]!
      const list = found.get(index) ?? []
      if (known.length > 0) {
        const again = (start: number, end: number, value: string): void => void list.push({ start, end, value, rule: AGAIN })
        findRepeats(text, known, again, tick)
        for (const view of viewsOf(index)) findRepeats(view.text, known, (start, end, value) => again(view.start(start), view.end(end), value), tick)
      }
      if (list.length === 0) continue
      const done = replace(text, merge(list), names, counts)
      texts[index] = done.text
      views.delete(index)
      total += done.total
      dirty.set(index, done.regions)
    }
  }
  return { ok: true, texts: texts as Clean[], counts, total }
}

const AGAIN = { id: '', category: '', placeholder: '' }
/** How far from a replacement a rule may see it. */
const REACH = 256

/** Literals to look for in every text of the trace: the value, its spellings, and other forms its finder names. */
function gather(finding: Finding, known: Known[]): void {
  const { value, also = [], everywhere } = finding
  for (const literal of new Set([value, ...also])) {
    if (literal.length < 3 || (!everywhere && isPlain(literal))) continue
    known.push({ literal, value })
    if (SECRET.has(finding.rule.category)) for (const other of spellings(literal)) known.push({ literal: other, value })
  }
}

const SECRET = new Set(['token', 'secret', 'password', 'private_key', 'webhook'])

function replace(text: string, findings: readonly Finding[], names: Naming, counts: Record<string, number>): { text: string; total: number; regions: Regions } {
  const parts: string[] = []
  const regions: [number, number][] = []
  let from = 0
  let length = 0
  let total = 0
  for (const { start, end, value } of findings) {
    const { category, placeholder } = names.get(value)
    counts[category] = (counts[category] ?? 0) + 1
    total++
    const word = isBareNumber(text, start, end) ? `"${placeholder}"` : placeholder
    for (const [first, last] of strings(text, start, end)) {
      parts.push(text.slice(from, first), word)
      length += first - from
      const region = regions[regions.length - 1]
      if (region && length - REACH <= region[1]) region[1] = length + word.length + REACH
      else regions.push([Math.max(0, length - REACH), length + word.length + REACH])
      length += word.length
      from = last
    }
  }
  parts.push(text.slice(from))
  length += text.length - from
  const last = regions[regions.length - 1]
  if (last) last[1] = Math.min(last[1], length)
  return { text: parts.join(''), total, regions }
}

/**
 * The parts of a finding inside strings. One that runs over a quote, as a key in lines of code or a careless match in
 * JSON does, is replaced string by string, so that quotes stay paired and JSON stays JSON.
 */
function strings(text: string, start: number, end: number): [number, number][] {
  const quote = text.indexOf('"', start)
  if (quote < 0 || quote >= end) return [[start, end]]
  const spans: [number, number][] = []
  let from = start
  let inside = true
  for (let at = start; at <= end; at++) {
    if (at < end && (text[at] !== '"' || text[at - 1] === '\\')) continue
    if (inside && at > from) spans.push([from, at])
    inside = !inside
    from = at + 1
  }
  return spans
}

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
