import { movedTo, room, waitMs, type Window } from '../../http/rate-limit.ts'
import type { RateLimiter } from '../../ports.ts'

/** The limiter of one process. */
export function memoryLimiter(): RateLimiter {
  const windows = new Map<string, Window & { until: number }>()
  let takes = 0

  return {
    async consume(key, rate, now, cost = 1) {
      if (++takes % 1024 === 0) for (const [old, { until }] of windows) if (until <= now) windows.delete(old)
      const window = movedTo(windows.get(key), rate, now)
      const left = room(window, rate, now)
      if (left < cost) return { allowed: false, remaining: 0, resetMs: waitMs(window, rate, now, cost) }
      windows.set(key, { ...window, current: window.current + cost, until: window.start + 2 * rate.windowMs })
      return { allowed: true, remaining: left - cost, resetMs: window.start + rate.windowMs - now }
    },
    async refund(key, rate, now) {
      const window = windows.get(key)
      if (window && window.start === movedTo(window, rate, now).start && window.current > 0)
        windows.set(key, { ...window, current: window.current - 1 })
    },
  }
}
