import { clockSkewMs, remainingCalls, retryAfterMs, windowStart } from '@tributary/core/stores'
import type { RateLimiter } from '@tributary/core'
import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { rateWindows } from './tables.ts'

/** Every so many calls one deletes windows that no longer count. */
const callsPerCleanup = 1024

/**
 * Returns the rate limiter shared by all hosts: each call is one statement, and the limit is exact on any number of
 * hosts.
 */
export function postgresLimiter(db: Database): RateLimiter {
  let calls = 0
  return {
    async consume({ key, rate, now, cost = 1 }) {
      if (++calls % callsPerCleanup === 0)
        await db.run((query) => query.delete(rateWindows).where(lte(rateWindows.expiresAt, now)))
      const { limit, windowMs } = rate
      const opensAt = windowStart(rate, now)
      const granted = cost <= limit ? cost : 0
      // A window that begins slightly later is by another host's clock; one later than that was stored before a clock
      // was set back.
      const isCurrent = sql`${rateWindows.start} between ${opensAt} and ${now + clockSkewMs}`
      const start = sql`case when ${isCurrent} then ${rateWindows.start} else ${opensAt} end`
      const current = sql`case when ${isCurrent} then ${rateWindows.current} else 0 end`
      const previous = sql`case when ${isCurrent} then ${rateWindows.previous}
        when ${rateWindows.start} = ${opensAt - windowMs} then ${rateWindows.current} else 0 end`
      const share = sql`least(1, greatest(0, 1 - (${now}::bigint - ${start})::float8 / ${windowMs}::float8))`
      const grant = sql`case when floor(${limit}::float8 - (${current}) - (${previous}) * ${share}) >= ${cost}::bigint
        then ${cost}::bigint else 0 end`
      const [window] = await db.run((query) =>
        query
          .insert(rateWindows)
          .values({ key, start: opensAt, current: granted, previous: 0, granted, expiresAt: opensAt + 2 * windowMs })
          .onConflictDoUpdate({
            target: rateWindows.key,
            set: {
              start,
              current: sql`(${current}) + (${grant})`,
              previous,
              granted: grant,
              expiresAt: sql`(${start}) + ${2 * windowMs}::bigint`,
            },
          })
          .returning(),
      )
      const remaining = remainingCalls(window!, rate, now)
      if (window!.granted < cost)
        return { allowed: false, remaining: 0, resetMs: retryAfterMs(window!, rate, now, cost) }
      return { allowed: true, remaining, resetMs: window!.start + windowMs - now }
    },
    async refund({ key, rate, now }) {
      const isOpen = and(
        eq(rateWindows.key, key),
        eq(rateWindows.start, windowStart(rate, now)),
        gt(rateWindows.current, 0),
      )
      await db.run((query) =>
        query
          .update(rateWindows)
          .set({ current: sql`${rateWindows.current} - 1` })
          .where(isOpen),
      )
    },
  }
}
