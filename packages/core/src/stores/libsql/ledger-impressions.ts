import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { LedgerStore, PostImpressionsParams } from '../../ledger/store.ts'
import { type Database, writeNamed } from './database.ts'
import { build, insertSelect, prepare } from './statement.ts'
import { adDays } from './tables/ads.ts'
import { ledger } from './tables/ledger.ts'
import { users } from './tables/sessions.ts'
import { isMadeFrom, noEntry, makeRowId } from './ledger-entries.ts'

/** The number of days that one call posts. Such a call holds the write lock for about 20 ms. */
const maxDaysPerPost = 500

const impressionReference = sql`(${adDays.device} || '/' || ${adDays.day})`
const isPosted = sql`exists (select 1 from ${ledger} where ${ledger.kind} = 'impressions' and ${ledger.reference} = ${impressionReference})`
/** Returns the `from` and `where` clauses for the days that are over and not in the ledger. */
const fromUnpostedDays = (today: SQLWrapper, posted: SQL): SQL =>
  sql`${adDays} where ${adDays.unposted} > 0 and ${adDays.outcome} = 'counted' and ${adDays.day} < ${today} and ${posted}`
/** The order and limit of the statements that add and clear late rows, so that exactly the added rows are cleared. */
const someOf = sql`order by ${adDays.day}, ${adDays.owner}, ${adDays.device} limit ${sql.raw(String(maxDaysPerPost))}`

/**
 * Adds late rows to today. Late rows of a device may be of several days. They are summed first, because Postgres refuses
 * an upsert that changes a row twice.
 */
const addLateToToday = prepare<{ today: number }>()(({ today }) =>
  insertSelect(
    adDays,
    {
      owner: sql`late.owner`,
      device: sql`late.device`,
      day: today,
      outcome: sql`'counted'`,
      count: sql`0`,
      micros: sql`0`,
      unposted: sql`sum(late.unposted)`,
    },
    sql`from (
      select ${adDays.owner}, ${adDays.device}, ${adDays.unposted} from ${fromUnpostedDays(today, isPosted)} ${someOf}) late
      group by late.owner, late.device
      on conflict (owner, device, day, outcome) do update set unposted = ${adDays.unposted} + excluded.unposted`,
  ),
)
const keyColumns = sql`${adDays.owner}, ${adDays.device}, ${adDays.day}, ${adDays.outcome}`
const clearUnposted = (days: SQL) =>
  build
    .update(adDays)
    .set({ unposted: 0 })
    .where(sql`(owner, device, day, outcome) in (select ${keyColumns} from ${days})`)
const clearLate = prepare<{ today: number }>()(({ today }) =>
  clearUnposted(sql`${fromUnpostedDays(today, isPosted)} ${someOf}`),
)
const insertImpressions = prepare<PostImpressionsParams>()(({ today, now, share, entryId }) =>
  insertSelect(
    ledger,
    {
      ...noEntry,
      id: makeRowId(entryId),
      owner: sql`past.owner`,
      kind: sql`'impressions'`,
      reference: sql`past.reference`,
      micros: sql`cast(round(past.unposted * ${share}) as integer)`,
      at: now,
      availableAt: now,
      device: sql`past.device`,
      day: sql`past.day`,
    },
    sql`from (
      select ${keyColumns}, ${adDays.unposted}, ${impressionReference} as reference from ${fromUnpostedDays(
        today,
        sql`not ${isPosted}
          and exists (select 1 from ${users} where ${users.num} = ${adDays.owner} and ${users.erasedAt} is null)`,
      )} ${someOf}) past`,
  ),
)
const clearNew = prepare<{ today: number; entryId: string }>()(({ today, entryId }) =>
  clearUnposted(
    fromUnpostedDays(
      today,
      sql`exists (select 1 from ${ledger}
        where ${ledger.kind} = 'impressions' and ${ledger.reference} = ${impressionReference} and ${isMadeFrom(entryId)})`,
    ),
  ),
)

/** Returns the method of the ledger store that posts the shares of counted impressions. */
export function libsqlLedgerImpressions(db: Database): Pick<LedgerStore, 'postImpressions'> {
  return {
    async postImpressions(params) {
      const { today } = params
      const { clearedLate, posted } = await writeNamed(db, {
        late: addLateToToday({ today }),
        clearedLate: clearLate({ today }),
        posted: insertImpressions(params),
        new: clearNew(params),
      })
      return clearedLate.changed >= maxDaysPerPost || posted.changed >= maxDaysPerPost
    },
  }
}
