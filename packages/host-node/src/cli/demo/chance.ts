/** Choices that are the same for the same seed. For what a demonstration looks like; never for a secret. */
export interface Chance {
  /** 0 to `below` - 1. */
  whole(below: number): number
  pick<T>(from: readonly T[]): T
  /** True in `percent` of a hundred. */
  often(percent: number): boolean
}

/** mulberry32. */
export function chance(seed: number): Chance {
  let state = seed >>> 0
  const whole = (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  return { whole, pick: (from) => from[whole(from.length)]!, often: (percent) => whole(100) < percent }
}
