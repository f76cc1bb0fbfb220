import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { adDays, serves } from './tables/ads.ts'

/** The id of the served ad that a statement handles, the time in ms, and its UTC day as a number of days since 1970. */
export interface ImpressionArgs {
  readonly id: Uint8Array
  readonly now: number
  readonly today: number
}

/** Impressions, clicks and votes run one after the other, because caps and budgets count all of them. */
export const onServes = { locks: ['serves'] }

/** Returns the condition that a row is the served ad with this id. */
export const isServe = (id: SQLWrapper): SQL => sql`${serves.id} = ${id}`
/** The end of an insert into `adDays`. If the row exists, it adds to the row. */
export const addToDay = sql`on conflict (owner, device, day, outcome) do update set count = ${adDays.count} + 1,
  micros = ${adDays.micros} + excluded.micros, unposted = ${adDays.unposted} + excluded.unposted`
/** The amounts of an outcome that costs nothing. */
export const noPrice = { micros: sql`0`, unposted: sql`0` }
