import { listPage, type MemoryList } from './list.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import type {
  StoredReceipt,
  StoredReport,
  NewEvidence,
  NewReport,
  ReportFilter,
  ReportStatus,
  ReportStore,
} from '../../reports/store.ts'
import { noReports } from '../../reports/rules.ts'
import type { MemoryOutbox } from './outbox.ts'
import { memoryDailyCounts, type MemoryDailyCounts } from './overview.ts'

interface Stored extends Omit<NewReport, 'evidence' | 'receiptId' | 'maxEvidence'> {
  readonly num: number
  /** The report that an operator sees in place of this duplicate. */
  duplicateOf: string | null
  /** The report that this duplicate was merged into or joined, perhaps a duplicate itself. */
  parent: string | null
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

/** Converts ASCII letters alone to lower case, as SQL does. */
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Returns the report store in memory. No method waits for anything, which makes it atomic. */
export function memoryReports(
  outbox: MemoryOutbox,
  audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
  counts: Pick<MemoryDailyCounts, 'add'> = memoryDailyCounts(),
): ReportStore {
  const reports = new Map<string, Stored>()
  let evidence: {
    reportId: string
    readonly sender: string
    readonly piece: NewEvidence
    readonly createdAt: number
  }[] = []
  let lastNum = 0
  const receipts = new Map<string, StoredReceipt>()
  const keys = new Map<string, StoredKey>()
  const isOpen = (status: ReportStatus): boolean => ['open', 'investigating', 'accepted'].includes(status)

  /** Adds evidence to a report up to `maxEvidence`. Returns the ids of what was added. */
  function addEvidence(
    { id: sender, duplicateOf }: Pick<Stored, 'id' | 'duplicateOf'>,
    pieces: readonly NewEvidence[],
    maxEvidence: number,
    now: number,
  ): string[] {
    const reportId = duplicateOf ?? sender
    const count = evidence.filter((stored) => stored.reportId === reportId).length
    const added = pieces.slice(0, Math.max(0, maxEvidence - count))
    evidence.push(...added.map((piece) => ({ reportId, sender, piece, createdAt: now })))
    return added.map(({ id }) => id)
  }

  function describeReport({ id, duplicateOf, status, body, createdAt, changedAt }: Stored): StoredReport {
    const pieces = evidence.filter(({ reportId }) => reportId === id)
    const duplicates = [...reports.values()].filter((other) => other.duplicateOf === id).length
    const evidenceCount = pieces.length
    return {
      id,
      duplicateOf,
      status,
      body,
      evidence: pieces.slice(0, 20).map(({ piece, sender }) => ({ ...piece, reportId: sender })),
      evidenceCount,
      duplicates,
      createdAt,
      changedAt,
    }
  }

  /** Returns the report that an operator sees in place of a duplicate, or the report itself. */
  const keptReport = (report: Stored): Stored =>
    report.duplicateOf === null ? report : reports.get(report.duplicateOf)!

  function hasWords({ id, body }: Stored, words: readonly string[]): boolean {
    const { content, subject, reporter } = JSON.parse(body) as Partial<Record<string, Record<string, string>>>
    const fields = [
      id,
      content?.['title'],
      content?.['summary'],
      content?.['hypothesis'],
      subject?.['surface'],
      subject?.['domain'],
      reporter?.['agent_vendor'],
      reporter?.['agent_product'],
    ]
    const text = lower(fields.map((field) => field ?? '').join(' '))
    return words.every((word) => text.includes(lower(word)))
  }

  /** Returns the reports that match, newest first, without duplicates. */
  function findReports({ kind, from = 0, to = Infinity, words = [] }: ReportFilter = {}): Stored[] {
    const all = [...reports.values()]
    const withWords = new Set(all.filter((report) => words.length === 0 || hasWords(report, words)).map(keptReport))
    return all
      .reverse()
      .filter(
        (report) =>
          report.duplicateOf === null &&
          withWords.has(report) &&
          (kind === undefined || (JSON.parse(report.body) as { subject?: { kind?: string } }).subject?.kind === kind) &&
          report.createdAt >= from &&
          report.createdAt <= to,
      )
  }

  return {
    async claimKey({ key, lease, fingerprint, now, until, since }) {
      const stored = keys.get(key)
      // A lease that lasts longer than this one was given before the clock was set back.
      const isExpired = stored?.receipt === null && (stored.until <= now || stored.until > 2 * until - now)
      if (!stored || stored.createdAt < since || isExpired) {
        keys.set(key, { fingerprint, lease, until, createdAt: now, receipt: null })
        return 'claimed'
      }
      return stored.fingerprint === fingerprint ? (stored.receipt ?? 'busy') : 'mismatch'
    },
    async createReport({ report: { evidence: pieces, receiptId, maxEvidence, ...report }, keyLease, mail, event }) {
      const { id, similarityHash, createdAt } = report
      const key = keyLease ? keys.get(keyLease.key) : null
      if (keyLease && (key?.lease !== keyLease.lease || key.receipt !== null)) return null
      const parent = [...reports.values()].find(
        (stored) => stored.similarityHash === similarityHash && isOpen(keptReport(stored).status),
      )
      const duplicateOf = parent ? keptReport(parent).id : null
      reports.set(id, {
        ...report,
        num: ++lastNum,
        duplicateOf,
        parent: parent?.id ?? null,
        status: 'open',
        changedAt: createdAt,
      })
      counts.add(createdAt, { reports: 1 })
      const evidenceIds = addEvidence({ id, duplicateOf }, pieces, maxEvidence, createdAt)
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
      const evidenceIds = addEvidence(report, pieces, maxEvidence, now)
      const receipt = { id: receiptId, reportId, duplicateOf, evidenceIds, createdAt: now }
      receipts.set(receiptId, receipt)
      return receipt
    },
    async findReceipt({ id }) {
      return receipts.get(id) ?? null
    },
    async listReports({ status, filter, ...params }) {
      const found = findReports(filter).filter((report) => status === null || report.status === status)
      const list: MemoryList<(typeof found)[number], 'createdAt' | 'changedAt'> = {
        num: ({ num }) => num,
        at: ({ createdAt }) => createdAt,
        sorts: { createdAt: ({ num }) => num, changedAt: ({ changedAt }) => changedAt },
        whole: () => [],
        text: () => [],
      }
      const { items, next } = listPage(found, list, params)
      return { items: items.map(describeReport), next }
    },
    async countReports({ filter }) {
      const counts = noReports()
      const found = new Set(findReports(filter))
      for (const { status } of found) counts.statuses[status]++
      for (const report of reports.values())
        if (report.duplicateOf !== null && found.has(keptReport(report))) counts.duplicates++
      return counts
    },
    async findReport({ id, maxDuplicates }) {
      const report = reports.get(id)
      const duplicates = [...reports.values()].reverse().filter(({ duplicateOf }) => duplicateOf === id)
      return report
        ? { report: describeReport(report), duplicates: duplicates.slice(0, maxDuplicates).map(describeReport) }
        : null
    },
    async mergeReports({ id, into, audit }) {
      const [report, target] = [reports.get(id), reports.get(into)]
      if (!report || !target) return 'not_found'
      const kept = keptReport(target)
      if (kept === report) return 'same_report'
      if (report.duplicateOf !== null && report.duplicateOf !== kept.id) return 'already_merged'
      if (report.duplicateOf === null) {
        audits.record(audit, 'report.merge', id, { duplicateOf: null }, { duplicateOf: kept.id })
        for (const stored of evidence) if (stored.reportId === id) stored.reportId = kept.id
        for (const one of reports.values()) if (one.duplicateOf === id) one.duplicateOf = kept.id
        Object.assign(report, { duplicateOf: kept.id, parent: kept.id, changedAt: audit.at })
        kept.changedAt = audit.at
      }
      return describeReport(kept)
    },
    async separateReport({ id, audit }) {
      const report = reports.get(id)
      if (!report || report.duplicateOf === null) return null
      audits.record(audit, 'report.separate', id, { duplicateOf: report.duplicateOf }, { duplicateOf: null })
      const members = new Set([id])
      // A set lists what is added while it is iterated over, too.
      for (const member of members) for (const one of reports.values()) if (one.parent === member) members.add(one.id)
      for (const stored of evidence) if (members.has(stored.sender)) stored.reportId = id
      for (const member of members) reports.get(member)!.duplicateOf = member === id ? null : id
      Object.assign(report, { parent: null, changedAt: audit.at })
      return describeReport(report)
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
