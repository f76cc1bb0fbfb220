import { desc, eq, lt, sql, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type {
  ClaimReportKeyParams,
  KeyLease,
  NewEvidence,
  NewReport,
  ReportStatus,
  ReportStore,
  StoredReceipt,
  StoredReport,
} from '../../reports/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
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
      duplicateOf: sql`(
        select ${original.id} from ${reports} ${original} where ${original.meaning} = ${similarityHash}
          and ${original.duplicateOf} is null and ${original.status} in ('open', 'investigating', 'accepted')
        order by ${original.num} limit 1)`,
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
  status: reports.status,
  body: reports.body,
  createdAt: reports.createdAt,
  changedAt: reports.changedAt,
  duplicates: sql<number>`(
    select count(*) from ${reports} ${duplicate} where ${duplicate.duplicateOf} = ${sql.raw('reports.id')})`,
  evidenceCount: sql<number>`(
    select count(*) from ${reportEvidence} where ${reportEvidence.report} = ${sql.raw('reports.id')})`,
  evidence: sql<string>`(
    select json_group_array(json_object('id', e.id, 'type', e.type, 'content', e.content, 'redacted', e.redacted))
    from (
      select id, type, content, redacted from ${reportEvidence}
      where ${reportEvidence.report} = ${sql.raw('reports.id')}
      order by num limit ${sql.raw(`${listedEvidence}`)}) e)`,
}
const selectPage = prepare<{ before: number; status: ReportStatus | null; limit: number }>()(
  ({ before, status, limit }) =>
    build
      .select(listedColumns)
      .from(reports)
      .where(
        sql`${reports.duplicateOf} is null and ${lt(reports.num, before)} and (${status} is null or ${reports.status} = ${status})`,
      )
      .orderBy(desc(reports.num))
      .limit(limit),
)
const selectReport = prepare<{ id: string }>()(({ id }) =>
  build
    .select(listedColumns)
    .from(reports)
    .where(sql`${reports.id} = ${id} and ${reports.duplicateOf} is null`),
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

    async listReports({ status, cursor, limit }) {
      const rows = await db.read(selectPage({ before: cursor ?? Number.MAX_SAFE_INTEGER, status, limit: limit + 1 }))
      const page = rows.slice(0, limit)
      return { items: page.map(parseReport), next: rows.length > limit ? page.at(-1)!.num : null }
    },
    async setReportStatus({ id, status, audit }) {
      const [, , found] = await db.write([
        recordAudit(audit, 'report.update', selectStatusChange({ id, status })),
        updateStatus({ id, status, now: audit.at }),
        selectReport({ id }),
      ])
      const [row] = found.rows
      return row ? parseReport(row) : null
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
