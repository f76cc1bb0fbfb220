import type { StoredReceipt, StoredReport, ReportStore } from '../../reports/store.ts'
import { recordAudit } from './audit.ts'
import { jsonArgument, raw, type Database } from './database.ts'
import { sql } from 'drizzle-orm'
import { prepareEnqueue } from './outbox.ts'
import { reports } from './tables/reports.ts'
import { deleteSomeText, maxRowsPerWrite } from './bounded-writes.ts'

const enqueueNotice = prepareEnqueue<{ reportId: string }>(
  ({ reportId }) =>
    sql`exists (select 1 from ${reports} where ${reports.id} = ${reportId} and ${reports.duplicateOf} is null)`,
)

/** Reports that one sweep works on. */
const sweepReports = 50
const receiptColumns =
  'r.id, r.report as reportId, r.duplicate_of as duplicateOf, r.evidence_ids as evidenceIds, r.created_at as createdAt'
const openOnes = "status in ('open', 'investigating', 'accepted')"

type Made = Pick<ReceiptRow, 'duplicateOf' | 'evidenceIds'>
interface ReceiptRow extends Omit<StoredReceipt, 'evidenceIds'> {
  evidenceIds: string
}

const receiptOf = ({ id, reportId, duplicateOf, evidenceIds, createdAt }: ReceiptRow): StoredReceipt => ({
  id,
  reportId,
  duplicateOf,
  evidenceIds: JSON.parse(evidenceIds) as string[],
  createdAt,
})

// ?1 key, ?2 fingerprint, ?3 lease, ?4 now, ?5 until, ?6 since. A key stays with its first report's fingerprint.
const claim = `insert into report_keys (key, fingerprint, lease, lease_until, created_at) values (?1, ?2, ?3, ?5, ?4)
  on conflict (key) do update set fingerprint = ?2, lease = ?3, lease_until = ?5, receipt = null, created_at = ?4
    where report_keys.created_at < ?6 or (report_keys.receipt is null
      and (report_keys.lease_until <= ?4 or report_keys.lease_until > 2 * ?5 - ?4))`
const claimed = `select k.fingerprint, k.lease, ${receiptColumns}
  from report_keys k left join report_receipts r on r.id = k.receipt where k.key = ?`

// ?1 id, ?2 meaning, ?3 body, ?4 now, ?5 key or null, ?6 lease.
const insertReport = `insert into reports (id, meaning, body, duplicate_of, status, created_at, changed_at)
  select ?1, ?2, ?3, (select o.id from reports o where o.meaning = ?2 and o.duplicate_of is null and o.${openOnes} order by o.num limit 1), 'open', ?4, ?4
  where ?5 is null or exists (select 1 from report_keys where key = ?5 and lease = ?6 and receipt is null)`

/** Evidence joins the report that its sender's is a duplicate of, as far as there is room. ?1 JSON list, ?2 the sender's report, ?3 now, ?4 room. */
const insertEvidence = `insert into report_evidence (id, report, sender, type, content, redacted, created_at)
  select json_extract(j.value, '$.id'), coalesce(o.duplicate_of, o.id), o.id, json_extract(j.value, '$.type'), json_extract(j.value, '$.content'),
    json_extract(j.value, '$.redacted'), ?3 from json_each(?1) j cross join reports o where o.id = ?2
  order by j.key limit max(0, ?4 - (select count(*) from report_evidence e where e.report = (select coalesce(r.duplicate_of, r.id) from reports r where r.id = ?2)))`

/** With those of the evidence ids that were kept. ?1 id, ?2 the sender's report, ?3 JSON list of evidence ids, ?4 now. */
const insertReceipt = `insert into report_receipts (id, report, duplicate_of, evidence_ids, created_at)
  select ?1, id, duplicate_of, (select json_group_array(j.value) from json_each(?3) j cross join report_evidence e on e.id = j.value), ?4 from reports where id = ?2
  returning duplicate_of as duplicateOf, evidence_ids as evidenceIds`

/** The reports that a sweep forgets: the same for each of its statements. ?1 before, ?2 how many. */
const untouched = `select r.id from reports r where r.duplicate_of is null and r.changed_at < ?1
  and not exists (select 1 from reports d where d.duplicate_of = r.id and d.created_at >= ?1)
  and not exists (select 1 from report_evidence e where e.report = r.id and e.created_at >= ?1) order by r.changed_at, r.num limit ?2`
/** A report goes once all that belongs to it is gone, which takes several sweeps if there is much of it. */
const forgetting = [
  deleteSomeText(
    'report_receipts',
    'num',
    `report in (select d.id from reports d where d.duplicate_of in (${untouched})) or report in (${untouched})`,
  ),
  deleteSomeText('report_evidence', 'num', `report in (${untouched})`),
  deleteSomeText(
    'reports',
    'num',
    `duplicate_of in (${untouched}) and not exists (select 1 from report_receipts c where c.report = reports.id)`,
  ),
  `delete from reports where id in (${untouched})
    and not exists (select 1 from report_receipts c where c.report = reports.id)
    and not exists (select 1 from report_evidence e where e.report = reports.id)
    and not exists (select 1 from reports d where d.duplicate_of = reports.id)`,
]

