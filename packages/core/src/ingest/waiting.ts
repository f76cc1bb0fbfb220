import type { Logger } from '../ports.ts'

/** The fields of a job that show how long it waits. */
interface WaitingJob {
  readonly id: string
  readonly status: string
  /** Milliseconds since 1970. */
  readonly enqueuedAt: number
}

/** Warns of a job that waits for a worker. */
export type WarnOfWaiting = (job: WaitingJob, now: number) => void

const waitingMs = 60_000

/**
 * Returns a function that logs `ingest.job.waiting`, at most once a minute, for a job that no worker has claimed for a
 * minute. Most often no worker runs at all: `service.startWorker()` starts one.
 */
export function createWaitingWarning(logger: Logger): WarnOfWaiting {
  let warnedAt = Number.NEGATIVE_INFINITY
  return ({ id, status, enqueuedAt }, now) => {
    const waitedMs = now - enqueuedAt
    if (status !== 'queued' || waitedMs < waitingMs || now - warnedAt < waitingMs) return
    warnedAt = now
    logger.warn({ jobId: id, waitedMs, fix: 'run a worker: service.startWorker()' }, 'ingest.job.waiting')
  }
}
