import { movedTo, room, waitMs, windowStart, type Window } from '../../http/rate-limit.ts'
import { type Rate, type RateLimiter, type RateDecision, clockSkewMs } from '../../ports.ts'
import { raw, type Database } from './database.ts'
import { deleteSomeText } from './bounded-writes.ts'

/** The permits that this host took in one statement. */
interface Block {
  /** The window they are of. */
  readonly start: number
  readonly size: number
  /** Those of them that the statement counted as spent: the ones of the call that asked. */
  readonly counted: number
  left: number
}

/** What this host knows of a key: the window as last read and when, its block, and what it need not ask for before which time. */
interface Local {
  window: Window
  askedAt: number
  block: Block
  full: { cost: number; until: number }
  asking: Promise<void> | null
}

const localKeys = 10_000
const sweepEvery = 256
/** Up to this limit every call is a statement, and the limit exact. */
const exactLimit = 60

/** Permits that all hosts together may hold unspent for a key, beside the one that each call takes: an eighth of the limit. */
const mostHeld = (limit: number): number => Math.floor(limit / 8)

/**
 * Returns how many permits a block has, when there is room for the call's `cost`: at most `want`, and beside the cost a third of what
 * hosts may still hold, so that the first few get large blocks and each of sixty gets what its call needs.
 */
function blockSize(cost: number, want: number, room: number, mayHold: number): number {
  return Math.max(cost, Math.min(want, room, cost + Math.floor(Math.max(0, mayHold) / 3)))
}

// ?1 key, ?2 start, ?3 window ms, ?4 limit, ?5 share of the window before, ?6 cost, ?7 permits wanted, ?8 permits that hosts may hold,
// ?9 the latest start that another host's clock can have made: a later one is from before the clock was set back,
// of the host's last block: ?10 spent and ?11 left over in this window, ?12 spent in the one before; ?13 first block of a new row
const counts = 'start between ?2 and ?9'
const current = `case when ${counts} then max(0, current - ?11) else 0 end`
const spent = `case when ${counts} then max(0, spent + ?10) else 0 end`
const begins = `case when ${counts} then start else ?2 end`
const previous = `case when ${counts} then max(0, previous + ?12) when start = ?2 - ?3 then max(0, spent + ?12) else 0 end`
const roomOf = (calls: string): string => `cast(?4 - (${calls}) - (${previous}) * ?5 as integer)`
// As `blockSize`.
const granted = `case
  when ${roomOf(current)} >= ?6 then
    max(?6, min(?7, ${roomOf(current)}, ?6 + max(0, ?8 - ((${current}) - (${spent}))) / 3))
  when ${roomOf(spent)} >= ?6 then ?6
  else 0 end`
const take = `insert into rate_windows (key, start, current, spent, previous, granted, expires_at)
  values (?1, ?2, ?13, min(?6, ?13), 0, ?13, ?2 + 2 * ?3)
  on conflict (key) do update set
    granted = ${granted}, previous = ${previous}, current = (${current}) + ${granted}, spent = (${spent}) + min(?6, ${granted}),
    start = ${begins}, expires_at = ${begins} + 2 * ?3
  returning start, current, spent, previous, granted`

/**
 * Returns the limiter that holds across hosts. A limit of up to 60 is one statement a call, and exact. A host takes the permits of a
 * higher limit in blocks of up to a twenty-fourth of it, so that it writes at most once for each block, and reports with its next
 * block what it spent. A call is refused only when the reported calls fill the limit, never because other hosts hold unspent permits:
 * when all permits are given out, calls are granted one by one.
 *
 * On one host exactly `limit` calls pass. Several hosts together admit at most a quarter more in any window: what they hold unspent
 * is at most an eighth of the limit, once in the current window and once in the one before. A key known to be full is refused without
 * a query until there can be room again.
 */
export function libsqlLimiter(db: Database): RateLimiter {
  const locals = new Map<string, Local>()
  let asks = 0

  function localOf(key: string, rate: Rate, now: number): Local {
    const known = locals.get(key)
    if (known && known.askedAt <= now + clockSkewMs) return known
    const start = windowStart(rate, now)
    const fresh: Local = {
      window: { start, current: 0, previous: 0 },
      askedAt: now,
      block: { start, size: 0, counted: 0, left: 0 },
      full: { cost: 0, until: 0 },
      asking: null,
    }
    locals.set(key, fresh)
    if (locals.size > localKeys) locals.delete(locals.keys().next().value!)
    return fresh
  }

  async function reserve(key: string, local: Local, rate: Rate, now: number, cost: number): Promise<void> {
    const { limit, windowMs } = rate
    const start = windowStart(rate, now)
    const want = limit > exactLimit ? Math.ceil(limit / 24) : cost
    const first = cost > limit ? 0 : blockSize(cost, want, limit, mostHeld(limit))
    const { block } = local
    const [spentNow, leftNow] = block.start === start ? [block.size - block.left - block.counted, block.left] : [0, 0]
    const spentBefore = block.start === start - windowMs ? block.size - block.left - block.counted : 0
    const share = 1 - (now - start) / windowMs
    const queries = [
      raw(take, [
        key,
        start,
        windowMs,
        limit,
        share,
        cost,
        want,
        mostHeld(limit),
        now + clockSkewMs,
        spentNow,
        leftNow,
        spentBefore,
        first,
      ]),
    ]
    if (++asks % sweepEvery === 0) queries.push(raw(deleteSomeText('rate_windows', 'key', 'expires_at <= ?'), [now]))
    local.block = { start, size: 0, counted: 0, left: 0 }
    const [taken] = await db.write<Window & { granted: number; spent: number }>(queries)
    const row = taken!.rows[0]!
    local.askedAt = now
    local.window = { start: row.start, current: row.current, previous: row.previous }
    local.block = { start: row.start, size: row.granted, counted: Math.min(cost, row.granted), left: row.granted }
    local.full = {
      cost,
      until: row.granted > 0 ? 0 : now + waitMs({ ...local.window, current: row.spent }, rate, now, cost),
    }
  }

  return {
    async consume(key, rate, now, cost = 1): Promise<RateDecision> {
      const local = localOf(key, rate, now)
      for (;;) {
        const { window, full, block } = local
        if (full.until > now && cost >= full.cost) return { allowed: false, remaining: 0, resetMs: full.until - now }
        if (block.left >= cost && block.start >= windowStart(rate, now)) {
          block.left -= cost
          const left = room(movedTo(window, rate, now), rate, now) + block.left
          return { allowed: true, remaining: left, resetMs: window.start + rate.windowMs - now }
        }
        local.asking ??= reserve(key, local, rate, now, cost).finally(() => (local.asking = null))
        await local.asking
      }
    },
    async refund(key, rate, now) {
      const local = localOf(key, rate, now)
      local.full = { cost: 0, until: 0 }
      if (rate.limit > exactLimit) {
        if (local.block.start >= windowStart(rate, now)) local.block.left += 1
        return
      }
      const start = windowStart(rate, now)
      await db.write([
        raw(
          'update rate_windows set current = current - 1, spent = max(0, spent - 1) where key = ? and start = ? and current > 0',
          [key, start],
        ),
      ])
    },
  }
}
