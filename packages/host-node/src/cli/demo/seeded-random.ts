/** Pseudo-random choices from a seed, for demo data only. They must never be used for a secret. */
export interface SeededRandom {
  /** Returns an integer from 0 to `below` - 1. */
  integer(below: number): number
  pick<T>(from: readonly T[]): T
  /** Returns true with this probability in percent. */
  chance(percent: number): boolean
}

/** Creates a mulberry32 generator. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const integer = (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  return { integer, pick: (from) => from[integer(from.length)]!, chance: (percent) => integer(100) < percent }
}
