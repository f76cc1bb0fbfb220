import { and, asc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { dropOldest } from '../../lists.ts'
import { clockSkewMs, type Rate, type RateDecision, type RateLimiter } from '../../ports.ts'
import { deleteSome } from './bounded-writes.ts'
import { writeNamed, type Database } from './database.ts'
import { build, prepare, type Placeholders } from './statement.ts'
import { ratePermits } from './tables/sessions.ts'

/** The permits that this host reserved in one statement. `num` is their row. */
interface Block {
  readonly num: number
  /** The host may spend the permits until this time. */
  readonly until: number
  /** The spent permits of the row, which is the cost of the call that reserved the block. */
  readonly counted: number
  left: number
  spent: number
  /** The time of the last call that spent permits. */
  spentAt: number
}

/** The state of a key on this host: the block, and the time until which calls are refused that cost at least `cost`. */
interface LocalState {
  readAt: number
  block: Block
  full: { cost: number; until: number }
  reserving: Promise<void> | null
}

const maxLocalKeys = 10_000
/** One in this number of reservations also deletes expired permits. */
const reservationsPerCleanup = 256
/** For a limit of up to 60 calls, each call runs its own SQL statement, so that hosts together enforce it exactly. */
const exactLimit = 60

const noBlock: Block = { num: 0, until: 0, counted: 0, left: 0, spent: 0, spentAt: 0 }

interface CountParams {
  readonly key: string
  readonly now: number
  readonly windowMs: number
}

/**
 * The permits of a key that count. Permits that expire later than a window after `now` were stored before the clock was
 * set back. Reserved permits may be spent later, so they expire a window later, until their host reports them.
 */
const counting = ({ key, now, windowMs }: Placeholders<CountParams>) =>
  and(
    eq(ratePermits.key, key),
    gt(ratePermits.expiresAt, now),
    sql`${ratePermits.expiresAt} <= ${now} + ${clockSkewMs} + ${windowMs} * iif(${ratePermits.granted} > ${ratePermits.spent}, 2, 1)`,
  )

interface ReserveParams extends CountParams {
  readonly limit: number
  readonly cost: number
  readonly wanted: number
  /** The maximum number of reserved, unspent permits of a key on all hosts together. */
  readonly maxUnspent: number
}

/**
 * Reserves a block of up to `wanted` permits, if there is room for the call's cost. In addition to the cost, the block
 * gets at most a third of the permits that hosts may still reserve. So the first few hosts get large blocks, and each
 * of sixty hosts gets enough for its call. When all permits are reserved but not spent, only the cost is granted.
 */
const reserveBlock = prepare<ReserveParams>()(
  (params) => sql<{ num: number; granted: number }>`
    with call (key, now, window_ms, call_limit, cost, wanted, max_unspent) as (
      select ${params.key}, ${params.now}, ${params.windowMs}, ${params.limit}, ${params.cost}, ${params.wanted}, ${params.maxUnspent}),
    counted as (
      select cast(coalesce(sum(${ratePermits.granted}), 0) as integer) as granted,
        cast(coalesce(sum(${ratePermits.spent}), 0) as integer) as spent
      from ${ratePermits} where ${counting(params)}),
    block as (
      select key, now, window_ms, cost, case
        when call_limit - granted >= cost then
          max(cost, min(wanted, call_limit - granted, cost + max(0, max_unspent - (granted - spent)) / 3))
        when call_limit - spent >= cost then cost
        else 0 end as size
      from call cross join counted)
    insert into ${ratePermits} (key, granted, spent, expires_at)
    select key, size, cost, now + window_ms * iif(size > cost, 2, 1) from block where size > 0
    returning num, granted`,
)

const reportBlock = prepare<{ num: number; spent: number; expiresAt: number }>()(({ num, spent, expiresAt }) =>
  build
    .update(ratePermits)
    .set({ granted: sql`${spent}`, spent: sql`${spent}`, expiresAt: sql`${expiresAt}` })
    .where(eq(ratePermits.num, num)),
)

const listSpent = prepare<CountParams>()((params) =>
  build
    .select({ spent: ratePermits.spent, expiresAt: ratePermits.expiresAt })
    .from(ratePermits)
    .where(counting(params))
    .orderBy(asc(ratePermits.expiresAt)),
)

const deleteExpired = prepare<{ now: number }>()(({ now }) => deleteSome(ratePermits, lte(ratePermits.expiresAt, now)))

/** Refunds a permit of the last call that counts. */
const refundCall = prepare<CountParams>()((params) =>
  build
    .update(ratePermits)
    .set({ granted: sql`${ratePermits.granted} - 1`, spent: sql`${ratePermits.spent} - 1` })
    .where(
      inArray(
        ratePermits.num,
        build
          .select({ num: sql`max(${ratePermits.num})` })
          .from(ratePermits)
          .where(and(counting(params), gt(ratePermits.spent, 0))),
      ),
    ),
)

interface SpentPermits {
  readonly spent: number
  readonly expiresAt: number
}

/** Returns the milliseconds until a call of this cost is allowed, if there is no other call in between. */
function waitMs(permits: readonly SpentPermits[], { limit, windowMs }: Rate, now: number, cost: number): number {
  let left = limit - permits.reduce((sum, { spent }) => sum + spent, 0)
  for (const { spent, expiresAt } of permits) {
    left += spent
    if (left >= cost) return expiresAt - now
  }
  return windowMs
}

/**
 * Returns the rate limiter shared by all hosts. A limit of up to 60 is exact: each call is one statement. For a higher
 * limit a host reserves permits in blocks of up to a twenty-fourth of the limit. The host writes at most once for each
 * block, and reports the spent permits with its next block. They then count from the last call of the block. A call is
 * refused only when the reported calls fill the limit, never because other hosts have unspent permits: when all permits
 * are reserved, calls are granted one by one.
 *
 * On one host at most `limit` calls pass in any window. Several hosts together admit at most a quarter more: their
 * unspent permits are at most an eighth of the limit in one window, and as many in the window before. A key known to be
 * full is refused without a query until there can be room again.
 */
export function libsqlLimiter(db: Database): RateLimiter {
  const states = new Map<string, LocalState>()
  let reservations = 0

  function stateOf(key: string, now: number): LocalState {
    const known = states.get(key)
    if (known && known.readAt <= now + clockSkewMs) return known
    // No test can notice a change of `0`: the time is long ago, so the cost is not read.
    const full = { cost: 0, until: 0 }
    const state: LocalState = { readAt: now, block: noBlock, full, reserving: null }
    states.set(key, state)
    dropOldest(states, maxLocalKeys)
    return state
  }

  async function reserve(key: string, state: LocalState, rate: Rate, now: number, cost: number): Promise<void> {
    const { limit, windowMs } = rate
    const { block } = state
    const isUnreported = block.left > 0 || block.spent !== block.counted
    state.block = noBlock
    const { reserved } = await writeNamed<{ reserved: { num: number; granted: number } }>(
      db,
      {
        ...(isUnreported && { reported: reportBlock({ ...block, expiresAt: block.spentAt + windowMs }) }),
        reserved: reserveBlock({
          key,
          now,
          windowMs,
          limit,
          cost,
          wanted: limit > exactLimit ? Math.ceil(limit / 24) : cost,
          maxUnspent: Math.floor(limit / 8),
        }),
        ...(++reservations % reservationsPerCleanup === 0 && { deleted: deleteExpired({ now }) }),
      },
      { locks: [`rate/${key}`] },
    )
    state.readAt = now
    const [row] = reserved.rows
    if (row) {
      const { num, granted } = row
      state.block = { num, until: now + windowMs, counted: cost, left: granted, spent: 0, spentAt: now }
    } else state.full = { cost, until: now + waitMs(await db.read(listSpent({ key, now, windowMs })), rate, now, cost) }
  }

  return {
    async consume({ key, rate, now, cost = 1 }): Promise<RateDecision> {
      const state = stateOf(key, now)
      for (;;) {
        const { full, block } = state
        if (full.until > now && cost >= full.cost) return { allowed: false, resetMs: full.until - now }
        if (block.left >= cost && block.until > now) {
          block.left -= cost
          block.spent += cost
          block.spentAt = Math.max(block.spentAt, now)
          return { allowed: true, resetMs: 0 }
        }
        state.reserving ??= reserve(key, state, rate, now, cost).finally(() => (state.reserving = null))
        await state.reserving
      }
    },
    async refund({ key, rate, now }) {
      const { limit, windowMs } = rate
      const state = stateOf(key, now)
      // No test can notice a change of `0`: the time is long ago, so the cost is not read.
      state.full = { cost: 0, until: 0 }
      const { block } = state
      if (limit <= exactLimit || block.spent === 0 || block.until <= now) {
        await db.write([refundCall({ key, now, windowMs })], { locks: [`rate/${key}`] })
        return
      }
      block.left += 1
      block.spent -= 1
    },
  }
}
