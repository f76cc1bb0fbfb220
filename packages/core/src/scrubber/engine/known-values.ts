import { beginsWord, isAlnum } from './character.ts'
import type { Meter, Steps } from './meter.ts'
import { isRandom } from './randomness.ts'
import { blocksOf, mayHold, sketchOf, type Sketched } from './fold.ts'

/** A literal that is replaced everywhere: one spelling of `value`. */
export interface Known {
  readonly literal: string
  readonly value: string
}

const FEW = 12
/** More literals than this are not compared with a sketch. */
const MANY = 4096
/** Searching up to this number of literals takes less time than making a sketch. */
const VERY_FEW = 6
const PREFIX = 4

/** Called for each further occurrence of a value. */
export type Hit = (start: number, end: number, value: string) => void

/** Literals that are searched together. */
export class Index {
  readonly known: readonly Known[]
  /** The literals by their hash. They are computed when a text may contain many literals. */
  buckets: Buckets | undefined
  private blocks: readonly Int32Array[] | undefined

  constructor(known: readonly Known[]) {
    this.known = known
  }

  /** Returns the literals that a text may contain, or undefined if these are many. */
  *fewIn(sketched: Sketched, meter: Meter): Steps<readonly Known[] | undefined> {
    const { known } = this
    // Searching a text for many literals is faster than comparing them with its sketch.
    if (known.length > MANY || (known.length > FEW && 2 * known.length > sketched.text.length)) return undefined
    if (known.length <= VERY_FEW && !sketched.sketch) return known
    const sketch = yield* sketchOf(sketched, meter)
    const blocks = (this.blocks ??= known.map(({ literal }) => blocksOf(literal)))
    const few: Known[] = []
    for (let i = 0; i < known.length && few.length <= FEW; i++) if (mayHold(sketch, blocks[i]!)) few.push(known[i]!)
    if (meter.spend(known.length >> 2)) yield
    return few.length > FEW ? undefined : few
  }
}

interface Buckets {
  readonly lists: readonly (Bucket | undefined)[]
  /** The number of bits by which a hash is shifted to become the index of its bucket. */
  readonly shift: number
}

/**
 * The literals with the same hash, longest first. Many literals are grouped by length, so that each length needs only
 * one look-up.
 */
type Bucket = Known[] | { readonly groups: [length: number, literals: Map<string, string>][] }

const CROWDED = 12

/** Groups literals by a hash of their first four characters. */
function* bucketsOf(known: readonly Known[], meter: Meter): Steps<Buckets> {
  const bits = Math.min(16, 34 - Math.clz32(known.length))
  const lists: (Bucket | undefined)[] = new Array(1 << bits).fill(undefined)
  const shift = 32 - bits
  for (const one of known) {
    const at = hash(one.literal, 0) >>> shift
    const bucket = lists[at]
    if (!bucket) lists[at] = [one]
    else if ('groups' in bucket) group(bucket.groups, one)
    else if (bucket.push(one) > CROWDED) {
      const groups: [number, Map<string, string>][] = []
      for (const each of bucket) group(groups, each)
      lists[at] = { groups }
    }
    if (meter.spend(32)) yield
  }
  for (const bucket of lists) {
    if (!bucket) continue
    if ('groups' in bucket) bucket.groups.sort(([a], [b]) => b - a)
    else if (bucket.length > 1) bucket.sort((a, b) => b.literal.length - a.literal.length)
  }
  return { lists, shift }
}

function group(groups: [length: number, literals: Map<string, string>][], { literal, value }: Known): void {
  let same = groups.find(([length]) => length === literal.length)
  if (!same) groups.push((same = [literal.length, new Map()]))
  if (!same[1].has(literal)) same[1].set(literal, value)
}

/**
 * Searches a text for all literals. Tries literals only where a word begins, so that the time is linear in the length
 * of the text.
 */
export function* findRepeats(sketched: Sketched, index: Index, hit: Hit, meter: Meter): Steps<void> {
  const { text } = sketched
  const few = yield* index.fewIn(sketched, meter)
  if (!few) {
    index.buckets ??= yield* bucketsOf(index.known, meter)
    for (let i = 0; i + PREFIX <= text.length;) {
      const end = Math.min(i + 8192, text.length - PREFIX + 1)
      if (meter.spend(end - i)) yield
      i = findIn(text, i, end, index.buckets, hit)
    }
    return
  }
  for (const { literal, value } of few) {
    let from = 0
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length)) {
      if (stands(text, at, at + literal.length)) hit(at, at + literal.length, value)
      if (meter.spend(at - from)) yield
      from = at
    }
    if (meter.spend(text.length >> 3)) yield
  }
}

function findIn(text: string, from: number, to: number, { lists, shift }: Buckets, hit: Hit): number {
  let i = from
  for (; i < to; i++) {
    // A literal cannot begin deep inside a word. If the word begins with an escape, the decoded view is searched too.
    if (isAlnum(text, i) && isAlnum(text, i - 1) && isAlnum(text, i - 2)) continue
    const bucket = lists[hash(text, i) >>> shift]
    if (!bucket) continue
    const length = 'groups' in bucket ? grouped(text, i, bucket.groups, hit) : listed(text, i, bucket, hit)
    if (length > 0) i += length - 1
  }
  return i
}

/** Returns the length of the literal at an index, or 0 if there is no literal. */
function listed(text: string, at: number, list: readonly Known[], hit: Hit): number {
  for (const { literal, value } of list) {
    const end = at + literal.length
    if (!text.startsWith(literal, at) || !stands(text, at, end)) continue
    hit(at, end, value)
    return literal.length
  }
  return 0
}

function grouped(
  text: string,
  at: number,
  groups: readonly (readonly [length: number, literals: Map<string, string>])[],
  hit: Hit,
): number {
  for (const [length, literals] of groups) {
    const value = at + length <= text.length ? literals.get(text.slice(at, at + length)) : undefined
    if (value === undefined || !stands(text, at, at + length)) continue
    hit(at, at + length, value)
    return length
  }
  return 0
}

const hash = (text: string, at: number): number => {
  const mixed =
    Math.imul(
      Math.imul(Math.imul(text.charCodeAt(at), 31) + text.charCodeAt(at + 1), 31) + text.charCodeAt(at + 2),
      31,
    ) + text.charCodeAt(at + 3)
  return Math.imul(mixed, 0x9e3779b1)
}

/**
 * Returns whether a value is a separate word: a word must begin at the start of the value, and a word must end at the
 * end of a short value. Returns false inside a placeholder.
 */
function stands(text: string, start: number, end: number): boolean {
  if (isAlnum(text, start) && !beginsWord(text, start)) return false
  if (end - start < 16 && isAlnum(text, end - 1) && isAlnum(text, end)) return false
  if (
    text[start - 1] === '[' &&
    /^[A-Z0-9_]+$/.test(text.slice(start, end)) &&
    /^[A-Z0-9_]*_\d+\]/.test(text.slice(start, end + 48))
  )
    return false
  return true
}

/** Returns whether a word is too common to be replaced in every text. */
export const isPlain = (literal: string): boolean =>
  literal.length < 4 ||
  (/^(?:[A-Z]?[a-z]+|[A-Z]+)$/.test(literal) && !isRandom(literal)) ||
  (literal.length < 8 && /^\d+$/.test(literal)) ||
  /^[01.:]+$/.test(literal)
