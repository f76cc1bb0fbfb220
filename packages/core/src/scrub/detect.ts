import { decodedRuns } from './base64.ts'
import { undress, type View } from './dress.ts'
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

/** Everything that must leave one text: as it stands, out of its dress, and inside base64; overlaps merged, in order. */
export function detect({ text, views }: Dressed, regions: Regions, detectors: readonly Detector[] | undefined, tick: (() => void) | undefined): Finding[] {
  const found: Finding[] = []
  for (const [from, to] of regions) scan(text, from, to, wholeTable(), found, tick)
  for (const view of views) {
    const inner: Finding[] = []
    scan(view.text, 0, view.text.length, wholeTable(), inner, tick)
    for (const finding of inner) if (finding.start >= view.sure[0] && finding.end <= view.sure[1]) found.push({ ...finding, start: view.start(finding.start), end: view.end(finding.end) })
  }
  for (const [from, to] of regions) decodedRuns(text, from, to, (start, end, decoded) => inside(start, end, decoded, text, found, 2, tick), (start, end) => findPemLine(text, start, end, found))
  for (const { id, category, placeholder, find } of detectors ?? [])
    for (const { start, end } of find(text)) if (end > start) found.push({ start, end, rule: { id, category, placeholder }, value: text.slice(start, end) })
  return merge(found.filter(({ start, end }) => !(startsPlaceholder(text, start) && text.indexOf(']', start) >= end - 1)))
}

/** A run of base64 whose text holds something goes as a whole: cutting a piece out of it would leave no base64. */
function inside(start: number, end: number, decoded: string, text: string, found: Finding[], depth: number, tick: (() => void) | undefined): void {
  const inner: Finding[] = []
  scan(decoded, 0, decoded.length, wholeTable(), inner, tick)
  for (const plain of undress(decoded)) {
    const bare: Finding[] = []
    scan(plain.text, 0, plain.text.length, wholeTable(), bare, tick)
    inner.push(...bare)
  }
  if (depth > 0) decodedRuns(decoded, 0, decoded.length, (from, to, deeper) => inside(from, to, deeper, decoded, inner, depth - 1, tick))
  if (inner.length === 0) return
  const [first] = merge([...inner])
  const value = decoded.trim() === first!.value ? first!.value : text.slice(start, end)
  found.push({ start, end, rule: first!.rule, value, also: [text.slice(start, end), ...inner.map((finding) => finding.value)] })
}

const rank = new Map(rules.map((rule, index) => [rule.id, index]))
const order = (finding: Finding): number => rank.get(finding.rule.id) ?? rules.length

/** Overlapping findings become one that covers them all, named by the rule that stands first in the table. */
export function merge(found: Finding[]): Finding[] {
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