const reportColumns = `r.num, r.id, r.status, r.body, r.created_at as createdAt, r.changed_at as changedAt,
  (select count(*) from reports d where d.duplicate_of = r.id) as duplicates, (select count(*) from report_evidence e where e.report = r.id) as evidenceCount,
  (select json_group_array(json_object('id', f.id, 'type', f.type, 'content', f.content, 'redacted', f.redacted))
    from (select id, type, content, redacted from report_evidence e where e.report = r.id order by e.num limit 20) f) as evidence`

const updated = `select id, json_object('status', status), json_object('status', ?) from reports where id = ? and duplicate_of is null and status <> ?`

interface ReportRow extends Omit<StoredReport, 'evidence'> {
  num: number
  evidence: string
}
interface EvidenceRow extends Omit<StoredReport['evidence'][number], 'redacted'> {
  redacted: number
}

const reportOf = ({
  id,
  status,
  body,
  evidence,
  evidenceCount,
  duplicates,
  createdAt,
  changedAt,
}: ReportRow): StoredReport => ({
  id,
  status,
  body,
  evidenceCount,
  duplicates,
  createdAt,
  changedAt,
  evidence: (JSON.parse(evidence) as EvidenceRow[]).map((one) => ({ ...one, redacted: one.redacted === 1 })),
})

/** The report store over libSQL; its laws are in `reports/store.ts`. */
export function libsqlReports(db: Database): ReportStore {
  return {
    async claimKey({ key, lease }, fingerprint, { now, until, since }) {
      const [, found] = await db.write([raw(claim, [key, fingerprint, lease, now, until, since]), raw(claimed, [key])])
      const row = found!.rows[0] as unknown as { fingerprint: string; lease: string } & {
        [K in keyof ReceiptRow]: ReceiptRow[K] | null
      }
      if (row.fingerprint !== fingerprint) return 'mismatch'
      if (row.id !== null) return receiptOf(row as ReceiptRow)
      return row.lease === lease ? 'mine' : 'busy'
    },

    async createReport(
      { id, receiptId, similarityHash: meaning, body, evidence, maxEvidence: room, createdAt },
      hold,
      mail,
    ) {
      const ids = jsonArgument(evidence.map((one) => one.id))
      const done = await db.write<Made>([
        raw(insertReport, [id, meaning, body, createdAt, hold?.key ?? null, hold?.lease ?? null]),
        ...(evidence.length > 0 ? [raw(insertEvidence, [jsonArgument(evidence), id, createdAt, room])] : []),
        raw(insertReceipt, [receiptId, id, ids, createdAt]),
        ...(mail ? [enqueueNotice({ ...mail, ownerId: null, reportId: id })] : []),
        ...(hold
          ? [
              raw(
                'update report_keys set receipt = ?1 where key = ?2 and lease = ?3 and exists (select 1 from report_receipts where id = ?1)',
                [receiptId, hold.key, hold.lease],
              ),
            ]
          : []),
      ])
      const [row] = done[evidence.length > 0 ? 2 : 1]!.rows
      return row ? receiptOf({ id: receiptId, reportId: id, ...row, createdAt }) : null
    },

    async attachEvidence(reportId, receiptId, evidence, room, now) {
      const [, made] = await db.write<Made>([
        raw(insertEvidence, [jsonArgument(evidence), reportId, now, room]),
        raw(insertReceipt, [receiptId, reportId, jsonArgument(evidence.map((one) => one.id)), now]),
      ])
      const [row] = made!.rows
      return row ? receiptOf({ id: receiptId, reportId, ...row, createdAt: now }) : null
    },
    async findReceipt(id) {
      const [row] = await db.read<ReceiptRow>(
        raw(`select ${receiptColumns} from report_receipts r where r.id = ?`, [id]),
      )
      return row ? receiptOf(row) : null
    },

    async listReports({ status, cursor, limit }) {
      const rows = await db.read<ReportRow>(
        raw(
          `select ${reportColumns} from reports r where r.duplicate_of is null and r.num < ?1 and (?2 is null or r.status = ?2) order by r.num desc limit ?3`,
          [cursor ?? Number.MAX_SAFE_INTEGER, status, limit + 1],
        ),
      )
      const kept = rows.slice(0, limit)
      return { items: kept.map(reportOf), next: rows.length > limit ? kept.at(-1)!.num : null }
    },
    async setReportStatus(id, status, audit) {
      const [, , found] = await db.write([
        recordAudit(audit, 'report.update', updated, [status, id, status]),
        raw('update reports set status = ?, changed_at = ? where id = ? and duplicate_of is null and status <> ?', [
          status,
          audit.at,
          id,
          status,
        ]),
        raw(`select ${reportColumns} from reports r where r.id = ? and r.duplicate_of is null`, [id]),
      ])
      const [row] = found!.rows as unknown as ReportRow[]
      return row ? reportOf(row) : null
    },

    async deleteKeys(before) {
      const [gone] = await db.write([raw(deleteSomeText('report_keys', 'key', 'created_at < ?'), [before])])
      return gone!.changed === maxRowsPerWrite
    },
    async deleteStaleReports(before) {
      const done = await db.write(forgetting.map((text) => raw(text, [before, sweepReports])))
      return done.some(({ changed }) => changed === maxRowsPerWrite) || done.at(-1)!.changed === sweepReports
    },
  }
}
