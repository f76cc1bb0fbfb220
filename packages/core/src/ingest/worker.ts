import { toHex } from '../ids.ts'
import type { Blobs, Clock, Logger, Random } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { Lost, Stopped } from './lease.ts'
import { leaseMs, maxAttempts, sweepMs, waitAfter } from './rules.ts'
import { runJob, type RunDeps } from './run.ts'
import type { Claim, IngestStore } from './store.ts'
import { sweep } from './sweep.ts'

export interface WorkerDeps extends RunDeps {
  readonly store: IngestStore
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/** What waits: the loop of jobs, and the one of what must go out. They wait independently of each other. */
export type Loop = 'jobs' | 'outbox'

export interface WorkOptions {
  /** Aborted: the job in hand is given back between two slices, its attempt not counted, and the call resolves. */
  readonly signal?: AbortSignal
  /** Only this job: what a message of the `Queue` port named. */
  readonly jobId?: string
  /**
   * Called when nothing is due; resolves when it is time to look again (a message, a second gone by, or the signal aborted).
   * Absent: the call resolves when nothing is due.
   */
  readonly wait?: (loop: Loop) => Promise<void>
}

/**
 * How many jobs ended in which way. `later`: given back to be taken again, or held by another worker. A job that was named and
 * had failed already is `failed`; one that was done already is nothing.
 */
export interface Worked {
  done: number
  failed: number
  later: number
}

/**
 * Makes the worker of ingest jobs. A job is taken by lease; one whose worker died is taken again when its lease runs out, and
 * goes on after the last slice that was written. A job that goes wrong is tried five times with growing waits. An outage of the
 * store or the blobs is not the job's: the job is given back, its attempt not counted, and the worker looks again after
 * `wait`, or throws where there is none.
 */
export function ingestWorker(deps: WorkerDeps): (options?: WorkOptions) => Promise<Worked> {
  const { store, clock, random, logger } = deps
  let swept = Number.NEGATIVE_INFINITY

  const freshLease = (): string => toHex(random(16))

  async function tidy(): Promise<void> {
    const now = clock()
    if (now - swept < sweepMs) return
    swept = now
    await sweep(deps, now)
  }

  return async ({ signal, jobId, wait } = {}) => {
    const worked: Worked = { done: 0, failed: 0, later: 0 }
    // Kept until the store answers: a job that was taken although the answer was lost is then taken again at once.
    let lease = freshLease()
    /** The job in hand, or one that an outage left there. */
    let held: Claim | null = null
    const giveBack = async (): Promise<void> => {
      if (held) await store.release(held, clock())
      held = null
    }
    while (!signal?.aborted) {
      try {
        await giveBack()
        const now = clock()
        held = await store.take(lease, now, now + leaseMs, jobId)
        if (held) {
          lease = freshLease()
          worked[await attempt(deps, held, signal)]++
          held = null
          continue
        }
        if (jobId === undefined) await tidy()
        else if ((await store.needing([jobId], Number.POSITIVE_INFINITY)).length > 0) worked.later ||= 1
        // Failed before, by whomever: its message is not to be taken for done.
        else if (worked.done === 0 && (await store.needing([jobId], 0)).length > 0) worked.failed ||= 1
      } catch (error) {
        logger.warn({ err: error }, 'the worker could not reach its store')
        if (!wait) {
          // If the store does not take the job back now either, its lease runs out.
          await giveBack().catch(() => undefined)
          throw error
        }
      }
      if (!wait) break
      await wait('jobs')
    }
    return worked
  }
}

/** One attempt at a job, to whichever end. Throws when the store or the blobs do not answer; the job is then still held. */
async function attempt(deps: WorkerDeps, claim: Claim, signal: AbortSignal | undefined): Promise<keyof Worked> {
  const { store, clock, logger } = deps
  const { jobId } = claim
  // Counted when it was taken: a job that kills its worker each time comes to an end too.
  if (claim.attempt > maxAttempts) {
    await store.fail(claim, 'The batch could not be processed: its worker stopped unexpectedly, five times.', clock())
    return 'failed'
  }
  try {
    await runJob(deps, claim, signal)
    return 'done'
  } catch (error) {
    if (error instanceof Lost) {
      logger.warn({ jobId }, 'another worker has the job now')
      return 'later'
    }
    if (error instanceof Stopped) {
      await store.release(claim, clock())
      return 'later'
    }
    if (Unavailable.is(error)) throw error
    const wait = waitAfter(claim.attempt)
    logger.warn({ err: error, jobId, attempt: claim.attempt, wait }, 'an attempt at a job went wrong')
    if (wait !== null) await store.postpone(claim, clock() + wait)
    else await store.fail(claim, plainly(error), clock())
    return wait !== null ? 'later' : 'failed'
  }
}

/** What the contributor is told. Never the error's own words, which may hold a path or a value. */
function plainly(error: unknown): string {
  if (error instanceof Error && error.name === 'UploadGone') return 'The uploaded batch is no longer there. Please send it again.'
  return 'The batch could not be processed because of an error on our side.'
}

