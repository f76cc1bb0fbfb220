/**
 * The loops of a worker, each of which waits by itself while it has nothing to do: `jobs` waits for a job to run;
 * `others`, while jobs run, for jobs of other owners; `outbox` for a mail; `webhooks` for an event; `account` for an
 * export or erasure; `rescrub` for a stored trace to scrub again; `copies` for the fingerprints of stored traces after
 * a failure.
 */
export type Loop = 'jobs' | 'others' | 'outbox' | 'webhooks' | 'account' | 'rescrub' | 'copies'

/** The options of a call of `Service.work`. */
export interface WorkOptions {
  /**
   * When this signal is aborted, running jobs are released between two slices, without counting the attempt, and the
   * call resolves.
   */
  readonly signal?: AbortSignal
  /** Runs this job only: the one that a message of the `Queue` port names. */
  readonly jobId?: string
  /**
   * A function that is called when nothing is due. It resolves when it is time to poll again (after a message, a
   * second, or an abort of the signal). Without it, the call resolves when nothing is due.
   */
  readonly wait?: (loop: Loop) => Promise<void>
}

/**
 * The numbers of jobs by their end. `later`: released to be claimed again, or leased by another worker. A named job
 * that had already failed is `failed`; one that was already done is not counted.
 */
export interface WorkSummary {
  done: number
  failed: number
  later: number
  /** If the named job is `later`: the milliseconds until it is due and the lease that another worker has on it ends. */
  laterMs?: number
}
