import type { OutboxEntry } from '../outbox/store.ts'

/** A diagnostics item or event as it is kept: scrubbed JSON. */
export type TelemetryItem = Readonly<Record<string, unknown>>

/** A telemetry report on its way in; all but `deviceId` went through the scrubber. Absent is null; times are ms. */
export interface NewTelemetry {
  /** UUID version 7. */
  readonly id: string
  readonly deviceId: string
  readonly cliVersion: string | null
  readonly platform: string | null
  readonly arch: string | null
  readonly command: string | null
  /** As the client wrote it. */
  readonly sentAt: string | null
  readonly diagnostics: readonly TelemetryItem[]
  readonly events: readonly TelemetryItem[]
  readonly receivedAt: number
}

/** A person's message; the text scrubbed, the address as given, since they ask to be answered there. */
export interface NewFeedback {
  /** UUID version 7. */
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

/** Feedback with whose it is. */
export interface StoredFeedback extends NewFeedback {
  readonly userId: string
}

/** Everything held here about one person, oldest first. */
export interface TelemetryExport {
  readonly reports: readonly NewTelemetry[]
  readonly feedback: readonly NewFeedback[]
}

/** Telemetry and feedback of command-line clients. Somebody without a row (erased meanwhile) gets nothing written. */
export interface TelemetryStore {
  /** Keeps a report and, in the same step, what tells the sink of it. False when there is no such person. */
  recordReport(ownerId: string, report: NewTelemetry, forward: OutboxEntry | null): Promise<boolean>
  /** Those of the reports that are still there, in the order of their ids. */
  findReports(ids: readonly string[]): Promise<NewTelemetry[]>
  /** Forgets reports received before this time, a bounded number at a time; true when there may be more. */
  deleteReports(before: number): Promise<boolean>
  /** Keeps feedback and, in the same step, its mail; once, if it comes again with its id. False when there is no such person. */
  recordFeedback(ownerId: string, listFeedback: NewFeedback, mail: OutboxEntry | null): Promise<boolean>
  /** Deletes feedback received before this time, a bounded number at a time; true when there may be more. */
  deleteFeedback(params: { readonly before: number }): Promise<boolean>
  /** Everyone's, newest first. `cursor` is the `next` of the page before; null starts, and says that there is no more. */
  feedback(asked: {
    readonly cursor: number | null
    readonly limit: number
  }): Promise<{ readonly items: readonly StoredFeedback[]; readonly next: number | null }>
  export(ownerId: string): Promise<TelemetryExport>
  /** Deletes all of it, with what is still to go out, a bounded number of rows at a time; true when there may be more. */
  erase(ownerId: string): Promise<boolean>
}
