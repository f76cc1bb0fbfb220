/**
 * The loops of a worker. Each loop waits independently for its next item: `jobs` for a job to run; `others` for jobs of
 * other owners while jobs run; `outbox` for a mail; `webhooks` for an event; `account` for an export or erasure;
 * `rescrub` for a stored trace to scrub again; `copies` for the fingerprints of stored traces after a failure.
 */
export type Loop = 'jobs' | 'others' | 'outbox' | 'webhooks' | 'account' | 'rescrub' | 'copies'

/** The options of a call of `Service.work`. */
export interface WorkOptions {
  /**
   * When this signal is aborted, running jobs are released between two slices, without counting the attempt, and the
   * call resolves.
   */
  readonly signal?: AbortSignal
  /** The id of the only job to run, from a message of the `Queue` port. */
  readonly jobId?: string
  /**
   * A function that is called when nothing is due. Its promise resolves at the time of the next poll (after a message,
   * a second, or an abort of the signal). Without this function, the call resolves when nothing is due.
   */
  readonly wait?: (loop: Loop) => Promise<void>
}

/**
 * The numbers of jobs by their result. `later` counts jobs that were released to be claimed again, or that another
 * worker leases. A named job that had already failed counts as `failed`; a named job that had already succeeded is not
 * counted.
 */
export interface WorkSummary {
  done: number
  failed: number
  later: number
  /** Set if the named job is `later`: the milliseconds until it is due and no other worker leases it. */
  laterMs?: number
}
