import { memoryAudit, type MemoryAudit } from './audit.ts'
import type {
  StoredReceipt,
  StoredReport,
  NewEvidence,
  NewReport,
  ReportStatus,
  ReportStore,
} from '../../reports/store.ts'
import type { MemoryOutbox } from './outbox.ts'
import { memoryDailyCounts, type MemoryDailyCounts } from './overview.ts'

interface Stored extends Omit<NewReport, 'evidence' | 'receiptId' | 'maxEvidence'> {
  readonly num: number
  readonly duplicateOf: string | null
  status: ReportStatus
  changedAt: number
}

interface StoredKey {
  readonly fingerprint: string
  readonly lease: string
  readonly until: number
  readonly createdAt: number
  receipt: StoredReceipt | null
}

/** Returns the report store in memory. No method waits for anything, which makes it atomic. */
export function memoryReports(
  outbox: MemoryOutbox,
  audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
  counts: Pick<MemoryDailyCounts, 'add'> = memoryDailyCounts(),
): ReportStore {
  const reports = new Map<string, Stored>()
  let evidence: { readonly reportId: string; readonly piece: NewEvidence; readonly createdAt: number }[] = []
  let lastNum = 0
  const receipts = new Map<string, StoredReceipt>()
  const keys = new Map<string, StoredKey>()
  const isOpen = (status: ReportStatus): boolean => ['open', 'investigating', 'accepted'].includes(status)

  /** Adds evidence to a report up to `maxEvidence`. Returns the ids of what was added. */
  function addEvidence(reportId: string, pieces: readonly NewEvidence[], maxEvidence: number, now: number): string[] {
    const count = evidence.filter((stored) => stored.reportId === reportId).length
    const added = pieces.slice(0, Math.max(0, maxEvidence - count))
    evidence.push(...added.map((piece) => ({ reportId, piece, createdAt: now })))
    return added.map(({ id }) => id)
  }

  function describeReport({ id, status, body, createdAt, changedAt }: Stored): StoredReport {
    const pieces = evidence.filter(({ reportId }) => reportId === id).map(({ piece }) => piece)
    const duplicates = [...reports.values()].filter(({ duplicateOf }) => duplicateOf === id).length
    const evidenceCount = pieces.length
    return { id, status, body, evidence: pieces.slice(0, 20), evidenceCount, duplicates, createdAt, changedAt }
  }

  return {
    async claimKey({ key, lease, fingerprint, now, until, since }) {
      const stored = keys.get(key)
      // A lease that lasts longer than this one was given before the clock was set back.
      const isExpired = stored?.receipt === null && (stored.until <= now || stored.until > 2 * until - now)
      if (!stored || stored.createdAt < since || isExpired) {
        keys.set(key, { fingerprint, lease, until, createdAt: now, receipt: null })
        return 'mine'
      }
      return stored.fingerprint === fingerprint ? (stored.receipt ?? 'busy') : 'mismatch'
    },
    async createReport({ report: { evidence: pieces, receiptId, maxEvidence, ...report }, hold, mail, event }) {
      const { id, similarityHash, createdAt } = report
      const key = hold ? keys.get(hold.key) : null
      if (hold && (key?.lease !== hold.lease || key.receipt !== null)) return null
      const original = [...reports.values()].find(
        (stored) => stored.similarityHash === similarityHash && stored.duplicateOf === null && isOpen(stored.status),
      )
      const duplicateOf = original?.id ?? null
      reports.set(id, { ...report, num: ++lastNum, duplicateOf, status: 'open', changedAt: createdAt })
      counts.add(createdAt, { reports: 1 })
      const evidenceIds = addEvidence(duplicateOf ?? id, pieces, maxEvidence, createdAt)
      const receipt = { id: receiptId, reportId: id, duplicateOf, evidenceIds, createdAt }
      receipts.set(receiptId, receipt)
      if (key) key.receipt = receipt
      if (mail && duplicateOf === null) outbox.enqueueNow(mail)
      const data = { feedbackId: id, duplicateOf }
      outbox.enqueueEvent(event, { ownerId: null, subject: duplicateOf ?? id, data })
      return receipt
    },
    async attachEvidence({ reportId, receiptId, evidence: pieces, maxEvidence, now }) {
      const report = reports.get(reportId)
      if (!report) return null
      const { duplicateOf } = report
      const evidenceIds = addEvidence(duplicateOf ?? reportId, pieces, maxEvidence, now)
      const receipt = { id: receiptId, reportId, duplicateOf, evidenceIds, createdAt: now }
      receipts.set(receiptId, receipt)
      return receipt
    },
    async findReceipt({ id }) {
      return receipts.get(id) ?? null
    },
    async listReports({ status, cursor, limit }) {
      const found = [...reports.values()]
        .reverse()
        .filter(({ duplicateOf }) => duplicateOf === null)
        .filter((report) => status === null || report.status === status)
        .filter(({ num }) => cursor === null || num < cursor)
      const page = found.slice(0, limit)
      return { items: page.map(describeReport), next: found.length > limit ? page.at(-1)!.num : null }
    },
    async setReportStatus({ id, status, audit }) {
      const report = reports.get(id)
      if (!report || report.duplicateOf !== null) return null
      if (report.status !== status) {
        audits.record(audit, 'report.update', id, { status: report.status }, { status })
        Object.assign(report, { status, changedAt: audit.at })
      }
      return describeReport(report)
    },
    async deleteKeys({ before }) {
      for (const [key, { createdAt }] of keys) if (createdAt < before) keys.delete(key)
      return false
    },
    async deleteStaleReports({ before }) {
      const changed = [...reports.values()].filter(
        ({ createdAt, changedAt }) => createdAt >= before || changedAt >= before,
      )
      const kept = new Set([
        ...changed.map(({ id, duplicateOf }) => duplicateOf ?? id),
        ...evidence.filter(({ createdAt }) => createdAt >= before).map(({ reportId }) => reportId),
      ])
      const stale = new Set(
        [...reports.values()].filter(({ id, duplicateOf }) => !kept.has(duplicateOf ?? id)).map(({ id }) => id),
      )
      for (const id of stale) reports.delete(id)
      evidence = evidence.filter(({ reportId }) => !stale.has(reportId))
      for (const [id, { reportId }] of receipts) if (stale.has(reportId)) receipts.delete(id)
      return false
    },
  }
}
