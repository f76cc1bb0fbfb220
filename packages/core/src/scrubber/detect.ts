import { baseRuns, type Run } from './base64.ts'
import { isDressed, undress, type View } from './dress.ts'
import { load, PART } from './bytes.ts'
import type { Meter, Steps } from './meter.ts'
import { findPemLine } from './pem.ts'
import { startsPlaceholder } from './placeholder.ts'
import type { Detector, Finding } from './rule.ts'
import { rules } from './rules/index.ts'
import { scan, wholeTable } from './scanner.ts'

/** Parts of a text to look at; the keywords must end inside, what surrounds them is read too. */
export type Regions = readonly (readonly [from: number, to: number])[]

/** A text with the plain form of it, made once and used for rules and for values that come again. */
export interface Dressed {
  readonly text: string
  readonly views: readonly View[]
}

/** What one look at a short text gave: most texts are short, and most give nothing. */
export interface Look {
  readonly found: Finding[]
  readonly runs: Run[]
}

const NOTHING: readonly Finding[] = []

/** Looks at a whole text if it is short: null when it is long. */
export function lookAt(text: string): Look | null {
  if (text.length > PART) return null
  const look: Look = { found: [], runs: [] }
  load(text, 0, text.length)
  scan(text, 0, text.length, wholeTable(), look.found)
  baseRuns(text, 0, text.length, look.runs)
  return look
}

/** Everything that must leave one text: as it stands, out of its dress, and inside base64; overlaps merged, in order. */
export function* detect(
  { text, views }: Dressed,
  regions: Regions,
  look: Look | null,
  detectors: readonly Detector[] | undefined,
  meter: Meter,
): Steps<readonly Finding[]> {
  const found = look?.found ?? []
  if (!look) for (const [from, to] of regions) yield* scanAll(text, from, to, found, meter)
  for (const view of views) yield* through(view, found, meter)
  if (look) yield* take(text, look.runs, found, meter)
  else for (const [from, to] of regions) yield* runsAll(text, from, to, found, meter)
  for (const { id, category, placeholder, find } of detectors ?? [])
    for (const { start, end } of find(text))
      if (end > start) found.push({ start, end, rule: { id, category, placeholder }, value: text.slice(start, end) })
  if (found.length === 0) return NOTHING
  return merge(
    found.filter(({ start, end }) => !(startsPlaceholder(text, start) && text.indexOf(']', start) >= end - 1)),
  )
}

function* scanAll(text: string, from: number, to: number, found: Finding[], meter: Meter): Steps<void> {
  let state = 0
  for (let at = from; at < to;) {
    const end = Math.min(to, at + PART)
    load(text, at, end)
    state = scan(text, at, end, wholeTable(), found, state)
    if (meter.spend(end - at)) yield
    at = end
  }
}

function* runsAll(text: string, from: number, to: number, found: Finding[], meter: Meter, depth = 2): Steps<void> {
  const runs: Run[] = []
  for (let at = from, end = at; end < to;) {
    end = Math.min(to, at + PART)
    load(text, at, end)
    const next = baseRuns(text, at, end, runs)
    yield* take(text, runs, found, meter, depth)
    runs.length = 0
    if (meter.spend(end - at)) yield
    at = next
  }
}

function* take(text: string, runs: readonly Run[], found: Finding[], meter: Meter, depth = 2): Steps<void> {
  for (const { start, end, decoded } of runs)
    if (decoded !== null) yield* inside(start, end, decoded, text, found, depth, meter)
    else if (depth === 2) findPemLine(text, start, end, found)
}

/** The findings in the plain form of a part, as places in the text. */
function* through(view: View, found: Finding[], meter: Meter): Steps<void> {
  const inner: Finding[] = []
  yield* scanAll(view.text, 0, view.text.length, inner, meter)
  for (const finding of inner)
    if (finding.start >= view.sure[0] && finding.end <= view.sure[1]) {
      finding.start = view.start(finding.start)
      finding.end = view.end(finding.end)
      found.push(finding)
    }
}

/** A run of base64 whose text holds something goes as a whole: cutting a piece out of it would leave no base64. */
function* inside(
  start: number,
  end: number,
  decoded: string,
  text: string,
  found: Finding[],
  depth: number,
  meter: Meter,
): Steps<void> {
  const inner: Finding[] = []
  yield* scanAll(decoded, 0, decoded.length, inner, meter)
  if (isDressed(decoded))
    for (const plain of yield* undress(decoded, 0, decoded.length, meter))
      yield* scanAll(plain.text, 0, plain.text.length, inner, meter)
  if (depth > 0) yield* runsAll(decoded, 0, decoded.length, inner, meter, depth - 1)
  if (inner.length === 0) return
  const also = [text.slice(start, end), ...inner.map((finding) => finding.value)]
  const first = merge(inner)[0]!
  const value = decoded.trim() === first.value ? first.value : also[0]!
  found.push({ start, end, rule: first.rule, value, also, run: true })
}

const rank = new Map(rules.map((rule, index) => [rule.id, index]))
const order = (finding: Finding): number => rank.get(finding.rule.id) ?? rules.length

/** Overlapping findings become one that covers them all, named by the rule that stands first in the table. Changes its list. */
export function merge(found: Finding[]): Finding[] {
  if (found.length < 2) return found
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  const merged: Finding[] = []
  for (const finding of found) {
    const last = merged[merged.length - 1]
    if (!last || finding.start >= last.end) {
      merged.push(finding)
      continue
    }
    const end = Math.max(last.end, finding.end)
    if (order(finding) < order(last)) merged[merged.length - 1] = { ...finding, start: last.start, end }
    else last.end = end
  }
  return merged
}
