import type { HranaDisturbance } from '../../../test-kit/src/emulators/hrana.ts'

/** The limits of a remote database for the requests of all containers together. */
export interface DatabaseLimits {
  /** Requests per second. Requests above the limit are answered 429 and do not run. */
  readonly requestsPerSecond: number
  /**
   * The maximum number of concurrent requests, including delayed requests. A further request is answered 429. Infinity
   * means no limit.
   */
  readonly concurrentRequests: number
  /** Share of requests that are answered 429 although the limit is not reached. */
  readonly refusedShare: number
  /**
   * Seconds in `retry-after` of a 429. Null sends no `retry-after`, as libSQL's server does for too many concurrent
   * requests.
   */
  readonly retryAfterSeconds: number | null
  /** Share of requests that are answered 50 to 1,000 ms late. */
  readonly slowShare: number
  /** Share of requests that are answered after the client's deadline of 5 seconds. */
  readonly tooLateShare: number
  /** Share of requests whose connection breaks. For half of them it breaks after the statements ran. */
  readonly brokenShare: number
}

/** The number of requests to the database, and of those that it refused, delayed or disconnected. */
export interface DatabaseCounts {
  requests: number
  refused: number
  slow: number
  broken: number
}

/**
 * Makes the `disturb` of `startHrana`: a token bucket that has room for the requests of 200 ms and refills steadily,
 * and random faults by `chance` (0 to 1).
 */
export function makeDisturbance(
  limits: DatabaseLimits,
  chance: () => number,
): { disturb: (underWay: number) => HranaDisturbance | null; counts: DatabaseCounts; stop: () => void } {
  const {
    requestsPerSecond,
    concurrentRequests,
    refusedShare,
    retryAfterSeconds,
    slowShare,
    tooLateShare,
    brokenShare,
  } = limits
  const counts: DatabaseCounts = { requests: 0, refused: 0, slow: 0, broken: 0 }
  let isStopped = false
  const most = Math.max(1, requestsPerSecond / 5)
  let left = most
  let filledAt = performance.now()

  function disturb(underWay: number): HranaDisturbance | null {
    if (isStopped) return null
    counts.requests++
    const now = performance.now()
    left = Math.min(most, left + ((now - filledAt) / 1000) * requestsPerSecond)
    filledAt = now
    if (left < 1 || underWay >= concurrentRequests || chance() < refusedShare) {
      counts.refused++
      return { status: 429, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) }
    }
    left--
    const drawn = chance()
    if (drawn < brokenShare) {
      counts.broken++
      return drawn < brokenShare / 2 ? 'break_before' : 'break_after'
    }
    if (drawn < brokenShare + tooLateShare + slowShare) {
      counts.slow++
      return { delayMs: drawn < brokenShare + tooLateShare ? 6_000 : 50 + 950 * chance() }
    }
    return null
  }

  return { disturb, counts, stop: () => void (isStopped = true) }
}
