import type { Meter, Steps } from './meter.ts'
import { kindOf, type Finding } from './rule.ts'

/**
 * The index of each rule in the table, by the rule's id. Where two findings overlap, the merged finding gets the rule
 * with the lower index.
 */
interface Ranked {
  readonly ranks: ReadonlyMap<string, number>
}

/** Categories of credentials. They are replaced even inside a value that is published for tests. */
export const SECRET = new Set(['token', 'secret', 'password', 'private_key', 'webhook'])

/** The maximum number of findings that are sorted in one step. */
const AT_ONCE = 1024
/**
 * The size of a part of a text, as an exponent of two (8,192 characters). If there are more than `AT_ONCE` findings,
 * the findings in each part are sorted in one step.
 */
const PART_BITS = 13
/** The cost of a finding, as a number of read characters. */
const COST = 16

/** Compares findings by their start. If two findings begin at the same position, the longer one comes first. */
const inOrder = (a: Finding, b: Finding): number => a.start - b.start || b.end - a.end

/** Returns the findings in order, in lists for successive parts of the text. */
function* sorted(found: readonly Finding[], meter: Meter): Steps<readonly Finding[][]> {
  if (found.length <= AT_ONCE) return [found.toSorted(inOrder)]
  const parts: Finding[][] = []
  for (const finding of found) {
    ;(parts[finding.start >> PART_BITS] ??= []).push(finding)
    if (meter.spend(COST)) yield
  }
  // Removes the holes that parts without findings leave in the array.
  const lists = parts.filter(() => true)
  for (const list of lists) {
    list.sort(inOrder)
    if (meter.spend(COST * list.length)) yield
  }
  return lists
}

/** The maximum length of the text around a token in a longer finding. */
const MOST_AROUND = 40
/** The text before and after a token in a longer finding: punctuation, and the name of a provider. */
const BEFORE_TOKEN = /^(?:[a-z][a-z-]*=)?[^\w+/]*$/
const AFTER_TOKEN = /^[^\w+/]*$/

/** Returns whether a longer finding only adds punctuation or a name to a token: `openai=TOKEN`, `${'TOKEN'}`. */
function isToken(finding: Finding, longer: Finding): boolean {
  const { value, rule } = finding
  if (rule.category !== 'token' || kindOf(finding) !== 'proven') return false
  const at = longer.value.length - value.length > MOST_AROUND ? -1 : longer.value.indexOf(value)
  return (
    at >= 0 && BEFORE_TOKEN.test(longer.value.slice(0, at)) && AFTER_TOKEN.test(longer.value.slice(at + value.length))
  )
}

/**
 * Merges overlapping findings into one finding that covers all of them. The merged finding gets the rule that is first
 * in the table. A token with a format of its own replaces a longer finding that only adds punctuation or a name.
 */
export function* merge(found: readonly Finding[], { ranks }: Ranked, meter: Meter): Steps<readonly Finding[]> {
  if (found.length < 2) return found
  const rank = ({ rule }: Finding): number => ranks.get(rule.id) ?? ranks.size
  const merged: Finding[] = []
  /** Whether the last finding covers more than its own value. */
  let isMerged = false
  for (const list of yield* sorted(found, meter))
    for (const finding of list) {
      const last = merged.at(-1)
      if (!last || finding.start >= last.end) {
        merged.push(finding)
        isMerged = false
      } else {
        const end = Math.max(last.end, finding.end)
        const isFirst = rank(finding) < rank(last)
        if (isFirst && !isMerged && end === last.end && isToken(finding, last)) merged[merged.length - 1] = finding
        else {
          isMerged ||= isFirst || end > last.end
          if (isFirst) merged[merged.length - 1] = { ...finding, start: last.start, end }
          else last.end = end
        }
      }
      if (meter.spend(COST)) yield
    }
  return merged
}

/**
 * Returns whether one finding of a merged list covers the range from `start` to `end`, and its rule is `id` or an
 * earlier rule of the table. `merge` would then drop a new finding with this range and rule.
 */
export function isCovered(
  start: number,
  end: number,
  id: string,
  merged: readonly Finding[],
  { ranks }: Ranked,
): boolean {
  let low = 0
  let high = merged.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (merged[middle]!.start <= start) low = middle + 1
    else high = middle
  }
  const finding = merged[low - 1]
  return (
    finding !== undefined &&
    finding.end >= end &&
    (ranks.get(finding.rule.id) ?? ranks.size) <= (ranks.get(id) ?? ranks.size)
  )
}

/**
 * A result for each page (part of a text), by the number or the name of the result. A page may contain many findings,
 * but its result is computed only once.
 */
export type Pages = Map<number | string, boolean>
/** Returns whether a finding identifies no person. */
export type IsPublished = (text: string, finding: Finding, pages: Pages) => boolean

/** The number of characters around a finding that are read to decide whether the finding is published. */
const SURROUNDINGS = 700

/** Returns the findings that are not published values and not inside a published value, in order. */
export function* withoutPublished(
  text: string,
  found: Finding[],
  isPublished: IsPublished,
  meter: Meter,
): Steps<Finding[]> {
  const published: Finding[] = []
  const pages: Pages = new Map()
  for (const finding of found) {
    if (isPublished(text, finding, pages)) published.push(finding)
    if (meter.spend(SURROUNDINGS)) yield
  }
  if (published.length === 0) return found
  const shields = (yield* sorted(published, meter)).flat()
  const kept: Finding[] = []
  let next = 0
  for (const list of yield* sorted(found, meter))
    for (const finding of list) {
      const { start, end, rule } = finding
      while (next < shields.length && shields[next]!.end <= start) next++
      const shield = shields[next]
      if (SECRET.has(rule.category) || !shield || start < shield.start || end > shield.end) kept.push(finding)
      if (meter.spend(COST)) yield
    }
  return kept
}
