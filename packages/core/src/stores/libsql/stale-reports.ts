import { sql, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { deleteSome, maxRowsPerWrite } from './bounded-writes.ts'
import type { Database } from './database.ts'
import { build, prepare } from './statement.ts'
import { reportEvidence, reportReceipts, reports } from './tables/reports.ts'

/** The maximum number of reports that one transaction deletes. */
const maxStaleReports = 50

const duplicate = alias(reports, 'duplicate')
const original = alias(reports, 'original')

/** Selects the stale reports. All statements of a transaction select the same reports. */
const staleReports = (before: SQLWrapper) => sql`(
  select ${original.id} from ${reports} ${original} where ${original.duplicateOf} is null and ${original.changedAt} < ${before}
    and not exists (
      select 1 from ${reports} ${duplicate}
      where ${duplicate.duplicateOf} = ${original.id} and ${duplicate.createdAt} >= ${before})
    and not exists (
      select 1 from ${reportEvidence}
      where ${reportEvidence.report} = ${original.id} and ${reportEvidence.createdAt} >= ${before})
  order by ${original.changedAt}, ${original.num} limit ${sql.raw(`${maxStaleReports}`)})`
const hasNoReceipt = sql`not exists (select 1 from ${reportReceipts} where ${reportReceipts.report} = ${reports.id})`

// The condition uses one list, because with two lists Postgres would read the whole table.
const deleteStaleReceipts = prepare<{ before: number }>()(({ before }) =>
  deleteSome(
    reportReceipts,
    sql`${reportReceipts.report} in (
      select ${reports.id} from ${reports} where ${reports.duplicateOf} in ${staleReports(before)}
      union all select id from ${staleReports(before)})`,
  ),
)
const deleteStaleEvidence = prepare<{ before: number }>()(({ before }) =>
  deleteSome(reportEvidence, sql`${reportEvidence.report} in ${staleReports(before)}`),
)
const deleteStaleDuplicates = prepare<{ before: number }>()(({ before }) =>
  deleteSome(reports, sql`${reports.duplicateOf} in ${staleReports(before)} and ${hasNoReceipt}`),
)
// A report is deleted after everything that belongs to it. Deleting all of this may take several transactions.
const deleteStaleOriginals = prepare<{ before: number }>()(({ before }) =>
  build.delete(reports).where(
    sql`${reports.id} in ${staleReports(before)} and ${hasNoReceipt}
      and not exists (select 1 from ${reportEvidence} where ${reportEvidence.report} = ${reports.id})
      and not exists (select 1 from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${reports.id})`,
  ),
)

/**
 * Deletes reports that were not changed since `before`, with everything that belongs to them. Returns whether there may
 * be more.
 */
export async function deleteStaleReports(db: Database, params: { readonly before: number }): Promise<boolean> {
  const results = await db.write([
    deleteStaleReceipts(params),
    deleteStaleEvidence(params),
    deleteStaleDuplicates(params),
    deleteStaleOriginals(params),
  ])
  return results.some(({ changed }) => changed === maxRowsPerWrite) || results[3].changed === maxStaleReports
}
