import { desc, eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { noReports } from '../../reports/rules.ts'
import type { StoredEvidence, ReportFilter, ReportStatus, ReportStore, StoredReport } from '../../reports/store.ts'
import { yieldToEventLoop } from './batching.ts'
import { jsonArgument, type Database } from './database.ts'
import { build, prepare } from './statement.ts'
import { reportEvidence, reports } from './tables/reports.ts'

/** Pieces of evidence in a list. */
const listedEvidence = 20

const duplicate = alias(reports, 'duplicate')

/** The columns of a report in a list. */
export const listedColumns = {
  num: reports.num,
  id: reports.id,
  duplicateOf: reports.duplicateOf,
  status: reports.status,
  body: reports.body,
  createdAt: reports.createdAt,
  changedAt: reports.changedAt,
  duplicates: sql<number>`(
    select count(*) from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${reports}.id)`,
  evidenceCount: sql<number>`(
    select count(*) from ${reportEvidence} where ${reportEvidence.report} = ${reports}.id)`,
  evidence: sql<string>`(
    select json_group_array(json_object(
      'id', e.id, 'reportId', e.sender, 'type', e.type, 'content', e.content, 'redacted', e.redacted))
    from (
      select id, sender, type, content, redacted from ${reportEvidence}
      where ${reportEvidence.report} = ${reports}.id
      order by num limit ${sql.raw(`${listedEvidence}`)}) e)`,
}
interface ScanArgs {
  /** Above the number of the first report. */
  readonly before: number
  readonly status: ReportStatus | null
  readonly kind: string | null
  readonly from: number | null
  readonly to: number | null
  /** A JSON list. */
  readonly words: string
}
type Scan = { readonly [Name in keyof ScanArgs]: SQLWrapper }

/** How many reports one read filters, so that a local file holds the event loop for some 10 ms at most. */
const maxReportsPerScan = 500
/** Returns the number of the last report of a scan; none when the scan reaches the first report. */
const lastOfScan = ({ before }: Pick<Scan, 'before'>) => sql`select ${reports.num} from ${reports}
  where ${reports.duplicateOf} is null and ${reports.num} < ${before}
  order by ${reports.num} desc limit 1 offset ${sql.raw(String(maxReportsPerScan - 1))}`
const selectLastOfScan = prepare<Pick<ScanArgs, 'before'>>()((params) => sql<{ num: number }>`${lastOfScan(params)}`)

const searchedFields = [
  'content.title',
  'content.summary',
  'content.hypothesis',
  'subject.surface',
  'subject.domain',
  'reporter.agent_vendor',
  'reporter.agent_product',
]
/** Returns whether each word occurs in a report. */
const hasWords = ({ id, body }: Readonly<Record<'id' | 'body', SQLWrapper>>, words: SQLWrapper): SQL => {
  const fields = searchedFields.map((path) => sql`coalesce(json_extract(${body}, ${sql.raw(`'$.${path}'`)}), '')`)
  const text = sql.join([id, ...fields], sql` || ' ' || `)
  return sql`not exists (select 1 from json_each(${words}) word where instr(lower(${text}), lower(word.value)) = 0)`
}
/** Duplicates with the same similarity hash have the same texts, so they are not searched. */
const isInScan = (scan: Scan): SQL => sql`${reports.duplicateOf} is null and ${reports.num} < ${scan.before}
  and ${reports.num} >= coalesce((${lastOfScan(scan)}), 0)
  and (${scan.status} is null or ${reports.status} = ${scan.status})
  and (${scan.kind} is null or json_extract(${reports.body}, '$.subject.kind') = ${scan.kind})
  and (${scan.from} is null or ${reports.createdAt} >= ${scan.from})
  and (${scan.to} is null or ${reports.createdAt} <= ${scan.to})
  and (${scan.words} = '[]' or ${hasWords(reports, scan.words)} or exists (
    select 1 from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${reports.id}
      and ${duplicate.similarityHash} <> ${reports.similarityHash} and ${hasWords(duplicate, scan.words)}))`

const selectPage = prepare<ScanArgs & { limit: number }>()((params) =>
  build.select(listedColumns).from(reports).where(isInScan(params)).orderBy(desc(reports.num)).limit(params.limit),
)
const countByStatus = prepare<ScanArgs>()(
  (params) => sql<{ status: ReportStatus; reports: number; duplicates: number }>`
    select ${reports.status} as status, count(*) as reports, sum((
      select count(*) from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${reports.id})) as duplicates
    from ${reports} where ${isInScan(params)} group by ${reports.status}`,
)
export const selectReport = prepare<{ id: string }>()(({ id }) =>
  build.select(listedColumns).from(reports).where(eq(reports.id, id)),
)
const selectDuplicates = prepare<{ id: string; limit: number }>()(({ id, limit }) =>
  build.select(listedColumns).from(reports).where(eq(reports.duplicateOf, id)).orderBy(desc(reports.num)).limit(limit),
)

type ListedRow = Omit<StoredReport, 'evidence'> & { readonly num: number; readonly evidence: string }
type EvidenceRow = Omit<StoredEvidence, 'redacted'> & { readonly redacted: number }

/** Makes the stored report of a row of `listedColumns`. */
export function parseReport({ num: _, evidence, ...report }: ListedRow): StoredReport {
  const rows = JSON.parse(evidence) as EvidenceRow[]
  return { ...report, evidence: rows.map((row) => ({ ...row, redacted: row.redacted === 1 })) }
}
const scanArgs = ({ kind, from, to, words }: ReportFilter = {}): Omit<ScanArgs, 'before' | 'status'> => ({
  kind: kind ?? null,
  from: from ?? null,
  to: to ?? null,
  words: jsonArgument(words ?? []),
})

/** Reads scan after scan, newest reports first, until `read` returns no number to continue below. */
async function scanReports(
  cursor: number | null,
  read: (before: number) => Promise<number | undefined>,
): Promise<void> {
  let before = await read(cursor ?? Number.MAX_SAFE_INTEGER)
  while (before !== undefined) {
    await yieldToEventLoop()
    before = await read(before)
  }
}

/** Returns the methods of the report store that list, count and find reports. */
export function reportLists(db: Database): Pick<ReportStore, 'listReports' | 'countReports' | 'findReport'> {
  return {
    async listReports({ status, filter, cursor, limit }) {
      const rows: ListedRow[] = []
      await scanReports(cursor, async (before) => {
        const params = { ...scanArgs(filter), status, before, limit: limit + 1 - rows.length }
        const [found, [last]] = await db.readAll([selectPage(params), selectLastOfScan({ before })])
        rows.push(...found)
        return rows.length > limit ? undefined : last?.num
      })
      const page = rows.slice(0, limit)
      return { items: page.map(parseReport), next: rows.length > limit ? page.at(-1)!.num : null }
    },
    async countReports({ filter }) {
      const counts = noReports()
      await scanReports(null, async (before) => {
        const params = { ...scanArgs(filter), status: null, before }
        const [found, [last]] = await db.readAll([countByStatus(params), selectLastOfScan({ before })])
        for (const row of found) {
          counts.statuses[row.status] += row.reports
          counts.duplicates += row.duplicates
        }
        return last?.num
      })
      return counts
    },
    async findReport({ id, maxDuplicates }) {
      const [[row], duplicates] = await db.readAll([
        selectReport({ id }),
        selectDuplicates({ id, limit: maxDuplicates }),
      ])
      return row ? { report: parseReport(row), duplicates: duplicates.map(parseReport) } : null
    },
  }
}
