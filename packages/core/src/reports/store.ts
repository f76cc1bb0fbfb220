import type { ListPage } from '../http/list.ts'
import type { NewEvent } from '../events/event.ts'
import type { AuditContext } from '../audit/store.ts'
import type { OutboxEntry } from '../outbox/store.ts'
import type { evidenceTypes, kinds, statuses } from './rules.ts'

export type ReportStatus = (typeof statuses)[number]

/** A piece of evidence, scrubbed. */
export interface NewEvidence {
  /** The evidence's id, a UUID version 7. */
  readonly id: string
  readonly type: (typeof evidenceTypes)[number]
  readonly content: string
  readonly redacted: boolean
}

/** A piece of evidence that a report keeps. */
export interface StoredEvidence extends NewEvidence {
  /** The id of the report that contained the evidence: the report itself, or one of its duplicates. */
  readonly reportId: string
}

/** A scrubbed report. */
export interface NewReport {
  /** The report's id, a UUID version 7, which is the protocol's `feedback_id`. */
  readonly id: string
  readonly receiptId: string
  /** Hexadecimal SHA-256 of `similarityText`: the report becomes a duplicate of an open report with the same hash. */
  readonly similarityHash: string
  /** The report without its evidence, as JSON. */
  readonly body: string
  readonly evidence: readonly NewEvidence[]
  /** The maximum number of pieces of evidence that a report keeps, including those of its duplicates. */
  readonly maxEvidence: number
  readonly createdAt: number
}

/** A report in the form that the operator sees. */
export interface StoredReport {
  readonly id: string
  /** The id of the report of which this report is a duplicate, or null. */
  readonly duplicateOf: string | null
  readonly status: ReportStatus
  readonly body: string
  readonly evidence: readonly StoredEvidence[]
  readonly evidenceCount: number
  readonly duplicates: number
  readonly createdAt: number
  readonly changedAt: number
}

/** The receipt for a report or for evidence. */
export interface StoredReceipt {
  readonly id: string
  readonly reportId: string
  readonly duplicateOf: string | null
  /** The pieces of evidence that were kept. */
  readonly evidenceIds: readonly string[]
  readonly createdAt: number
}

/** The lease of a request on an idempotency key. */
export interface KeyLease {
  readonly key: string
  readonly lease: string
}

export interface ClaimReportKeyParams extends KeyLease {
  /** A keyed hash of the request's body. */
  readonly fingerprint: string
  /** The hashes of the same body with former secrets. Default: none. */
  readonly formerFingerprints?: readonly string[]
  readonly now: number
  /** The time at which the lease expires. */
  readonly until: number
  /** Keys that were first used before this time are free. */
  readonly since: number
}

/**
 * `claimed`: this lease has the key; `busy`: another request has the key; `mismatch`: the key belongs to another
 * report. Otherwise, the receipt of the report that was created with the key.
 */
export type ClaimReportKeyResult = 'claimed' | 'busy' | 'mismatch' | StoredReceipt

export interface CreateReportParams {
  readonly report: NewReport
  /** The lease on the idempotency key. Null means that the request has no key. */
  readonly keyLease: KeyLease | null
  /** The mail to enqueue unless the report is a duplicate. */
  readonly mail: OutboxEntry | null
  readonly event?: NewEvent<'report.received'> | undefined
}

export interface AttachEvidenceParams {
  readonly reportId: string
  readonly receiptId: string
  readonly evidence: readonly NewEvidence[]
  readonly maxEvidence: number
  readonly now: number
}

/** The filter of a list of reports. Times are ms. */
export interface ReportFilter {
  readonly kind?: (typeof kinds)[number] | undefined
  /** The range of the times at which reports were received. Both ends are included. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /**
   * Words that each occur in the report or in one of its duplicates: in id, title, summary, hypothesis, surface, domain
   * or reporter. Case is ignored.
   */
  readonly words?: readonly string[] | undefined
}

/** The number of matching reports without duplicates by status, and the number of their duplicates. */
export interface ReportCounts {
  readonly statuses: Readonly<Record<ReportStatus, number>>
  readonly duplicates: number
}

