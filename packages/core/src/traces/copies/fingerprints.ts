import { wordKinds, type TraceWords } from './words.ts'

/** Words of a shingle: the unit in which texts are compared. */
export const shingleWords = 6
const shingleBits = 47
/** One of so many shingles is a fingerprint, and of those a trace is looked up by. */
const fingerprintRate = 64
const lookupRate = 4
/** Fingerprints of a short trace, as far as it has as many shingles. */
const leastFingerprints = 8
/** The most shingles that a trace is looked up by. */
const mostLookups = 8_000

/** Returns the hash of each shingle by its first word: 47 bits. A trace shorter than a shingle has none. */
export function hashShingles({ hashes }: TraceWords): Float64Array {
  const shingles = new Float64Array(Math.max(0, hashes.length - shingleWords + 1))
  for (let at = 0; at < shingles.length; at++) {
    let [low, high] = [0x9e3779b9, 0x85ebca6b]
    for (let i = at; i < at + shingleWords; i++) {
      low = Math.imul(low ^ hashes[i]!, 0x01000193) ^ (low >>> 15)
      high = Math.imul(high ^ hashes[i]!, 0xc2b2ae35) ^ (high >>> 13)
    }
    // Multiplication mixes the high bits best; the shifts bring them down.
    low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d)
    high = Math.imul(high ^ (high >>> 15), 0x297a2d39)
    shingles[at] = ((high ^ (high >>> 16)) >>> 17) * 2 ** 32 + ((low ^ (low >>> 12)) >>> 0)
  }
  return shingles
}

/** Returns whether a shingle is a fingerprint in every trace that has it. */
export const isFingerprint = (shingle: number): boolean => shingle < 2 ** shingleBits / fingerprintRate

/**
 * Returns the shingles by which a trace is found: of its prose as far as there is enough, since many traces show the
 * same files and output, in ascending order.
 */
export function chooseFingerprints(words: TraceWords, shingles: Float64Array): number[] {
  for (const least of [wordKinds.prose, wordKinds.output, wordKinds.system]) {
    const chosen = smallest(
      shingles.filter((_, at) => words.kinds[at]! >= least),
      fingerprintRate,
    )
    if (chosen.length >= leastFingerprints || least === wordKinds.system) return chosen
  }
  return []
}

/** Returns the shingles by which traces with the same text are looked up, in ascending order. */
export const chooseLookups = (shingles: Float64Array): number[] => smallest(shingles, lookupRate).slice(0, mostLookups)

/** Returns the shingles below the limit of a rate, each once in ascending order, and at least a few. */
function smallest(shingles: Float64Array, rate: number): number[] {
  const limit = 2 ** shingleBits / rate
  const below = [...new Set(shingles.filter((shingle) => shingle < limit))].sort((a, b) => a - b)
  if (below.length >= leastFingerprints) return below
  return [...new Set(shingles)].sort((a, b) => a - b).slice(0, leastFingerprints)
}

/**
 * Returns whether so many hits may be a copy, which a comparison then decides: of either trace, or of a long text in
 * both.
 * @param shingles the number of shingles in the prose of the trace that is looked up.
 */
export function mayBeCopy(
  { hits, fingerprints }: { readonly hits: number; readonly fingerprints: number },
  shingles: number,
): boolean {
  const expected = Math.min(fingerprints, shingles / fingerprintRate)
  return hits >= Math.max(1, Math.min(4, Math.round(0.3 * expected)))
}
