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

interface Kept extends Omit<NewReport, 'evidence' | 'receiptId' | 'maxEvidence'> {
  readonly num: number
  readonly duplicateOf: string | null
  status: ReportStatus
  changedAt: number
}

interface Key {
  readonly fingerprint: string
  readonly lease: string
  readonly until: number
  readonly createdAt: number
  receipt: StoredReceipt | null
}

/** The report store in Maps. No method waits for anything, which is what makes it atomic. */
export function memoryReports(outbox: MemoryOutbox, audits: Pick<MemoryAudit, 'record'> = memoryAudit()): ReportStore {
  const reports = new Map<string, Kept>()
  let evidence: { readonly reportId: string; readonly one: NewEvidence; readonly at: number }[] = []
  let last = 0
  const receipts = new Map<string, StoredReceipt>()
  const keys = new Map<string, Key>()
  const isOpen = (status: ReportStatus): boolean =>
    status === 'open' || status === 'investigating' || status === 'accepted'

  /** Evidence as far as there is room; the ids of what was kept. */
  function bring(reportId: string, brought: readonly NewEvidence[], room: number, at: number): string[] {
    const there = evidence.filter((one) => one.reportId === reportId).length
    const kept = brought.slice(0, Math.max(0, room - there))
    evidence.push(...kept.map((one) => ({ reportId, one, at })))
    return kept.map(({ id }) => id)
  }

  function shown({ id, status, body, createdAt, changedAt }: Kept): StoredReport {
    const own = evidence.filter(({ reportId }) => reportId === id).map(({ one }) => one)
    const duplicates = [...reports.values()].filter(({ duplicateOf }) => duplicateOf === id).length
    return { id, status, body, evidence: own.slice(0, 20), evidenceCount: own.length, duplicates, createdAt, changedAt }
  }

  return {
    async claimKey({ key, lease }, fingerprint, { now, until, since }) {
      const there = keys.get(key)
      if (
        !there ||
        there.createdAt < since ||
        (there.receipt === null && (there.until <= now || there.until > 2 * until - now))
      ) {
        keys.set(key, { fingerprint, lease, until, createdAt: now, receipt: null })
        return 'mine'
      }
      return there.fingerprint === fingerprint ? (there.receipt ?? 'busy') : 'mismatch'
    },
    async createReport({ evidence: brought, receiptId, maxEvidence: room, ...report }, hold, mail) {
      const held = hold ? keys.get(hold.key) : null
      if (hold && (held?.lease !== hold.lease || held.receipt !== null)) return null
      const first = [...reports.values()].find(
        (one) => one.similarityHash === report.similarityHash && one.duplicateOf === null && isOpen(one.status),
      )
      const duplicateOf = first?.id ?? null
      reports.set(report.id, { ...report, num: ++last, duplicateOf, status: 'open', changedAt: report.createdAt })
      const evidenceIds = bring(duplicateOf ?? report.id, brought, room, report.createdAt)
      const receipt = { id: receiptId, reportId: report.id, duplicateOf, evidenceIds, createdAt: report.createdAt }
      receipts.set(receiptId, receipt)
      if (held) held.receipt = receipt
      if (mail && duplicateOf === null) outbox.enqueueNow(mail)
      return receipt
    },
    async attachEvidence(reportId, receiptId, brought, room, now) {
      const report = reports.get(reportId)
      if (!report) return null
      const { duplicateOf } = report
      const receipt = {
        id: receiptId,
        reportId,
        duplicateOf,
        evidenceIds: bring(duplicateOf ?? reportId, brought, room, now),
        createdAt: now,
      }
      receipts.set(receiptId, receipt)
      return receipt
    },
    async findReceipt(id) {
      return receipts.get(id) ?? null
    },
    async listReports({ status, cursor, limit }) {
      const rest = [...reports.values()]
        .reverse()
        .filter(
          (one) =>
            one.duplicateOf === null &&
            (status === null || one.status === status) &&
            (cursor === null || one.num < cursor),
        )
      const page = rest.slice(0, limit)
      return { items: page.map(shown), next: rest.length > limit ? page.at(-1)!.num : null }
    },
    async setReportStatus(id, status, audit) {
      const report = reports.get(id)
      if (!report || report.duplicateOf !== null) return null
      if (report.status !== status) {
        audits.record(audit, 'report.update', id, { status: report.status }, { status })
        Object.assign(report, { status, changedAt: audit.at })
      }
      return shown(report)
    },
    async deleteKeys(before) {
      for (const [key, { createdAt }] of keys) if (createdAt < before) keys.delete(key)
      return false
    },
    async deleteStaleReports(before) {
      const touched = new Set([
        ...[...reports.values()]
          .filter(({ createdAt, changedAt }) => createdAt >= before || changedAt >= before)
          .map(({ id, duplicateOf }) => duplicateOf ?? id),
        ...evidence.filter(({ at }) => at >= before).map(({ reportId }) => reportId),
      ])
      const gone = new Set(
        [...reports.values()].filter(({ id, duplicateOf }) => !touched.has(duplicateOf ?? id)).map(({ id }) => id),
      )
      for (const id of gone) reports.delete(id)
      evidence = evidence.filter(({ reportId }) => !gone.has(reportId))
      for (const [id, { reportId }] of receipts) if (gone.has(reportId)) receipts.delete(id)
      return false
    },
  }
}