export interface ListReportsParams {
  /** The status of the listed reports. Null means every status. */
  readonly status: ReportStatus | null
  readonly filter?: ReportFilter | undefined
  /** The field to sort by. Default: `createdAt`, the time at which a report was received. */
  readonly sort?: 'createdAt' | 'changedAt' | undefined
  /** The order. Default: descending. */
  readonly order?: 'asc' | 'desc' | undefined
  /** The `next` of the previous page, or null for the first page. */
  readonly cursor: string | null
  readonly limit: number
}

export interface SetReportStatusParams {
  readonly id: string
  readonly status: ReportStatus
  readonly audit: AuditContext
}

export interface MergeReportsParams {
  readonly id: string
  /** The report to keep, or a duplicate of the report to keep. */
  readonly into: string
  readonly audit: AuditContext
}

/** The report that was kept, or the reason why nothing was merged. */
export type MergeReportsResult = StoredReport | 'not_found' | 'same_report' | 'already_merged'

export interface SeparateReportParams {
  readonly id: string
  readonly audit: AuditContext
}

/** Reports of software agents. A report belongs to no account: it has no credential, and only the operator reads it. */
export interface ReportStore {
  /**
   * Claims an idempotency key for the report with this fingerprint. Only one of several concurrent requests gets the
   * key. A key is free again when its lease expired without a report, or when the key was first used before `since`.
   */
  claimKey(params: Readonly<ClaimReportKeyParams>): Promise<ClaimReportKeyResult>
  /**
   * Creates a report with its evidence, receipt and mail, and saves the receipt with the key, in one transaction. A
   * report with the same `similarityHash` as an open report (`open`, `investigating` or `accepted`), or as a duplicate
   * of an open report, becomes a duplicate of the open report, and its evidence is added to the open report. Evidence
   * is kept in order up to `maxEvidence`. Returns null, and stores nothing, when the request no longer has the key.
   */
  createReport(params: Readonly<CreateReportParams>): Promise<StoredReceipt | null>
  /**
   * Adds evidence to a report, or to the report that it duplicates, up to `maxEvidence`, with a receipt of the kept
   * evidence. Returns null when there is no such report.
   */
  attachEvidence(params: Readonly<AttachEvidenceParams>): Promise<StoredReceipt | null>
  findReceipt(params: { readonly id: string }): Promise<StoredReceipt | null>
  /** Lists the reports that are not duplicates of another report, each with the first twenty pieces of its evidence. */
  listReports(params: Readonly<ListReportsParams>): Promise<ListPage<StoredReport>>
  /** Counts reports by status. */
  countReports(params: { readonly filter: ReportFilter }): Promise<ReportCounts>
  /** Returns a report and its latest `maxDuplicates` duplicates, newest first, or null when there is no such report. */
  findReport(params: {
    readonly id: string
    readonly maxDuplicates: number
  }): Promise<{ readonly report: StoredReport; readonly duplicates: readonly StoredReport[] } | null>
  /**
   * Makes a report a duplicate of another report, moves its own duplicates and evidence to that report, and adds an
   * audit entry. Changes nothing when the report already is a duplicate of that report. Returns `already_merged` when
   * the report is a duplicate of a third report.
   */
  mergeReports(params: Readonly<MergeReportsParams>): Promise<MergeReportsResult>
  /**
   * Makes a duplicate a separate report again, with its earlier status, and adds an audit entry. The duplicates and
   * evidence that came with the report or were added to it since are moved back too. Returns the report, or null when
   * it is not a duplicate or does not exist.
   */
  separateReport(params: Readonly<SeparateReportParams>): Promise<StoredReport | null>
  /**
   * Sets a report's status, with an audit entry if it changes. Returns null when there is no such report or when the
   * report is a duplicate.
   */
  setReportStatus(params: Readonly<SetReportStatusParams>): Promise<StoredReport | null>
  /** Deletes keys that were first used before a time, a bounded number at a time. Returns whether there may be more. */
  deleteKeys(params: { readonly before: number }): Promise<boolean>
  /**
   * Deletes reports that got no duplicate, no evidence and no change of status since `before`, with their duplicates,
   * evidence and receipts, a bounded number at a time. Returns whether there may be more.
   */
  deleteStaleReports(params: { readonly before: number }): Promise<boolean>
}
