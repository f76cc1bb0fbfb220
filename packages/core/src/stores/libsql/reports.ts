import { desc, eq, lt, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type {
  ClaimReportKeyParams,
  KeyLease,
  NewEvidence,
  NewReport,
  ReportFilter,
  ReportStatus,
  ReportStore,
  StoredReceipt,
  StoredReport,
} from '../../reports/store.ts'
import { noReports } from '../../reports/rules.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { yieldToEventLoop } from './batching.ts'
import { deleteSome, maxRowsPerWrite, writeOnce } from './bounded-writes.ts'
import { jsonArgument, type Database, type Query } from './database.ts'
import { hasChanged, prepareEvent } from './events.ts'
import { prepareEnqueue } from './outbox.ts'
import { countName, dayOf, prepareDailyCounts } from './overview.ts'
import { build, insertSelect, prepare } from './statement.ts'
import { reportEvidence, reportKeys, reportReceipts, reports } from './tables/reports.ts'

/** The most reports that one transaction deletes. */
const maxStaleReports = 50
/** Pieces of evidence in a list. */
const listedEvidence = 20

const duplicate = alias(reports, 'duplicate')
const original = alias(reports, 'original')

// A key keeps the fingerprint of its first report until it is free again.
const claimKey = prepare<ClaimReportKeyParams>()(({ key, fingerprint, lease, now, until, since }) =>
  insertSelect(
    reportKeys,
    { key, fingerprint, lease, leaseUntil: until, receipt: sql`null`, createdAt: now },
    sql`where true on conflict (key) do update set fingerprint = excluded.fingerprint, lease = excluded.lease,
        lease_until = excluded.lease_until, receipt = null, created_at = excluded.created_at
      where ${reportKeys.createdAt} < ${since} or (${reportKeys.receipt} is null
        and (${reportKeys.leaseUntil} <= ${now} or ${reportKeys.leaseUntil} > 2 * ${until} - ${now}))`,
  ),
)

const receiptColumns = {
  id: reportReceipts.id,
  reportId: reportReceipts.report,
  duplicateOf: reportReceipts.duplicateOf,
  evidenceIds: reportReceipts.evidenceIds,
  createdAt: reportReceipts.createdAt,
}
const selectKey = prepare<{ key: string }>()(({ key }) =>
  build
    .select({ fingerprint: reportKeys.fingerprint, lease: reportKeys.lease, receipt: reportKeys.receipt })
    .from(reportKeys)
    .where(eq(reportKeys.key, key)),
)
const selectReceiptOfKey = prepare<{ key: string }>()(({ key }) =>
  build
    .select(receiptColumns)
    .from(reportReceipts)
    .innerJoin(reportKeys, eq(reportKeys.receipt, reportReceipts.id))
    .where(eq(reportKeys.key, key)),
)
const selectReceipt = prepare<{ id: string }>()(({ id }) =>
  build.select(receiptColumns).from(reportReceipts).where(eq(reportReceipts.id, id)),
)

/** The first report with the same meaning that is open, or a duplicate of an open one, which is `original`. */
const likeReport = (similarityHash: SQLWrapper) => sql`from ${reports} ${duplicate}
  join ${reports} ${original} on ${original.id} = coalesce(${duplicate.duplicateOf}, ${duplicate.id})
  where ${duplicate.meaning} = ${similarityHash} and ${original.status} in ('open', 'investigating', 'accepted')
  order by ${duplicate.num} limit 1`

type InsertReportArgs = Pick<NewReport, 'id' | 'similarityHash' | 'body' | 'createdAt'> & {
  [Name in keyof KeyLease]: string | null
}
const insertReport = prepare<InsertReportArgs>()(({ id, similarityHash, body, createdAt, key, lease }) =>
  insertSelect(
    reports,
    {
      id,
      meaning: similarityHash,
      body,
      duplicateOf: sql`(select ${original.id} ${likeReport(similarityHash)})`,
      parent: sql`(select ${duplicate.id} ${likeReport(similarityHash)})`,
      status: sql`'open'`,
      createdAt,
      changedAt: createdAt,
    },
    sql`where ${key} is null or exists (
      select 1 from ${reportKeys}
      where ${reportKeys.key} = ${key} and ${reportKeys.lease} = ${lease} and ${reportKeys.receipt} is null)`,
  ),
)

const countReport = prepareDailyCounts<{ id: string }>(
  ({ id }) =>
    sql`select ${dayOf(reports.createdAt)}, ${countName('reports')}, 1 from ${reports} where ${reports.id} = ${id}`,
)
const enqueueReceived = prepareEvent<{ id: string }>(({ id }) => ({
  owner: sql`null`,
  subject: sql`coalesce(${reports.duplicateOf}, ${reports.id})`,
  data: sql`json_object('feedbackId', ${reports.id}, 'duplicateOf', ${reports.duplicateOf})`,
  from: sql`from ${reports} where ${reports.id} = ${id} and ${hasChanged}`,
}))

interface InsertEvidenceArgs {
  /** A list of `NewEvidence` as JSON. */
  readonly evidence: string
  readonly reportId: string
  readonly maxEvidence: number
  readonly now: number
}
// Evidence of a duplicate goes to the original.
const insertEvidence = prepare<InsertEvidenceArgs>()(({ evidence, reportId, maxEvidence, now }) =>
  insertSelect(
    reportEvidence,
    {
      id: sql`j.value->>'id'`,
      report: sql`coalesce(${reports.duplicateOf}, ${reports.id})`,
      sender: reports.id,
      type: sql`j.value->>'type'`,
      content: sql`j.value->>'content'`,
      redacted: sql`j.value->>'redacted'`,
      createdAt: now,
    },
    sql`from json_each(${evidence}) j cross join ${reports} where ${reports.id} = ${reportId}
      order by j.key limit max(0, ${maxEvidence} - (
        select count(*) from ${reportEvidence} where ${reportEvidence.report} = (
          select coalesce(${original.duplicateOf}, ${original.id}) from ${reports} ${original}
          where ${original.id} = ${reportId})))`,
  ),
)

interface InsertReceiptArgs {
  readonly id: string
  readonly reportId: string
  /** A list of ids as JSON; the receipt names those that were kept. */
  readonly evidenceIds: string
  readonly now: number
}
const insertReceipt = prepare<InsertReceiptArgs>()(({ id, reportId, evidenceIds, now }) =>
  insertSelect(
    reportReceipts,
    {
      id,
      report: reports.id,
      duplicateOf: reports.duplicateOf,
      evidenceIds: sql`(
        select json_group_array(j.value) from json_each(${evidenceIds}) j
        cross join ${reportEvidence} on ${reportEvidence.id} = j.value)`,
      createdAt: now,
    },
    sql`from ${reports} where ${reports.id} = ${reportId}`,
  ),
)

const enqueueNotice = prepareEnqueue<{ reportId: string }>(
  ({ reportId }) =>
    sql`exists (select 1 from ${reports} where ${reports.id} = ${reportId} and ${reports.duplicateOf} is null)`,
)

const saveReceiptOfKey = prepare<KeyLease & { receiptId: string }>()(({ key, lease, receiptId }) =>
  build
    .update(reportKeys)
    .set({ receipt: sql`${receiptId}` })
    .where(
      sql`${reportKeys.key} = ${key} and ${reportKeys.lease} = ${lease}
        and exists (select 1 from ${reportReceipts} where ${reportReceipts.id} = ${receiptId})`,
    ),
)

const listedColumns = {
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
    select json_group_array(json_object('id', e.id, 'type', e.type, 'content', e.content, 'redacted', e.redacted))
    from (
      select id, type, content, redacted from ${reportEvidence}
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
/** The number of the last report of a scan; none when the scan reaches the first report. */
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
/** Whether each word occurs in a report. */
const hasWords = ({ id, body }: Readonly<Record<'id' | 'body', SQLWrapper>>, words: SQLWrapper): SQL => {
  const fields = searchedFields.map((path) => sql`coalesce(json_extract(${body}, ${sql.raw(`'$.${path}'`)}), '')`)
  const text = sql.join([id, ...fields], sql` || ' ' || `)
  return sql`not exists (select 1 from json_each(${words}) word where instr(lower(${text}), lower(word.value)) = 0)`
}
/** Duplicates with the same meaning have the same texts, so they are not searched. */
const isInScan = (scan: Scan): SQL => sql`${reports.duplicateOf} is null and ${reports.num} < ${scan.before}
  and ${reports.num} >= coalesce((${lastOfScan(scan)}), 0)
  and (${scan.status} is null or ${reports.status} = ${scan.status})
  and (${scan.kind} is null or json_extract(${reports.body}, '$.subject.kind') = ${scan.kind})
  and (${scan.from} is null or ${reports.createdAt} >= ${scan.from})
  and (${scan.to} is null or ${reports.createdAt} <= ${scan.to})
  and (${scan.words} = '[]' or ${hasWords(reports, scan.words)} or exists (
    select 1 from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${reports.id}
      and ${duplicate.meaning} <> ${reports.meaning} and ${hasWords(duplicate, scan.words)}))`

const selectPage = prepare<ScanArgs & { limit: number }>()((params) =>
  build.select(listedColumns).from(reports).where(isInScan(params)).orderBy(desc(reports.num)).limit(params.limit),
)
const countByStatus = prepare<ScanArgs>()(
  (params) => sql<{ status: ReportStatus; reports: number; duplicates: number }>`
    select ${reports.status} as status, count(*) as reports, sum((
      select count(*) from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${reports.id})) as duplicates
    from ${reports} where ${isInScan(params)} group by ${reports.status}`,
)
const selectReport = prepare<{ id: string }>()(({ id }) =>
  build.select(listedColumns).from(reports).where(eq(reports.id, id)),
)
const selectDuplicates = prepare<{ id: string; limit: number }>()(({ id, limit }) =>
  build.select(listedColumns).from(reports).where(eq(reports.duplicateOf, id)).orderBy(desc(reports.num)).limit(limit),
)

interface MergeArgs {
  readonly id: string
  readonly into: string
}
type Merge = { readonly [Name in keyof MergeArgs]: SQLWrapper }
/** The id of the report that another is merged into. */
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

/** A duplicate, and the reports that were merged into it or joined it. */
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

interface StatusArgs {
  readonly id: string
  readonly status: ReportStatus
}
const willChange = ({ id, status }: { readonly [Name in keyof StatusArgs]: SQLWrapper }) =>
  sql`${reports.id} = ${id} and ${reports.duplicateOf} is null and ${reports.status} <> ${status}`

const selectStatusChange = prepare<StatusArgs>()(
  (params) => sql<AuditedChange>`
    select ${reports.id}, json_object('status', ${reports.status}), json_object('status', ${params.status})
    from ${reports} where ${willChange(params)}`,
)
const updateStatus = prepare<StatusArgs & { now: number }>()(({ id, status, now }) =>
  build
    .update(reports)
    .set({ status: sql`${status}`, changedAt: sql`${now}` })
    .where(willChange({ id, status })),
)

const deleteKeysBefore = prepare<{ before: number }>()(({ before }) =>
  deleteSome(reportKeys, lt(reportKeys.createdAt, before)),
)

/** Selects the stale reports: the same ones in each statement of a transaction. */
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

const deleteStaleReceipts = prepare<{ before: number }>()(({ before }) =>
  deleteSome(
    reportReceipts,
    sql`${reportReceipts.report} in (
        select ${reports.id} from ${reports} where ${reports.duplicateOf} in ${staleReports(before)})
      or ${reportReceipts.report} in ${staleReports(before)}`,
  ),
)
const deleteStaleEvidence = prepare<{ before: number }>()(({ before }) =>
  deleteSome(reportEvidence, sql`${reportEvidence.report} in ${staleReports(before)}`),
)
const deleteStaleDuplicates = prepare<{ before: number }>()(({ before }) =>
  deleteSome(reports, sql`${reports.duplicateOf} in ${staleReports(before)} and ${hasNoReceipt}`),
)
// A report is deleted after everything that belongs to it, which takes several transactions if there is much of it.
const deleteStaleOriginals = prepare<{ before: number }>()(({ before }) =>
  build.delete(reports).where(
    sql`${reports.id} in ${staleReports(before)} and ${hasNoReceipt}
      and not exists (select 1 from ${reportEvidence} where ${reportEvidence.report} = ${reports.id})
      and not exists (select 1 from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${reports.id})`,
  ),
)

type ListedRow = Omit<StoredReport, 'evidence'> & { readonly num: number; readonly evidence: string }
type EvidenceRow = Omit<NewEvidence, 'redacted'> & { readonly redacted: number }

function parseReport({ num: _, evidence, ...report }: ListedRow): StoredReport {
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

const jsonIds = (evidence: readonly NewEvidence[]): string => jsonArgument(evidence.map(({ id }) => id))

/** Returns the report store over libSQL; `reports/store.ts` says what it guarantees. */
export function libsqlReports(db: Database): ReportStore {
  return {
    async claimKey(params) {
      const { key, fingerprint, lease } = params
      const [, keys, receipts] = await db.write([claimKey(params), selectKey({ key }), selectReceiptOfKey({ key })])
      const stored = keys.rows[0]!
      if (stored.fingerprint !== fingerprint) return 'mismatch'
      return receipts.rows[0] ?? (stored.lease === lease ? 'mine' : 'busy')
    },

    async createReport({ report, hold, mail, event }) {
      const { id, receiptId, similarityHash, body, evidence, maxEvidence, createdAt } = report
      const { key = null, lease = null } = hold ?? {}
      const queries: Query[] = [
        insertReport({ id, similarityHash, body, createdAt, key, lease }),
        enqueueReceived({ id, event }),
        countReport({ id }),
      ]
      if (evidence.length > 0) {
        queries.push(insertEvidence({ evidence: jsonArgument(evidence), reportId: id, maxEvidence, now: createdAt }))
      }
      queries.push(insertReceipt({ id: receiptId, reportId: id, evidenceIds: jsonIds(evidence), now: createdAt }))
      if (mail) queries.push(enqueueNotice({ ...mail, ownerId: null, reportId: id }))
      if (hold) queries.push(saveReceiptOfKey({ ...hold, receiptId }))
      const results = await db.write<StoredReceipt>([...queries, selectReceipt({ id: receiptId })])
      return results.at(-1)!.rows[0] ?? null
    },

    async attachEvidence({ reportId, receiptId, evidence, maxEvidence, now }) {
      const [, , receipts] = await db.write([
        insertEvidence({ evidence: jsonArgument(evidence), reportId, maxEvidence, now }),
        insertReceipt({ id: receiptId, reportId, evidenceIds: jsonIds(evidence), now }),
        selectReceipt({ id: receiptId }),
      ])
      return receipts.rows[0] ?? null
    },
    async findReceipt(params) {
      const [receipt] = await db.read(selectReceipt(params))
      return receipt ?? null
    },

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
    async mergeReports({ id, into, audit }) {
      const args = { id, into }
      const [before, , , , , found] = await db.write([
        selectBeforeMerge(args),
        recordAudit(audit, 'report.merge', selectMerged(args)),
        moveEvidence(args),
        touchKept({ ...args, now: audit.at }),
        mergeReport({ ...args, now: audit.at }),
        selectKept(args),
      ])
      const [state] = before.rows
      if (!state || state.kept === null) return 'not_found'
      if (state.kept === id) return 'same_report'
      if (state.duplicateOf !== null && state.duplicateOf !== state.kept) return 'already_merged'
      return parseReport(found.rows[0]!)
    },
    async separateReport({ id, audit }) {
      const [before, , , , found] = await db.write([
        selectSeparated({ id }),
        recordAudit(audit, 'report.separate', selectSeparated({ id })),
        takeEvidence({ id }),
        separateReport({ id, now: audit.at }),
        selectReport({ id }),
      ])
      return before.rows.length > 0 ? parseReport(found.rows[0]!) : null
    },
    async setReportStatus({ id, status, audit }) {
      const [, , found] = await db.write([
        recordAudit(audit, 'report.update', selectStatusChange({ id, status })),
        updateStatus({ id, status, now: audit.at }),
        selectReport({ id }),
      ])
      const [row] = found.rows
      return row && row.duplicateOf === null ? parseReport(row) : null
    },

    deleteKeys: (params) => writeOnce(db, [deleteKeysBefore(params)]),
    async deleteStaleReports(params) {
      const results = await db.write([
        deleteStaleReceipts(params),
        deleteStaleEvidence(params),
        deleteStaleDuplicates(params),
        deleteStaleOriginals(params),
      ])
      return results.some(({ changed }) => changed === maxRowsPerWrite) || results[3].changed === maxStaleReports
    },
  }
}
