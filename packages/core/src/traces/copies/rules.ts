import type { WordRanges } from './compare.ts'
import type { TraceWords } from './words.ts'

/** The minimum share of new tokens with which a trace is sold. */
const leastNew = 0.2

/**
 * Ranges of tokens of a trace, in order, without overlaps: each pair is the first token and the token after the last
 * token.
 */
export type TokenRanges = readonly (readonly [from: number, to: number])[]

/** Returns the tokens for ranges of words: the tokens of a message are spread evenly over its words. */
export function toTokenRanges(ranges: WordRanges, words: TraceWords, tokenCounts: readonly number[]): TokenRanges {
  const sums = [0]
  for (const count of tokenCounts) sums.push(sums.at(-1)! + count)
  const total = sums.at(-1)!
  const starts = words.starts
  let message = 0
  const tokenAt = (word: number): number => {
    while (message < tokenCounts.length && starts[message + 1]! <= word) message++
    if (message >= tokenCounts.length) return total
    const size = starts[message + 1]! - starts[message]!
    return Math.round(sums[message]! + ((word - starts[message]!) / size) * tokenCounts[message]!)
  }
  return ranges.map(([from, to]) => [from === 0 ? 0 : tokenAt(from), to === words.hashes.length ? total : tokenAt(to)])
}

/** Returns the number of tokens that are in at least one of the ranges. */
export function countTokens(lists: readonly TokenRanges[]): number {
  const ranges = lists.flat().sort((a, b) => a[0] - b[0])
  let [sum, end] = [0, 0]
  for (const [from, to] of ranges) {
    sum += Math.max(0, to - Math.max(from, end))
    end = Math.max(end, to)
  }
  return sum
}

/** The overlap of a trace with another trace. */
export interface Overlap {
  /** The position of the other trace in the order in which traces were first stored. */
  readonly num: number
  /** Null after the owner of the other trace was erased. */
  readonly owner: number | null
  readonly tokenCount: number
  /** Whether the other trace was stored with these tokens before this trace. */
  readonly isEarlier: boolean
  /** Whether the other trace is offered in the same sale: it may be sold, and it is listed or matches the filter. */
  readonly isOffered: boolean
  /** Whether the buyer of the sale already bought the other trace. */
  readonly isBought: boolean
  /** The tokens of this trace that the other trace also has. */
  readonly ranges: TokenRanges
}

/** A trace that may be sold, with its overlaps with other traces. */
export interface SaleCandidate {
  readonly num: number
  readonly id: string
  readonly owner: number
  readonly tokenCount: number
  /** Whether this buyer already bought the trace, and whether any buyer did. */
  readonly isBought: boolean
  readonly isSold: boolean
  readonly overlaps: readonly Overlap[]
}

/** Returns the `num` of each overlapping trace that the buyer already bought. */
export const listBoughtOverlaps = (candidates: readonly Pick<SaleCandidate, 'overlaps'>[]): number[] => [
  ...new Set(candidates.flatMap(({ overlaps }) => overlaps.flatMap(({ isBought, num }) => (isBought ? num : [])))),
]

/** Compares traces by length, longest first. If the lengths are equal, the trace that was stored first comes first. */
export const compareLength = (
  one: Pick<Overlap, 'num' | 'tokenCount'>,
  other: Pick<Overlap, 'num' | 'tokenCount'>,
): number => other.tokenCount - one.tokenCount || one.num - other.num

/**
 * Returns the number of tokens of a trace that are new in a sale. Tokens are not new when an earlier trace of another
 * contributor has them (sold or not), when the buyer bought them before, or when a longer trace of the same contributor
 * in the same sale has them. `leftOut` contains the `num` of offered traces that the sale is known to leave out.
 */
export function countNewTokens(trace: SaleCandidate, leftOut: ReadonlySet<number>): number {
  if (trace.isBought) return 0
  const isTaken = (other: Overlap): boolean => {
    if (other.isBought) return true
    if (other.owner !== trace.owner) return other.owner !== null && other.isEarlier
    return other.isOffered && !leftOut.has(other.num) && compareLength(other, trace) < 0
  }
  const taken = countTokens(trace.overlaps.filter(isTaken).map(({ ranges }) => ranges))
  return Math.max(0, trace.tokenCount - taken)
}

/**
 * Returns whether a trace with this number of new tokens is sold. A trace without tokens is sold unless the buyer has
 * it.
 */
export const isWorthSelling = ({ tokenCount, isBought }: SaleCandidate, newTokens: number): boolean =>
  !isBought && newTokens >= tokenCount * leastNew

/** Returns whether half of a trace is new. Only such traces count when a text is checked for being common. */
const isMostlyNew = (copiedTokens: number, tokenCount: number): boolean => copiedTokens * 2 < tokenCount

/**
 * Text that so many traces of so many people share is common. It is not a copy, unless it was copied with other text.
 */
const commonTraces = 20
const commonOwners = 3

/** Returns the weight of a hit. A shingle that many traces have, such as in a system prompt, has a small weight. */
const weighHit = (traceCount: number): number => 1 / Math.sqrt(traceCount)

/** A trace whose fingerprints were found by the lookup, and its owner. */
interface FoundTrace<Trace> {
  readonly trace: Trace
  readonly owner: number | string | null
  readonly copiedTokens: number
}

/**
 * Returns the shingles that are common text. For each list of shingles, also returns at most `limit` traces: those with
 * the greatest weight of the shingles that are not common. @param placesOf contains, for each shingle, the traces that
 * have it as a fingerprint.
 */
export function rankSimilar<Place, Trace extends { readonly num: number; readonly tokenCount: number }>(
  lists: readonly (readonly number[])[],
  placesOf: ReadonlyMap<number, readonly Place[]>,
  found: ReadonlyMap<Place, FoundTrace<Trace>>,
  limit: number,
): { common: number[]; similar: (Trace & { readonly hits: number; readonly weight: number })[][] } {
  const common = [...placesOf].flatMap(([shingle, places]) => {
    const owners = places.flatMap((place) => {
      const one = found.get(place)
      return one && isMostlyNew(one.copiedTokens, one.trace.tokenCount) ? (one.owner ?? []) : []
    })
    return owners.length >= commonTraces && new Set(owners).size >= commonOwners ? [shingle] : []
  })
  const isCommon = new Set(common)
  const similar = lists.map((list) => {
    const totals = new Map<Place, { hits: number; weight: number }>()
    for (const shingle of list) {
      const places = placesOf.get(shingle)
      if (places && !isCommon.has(shingle)) for (const place of places) addHit(totals, place, places.length)
    }
    const traces = [...totals].flatMap(([place, total]) => {
      const one = found.get(place)
      return one ? [{ ...one.trace, ...total }] : []
    })
    return traces.sort((a, b) => b.weight - a.weight || a.num - b.num).slice(0, limit)
  })
  return { common, similar }
}

/** Adds a hit to the total of a trace, for a shingle that `traceCount` traces have. */
export function addHit<Key>(totals: Map<Key, { hits: number; weight: number }>, key: Key, traceCount: number): void {
  const total = totals.get(key)
  if (total) {
    total.hits++
    total.weight += weighHit(traceCount)
  } else totals.set(key, { hits: 1, weight: weighHit(traceCount) })
}

/** The minimum number of traces of a contributor who is reported for sending copies. */
export const leastCopierTraces = 10
