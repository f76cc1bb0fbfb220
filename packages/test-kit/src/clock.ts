import type { Clock, Random } from '@tributary/core'

/** A clock that stands still until it is told. */
export interface FixedClock extends Clock {
  /** Moves it on by milliseconds. */
  advance(ms: number): void
  /** Sets it, to milliseconds since 1970. */
  set(ms: number): void
}

/** Starts at 2026-11-20T12:00:00Z unless told otherwise. */
export function fixedClock(start = Date.UTC(2026, 10, 20, 12)): FixedClock {
  let now = start
  const clock = (() => now) as FixedClock
  clock.advance = (ms) => void (now += ms)
  clock.set = (ms) => void (now = ms)
  return clock
}

/** Bytes that look random and are the same for the same seed (mulberry32): a test that fails can be run again. */
export function seededRandom(seed = 1): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 0xff
  }
  return (length) => Uint8Array.from({ length }, next)
}
