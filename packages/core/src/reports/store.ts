import type { AuditContext } from '../admin/audit/store.ts'
import type { OutboxEntry } from '../outbox/store.ts'
import type { evidenceTypes, statuses } from './rules.ts'

export type ReportStatus = (typeof statuses)[number]

/** A piece of evidence, scrubbed. */
export interface NewEvidence {
  /** UUID version 7. */
  readonly id: string
  readonly type: (typeof evidenceTypes)[number]
  readonly content: string
  readonly redacted: boolean
}

/** A report on its way in: all of it went through the scrubber. */
export interface NewReport {
  /** UUID version 7: the protocol's feedback_id. */
  readonly id: string
  readonly receiptId: string
  /** Hexadecimal SHA-256 of what it means: an open report with the same one is joined. */
  readonly similarityHash: string
  /** The report without its evidence, as JSON. */
  readonly body: string
  readonly evidence: readonly NewEvidence[]
  /** Pieces of evidence that a report may have in all, its duplicates' among them. */
  readonly maxEvidence: number
  readonly createdAt: number
}

/** A report as the operator gets it. */
export interface StoredReport {
  readonly id: string
  readonly status: ReportStatus
  readonly body: string
  readonly evidence: readonly NewEvidence[]
  readonly evidenceCount: number
  readonly duplicates: number
  readonly createdAt: number
  readonly changedAt: number
}

/** What a sender gets in hand. */
export interface StoredReceipt {
  readonly id: string
  readonly reportId: string
  readonly duplicateOf: string | null
  readonly evidenceIds: readonly string[]
  readonly createdAt: number
}

/**
 * What a key says to a request: `mine`: go on; `busy`: another request with it is at work; `mismatch`: it belongs to another
 * report; or the receipt of the first.
 */
export type ClaimReportKeyResult = 'mine' | 'busy' | 'mismatch' | StoredReceipt

/** A request's hold on a key. */
export interface KeyLease {
  readonly key: string
  readonly lease: string
}

/** Agents' reports. Nobody owns one: they come without a credential, and are read by the operator alone. */
export interface ReportStore {
  /**
   * Takes a key for the report with this fingerprint until a time. Of any number at once one gets it. A key that was claimed
   * until a time that is past and never got its report, or that was first sent before `since`, is free again.
   */
  claimKey(
    hold: KeyLease,
    fingerprint: string,
    times: { readonly now: number; readonly until: number; readonly since: number },
  ): Promise<ClaimReportKeyResult>
  /**
   * Keeps a report, its evidence, its receipt and its mail in one step, and the receipt with the key. When an open report
   * (`open`, `investigating` or `accepted`) means the same, it is kept as that one's duplicate: its evidence goes there, and nothing is mailed. Evidence is kept in order as far as
   * there is room, and the receipt names what was. Null: the key is no longer held, and nothing was kept.
   */
  createReport(report: NewReport, hold: KeyLease | null, mail: OutboxEntry | null): Promise<StoredReceipt | null>
  /** Adds evidence to a report, or to the one that it is a duplicate of, as far as there is `room`, with a receipt of what was kept. Null: there is no such report. */
  attachEvidence(
    reportId: string,
    receiptId: string,
    evidence: readonly NewEvidence[],
    room: number,
    now: number,
  ): Promise<StoredReceipt | null>
  findReceipt(id: string): Promise<StoredReceipt | null>
  /** Those that are no duplicates, newest first, each with the first twenty pieces of its evidence. `cursor` is the `next` of the page before. */
  listReports(asked: {
    readonly status: ReportStatus | null
    readonly cursor: number | null
    readonly limit: number
  }): Promise<{ readonly items: readonly StoredReport[]; readonly next: number | null }>
  /** Sets a report's status, with an entry in the audit if it changes. Null: there is no such report, or it is a duplicate. */
  setReportStatus(id: string, status: ReportStatus, audit: AuditContext): Promise<StoredReport | null>
  /** Forgets keys first sent before this time, a bounded number at a time; true when there may be more. */
  deleteKeys(before: number): Promise<boolean>
  /**
   * Forgets reports that nobody touched since before this time (no duplicate, no evidence, no change of status), with their
   * duplicates, evidence and receipts; a bounded number at a time; true when there may be more.
   */
  deleteStaleReports(before: number): Promise<boolean>
}
