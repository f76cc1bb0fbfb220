import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { adDays, serves } from './tables/ads.ts'

/** The served ad that a statement handles, and the time. `today` is a number of days. */
export interface ImpressionArgs {
  readonly id: Uint8Array
  readonly now: number
  readonly today: number
}

/** Impressions, clicks and votes run one after the other, because caps and budgets count all of them. */
export const onServes = { locks: ['serves'] }

/** Returns the condition that a row is this served ad. */
export const isServe = (id: SQLWrapper): SQL => sql`${serves.id} = ${id}`
/** The end of an insert into `adDays` that adds to an existing row. */
export const addToDay = sql`on conflict (owner, device, day, outcome) do update set count = ${adDays.count} + 1,
  micros = ${adDays.micros} + excluded.micros, unposted = ${adDays.unposted} + excluded.unposted`
/** The amounts of an outcome that costs nothing. */
export const noPrice = { micros: sql`0`, unposted: sql`0` }
