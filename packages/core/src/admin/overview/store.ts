import type { Channel } from '../../outbox/store.ts'

/**
 * The counters of a day. `tracesStored` and `tracesRejected` sum the `traceCount` and `rejectedCount` of jobs, and
 * `tokens` counts the tokens of the stored traces; micros are millionths of a dollar. `redactions.<category>` is a
 * count for each category, and `wrongReplacements.<rule>` is a count for each rule whose replacements contributors
 * reported as not personal.
 */
export type DailyCountName =
  | 'uploads'
  | 'tracesStored'
  | 'tracesRejected'
  | 'tokens'
  | `redactions.${string}`
  | `wrongReplacements.${string}`
  | 'salesMicros'
  | 'impressions'
  | 'spendMicros'
  | 'reports'

export interface DailyCount {
  /** The number of the UTC day since 1970. */
  readonly day: number
  readonly name: DailyCountName
  readonly count: number
}

/** The numbers of items that wait for an operator. */
export interface WaitingCounts {
  /** Applications to review. */
  readonly applications: number
  /** Jobs that failed recently enough to be retried. */
  readonly failedJobs: number
  /** Open reports. */
  readonly reports: number
  /** Outbox entries that were not delivered (or may not have been) and are not retried automatically. */
  readonly outbox: number
  /** The number of open payout requests. */
  readonly payoutRequests: number
  /** Sold traces that their buyers must delete but have not yet acknowledged as deleted. */
  readonly removals: number
  /** Unhandled messages of the command line's feedback command. */
  readonly feedback: number
}

/** The queues that a worker serves: ingest jobs, and each channel of the outbox. */
export type QueueName = 'ingest' | Channel

/** A queue that is not empty. */
export interface QueueState {
  readonly queue: QueueName
  /** The number of unfinished jobs or entries, including those that a worker holds and those that are retried later. */
  readonly depth: number
  /** The time at which the oldest unfinished job or entry was enqueued, in milliseconds since 1970. */
  readonly oldestAt: number
}

/**
 * Counts for the operator's overview. Methods of other stores add to the counts in the transaction of their effect,
 * once per effect, so that reading the counts takes the same time regardless of the number of traces. The counts do not
 * identify a person, and are kept when the counted items are deleted.
 */
export interface OverviewStore {
  /**
   * Returns the counts of a UTC day since 1970 and of later days; a counter that did not change on a day is left out.
   */
  listDailyCounts(params: { readonly fromDay: number }): Promise<DailyCount[]>
  /** Counts the items that wait for an operator. A job that failed before `failedSince` cannot be retried. */
  countWaiting(params: { readonly failedSince: number }): Promise<WaitingCounts>
  /** Returns the queues that are not empty. */
  listQueues(): Promise<QueueState[]>
}
