import { sql, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import { alias } from 'drizzle-orm/sqlite-core'
import type { ReportStore } from '../../reports/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { type Database, writeNamed } from './database.ts'
import { listedColumns, parseReport, selectReport } from './report-lists.ts'
import { build, prepare } from './statement.ts'
import { reportEvidence, reports } from './tables/reports.ts'

const duplicate = alias(reports, 'duplicate')
const original = alias(reports, 'original')

interface MergeArgs {
  readonly id: string
  readonly into: string
}
type Merge = { readonly [Name in keyof MergeArgs]: SQLWrapper }
/** Returns the id of the report into which another report is merged. */
const keptReport = ({ into }: Pick<Merge, 'into'>) => sql`(
  select coalesce(${original.duplicateOf}, ${original.id}) from ${reports} ${original} where ${original.id} = ${into})`
const canMerge = (params: Merge) => sql`exists (
  select 1 from ${reports} ${duplicate} where ${duplicate.id} = ${params.id} and ${duplicate.duplicateOf} is null
    and ${duplicate.id} <> ${keptReport(params)})`

const selectBeforeMerge = prepare<MergeArgs>()(
  (params) => sql<{ duplicateOf: string | null; kept: string | null }>`
    select ${reports.duplicateOf} as "duplicateOf", ${keptReport(params)} as kept
    from ${reports} where ${reports.id} = ${params.id}`,
)
const selectMerged = prepare<MergeArgs>()(
  (params) => sql<AuditedChange>`
    select ${reports.id}, json_object('duplicateOf', null), json_object('duplicateOf', ${keptReport(params)})
    from ${reports} where ${reports.id} = ${params.id} and ${canMerge(params)}`,
)
const moveEvidence = prepare<MergeArgs>()((params) =>
  build
    .update(reportEvidence)
    .set({ report: keptReport(params) })
    .where(sql`${reportEvidence.report} = ${params.id} and ${canMerge(params)}`),
)
const touchKept = prepare<MergeArgs & { now: number }>()((params) =>
  build
    .update(reports)
    .set({ changedAt: sql`${params.now}` })
    .where(sql`${reports.id} = ${keptReport(params)} and ${canMerge(params)}`),
)
const mergeReport = prepare<MergeArgs & { now: number }>()((params) =>
  build
    .update(reports)
    .set({
      duplicateOf: keptReport(params),
      parent: sql`iif(${reports.id} = ${params.id}, ${keptReport(params)}, ${reports.parent})`,
      changedAt: sql`iif(${reports.id} = ${params.id}, ${params.now}, ${reports.changedAt})`,
    })
    .where(sql`(${reports.id} = ${params.id} or ${reports.duplicateOf} = ${params.id}) and ${canMerge(params)}`),
)

const selectKept = prepare<MergeArgs>()((params) =>
  build
    .select(listedColumns)
    .from(reports)
    .where(sql`${reports.id} = ${keptReport(params)}`),
)

/** Selects a duplicate and the reports that were merged into it or joined it. */
const withDuplicates = ({ id }: { readonly id: SQLWrapper }) => sql`(
  with recursive members (id) as (
    select ${reports.id} from ${reports} where ${reports.id} = ${id} and ${reports.duplicateOf} is not null
    union select ${duplicate.id} from ${reports} ${duplicate} join members on ${duplicate.parent} = members.id)
  select id from members)`

const selectSeparated = prepare<{ id: string }>()(
  ({ id }) => sql<AuditedChange>`
    select ${reports.id}, json_object('duplicateOf', ${reports.duplicateOf}), json_object('duplicateOf', null)
    from ${reports} where ${reports.id} = ${id} and ${reports.duplicateOf} is not null`,
)
const takeEvidence = prepare<{ id: string }>()(({ id }) =>
  build.update(reportEvidence).set({ report: sql`${id}` })
    .where(sql`${reportEvidence.report} = (select ${original.duplicateOf} from ${reports} ${original} where ${original.id} = ${id})
      and ${reportEvidence.sender} in ${withDuplicates({ id })}`),
)
const separateReport = prepare<{ id: string; now: number }>()(({ id, now }) =>
  build
    .update(reports)
    .set({
      duplicateOf: sql`iif(${reports.id} = ${id}, null, ${id})`,
      parent: sql`iif(${reports.id} = ${id}, null, ${reports.parent})`,
      changedAt: sql`iif(${reports.id} = ${id}, ${now}, ${reports.changedAt})`,
    })
    .where(sql`${reports.id} in ${withDuplicates({ id })}`),
)

/** Returns the methods of the report store that merge reports and separate them again. */
export function reportMerges(db: Database): Pick<ReportStore, 'mergeReports' | 'separateReport'> {
  return {
    async mergeReports({ id, into, audit }) {
      const args = { id, into }
      const { before, found } = await writeNamed(db, {
        before: selectBeforeMerge(args),
        audit: recordAudit(audit, 'report.merge', selectMerged(args)),
        evidence: moveEvidence(args),
        kept: touchKept({ ...args, now: audit.at }),
        report: mergeReport({ ...args, now: audit.at }),
        found: selectKept(args),
      })
      const [state] = before.rows
      if (!state || state.kept === null) return 'not_found'
      if (state.kept === id) return 'same_report'
      if (state.duplicateOf !== null && state.duplicateOf !== state.kept) return 'already_merged'
      return parseReport(firstOf(found.rows))
    },
    async separateReport({ id, audit }) {
      const { before, found } = await writeNamed(db, {
        before: selectSeparated({ id }),
        audit: recordAudit(audit, 'report.separate', selectSeparated({ id })),
        evidence: takeEvidence({ id }),
        report: separateReport({ id, now: audit.at }),
        found: selectReport({ id }),
      })
      return before.rows.length > 0 ? parseReport(firstOf(found.rows)) : null
    },
  }
}
