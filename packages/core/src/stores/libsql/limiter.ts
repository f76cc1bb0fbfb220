import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { dropOldest, firstOf } from '../../lists.ts'
import { advanceWindow, remainingCalls, retryAfterMs, windowStart, type Window } from '../../http/rate-limit.ts'
import { clockSkewMs, type Rate, type RateDecision, type RateLimiter } from '../../ports.ts'
import { deleteSome } from './bounded-writes.ts'
import type { Database } from './database.ts'
import { build, prepare } from './statement.ts'
import { rateWindows } from './tables/sessions.ts'

/** The permits that this host reserved in one statement. */
interface Block {
  /** The start of the window for which the permits are reserved. */
  readonly start: number
  readonly size: number
  /**
   * The number of permits that the statement counted as spent, which is the cost of the call that reserved the block.
   */
  readonly counted: number
  left: number
}

/**
 * The state of a key on this host: the window that was last read, the block, and the time until which calls are refused
 * that cost at least `cost`.
 */
interface LocalState {
  window: Window
  readAt: number
  block: Block
  full: { cost: number; until: number }
  reserving: Promise<void> | null
}

const maxLocalKeys = 10_000
/** One in this number of reservations also deletes expired windows. */
const reservationsPerCleanup = 256
/** For a limit of up to 60 calls, each call runs its own SQL statement, so that the limit is enforced exactly. */
const exactLimit = 60

/** Returns the maximum number of reserved, unspent permits of a key on all hosts together: an eighth of the limit. */
const maxUnspent = (limit: number): number => Math.floor(limit / 8)

interface ReserveParams {
  readonly key: string
  /** The start of the current window by this host's clock. */
  readonly start: number
  readonly windowMs: number
  readonly limit: number
  /** The share of the previous window that still counts. */
  readonly share: number
  readonly cost: number
  readonly wanted: number
  readonly maxUnspent: number
  /**
   * The latest start that a window can have by the clock of another host. A window that starts later was stored before
   * the clock was set back.
   */
  readonly latestStart: number
  /**
   * The counts of this host's last block: the permits spent and left in this window, and the permits spent in the
   * previous window.
   */
  readonly spentNow: number
  readonly leftNow: number
  readonly spentBefore: number
}

interface ReservedRow extends Window {
  readonly spent: number
  readonly granted: number
}

/**
 * Reserves a block of up to `wanted` permits, if there is room for the call's cost. In addition to the cost, the block
 * gets at most a third of the permits that hosts may still reserve. So the first few hosts get large blocks, and each
 * of sixty hosts gets enough for its call. When all permits are reserved but not spent, only the cost is granted.
 */
const reserveBlock = prepare<ReserveParams>()(
  (params) => sql<ReservedRow>`
    with call (key, start, window_ms, call_limit, share, cost, wanted, max_unspent, latest_start, spent_now, left_now, spent_before) as (
      select ${params.key}, ${params.start}, ${params.windowMs}, ${params.limit}, ${params.share}, ${params.cost}, ${params.wanted},
        ${params.maxUnspent}, ${params.latestStart}, ${params.spentNow}, ${params.leftNow}, ${params.spentBefore}),
    stored as (
      select call.*, ${rateWindows.start} as stored_start, ${rateWindows.current} as stored_current,
        ${rateWindows.spent} as stored_spent, ${rateWindows.previous} as stored_previous,
        coalesce(${rateWindows.start} between call.start and call.latest_start, false) as is_current
      from call left join ${rateWindows} on ${rateWindows.key} = call.key),
    counted as (
      select *, iif(is_current, stored_start, start) as window_start,
        iif(is_current, max(0, stored_current - left_now), 0) as current,
        iif(is_current, max(0, stored_spent + spent_now), 0) as spent,
        case when is_current then max(0, stored_previous + spent_before)
          when stored_start = start - window_ms then max(0, stored_spent + spent_before)
          else 0 end as previous
      from stored),
    free as (
      select *, cast(call_limit - current - previous * share as integer) as unreserved,
        cast(call_limit - spent - previous * share as integer) as unspent
      from counted),
    block as (
      select *, case
        when unreserved >= cost then
          max(cost, min(wanted, unreserved, cost + cast(max(0, max_unspent - (current - spent)) / 3 as integer)))
        when unspent >= cost then cost
        else 0 end as granted
      from free)
    insert into ${rateWindows} (key, start, current, spent, previous, granted, expires_at)
    select key, window_start, current + granted, spent + min(cost, granted), previous, granted, window_start + 2 * window_ms
    from block where true
    on conflict (key) do update set start = excluded.start, current = excluded.current, spent = excluded.spent,
      previous = excluded.previous, granted = excluded.granted, expires_at = excluded.expires_at
    returning start, current, spent, previous, granted`,
)

