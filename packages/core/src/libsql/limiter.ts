import { movedTo, room, waitMs, windowStart, type Window } from '../http/window.ts'
import type { Rate, RateLimiter, Taken } from '../ports.ts'
import { clockSkewMs } from '../skew.ts'
import { raw, type Database } from './database.ts'
import { deleteSome } from './sweep.ts'

/** What this host knows of a key: the window as last read and when, calls reserved and not yet made, and until when it is full. */
interface Local {
  window: Window
  askedAt: number
  reserved: number
  fullUntil: number
  asking: Promise<void> | null
}

const localKeys = 10_000
const sweepEvery = 256

// ?1 key, ?2 start, ?3 window ms, ?4 limit, ?5 share of the window before, ?6 calls wanted, ?7 reserved in vain in the window before, ?8 limit of this insert,
// ?9 the latest start that another host's clock can have made: a later one is from before the clock was set back
const counts = 'start between ?2 and ?9'
const current = `case when ${counts} then current else 0 end`
const begins = `case when ${counts} then start else ?2 end`
const previous = `case when ${counts} then previous when start = ?2 - ?3 then max(0, current - ?7) else 0 end`
const granted = `max(0, min(?6, cast(?4 - (${current}) - (${previous}) * ?5 as integer)))`
const take = `insert into rate_windows (key, start, current, previous, granted, expires_at) values (?1, ?2, ?8, 0, ?8, ?2 + 2 * ?3)
  on conflict (key) do update set
    granted = ${granted}, previous = ${previous}, current = (${current}) + ${granted},
    start = ${begins}, expires_at = ${begins} + 2 * ?3
  returning start, current, previous, granted`

/**
 * The limiter that holds across hosts. One statement takes calls, as many as there is room for. A rate of more than 60 is
 * reserved in blocks of a twenty-fourth, so a host writes at most once for each block; on one host exactly `limit` calls
 * pass, on several one host may hold calls reserved that another would have wanted. A key known to be full is refused
 * without a query until there can be room again.
 */
export function libsqlLimiter(db: Database): RateLimiter {
  const locals = new Map<string, Local>()
  let asks = 0

  function localOf(key: string, rate: Rate, now: number): Local {
    const known = locals.get(key)
    if (known && known.askedAt <= now + clockSkewMs) return known
    const fresh: Local = { window: { start: windowStart(rate, now), current: 0, previous: 0 }, askedAt: now, reserved: 0, fullUntil: 0, asking: null }
    locals.set(key, fresh)
    if (locals.size > localKeys) locals.delete(locals.keys().next().value!)
    return fresh
  }

  async function reserve(key: string, local: Local, rate: Rate, now: number): Promise<void> {
    const start = windowStart(rate, now)
    const want = Math.min(rate.limit, rate.limit > 60 ? Math.ceil(rate.limit / 24) : 1)
    const vain = local.window.start === start - rate.windowMs ? local.reserved : 0
    const share = 1 - (now - start) / rate.windowMs
    const queries = [raw(take, [key, start, rate.windowMs, rate.limit, share, want, vain, want, now + clockSkewMs])]
    if (++asks % sweepEvery === 0) queries.push(raw(deleteSome('rate_windows', 'key', 'expires_at <= ?'), [now]))
    local.reserved = 0
    const [taken] = await db.write<Window & { granted: number }>(queries)
    const row = taken!.rows[0]!
    local.askedAt = now
    local.window = { start: row.start, current: row.current, previous: row.previous }
    local.reserved = row.granted
    local.fullUntil = row.granted > 0 ? 0 : now + waitMs(local.window, rate, now)
  }

  return {
    async take(key, rate, now): Promise<Taken> {
      const local = localOf(key, rate, now)
      for (;;) {
        if (local.fullUntil > now) return { allowed: false, remaining: 0, resetMs: local.fullUntil - now }
        const { window } = local
        if (local.reserved > 0 && window.start >= windowStart(rate, now)) {
          local.reserved -= 1
          const left = room(movedTo(window, rate, now), rate, now) + local.reserved
          return { allowed: true, remaining: left, resetMs: window.start + rate.windowMs - now }
        }
        local.asking ??= reserve(key, local, rate, now).finally(() => (local.asking = null))
        await local.asking
      }
    },
    async giveBack(key, rate, now) {
      const local = localOf(key, rate, now)
      local.fullUntil = 0
      if (rate.limit > 60) {
        if (local.window.start >= windowStart(rate, now)) local.reserved += 1
        return
      }
      await db.write([raw('update rate_windows set current = current - 1 where key = ? and start = ? and current > 0', [key, windowStart(rate, now)])])
    },
  }
}
