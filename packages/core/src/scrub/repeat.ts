import { beginsWord, isAlnum } from './character.ts'
import type { Meter, Steps } from './meter.ts'

/** A value that must go wherever it stands, and what it becomes. */
export interface Known {
  readonly literal: string
  readonly value: string
}

const FEW = 12
const PREFIX = 4

/** Told where a value stands again. */
export type Hit = (start: number, end: number, value: string) => void

/** Many literals made ready to be looked for at once. */
export type Index = readonly Known[] | { readonly buckets: readonly (Bucket | undefined)[] }

type Bucket = [length: number, literals: Map<string, string>][]

/** A handful are searched one by one, which the engine does faster than any index; more of them by a hash of their first four characters. */
export function* indexOf(known: readonly Known[], meter: Meter): Steps<Index> {
  if (known.length <= FEW) return known
  const buckets: (Bucket | undefined)[] = new Array(65_536).fill(undefined)
  for (const { literal, value } of known) {
    const bucket = (buckets[hash(literal, 0)] ??= [])
    let group = bucket.find(([length]) => length === literal.length)
    if (!group) bucket.push((group = [literal.length, new Map()]))
    group[1].set(literal, value)
    if (meter.spend(32)) yield
  }
  for (const bucket of buckets) bucket?.sort(([a], [b]) => b - a)
  return { buckets }
}

/** A text up to this long is searched in one go. */
const SHORT = 16_384

/** Looks for all literals in a short text; false where that would take long, and `findRepeats` must do it. */
export function findSoon(text: string, index: Index, hit: Hit): boolean {
  if (text.length > SHORT) return false
  if ('buckets' in index) findIn(text, 0, text.length - PREFIX + 1, index.buckets, hit)
  else
    for (const { literal, value } of index)
      for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length))
        if (stands(text, at, at + literal.length)) hit(at, at + literal.length, value)
  return true
}

/** Looks for all literals, each tried only where a word begins, so that time stays linear. */
export function* findRepeats(text: string, index: Index, hit: Hit, meter: Meter): Steps<void> {
  if ('buckets' in index) {
    for (let i = 0; i + PREFIX <= text.length; ) {
      const end = Math.min(i + 8192, text.length - PREFIX + 1)
      if (meter.spend(end - i)) yield
      i = findIn(text, i, end, index.buckets, hit)
    }
    return
  }
  for (const { literal, value } of index) {
    let from = 0
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length)) {
      if (stands(text, at, at + literal.length)) hit(at, at + literal.length, value)
      if (meter.spend(at - from)) yield
      from = at
    }
    if (meter.spend(text.length >> 3)) yield
  }
}

function findIn(text: string, from: number, to: number, buckets: readonly (Bucket | undefined)[], hit: Hit): number {
  let i = from
  for (; i < to; i++) {
    // Deep inside a word nothing begins; what an escape hides from this is found in the plain view.
    if (isAlnum(text, i) && isAlnum(text, i - 1) && isAlnum(text, i - 2)) continue
    const bucket = buckets[hash(text, i)]
    if (!bucket) continue
    for (const [length, literals] of bucket) {
      const value = i + length <= text.length ? literals.get(text.slice(i, i + length)) : undefined
      if (value === undefined || !stands(text, i, i + length)) continue
      hit(i, i + length, value)
      i += length - 1
      break
    }
  }
  return i
}

const hash = (text: string, at: number): number =>
  ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2) * 961 + text.charCodeAt(at + 3) * 7919) & 0xffff

/** A word of its own on the left, and on the right too where it is short; never the inside of a placeholder. */
function stands(text: string, start: number, end: number): boolean {
  if (isAlnum(text, start) && !beginsWord(text, start)) return false
  if (end - start < 16 && isAlnum(text, end - 1) && isAlnum(text, end)) return false
  if (text[start - 1] === '[' && /^[A-Z0-9_]+$/.test(text.slice(start, end)) && /^[A-Z0-9_]*_\d+\]/.test(text.slice(start, end + 48))) return false
  return true
}

/** Too common a word to be taken out of every sentence of a conversation. */
export const isPlain = (literal: string): boolean => literal.length < 4 || (literal.length < 8 && /^(?:[a-z]+|[A-Z]?[a-z]+|[A-Z]+|\d+)$/.test(literal)) || /^[01.:]+$/.test(literal)
