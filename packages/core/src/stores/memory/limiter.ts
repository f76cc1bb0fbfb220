import { advanceWindow, remainingCalls, retryAfterMs, type Window } from '../../http/rate-limit.ts'
import type { RateLimiter } from '../../ports.ts'

export interface MemoryLimiter extends RateLimiter {
  /** Deletes the counters of these keys. */
  delete(keys: readonly string[]): void
}

/** Returns a rate limiter for one process. */
export function memoryLimiter(): MemoryLimiter {
  const windows = new Map<string, Window & { expiresAt: number }>()
  let calls = 0

  return {
    async consume({ key, rate, now, cost = 1 }) {
      if (++calls % 1024 === 0) {
        for (const [oldKey, { expiresAt }] of windows) if (expiresAt <= now) windows.delete(oldKey)
      }
      const window = advanceWindow(windows.get(key), rate, now)
      const remaining = remainingCalls(window, rate, now)
      if (remaining < cost) return { allowed: false, remaining: 0, resetMs: retryAfterMs(window, rate, now, cost) }
      windows.set(key, { ...window, current: window.current + cost, expiresAt: window.start + 2 * rate.windowMs })
      return { allowed: true, remaining: remaining - cost, resetMs: window.start + rate.windowMs - now }
    },
    delete(keys) {
      for (const key of keys) windows.delete(key)
    },
    async refund({ key, rate, now }) {
      const window = windows.get(key)
      if (window && window.start === advanceWindow(window, rate, now).start && window.current > 0)
        windows.set(key, { ...window, current: window.current - 1 })
    },
  }
}
