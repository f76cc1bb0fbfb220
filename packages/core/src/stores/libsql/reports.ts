import { eq, lt, sql, type SQLWrapper } from 'drizzle-orm'
import { firstOf, lastOf } from '../../lists.ts'
import { alias } from 'drizzle-orm/sqlite-core'
import type {
  ClaimReportKeyParams,
  KeyLease,
  NewEvidence,
  NewReport,
  ReportStatus,
  ReportStore,
  StoredReceipt,
} from '../../reports/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { jsonArgument, type Database, type Query, writeNamed } from './database.ts'
import { hasChanged, prepareEvent } from './events.ts'
import { prepareEnqueue } from './outbox.ts'
import { countName, selectDay, prepareDailyCounts } from './overview.ts'
import { parseReport, reportLists, selectReport } from './report-lists.ts'
import { reportMerges } from './report-merges.ts'
import { deleteStaleReports } from './stale-reports.ts'
import { build, insertSelect, prepare } from './statement.ts'
import { reportEvidence, reportKeys, reportReceipts, reports } from './tables/reports.ts'

const duplicate = alias(reports, 'duplicate')
const original = alias(reports, 'original')

// A key keeps the fingerprint of its first report until the key is free again.
const claimKey = prepare<Omit<ClaimReportKeyParams, 'formerFingerprints'>>()(
  ({ key, fingerprint, lease, now, until, since }) =>
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

/**
 * Selects the first report with the same similarity hash that is open or is a duplicate of an open report. `original`
 * is the open report.
 */
const likeReport = (similarityHash: SQLWrapper) => sql`from ${reports} ${duplicate}
  join ${reports} ${original} on ${original.id} = coalesce(${duplicate.duplicateOf}, ${duplicate.id})
  where ${duplicate.similarityHash} = ${similarityHash} and ${original.status} in ('open', 'investigating', 'accepted')
  order by ${duplicate.num} limit 1`

type InsertReportArgs = Pick<NewReport, 'id' | 'similarityHash' | 'body' | 'createdAt'> & {
  [Name in keyof KeyLease]: string | null
}
const insertReport = prepare<InsertReportArgs>()(({ id, similarityHash, body, createdAt, key, lease }) =>
  insertSelect(
    reports,
    {
      id,
      similarityHash,
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
    sql`select ${selectDay(reports.createdAt)}, ${countName('reports')}, 1 from ${reports} where ${reports.id} = ${id}`,
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
// Adds the evidence of a duplicate to the original.
const insertEvidence = prepare<InsertEvidenceArgs>()(({ evidence, reportId, maxEvidence, now }) =>
  insertSelect(
    reportEvidence,
    {
      id: sql`j.value->>'id'`,
      report: sql`coalesce(${reports.duplicateOf}, ${reports.id})`,
      sender: reports.id,
      type: sql`j.value->>'type'`,
      content: sql`j.value->>'content'`,
      redacted: sql`cast(j.value->>'redacted' as integer)`,
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
  /** A list of ids as JSON. The receipt contains the ids of the evidence that was kept. */
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

const evidenceArgument = (evidence: readonly NewEvidence[]): string =>
  jsonArgument(evidence.map((one) => ({ ...one, redacted: Number(one.redacted) })))
const jsonIds = (evidence: readonly NewEvidence[]): string => jsonArgument(evidence.map(({ id }) => id))

/** Returns the report store over libSQL. `reports/store.ts` describes the guarantees. */
export function libsqlReports(db: Database): ReportStore {
  return {
    async claimKey({ formerFingerprints = [], ...params }) {
      const { key, fingerprint, lease } = params
      const { keys, receipts } = await writeNamed(db, {
        key: claimKey(params),
        keys: selectKey({ key }),
        receipts: selectReceiptOfKey({ key }),
      })
      const stored = firstOf(keys.rows)
      if (![fingerprint, ...formerFingerprints].includes(stored.fingerprint)) return 'mismatch'
      return receipts.rows[0] ?? (stored.lease === lease ? 'claimed' : 'busy')
    },

    async createReport({ report, keyLease, mail, event }) {
      const { id, receiptId, similarityHash, body, evidence, maxEvidence, createdAt } = report
      const { key = null, lease = null } = keyLease ?? {}
      const queries: Query[] = [
        insertReport({ id, similarityHash, body, createdAt, key, lease }),
        enqueueReceived({ id, event }),
        countReport({ id }),
      ]
      if (evidence.length > 0) {
        queries.push(
          insertEvidence({ evidence: evidenceArgument(evidence), reportId: id, maxEvidence, now: createdAt }),
        )
      }
      queries.push(insertReceipt({ id: receiptId, reportId: id, evidenceIds: jsonIds(evidence), now: createdAt }))
      if (mail) queries.push(enqueueNotice({ ...mail, ownerId: null, reportId: id }))
      if (keyLease) queries.push(saveReceiptOfKey({ ...keyLease, receiptId }))
      const results = await db.write<StoredReceipt>([...queries, selectReceipt({ id: receiptId })])
      return lastOf(results).rows[0] ?? null
    },

    async attachEvidence({ reportId, receiptId, evidence, maxEvidence, now }) {
      const { receipts } = await writeNamed(db, {
        evidence: insertEvidence({ evidence: evidenceArgument(evidence), reportId, maxEvidence, now }),
        receipt: insertReceipt({ id: receiptId, reportId, evidenceIds: jsonIds(evidence), now }),
        receipts: selectReceipt({ id: receiptId }),
      })
      return receipts.rows[0] ?? null
    },
    async findReceipt(params) {
      const [receipt] = await db.read(selectReceipt(params))
      return receipt ?? null
    },

    ...reportLists(db),
    ...reportMerges(db),
    async setReportStatus({ id, status, audit }) {
      const { found } = await writeNamed(db, {
        audit: recordAudit(audit, 'report.update', selectStatusChange({ id, status })),
        status: updateStatus({ id, status, now: audit.at }),
        found: selectReport({ id }),
      })
      const [row] = found.rows
      return row && row.duplicateOf === null ? parseReport(row) : null
    },

    deleteKeys: (params) => writeOnce(db, [deleteKeysBefore(params)]),
    deleteStaleReports: (params) => deleteStaleReports(db, params),
  }
}
