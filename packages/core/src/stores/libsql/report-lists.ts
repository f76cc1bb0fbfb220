import { desc, eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { pageOf } from '../../lists.ts'
import { alias } from 'drizzle-orm/sqlite-core'
import { cursorAfter, readCursor } from '../../http/list.ts'
import { noReports } from '../../reports/rules.ts'
import type { StoredEvidence, ReportFilter, ReportStatus, ReportStore, StoredReport } from '../../reports/store.ts'
import { yieldToEventLoop, type Database } from './database.ts'
import { build, prepare } from './statement.ts'
import { reportEvidence, reports } from './tables/reports.ts'
import { hasWords, wordsArgument } from './words.ts'

/** The maximum number of pieces of evidence in a list. */
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
  /** The position after which the scan starts. */
  readonly value: number
  readonly num: number
  readonly status: ReportStatus | null
  readonly kind: string | null
  readonly from: number | null
  readonly to: number | null
  /** The words, in the form that `wordsArgument` returns. */
  readonly words: string
}
type Scan = { readonly [Name in keyof ScanArgs]: SQLWrapper }
type Place = Pick<ScanArgs, 'value' | 'num'>

/** The number of reports that one read filters, so that a local file blocks the event loop for at most about 10 ms. */
const maxReportsPerScan = 500

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
const containsWords = ({ id, body }: Readonly<Record<'id' | 'body', SQLWrapper>>, words: SQLWrapper): SQL => {
  const fields = searchedFields.map((path) => sql`coalesce(json_extract(${body}, ${sql.raw(`'$.${path}'`)}), '')`)
  const text = sql.join([id, ...fields], sql` || ' ' || `)
  return hasWords(text, words)
}
/** Returns the statements that read the reports in an order, one scan after another. */
function scansBy(sort: 'createdAt' | 'changedAt', order: 'asc' | 'desc') {
  const value = sort === 'createdAt' ? reports.num : reports.changedAt
  const [sign, direction] = order === 'asc' ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  const inThisOrder = sql`order by ${value} ${direction}, ${reports.num} ${direction}`
  const isAfter = (place: { readonly [Name in keyof Place]: SQLWrapper }): SQL =>
    sql`${reports.duplicateOf} is null and (${value}, ${reports.num}) ${sign} (${place.value}, ${place.num})`
  // Duplicates with the same similarity hash as their original have the same texts, so they are not searched.
  const isInScan = (scan: Scan): SQL => sql`${reports.num} in (select ${reports.num} from ${reports}
      where ${isAfter(scan)} ${inThisOrder} limit ${sql.raw(String(maxReportsPerScan))})
    and (${scan.status} is null or ${reports.status} = ${scan.status})
    and (${scan.kind} is null or json_extract(${reports.body}, '$.subject.kind') = ${scan.kind})
    and (${scan.from} is null or ${reports.createdAt} >= ${scan.from})
    and (${scan.to} is null or ${reports.createdAt} <= ${scan.to})
    and (${scan.words} = '[]' or ${containsWords(reports, scan.words)} or exists (
      select 1 from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${reports.id}
        and ${duplicate.similarityHash} <> ${reports.similarityHash} and ${containsWords(duplicate, scan.words)}))`
  return {
    start: order === 'asc' ? { value: -1, num: -1 } : { value: Number.MAX_SAFE_INTEGER, num: Number.MAX_SAFE_INTEGER },
    /** Selects the position of the last report of a scan. Selects nothing when the scan reaches the end. */
    selectLast: prepare<Place>()(
      (place) => sql<Place>`select ${value} as "value", ${reports.num} as "num" from ${reports}
        where ${isAfter(place)} ${inThisOrder} limit 1 offset ${sql.raw(String(maxReportsPerScan - 1))}`,
    ),
    selectPage: prepare<ScanArgs & { limit: number }>()((params) =>
      build
        .select({ ...listedColumns, value: sql<number>`${value}` })
        .from(reports)
        .where(isInScan(params))
        .orderBy(sql`${value} ${direction}`, sql`${reports.num} ${direction}`)
        .limit(params.limit),
    ),
    countByStatus: prepare<ScanArgs>()(
      (params) => sql<{ status: ReportStatus; reports: number; duplicates: number }>`
        select ${reports.status} as status, count(*) as reports, sum((
          select count(*) from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${reports.id})) as duplicates
        from ${reports} where ${isInScan(params)} group by ${reports.status}`,
    ),
  }
}
const scans = {
  createdAt: { asc: scansBy('createdAt', 'asc'), desc: scansBy('createdAt', 'desc') },
  changedAt: { asc: scansBy('changedAt', 'asc'), desc: scansBy('changedAt', 'desc') },
}
export const selectReport = prepare<{ id: string }>()(({ id }) =>
  build.select(listedColumns).from(reports).where(eq(reports.id, id)),
)
const selectDuplicates = prepare<{ id: string; limit: number }>()(({ id, limit }) =>
  build.select(listedColumns).from(reports).where(eq(reports.duplicateOf, id)).orderBy(desc(reports.num)).limit(limit),
)

type ListedRow = Omit<StoredReport, 'evidence'> & { readonly num: number; readonly evidence: string }
type EvidenceRow = Omit<StoredEvidence, 'redacted'> & { readonly redacted: number }

/** Converts a row of `listedColumns` to a stored report. */
export function parseReport({ num: _, evidence, ...report }: ListedRow): StoredReport {
  const rows = JSON.parse(evidence) as EvidenceRow[]
  return { ...report, evidence: rows.map((row) => ({ ...row, redacted: row.redacted === 1 })) }
}
const scanArgs = ({ kind, from, to, words }: ReportFilter = {}): Omit<ScanArgs, keyof Place | 'status'> => ({
  kind: kind ?? null,
  from: from ?? null,
  to: to ?? null,
  words: wordsArgument(words),
})

/** Reads one scan after another until `read` returns no position at which to continue. */
async function scanReports(start: Place, read: (after: Place) => Promise<Place | undefined>): Promise<void> {
  let after = await read(start)
  while (after !== undefined) {
    await yieldToEventLoop()
    after = await read(after)
  }
}

/** Returns the methods of the report store that list, count and find reports. */
export function reportLists(db: Database): Pick<ReportStore, 'listReports' | 'countReports' | 'findReport'> {
  return {
    async listReports({ status, filter, sort = 'createdAt', order = 'desc', cursor, limit }) {
      const scan = scans[sort][order]
      const place = cursor === null ? null : readCursor(cursor)
      const rows: (ListedRow & Place)[] = []
      await scanReports(place ? { value: Number(place.value), num: place.num } : scan.start, async (after) => {
        const params = { ...scanArgs(filter), status, ...after, limit: limit + 1 - rows.length }
        const [found, [last]] = await db.readAll([scan.selectPage(params), scan.selectLast(after)])
        rows.push(...found)
        return rows.length > limit ? undefined : last
      })
      const { page, next } = pageOf(rows, limit, (row) => cursorAfter(row, { sort, order }))
      return { items: page.map(({ value: _, ...row }) => parseReport(row)), next }
    },
    async countReports({ filter }) {
      const counts = noReports()
      const scan = scans.createdAt.desc
      await scanReports(scan.start, async (after) => {
        const params = { ...scanArgs(filter), status: null, ...after }
        const [found, [last]] = await db.readAll([scan.countByStatus(params), scan.selectLast(after)])
        for (const row of found) {
          counts.statuses[row.status] += row.reports
          counts.duplicates += row.duplicates
        }
        return last
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
