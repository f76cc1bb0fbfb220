const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The times of a worker's queue, in milliseconds. */
interface QueueTimes {
  /** The time for which a lease is valid. An item whose lease expired is claimed by the next worker. */
  readonly leaseMs: number
  /** The age at which a lease is renewed. If absent, the work always ends within its lease. */
  readonly renewMs?: number
  /** The delays after failed attempts, in the order of the attempts. */
  readonly retryMs: readonly [number, ...number[]]
  /** The interval at which a worker deletes expired and unused data. */
  readonly sweepMs?: number
}

/**
 * The times of each worker. The number of attempts at an item is one more than the number of delays, unless the comment
 * of the queue says otherwise.
 */
export const queueTimes = {
  ingest: {
    leaseMs: 30 * second,
    renewMs: 10 * second,
    retryMs: [5 * second, 30 * second, 2 * minute, 10 * minute],
    sweepMs: 10 * minute,
  },
  /**
   * An export gets `maxExportAttempts`. An erasure is repeated until it succeeds; the last delay is used for all later
   * attempts.
   */
  account: {
    leaseMs: 30 * second,
    renewMs: 10 * second,
    retryMs: [5 * second, 10 * second, 20 * second, 40 * second, 80 * second, 160 * second, 5 * minute],
    sweepMs: minute,
  },
  /**
   * The lease is longer than any mail server needs, because a mail whose lease expired is never sent again. The delays
   * add up to about 19 hours.
   */
  outbox: {
    leaseMs: 5 * minute,
    retryMs: [30 * second, 2 * minute, 10 * minute, hour, 5 * hour, 12 * hour],
    sweepMs: 10 * minute,
  },
  /** The lease is longer than a batch of deliveries takes. The delays add up to three days. */
  webhooks: {
    leaseMs: 5 * minute,
    retryMs: [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  },
  /** The delays between the attempts to scrub one trace. After the last attempt, the trace is withheld. */
  rescrub: { leaseMs: 30 * second, renewMs: 10 * second, retryMs: [minute, minute, minute, minute] },
} as const satisfies Record<string, QueueTimes>

/** Returns the delay in ms after attempt number `attempt` (the first is 1), or null after the last attempt. */
export function retryDelay({ retryMs }: Pick<QueueTimes, 'retryMs'>, attempt: number): number | null {
  return retryMs[attempt - 1] ?? null
}

/**
 * Returns the delay after an attempt at an item that is retried until it succeeds. Later attempts use the last delay.
 */
export function repeatedDelayMs({ retryMs }: Pick<QueueTimes, 'retryMs'>, attempt: number): number {
  return retryMs[Math.min(attempt, retryMs.length) - 1] ?? retryMs[0]
}
