import { toHex } from '../ids.ts'
import type { Blobs, Clock, Logger, Random } from '../ports.ts'
import { inSpan, markFailed, traceFields, type OpenSpan, type SpanDescription } from '../tracing.ts'
import { Unavailable } from '../unavailable.ts'
import { LeaseLostError, Preempted, Stopped } from './lease.ts'
import { leaseMs, maxAttempts, sweepMs, waitAfter } from './rules.ts'
import { runJob, type Position, type RunDeps, type RunOptions } from './run.ts'
import type { Claim, IngestStore } from './store.ts'
import { cleanUpUploads } from './cleanup.ts'

export interface WorkerDeps extends RunDeps {
  readonly store: IngestStore
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/**
 * What waits, each independently: `jobs` has none to run, `others` runs jobs and looks whether another person's came, `outbox` has
 * nothing to send, `webhooks` no event for an endpoint, `account` has no export or erasure to do, `rescrub` has no stored trace to
 * scrub again.
 */
export type Loop = 'jobs' | 'others' | 'outbox' | 'webhooks' | 'account' | 'rescrub'

export interface WorkOptions {
  /** Aborted: the job in hand is given back between two slices, its attempt not counted, and the call resolves. */
  readonly signal?: AbortSignal
  /** Only this job: what a message of the `Queue` port named. */
  readonly jobId?: string
  /**
   * Called when there is nothing to take; resolves when it is time to look again (a message, a second gone by, or the signal aborted).
   * Absent: the call resolves when nothing is due.
   */
  readonly wait?: (loop: Loop) => Promise<void>
}

/**
 * How many jobs ended in which way. `later`: given back to be taken again, or held by another worker. A job that was named and
 * had failed already is `failed`; one that was done already is nothing.
 */
export interface WorkSummary {
  done: number
  failed: number
  later: number
}

/** Jobs that a worker runs at a time, each of another person: nobody's short job waits for somebody else's long one. */
const jobsAtOnce = 4
/** When more people wait, the job that has run longest gives way to them, once it has run for this many milliseconds. */
const turnMs = 1_000
/** Jobs that gave way and whose position is remembered; one that is not starts at its first part again. */
const positionsKept = 100

interface Run {
  readonly ownerId: string
  readonly since: number
  readonly ended: Promise<void>
  isPreempted: boolean
}

/**
 * Makes the worker of ingest jobs. A job is taken by lease, round-robin by owner; one whose worker died is taken again when its
 * lease runs out, and goes on after the last slice that was written. A job that goes wrong is tried five times with growing
 * waits. An outage of the store or the blobs is not the job's: the job is given back, its attempt not counted, and the worker
 * looks again after `wait`, or throws where there is none.
 */
export function ingestWorker(deps: WorkerDeps): (options?: WorkOptions) => Promise<WorkSummary> {
  const { store, clock, random, logger } = deps
  const positions = new Map<string, Position>()
  let swept = Number.NEGATIVE_INFINITY

  const freshLease = (): string => toHex(random(16))

  async function tidy(): Promise<void> {
    const now = clock()
    if (now - swept < sweepMs) return
    swept = now
    await cleanUpUploads(deps, now)
  }

  async function runOnce(claim: Claim, signal: AbortSignal | undefined, isPreempted: () => boolean): Promise<End> {
    let position = positions.get(claim.jobId)
    positions.delete(claim.jobId)
    const options = { signal, isPreempted, from: position, onPart: (at: Position) => (position = at) }
    const end = await inSpan(
      () => describeAttempt(claim),
      (span) => attempt(deps, claim, options, span),
      { headers: { traceparent: claim.traceparent ?? undefined }, prefer: 'headers' },
    )
    if (end === 'preempted' && position) positions.set(claim.jobId, position)
    if (positions.size > positionsKept) positions.delete(positions.keys().next().value!)
    return end
  }

  return async ({ signal, jobId, wait } = {}) => {
    const worked: WorkSummary = { done: 0, failed: 0, later: 0 }
    const most = jobId === undefined ? jobsAtOnce : 1
    const runs = new Set<Run>()
    /** Jobs that an outage left in our hands. */
    const left: Claim[] = []
    let outage: { error: unknown } | null = null
    // Kept until the store answers: a job that was taken although the answer was lost is then taken again at once.
    let lease = freshLease()
    let looking: Promise<void> | null = null

    const waitForOthers = async (): Promise<void> => {
      looking ??= wait!('others').finally(() => (looking = null))
      await looking
    }
    const giveBack = async (): Promise<void> => {
      for (; left.length > 0; left.pop()) await store.releaseJob({ claim: left.at(-1)!, dueAt: clock() })
    }
    const start = (claim: Claim): void => {
      const { ownerId } = claim
      const ended = runOnce(claim, signal, () => run.isPreempted)
        .then(
          (end) => {
            if (end !== 'preempted') worked[end]++
          },
          (error: unknown) => {
            left.push(claim)
            outage = { error }
          },
        )
        .finally(() => runs.delete(run))
      const run: Run = { ownerId, since: clock(), ended, isPreempted: false }
      runs.add(run)
    }
    /** Whether a job was started, or runs and may end soon. */
    const advance = async (): Promise<boolean> => {
      await giveBack()
      const now = clock()
      const which = { lease, now, leaseUntil: now + leaseMs, exceptOwnerIds: [...runs].map(({ ownerId }) => ownerId) }
      const claim = runs.size < most ? await store.claimJob({ ...which, jobId }) : null
      if (claim) {
        lease = freshLease()
        start(claim)
        return true
      }
      if (runs.size === 0) return false
      const [oldest] = runs
      const isFull = jobId === undefined && runs.size === most && !oldest!.isPreempted && now - oldest!.since >= turnMs
      if (isFull && (await store.hasDueJob(which))) oldest!.isPreempted = true
      await Promise.race([...[...runs].map(({ ended }) => ended), ...(wait ? [waitForOthers()] : [])])
      if (outage) throw outage.error
      return true
    }

    while (!signal?.aborted) {
      try {
        outage = null
        if (await advance()) continue
        if (jobId === undefined) await tidy()
        else if (
          (await store.listJobsNeedingUpload({ jobIds: [jobId], failedSince: Number.POSITIVE_INFINITY })).length > 0
        )
          worked.later ||= 1
        // Failed before, by whomever: its message is not to be taken for done.
        else if (
          worked.done === 0 &&
          (await store.listJobsNeedingUpload({ jobIds: [jobId], failedSince: 0 })).length > 0
        )
          worked.failed ||= 1
      } catch (error) {
        logger.warn({ err: error }, 'the worker could not reach its store')
        if (!wait) {
          await Promise.all([...runs].map(({ ended }) => ended))
          // If the store does not take the jobs back now either, their leases run out.
          await giveBack().catch(() => undefined)
          throw error
        }
      }
      if (!wait) break
      await wait('jobs')
    }
    await Promise.all([...runs].map(({ ended }) => ended))
    return worked
  }
}

/** How an attempt ended. `preempted`: it gave way to another person's job and goes on later. */
type End = keyof WorkSummary | 'preempted'

const describeAttempt = ({ jobId, attempt, total }: Claim): SpanDescription => ({
  name: 'tributary ingest.job',
  kind: 'CONSUMER',
  attributes: { 'tributary.job.id': jobId, 'tributary.job.attempt': attempt, 'tributary.job.traces': total },
})

/** One attempt at a job, to whichever end. Throws when the store or the blobs do not answer; the job is then still held. */
async function attempt(deps: WorkerDeps, claim: Claim, options: RunOptions, span: OpenSpan): Promise<End> {
  const { store, clock, logger, makeEvent } = deps
  const { jobId } = claim
  const startedAt = clock()
  const fieldsAt = (now: number) => ({
    jobId,
    attempt: claim.attempt,
    traces: claim.total,
    ms: now - startedAt,
    ...traceFields(),
  })
  const failJob = async (message: string): Promise<void> => {
    const now = clock()
    await store.failJob({ claim, message, now, event: makeEvent('job.failed', now) })
    logger.warn(fieldsAt(now), 'ingest.job.failed')
  }
  // Counted when it was taken: a job that kills its worker each time comes to an end too.
  if (claim.attempt > maxAttempts) {
    markFailed(span, 'worker_stopped')
    await failJob('The batch could not be processed: its worker stopped unexpectedly, five times.')
    return 'failed'
  }
  try {
    await runJob(deps, claim, options)
    logger.info(fieldsAt(clock()), 'ingest.job.completed')
    return 'done'
  } catch (error) {
    if (error instanceof LeaseLostError) {
      logger.warn({ jobId }, 'another worker has the job now')
      return 'later'
    }
    if (error instanceof Preempted) {
      // Due as long as before: it is its owner's next.
      await store.releaseJob({ claim, dueAt: claim.dueAt })
      return 'preempted'
    }
    if (error instanceof Stopped) {
      await store.releaseJob({ claim, dueAt: clock() })
      return 'later'
    }
    if (Unavailable.is(error)) throw error
    markFailed(span, error instanceof Error ? error.name : '_OTHER')
    const wait = waitAfter(claim.attempt)
    logger.warn({ err: error, jobId, attempt: claim.attempt, wait }, 'an attempt at a job went wrong')
    if (wait !== null) await store.postponeJob({ claim, dueAt: clock() + wait })
    else await failJob(plainly(error))
    return wait !== null ? 'later' : 'failed'
  }
}

/** What the contributor is told. Never the error's own words, which may hold a path or a value. */
function plainly(error: unknown): string {
  if (error instanceof Error && error.name === 'UploadGone')
    return 'The uploaded batch is no longer there. Please send it again.'
  if (error instanceof Error && error.name === 'UploadUnreadable')
    return 'The uploaded batch can no longer be read. Please send it again.'
  return 'The batch could not be processed because of an error on our side.'
}
