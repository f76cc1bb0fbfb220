import type { KeptReceipt, KeptReport, NewEvidence, NewReport, ReportStatus, ReportStore } from '../reports/store.ts'
import type { MemoryOutbox } from './outbox.ts'

interface Kept extends Omit<NewReport, 'evidence' | 'receiptId'> {
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
  receipt: KeptReceipt | null
}

/** The report store in Maps. No method waits for anything, which is what makes it atomic. */
export function memoryReports(outbox: MemoryOutbox): ReportStore {
  const reports = new Map<string, Kept>()
  const evidence: { readonly reportId: string; readonly one: NewEvidence }[] = []
  const receipts = new Map<string, KeptReceipt>()
  const keys = new Map<string, Key>()
  const isOpen = (status: ReportStatus): boolean => status === 'open' || status === 'investigating' || status === 'accepted'

  function shown({ id, status, body, createdAt, changedAt }: Kept): KeptReport {
    const own = evidence.filter(({ reportId }) => reportId === id).map(({ one }) => one)
    const duplicates = [...reports.values()].filter(({ duplicateOf }) => duplicateOf === id).length
    return { id, status, body, evidence: own.slice(0, 20), evidenceCount: own.length, duplicates, createdAt, changedAt }
  }

  return {
    async claim({ key, lease }, fingerprint, { now, until, since }) {
      const there = keys.get(key)
      if (!there || there.createdAt < since || (there.receipt === null && there.until <= now)) {
        keys.set(key, { fingerprint, lease, until, createdAt: now, receipt: null })
        return 'mine'
      }
      return there.fingerprint === fingerprint ? (there.receipt ?? 'busy') : 'mismatch'
    },
    async keep({ evidence: brought, receiptId, ...report }, hold, mail) {
      const held = hold ? keys.get(hold.key) : null
      if (hold && (held?.lease !== hold.lease || held.receipt !== null)) return null
      const first = [...reports.values()].find((one) => one.meaning === report.meaning && one.duplicateOf === null && isOpen(one.status))
      const duplicateOf = first?.id ?? null
      reports.set(report.id, { ...report, num: reports.size + 1, duplicateOf, status: 'open', changedAt: report.createdAt })
      evidence.push(...brought.map((one) => ({ reportId: duplicateOf ?? report.id, one })))
      const receipt = { id: receiptId, reportId: report.id, duplicateOf, evidenceIds: brought.map(({ id }) => id), createdAt: report.createdAt }
      receipts.set(receiptId, receipt)
      if (held) held.receipt = receipt
      if (mail && duplicateOf === null) outbox.put(mail)
      return receipt
    },
    async attach(reportId, receiptId, brought, now) {
      const report = reports.get(reportId)
      if (!report) return null
      const { duplicateOf } = report
      evidence.push(...brought.map((one) => ({ reportId: duplicateOf ?? reportId, one })))
      const receipt = { id: receiptId, reportId, duplicateOf, evidenceIds: brought.map(({ id }) => id), createdAt: now }
      receipts.set(receiptId, receipt)
      return receipt
    },
    async receipt(id) {
      return receipts.get(id) ?? null
    },
    async list({ status, cursor, limit }) {
      const rest = [...reports.values()].reverse()
        .filter((one) => one.duplicateOf === null && (status === null || one.status === status) && (cursor === null || one.num < cursor))
      const page = rest.slice(0, limit)
      return { items: page.map(shown), next: rest.length > limit ? page.at(-1)!.num : null }
    },
    async setStatus(id, status, now) {
      const report = reports.get(id)
      if (!report || report.duplicateOf !== null) return null
      Object.assign(report, { status, changedAt: now })
      return shown(report)
    },
    async forgetKeys(before) {
      for (const [key, { createdAt }] of keys) if (createdAt < before) keys.delete(key)
      return false
    },
  }
}
