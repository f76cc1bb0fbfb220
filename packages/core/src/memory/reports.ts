import type { KeptReceipt, NewEvidence, NewReport, ReportStatus, ReportStore } from '../reports/store.ts'
import type { MemoryOutbox } from './outbox.ts'

interface Kept extends Omit<NewReport, 'evidence' | 'receiptId'> {
  readonly num: number
  readonly duplicateOf: string | null
  status: ReportStatus
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
  const evidence: (NewEvidence & { reportId: string; createdAt: number })[] = []
  const receipts = new Map<string, KeptReceipt>()
  const keys = new Map<string, Key>()
  const isOpen = (status: ReportStatus): boolean => status === 'open' || status === 'investigating' || status === 'accepted'

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
      reports.set(report.id, { ...report, num: reports.size + 1, duplicateOf, status: 'open' })
      evidence.push(...brought.map((one) => ({ ...one, reportId: duplicateOf ?? report.id, createdAt: report.createdAt })))
      const receipt = { id: receiptId, reportId: report.id, duplicateOf, evidenceIds: brought.map(({ id }) => id), createdAt: report.createdAt }
      receipts.set(receiptId, receipt)
      if (held) held.receipt = receipt
      if (mail && duplicateOf === null) outbox.put(mail)
      return receipt
    },
    async forgetKeys(before) {
      for (const [key, { createdAt }] of keys) if (createdAt < before) keys.delete(key)
      return false
    },
  }
}
