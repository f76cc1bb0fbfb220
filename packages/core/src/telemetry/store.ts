import type { AuditContext } from '../audit/store.ts'
import type { ListPage, ListParams } from '../http/list.ts'
import type { OutboxEntry } from '../outbox/store.ts'

/** A diagnostics item or event: scrubbed JSON. */
export type TelemetryItem = Readonly<Record<string, unknown>>

/** A telemetry report. Everything except `deviceId` is scrubbed. Absent values are null. Times are ms. */
export interface NewTelemetry {
  /** The report's id, a UUID version 7. */
  readonly id: string
  readonly deviceId: string
  readonly cliVersion: string | null
  readonly platform: string | null
  readonly arch: string | null
  readonly command: string | null
  /** The time at which the client sent the report, as the client wrote it. */
  readonly sentAt: string | null
  readonly diagnostics: readonly TelemetryItem[]
  readonly events: readonly TelemetryItem[]
  readonly receivedAt: number
}

/** A user's message. The text is scrubbed, but the e-mail address is not, because the reply goes there. */
export interface NewFeedback {
  /** The feedback's id, a UUID version 7. */
  readonly id: string
  readonly message: string
  readonly email: string | null
  readonly cliVersion: string | null
  readonly platform: string | null
  readonly arch: string | null
  readonly deviceId: string | null
  readonly command: string | null
  readonly receivedAt: number
}

/** Feedback with its user. */
export interface StoredFeedback extends NewFeedback {
  readonly userId: string
  /** The time at which an operator marked the feedback as handled. Null while the feedback is open. */
  readonly handledAt: number | null
}

/** Everything stored here about one person, oldest first. */
export interface TelemetryExport {
  readonly reports: readonly NewTelemetry[]
  readonly feedback: readonly NewFeedback[]
}

export interface RecordTelemetryParams {
  readonly ownerId: string
  readonly report: NewTelemetry
  /** The outbox entry that sends the report to the sink, or null. */
  readonly forward: OutboxEntry | null
}

export interface RecordFeedbackParams {
  readonly ownerId: string
  readonly feedback: NewFeedback
  /** The mail to the operator, or null. */
  readonly mail: OutboxEntry | null
}

export interface ListFeedbackParams extends ListParams<'receivedAt'> {
  /** If absent, both open and handled feedback is listed. */
  readonly handled?: boolean | undefined
}

export interface HandleFeedbackParams {
  readonly id: string
  /** False marks the feedback as open again. */
  readonly handled: boolean
  readonly audit: AuditContext
}

/**
 * Stores telemetry and feedback of command-line clients. Nothing is written for a person without a row, such as a
 * person who was erased meanwhile.
 */
export interface TelemetryStore {
  /** Stores a report with its outbox entry. Returns false when there is no such person. */
  recordReport(params: Readonly<RecordTelemetryParams>): Promise<boolean>
  /** Returns the reports that still exist, ordered by id. */
  findReports(params: { readonly ids: readonly string[] }): Promise<NewTelemetry[]>
  /** Deletes reports received before a time, a bounded number at a time. Returns whether there may be more. */
  deleteReports(params: { readonly before: number }): Promise<boolean>
  /** Stores feedback and its mail, once per feedback id. Returns false when there is no such person. */
  recordFeedback(params: Readonly<RecordFeedbackParams>): Promise<boolean>
  /** Deletes feedback received before a time, a bounded number at a time. Returns whether there may be more. */
  deleteFeedback(params: { readonly before: number }): Promise<boolean>
  /**
   * Lists the feedback of all users. The search covers the text and ID of the feedback, and the ID and address of its
   * user.
   */
  listFeedback(params: Readonly<ListFeedbackParams>): Promise<ListPage<StoredFeedback>>
  /**
   * Marks feedback as handled or open, with an audit entry if the state changes. Returns the feedback, or null when
   * there is no feedback with this id.
   */
  handleFeedback(params: Readonly<HandleFeedbackParams>): Promise<StoredFeedback | null>
  export(params: { readonly ownerId: string }): Promise<TelemetryExport>
  /**
   * Deletes a person's data and outbox entries, a bounded number of rows at a time. Returns whether there may be more.
   */
  erase(params: { readonly ownerId: string }): Promise<boolean>
}
