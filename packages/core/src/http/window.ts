import type { Rate } from '../ports.ts'
import { clockSkewMs } from '../skew.ts'

/**
 * A sliding window as two counters: the calls of the aligned window that `start` begins, and those of the one before, which
 * count for the share of it that still lies within the last `windowMs`.
 */
export interface Window {
  readonly start: number
  readonly current: number
  readonly previous: number
}

/** Where the aligned window of `now` begins. */
export const windowStart = ({ windowMs }: Rate, now: number): number => now - (now % windowMs)

/** The window moved on to `now`. One that begins a little later stays: another host's clock is ahead of ours. */
export function movedTo(window: Window | undefined, rate: Rate, now: number): Window {
  const start = windowStart(rate, now)
  if (!window || window.start + rate.windowMs < start || window.start > now + clockSkewMs)
    return { start, current: 0, previous: 0 }
  if (window.start >= start) return window
  return { start, current: 0, previous: window.current }
}

/** How much of the window before still counts: 1 at the turn, 0 at the end. */
export function weight({ start }: Window, { windowMs }: Rate, now: number): number {
  return Math.min(1, Math.max(0, 1 - (now - start) / windowMs))
}

/** Whole calls that the window has room for. */
export function room(window: Window, rate: Rate, now: number): number {
  return Math.max(0, Math.floor(rate.limit - window.current - window.previous * weight(window, rate, now)))
}

/** Milliseconds until there is room for a call of this cost, if nobody calls before. */
export function waitMs({ start, current, previous }: Window, { limit, windowMs }: Rate, now: number, cost = 1): number {
  const share = (calls: number, left: number): number =>
    calls <= left || calls === 0 ? 0 : 1 - Math.max(0, left) / calls
  const at =
    current + cost <= limit
      ? start + share(previous, limit - current - cost) * windowMs
      : start + windowMs + share(current, limit - cost) * windowMs
  return Math.max(1, Math.ceil(at - now))
}
