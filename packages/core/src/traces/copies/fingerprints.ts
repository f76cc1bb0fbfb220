import { wordKinds, type TraceWords } from './words.ts'

/** The number of words of a shingle, which is the unit in which texts are compared. */
export const wordsPerShingle = 6
const shingleBits = 47
/** The number of words between two yields to the event loop. */
export const wordsPerStep = 1 << 16

/**
 * Each window has one fingerprint. A window is an eighth of the trace, but at least `leastWindow` and at most
 * `mostWindow` words long.
 */
const windowsPerTrace = 8
export const mostWindow = 512
const leastWindow = 128
/** A trace that is too short for four windows of `leastWindow` words has a fingerprint in each quarter. */
const windowsPerShortTrace = 4
/**
 * A trace with more words than `longTrace`, of which at least `enoughProse` are prose, has fingerprints of its prose
 * and a few fingerprints of the rest.
 */
const longTrace = 4_096
const enoughProse = 512
const saidFingerprints = 8
/** A trace with fewer than `leastWords` words outside its system prompt also has fingerprints of the prompt. */
const leastWords = 30
/** The number of fingerprints of a system prompt, which show whether many traces share it. */
const systemFingerprints = 2

/** One in `lookupRate` shingles of a trace is looked up, but at least `leastLookups` and at most `mostLookups`. */
const lookupRate = 16
const leastLookups = 64
const mostLookups = 8_000

/**
 * Returns the 47-bit hash of each shingle, at the index of the shingle's first word. A trace shorter than a shingle has
 * no hashes.
 */
export async function hashShingles(
  { hashes }: TraceWords,
  yieldToEventLoop: () => Promise<void>,
): Promise<Float64Array> {
  const shingles = new Float64Array(Math.max(0, hashes.length - wordsPerShingle + 1))
  for (let from = 0; from < shingles.length; from += wordsPerStep) {
    if (from > 0) await yieldToEventLoop()
    hashSome(hashes, shingles, from)
  }
  return shingles
}

/**
 * Hashes the shingles of one step. `| 0` keeps the hashes 32-bit integers, which reduces the time to two thirds.
 * Writing out the six words instead of using a loop saves the same time.
 */
function hashSome(words: Uint32Array, shingles: Float64Array, from: number): void {
  const to = Math.min(shingles.length, from + wordsPerStep)
  let [a, b, c, d, e] = [
    words[from]! | 0,
    words[from + 1]! | 0,
    words[from + 2]! | 0,
    words[from + 3]! | 0,
    words[from + 4]! | 0,
  ]
  for (let at = from; at < to; at++) {
    const f = words[at + 5]! | 0
    let low = addLow(addLow(addLow(addLow(addLow(addLow(0x9e3779b9 | 0, a), b), c), d), e), f)
    let high = addHigh(addHigh(addHigh(addHigh(addHigh(addHigh(0x85ebca6b | 0, a), b), c), d), e), f)
    a = b
    b = c
    c = d
    d = e
    e = f
    // Multiplication mixes the high bits best. The shifts move them down.
    low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d)
    high = Math.imul(high ^ (high >>> 15), 0x297a2d39)
    shingles[at] = ((high ^ (high >>> 16)) >>> 17) * 2 ** 32 + ((low ^ (low >>> 12)) >>> 0)
  }
}

const addLow = (hash: number, word: number): number => Math.imul(hash ^ word, 0x01000193) ^ (hash >>> 15)
const addHigh = (hash: number, word: number): number => Math.imul(hash ^ word, 0xc2b2ae35) ^ (hash >>> 13)

/** The fingerprints by which copies of a trace are found. */
export interface Fingerprints {
  /** The shingles that are stored, in ascending order. */
  readonly stored: readonly number[]
  /** The shingles by which traces with the same text are looked up, in ascending order. */
  readonly lookups: readonly number[]
  /**
   * The shingles of the system prompt. They are stored and show whether the prompt is common, but traces are not
   * searched by them.
   */
  readonly system: readonly number[]
}

