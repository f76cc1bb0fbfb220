import { gte, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import type { DailyCountName, OverviewStore, QueueState, WaitingCounts } from '../../admin/overview/store.ts'
import { channels } from '../../outbox/store.ts'
import type { Database, Query } from './database.ts'
import { build, prepare } from './statement.ts'
import { removals } from './tables/buyers.ts'
import { applications } from './tables/contributors.ts'
import { jobs } from './tables/ingest.ts'
import { payoutRequests } from './tables/ledger.ts'
import { outbox } from './tables/outbox.ts'
import { dailyCounts } from './tables/overview.ts'
import { reports } from './tables/reports.ts'
import { cliFeedback } from './tables/telemetry.ts'

/**
 * Returns a statement that adds to the counts of a day, for the transaction that stores the counted event. `counts`
 * selects day, name and count, in this order; nothing is added for a count of 0 or null.
 *
 * ```ts
 * const countUpload = prepareDailyCounts<{ id: string; day: number }>(
 *   ({ id, day }) => sql`select ${day}, ${countName('uploads')}, 1 from ${jobs} where ${jobs.id} = ${id}`,
 * )
 * ```
 */
export const prepareDailyCounts = <Params extends object>(
  counts: (params: { readonly [Name in keyof Params & string]: SQLWrapper }) => SQL,
): ((params: Params) => Query) =>
  prepare<Params>()(
    (params) => sql`with counted (day, name, count) as (${counts(params as never)})
      insert into ${dailyCounts} (day, name, count) select day, name, count from counted where count <> 0
      on conflict (day, name) do update set count = ${dailyCounts.count} + excluded.count`,
  )

/** Returns the name of a count in SQL. */
export const countName = (name: DailyCountName): SQL => sql.raw(`'${name}'`)

/** Returns the UTC day of a column of milliseconds. */
export const selectDay = (column: SQLWrapper): SQL => sql`${column} / 86400000`

const selectDailyCounts = prepare<{ fromDay: number }>()(({ fromDay }) =>
  build
    .select({ day: dailyCounts.day, name: dailyCounts.name, count: dailyCounts.count })
    .from(dailyCounts)
    .where(gte(dailyCounts.day, fromDay)),
)

const selectWaiting = prepare<{ failedSince: number }>()(
  ({ failedSince }) => sql<WaitingCounts>`select
    (select count(*) from ${applications} where ${applications.status} = 'pending') as "applications",
    (select count(*) from ${jobs} where ${jobs.status} = 'failed' and ${jobs.finishedAt} >= ${failedSince}) as "failedJobs",
    (select count(*) from ${reports} where ${reports.duplicateOf} is null and ${reports.status} = 'open') as "reports",
    (select count(*) from ${outbox} where ${outbox.status} in ('dead', 'unknown')) as "outbox",
    (select count(*) from ${payoutRequests} where ${payoutRequests.status} = 'open') as "payoutRequests",
    (select count(*) from ${removals} where ${removals.acknowledgedAt} is null) as "removals",
    (select count(*) from ${cliFeedback} where ${cliFeedback.handledAt} is null) as "feedback"`,
)

/** The names of all channels, which let SQLite search the index of open entries instead of reading the whole index. */
const channelNames = sql.raw(channels.map((channel) => `'${channel}'`).join(', '))

const selectQueues = prepare()(
  () => sql<QueueState>`select 'ingest' as "queue", count(*) as "depth", min(${jobs.enqueuedAt}) as "oldestAt"
    from ${jobs} where ${jobs.status} in ('queued', 'parsing', 'ingesting') having count(*) > 0
    union all select ${outbox.channel}, count(*), min(${outbox.createdAt})
    from ${outbox} where ${outbox.channel} in (${channelNames})
      and ${outbox.finishedAt} is null group by ${outbox.channel}`,
)

/** Returns the overview store over libSQL. `admin/overview/store.ts` describes the guarantees. */
export function libsqlOverview(db: Database): OverviewStore {
  return {
    listDailyCounts: (params) => db.read(selectDailyCounts(params)),
    async countWaiting(params) {
      return firstOf(await db.read(selectWaiting(params)))
    },
    listQueues: () => db.read(selectQueues({})),
  }
}
