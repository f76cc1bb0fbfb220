import type { Channel } from '../../outbox/store.ts'

/**
 * The counters of a day. `tracesStored` and `tracesRejected` sum the `traceCount` and `rejectedCount` of jobs, and
 * `tokens` counts the tokens of the stored traces; micros are millionths of a dollar. `redactions.<category>` has one
 * count for each category, and `wrongReplacements.<rule>` one for each rule whose replacements contributors reported as
 * not personal.
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
  /** Jobs that failed within the time in which they can be retried. */
  readonly failedJobs: number
  /** Open reports. */
  readonly reports: number
  /** Outbox entries that were not delivered, or perhaps not, and are not tried again. */
  readonly outbox: number
  /** The number of open requests of payouts. */
  readonly payoutRequests: number
  /** Sold traces that their buyers have to delete, and whose deletion is not acknowledged. */
  readonly removals: number
  /** Messages of the command line's feedback command that are not handled. */
  readonly feedback: number
}

/** The queues that a worker serves: ingest jobs, and each channel of the outbox. */
export type QueueName = 'ingest' | Channel

/** A queue that is not empty. */
export interface QueueState {
  readonly queue: QueueName
  /** Jobs or entries that are not finished, with those that a worker holds and those that are retried later. */
  readonly depth: number
  /** The time at which the oldest of them was enqueued, in milliseconds since 1970. */
  readonly oldestAt: number
}

/**
 * Counts for the operator's overview. Methods of other stores add to them in the transaction of their effect, once for
 * each effect, so that reading them takes the same time however many traces there are. They do not identify a person,
 * and are kept when the counted items are deleted.
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