/**
 * Chooses the fingerprints of a trace: the smallest shingle of each window ("winnowing"), so that a piece as long as a
 * window contains a fingerprint. The fingerprints are taken from prose if there is enough prose, because many traces
 * show the same files and output. A few fingerprints are taken from the whole trace, so that a piece that is one large
 * file is found.
 */
export function chooseFingerprints({ kinds }: TraceWords, shingles: Float64Array): Fingerprints {
  const present = findKinds(kinds)
  const said = pick(shingles, { kinds, present, picked: (1 << wordKinds.output) | (1 << wordKinds.prose) })
  const prose = said.length > longTrace ? pick(shingles, { kinds, present, picked: 1 << wordKinds.prose }) : said
  const lastKinds = kinds.subarray(wordsPerShingle - 1)
  const inSystem = pick(shingles, { kinds: lastKinds, present, picked: 1 << wordKinds.system })
  const system = smallest(inSystem, systemFingerprints)
  const chosen = prose.length >= enoughProse ? prose : said.length >= leastWords ? said : shingles
  const least = Math.min(leastWindow, chosen.length / windowsPerShortTrace)
  const window = Math.ceil(Math.max(1, least, Math.min(mostWindow, chosen.length / windowsPerTrace)))
  const ofAll = chosen === said ? [] : smallest(said, saidFingerprints)
  const stored = [...new Set([...smallestOfWindows(chosen, window), ...ofAll, ...system])].sort((a, b) => a - b)
  const looked = chosen === shingles ? shingles : said
  const count = Math.min(mostLookups, Math.max(leastLookups, Math.round(looked.length / lookupRate)))
  return { stored, system, lookups: smallest(looked, count) }
}

/** Returns a bit mask of the kinds of the words. */
function findKinds(kinds: Uint8Array): number {
  let found = 0
  for (let at = 0; at < kinds.length; at++) found |= 1 << kinds[at]!
  return found
}

interface PickOptions {
  /** The kind of each shingle at the same index. */
  readonly kinds: Uint8Array
  /** Bit masks of the kinds that the trace has (`present`) and of the kinds to pick (`picked`). */
  readonly present: number
  readonly picked: number
}

/** Returns the shingles whose kind is picked. If all kinds are picked, returns the list itself. */
function pick(shingles: Float64Array, { kinds, present, picked }: PickOptions): Float64Array {
  if ((present & ~picked) === 0) return shingles
  if ((present & picked) === 0) return new Float64Array()
  let count = 0
  for (let at = 0; at < shingles.length; at++) count += (picked >> kinds[at]!) & 1
  if (count === shingles.length) return shingles
  const found = new Float64Array(count)
  for (let [at, next] = [0, 0]; next < count; at++) if ((picked >> kinds[at]!) & 1) found[next++] = shingles[at]!
  return found
}

/** Returns the smallest shingles, each once, in ascending order. */
function smallest(shingles: Float64Array, count: number): number[] {
  // Most of a long trace is above the limit, so few shingles are sorted.
  const limit = (2 ** shingleBits / shingles.length) * count * 1.5
  const below: number[] = []
  for (let at = 0; at < shingles.length; at++) if (shingles[at]! < limit) below.push(shingles[at]!)
  const sorted = (below.length < count ? shingles.slice() : new Float64Array(below)).sort()
  const least: number[] = []
  for (let at = 0; at < sorted.length && least.length < count; at++)
    if (at === 0 || sorted[at] !== sorted[at - 1]) least.push(sorted[at]!)
  return least
}

function smallestOfWindows(shingles: Float64Array, window: number): Set<number> {
  const found = new Set<number>()
  let [place, least] = [-1, 0]
  for (let last = window - 1; last < shingles.length; last++) {
    const next = shingles[last]!
    if (place > last - window) {
      if (next > least) continue
      place = last
      least = next
    } else {
      place = last
      least = next
      for (let at = last - 1; at > last - window; at--) {
        const other = shingles[at]!
        if (other >= least) continue
        place = at
        least = other
      }
    }
    found.add(least)
  }
  return found
}