const deleteExpiredWindows = prepare<{ now: number }>()(({ now }) =>
  deleteSome(rateWindows, lte(rateWindows.expiresAt, now)),
)

const refundCall = prepare<{ key: string; start: number }>()(({ key, start }) =>
  build
    .update(rateWindows)
    .set({ current: sql`${rateWindows.current} - 1`, spent: sql`max(0, ${rateWindows.spent} - 1)` })
    .where(and(eq(rateWindows.key, key), eq(rateWindows.start, start), gt(rateWindows.current, 0))),
)

/**
 * Returns the rate limiter shared by all hosts. A limit of up to 60 is exact: each call is one statement. For a higher
 * limit a host reserves permits in blocks of up to a twenty-fourth of the limit. The host writes at most once for each
 * block, and reports the spent permits with its next block. A call is refused only when the reported calls fill the
 * limit, never because other hosts have unspent permits: when all permits are reserved, calls are granted one by one.
 *
 * On one host exactly `limit` calls pass. Several hosts together admit at most a quarter more in any window: their
 * unspent permits are at most an eighth of the limit in the current window, and as many in the previous window. A key
 * known to be full is refused without a query until there can be room again.
 */
export function libsqlLimiter(db: Database): RateLimiter {
  const states = new Map<string, LocalState>()
  let reservations = 0

  function stateOf(key: string, rate: Rate, now: number): LocalState {
    const known = states.get(key)
    if (known && known.readAt <= now + clockSkewMs) return known
    const start = windowStart(rate, now)
    const state: LocalState = {
      window: { start, current: 0, previous: 0 },
      readAt: now,
      block: { start, size: 0, counted: 0, left: 0 },
      // No test can notice a change of `0`: both times are long ago, so the cost is not read.
      full: { cost: 0, until: 0 },
      reserving: null,
    }
    states.set(key, state)
    dropOldest(states, maxLocalKeys)
    return state
  }

  async function reserve(key: string, state: LocalState, rate: Rate, now: number, cost: number): Promise<void> {
    const { limit, windowMs } = rate
    const start = windowStart(rate, now)
    const { block } = state
    const [spentNow, leftNow] = block.start === start ? [block.size - block.left - block.counted, block.left] : [0, 0]
    const spentBefore = block.start === start - windowMs ? block.size - block.left - block.counted : 0
    state.block = { start, size: 0, counted: 0, left: 0 }
    const isCleanup = ++reservations % reservationsPerCleanup === 0
    const [reserved] = await db.write(
      [
        reserveBlock({
          key,
          start,
          windowMs,
          limit,
          share: 1 - (now - start) / windowMs,
          cost,
          wanted: limit > exactLimit ? Math.ceil(limit / 24) : cost,
          maxUnspent: maxUnspent(limit),
          latestStart: now + clockSkewMs,
          spentNow,
          leftNow,
          spentBefore,
        }),
        ...(isCleanup ? [deleteExpiredWindows({ now })] : []),
      ],
      { locks: [`rate/${key}`] },
    )
    const row = firstOf(reserved.rows)
    state.readAt = now
    state.window = { start: row.start, current: row.current, previous: row.previous }
    state.block = { start: row.start, size: row.granted, counted: Math.min(cost, row.granted), left: row.granted }
    state.full = {
      cost,
      until: row.granted > 0 ? 0 : now + retryAfterMs({ ...state.window, current: row.spent }, rate, now, cost),
    }
  }

  return {
    async consume({ key, rate, now, cost = 1 }): Promise<RateDecision> {
      const state = stateOf(key, rate, now)
      for (;;) {
        const { window, full, block } = state
        if (full.until > now && cost >= full.cost) return { allowed: false, remaining: 0, resetMs: full.until - now }
        if (block.left >= cost && block.start >= windowStart(rate, now)) {
          block.left -= cost
          const remaining = remainingCalls(advanceWindow(window, rate, now), rate, now) + block.left
          return { allowed: true, remaining, resetMs: window.start + rate.windowMs - now }
        }
        state.reserving ??= reserve(key, state, rate, now, cost).finally(() => (state.reserving = null))
        await state.reserving
      }
    },
    async refund({ key, rate, now }) {
      const state = stateOf(key, rate, now)
      // No test can notice a change of `0`: both times are long ago, so the cost is not read.
      state.full = { cost: 0, until: 0 }
      if (rate.limit > exactLimit) {
        if (state.block.start >= windowStart(rate, now)) state.block.left += 1
        return
      }
      await db.write([refundCall({ key, start: windowStart(rate, now) })], { locks: [] })
    },
  }
}