/** A set of shingles: a hash table in one array, which takes a fifth of the time of a `Set`. */
export class ShingleSet {
  readonly #shingles: Float64Array
  /** Each slot has the index of a shingle plus one; 0 is a free slot. */
  readonly #slots: Uint32Array
  /** The slot of each shingle. */
  readonly #slotOfEach: Uint32Array

  private constructor(shingles: Float64Array) {
    this.#shingles = shingles
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(shingles.length * 1.5 + 2)))
    this.#slotOfEach = new Uint32Array(shingles.length)
  }

  static async create(shingles: Float64Array, yieldToEventLoop: () => Promise<void>): Promise<ShingleSet> {
    const set = new ShingleSet(shingles)
    for (let from = 0; from < shingles.length; from += wordsPerStep) {
      if (from > 0) await yieldToEventLoop()
      set.#addSome(from, Math.min(shingles.length, from + wordsPerStep))
    }
    return set
  }

  #addSome(from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const slot = this.#findSlot(this.#shingles[at]!)
      this.#slots[slot] = at + 1
      this.#slotOfEach[at] = slot
    }
  }

  /**
   * Returns two lists, one for the given shingles and one for the shingles of this set, with 1 for each shingle that is
   * in both. Each given shingle is looked up once.
   */
  async findShared(
    shingles: Float64Array,
    yieldToEventLoop: () => Promise<void>,
  ): Promise<{ given: Uint8Array; own: Uint8Array }> {
    const given = new Uint8Array(shingles.length)
    const isShared = new Uint8Array(this.#slots.length)
    for (let from = 0; from < shingles.length; from += wordsPerStep) {
      if (from > 0) await yieldToEventLoop()
      this.#lookUpSome(shingles.subarray(from, from + wordsPerStep), given.subarray(from), isShared)
    }
    return { given, own: this.#readOwn(isShared) }
  }

  #lookUpSome(shingles: Float64Array, given: Uint8Array, isShared: Uint8Array): void {
    for (let at = 0; at < shingles.length; at++) {
      const slot = this.#findSlot(shingles[at]!)
      if (this.#slots[slot] === 0) continue
      given[at] = 1
      isShared[slot] = 1
    }
  }

  #readOwn(isShared: Uint8Array): Uint8Array {
    const own = new Uint8Array(this.#slotOfEach.length)
    for (let at = 0; at < own.length; at++) own[at] = isShared[this.#slotOfEach[at]!]!
    return own
  }

  /** Returns the slot of a shingle, or the free slot for it. */
  #findSlot(shingle: number): number {
    const mask = this.#slots.length - 1
    let slot = (shingle >>> 0) & mask
    for (let taken; (taken = this.#slots[slot]!) !== 0; slot = (slot + 1) & mask)
      if (this.#shingles[taken - 1] === shingle) break
    return slot
  }
}

/** The maximum number of traces with which one trace is compared. */
const mostCompared = 8

/** A trace with at least one of the fingerprints that were looked up. */
export interface FoundTrace {
  /**
   * The number of the trace's fingerprints that were looked up, their weight, and the number of all fingerprints of the
   * trace.
   */
  readonly hits: number
  readonly weight: number
  readonly fingerprints: number
  readonly tokenCount: number
}

/**
 * Returns at most 8 of the found traces, the most similar first. They may have the same text; a comparison then
 * decides. @param saidTokens the tokens of the trace that is looked up, without its system prompt.
 */
export function chooseCompared<Found extends FoundTrace>(found: readonly Found[], saidTokens: number): Found[] {
  const expectWeight = ({ fingerprints, tokenCount }: Found): number =>
    fingerprints * Math.min(1, saidTokens / tokenCount)
  const computeShare = (one: Found): number => one.weight / Math.max(1, expectWeight(one))
  return found
    .filter((one) => one.hits >= Math.max(1, Math.min(4, Math.round(0.3 * expectWeight(one)))))
    .sort((a, b) => computeShare(b) - computeShare(a) || b.weight - a.weight)
    .slice(0, mostCompared)
}
