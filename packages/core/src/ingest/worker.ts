import type { Blobs, Clock, Logger, Random } from '../ports.ts'
import { dropOldest, lastOf } from '../lists.ts'
import { inSpan, markFailed, traceFields, type OpenSpan, type SpanDescription } from '../tracing.ts'
import { Unavailable } from '../unavailable.ts'
import type { WorkOptions, WorkSummary } from '../work.ts'
import { createSweep, runLoop, createClaimer, LeaseLostError, StoppedError, type Claimer } from '../queue/loop.ts'
import { queueTimes, retryDelay } from '../queue/times.ts'
import { lostWaitMs, maxLossesAlone, maxLostAttempts } from './rules.ts'
import { classifyError, PreemptedError, runJob, type Position, type RunDeps, type RunOptions } from './run.ts'
import type { AttemptFailure, Claim, ErrorClass, IngestStore, JobStage } from './store.ts'
import { cleanUpUploads } from './cleanup.ts'

export interface WorkerDeps extends RunDeps {
  readonly store: IngestStore
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/**
 * The number of jobs that a worker runs at a time. Each job has a different owner, so that a short job does not wait
 * for a long job of somebody else.
 */
const maxConcurrentJobs = 4
/** The time in ms after which the job that has run longest is preempted, while jobs of other owners wait. */
const turnMs = 1_000
const times = queueTimes.ingest
/** The maximum number of preempted jobs whose position is remembered. Other jobs start at their first part again. */
const maxPositions = 100

interface Run {
  readonly ownerId: string
  readonly since: number
  readonly ended: Promise<void>
  isPreempted: boolean
  /** Whether no other job may run at the same time. */
  readonly isAlone: boolean
}

/**
 * Makes the worker of ingest jobs. The worker claims jobs by lease, round-robin by owner. A job whose worker died is
 * claimed again when its lease expires, and continues after the last slice that was written. The slice where the worker
 * was lost runs alone, trace by trace, and a trace that stops two more workers is rejected. Then the job is released,
 * and its next claim continues in slices. A job that fails is tried five times with growing delays, or once if a
 * verifier or detector does not answer. In an outage of the store or the blobs the job is released without counting the
 * attempt, and the worker tries again after `wait`, or throws without `wait`.
 */
export function ingestWorker(deps: WorkerDeps): (options?: WorkOptions) => Promise<WorkSummary> {
  const { store, clock, random, logger } = deps
  const positions = new Map<string, Position>()
  /** Claims whose attempt was interrupted by an outage. They are released before any job is claimed. */
  const interrupted: Claim[] = []
  /** Claimers whose last reply was lost. The next calls use them, and get the jobs that their leases may hold. */
  const unanswered: Claimer[] = []
  const sweepUploads = createSweep(times.sweepMs, clock, (now) => cleanUpUploads(deps, now))

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
    dropOldest(positions, maxPositions)
    return end
  }

  return async (options = {}) => {
    const { signal, jobId, wait } = options
    const summary: WorkSummary = { done: 0, failed: 0, later: 0 }
    const concurrency = jobId === undefined ? maxConcurrentJobs : 1
    const runs = new Set<Run>()
    let outage: { error: unknown } | null = null
    const claimer = unanswered.pop() ?? createClaimer(random)
    /** A job whose last worker died. It starts once the other runs have ended. */
    let suspect: Claim | null = null
    let looking: Promise<void> | null = null

    const waitForOthers =
      wait &&
      (async (): Promise<void> => {
        looking ??= wait('others').finally(() => (looking = null))
        await looking
      })
    const releaseInterrupted = async (): Promise<void> => {
      for (; interrupted.length > 0; interrupted.pop())
        await store.releaseJob({ claim: lastOf(interrupted), dueAt: clock(), end: 'unavailable' })
    }
    const start = (claim: Claim): void => {
      const { ownerId } = claim
      const ended = runOnce(claim, signal, () => run.isPreempted)
        .then(
          (end) => {
            if (end !== 'preempted') summary[end]++
          },
          (error: unknown) => {
            interrupted.push(claim)
            outage = { error }
          },
        )
        .finally(() => runs.delete(run))
      const run: Run = { ownerId, since: clock(), ended, isPreempted: false, isAlone: claim.losses > 0 }
      runs.add(run)
    }
    /** Returns whether a job was started, or is running. */
    const advance = async (): Promise<boolean> => {
      await releaseInterrupted()
      const now = clock()
      const leaseUntil = now + times.leaseMs
      const claimParams = { now, leaseUntil, exceptOwnerIds: [...runs].map(({ ownerId }) => ownerId) }
      if (suspect && runs.size === 0) {
        start(suspect)
        suspect = null
        return true
      }
      const slots = suspect ? 0 : [...runs].some(({ isAlone }) => isAlone) ? 1 : concurrency
      const claim =
        runs.size < slots ? await claimer.claim((lease) => store.claimJob({ ...claimParams, lease, jobId })) : null
      if (claim) {
        if (claim.losses === 0 || runs.size === 0) start(claim)
        else {
          suspect = claim
          for (const run of runs) run.isPreempted = true
        }
        return true
      }
      if (runs.size === 0) return false
      if (suspect && !(await store.renewLease({ claim: suspect, leaseUntil }))) suspect = null
      // Every run may have ended while the lease was renewed.
      const [oldest] = runs
      const mayPreempt =
        jobId === undefined && oldest && runs.size >= slots && !oldest.isPreempted && now - oldest.since >= turnMs
      if (mayPreempt && (await store.hasDueJob({ ...claimParams, lease: claimer.lease }))) oldest.isPreempted = true
      if (runs.size === 0) return true
      await Promise.race([...[...runs].map(({ ended }) => ended), ...(waitForOthers ? [waitForOthers()] : [])])
      if (outage) throw outage.error
      return true
    }

    /** Adds the named job to the summary when this call did not run it. */
    const summarizeJob = async (id: string): Promise<void> => {
      const found = await store.findClaimTime({ jobId: id })
      if (found) {
        summary.later ||= 1
        summary.laterMs = Math.max(0, found.claimableAt - clock())
      }
      // The job failed earlier, so its message in the queue must not count as done.
      else if (summary.done === 0 && (await store.listJobsNeedingUpload({ jobIds: [id], failedSince: 0 })).length > 0)
        summary.failed ||= 1
    }

    try {
      await runLoop(options, {
        loop: 'jobs',
        logger,
        outage: 'ingest.worker.unavailable',
        async step() {
          outage = null
          if (await advance()) return true
          await (jobId === undefined ? sweepUploads() : summarizeJob(jobId))
          return false
        },
      })
    } catch (error) {
      unanswered.push(claimer)
      throw error
    } finally {
      if (suspect) interrupted.push(suspect)
      await Promise.all([...runs].map(({ ended }) => ended))
      // If the store does not answer now either, the next call releases the jobs.
      await releaseInterrupted().catch(() => undefined)
    }
    return summary
  }
}

/** The result of an attempt. `preempted`: a job of another owner runs first, and this job continues later. */
type End = keyof WorkSummary | 'preempted'

const describeAttempt = ({ jobId, attempt, total }: Claim): SpanDescription => ({
  name: 'tributary ingest.job',
  kind: 'CONSUMER',
  attributes: { 'tributary.job.id': jobId, 'tributary.job.attempt': attempt, 'tributary.job.traces': total },
})

/**
 * Runs one attempt at a job. Throws when the store or the blobs do not answer; the worker then still has the job's
 * lease.
 */
async function attempt(deps: WorkerDeps, claim: Claim, options: RunOptions, span: OpenSpan): Promise<End> {
  const { store, clock, logger, makeEvent, measurements, usdPerMillionTokens } = deps
  const { jobId } = claim
  const startedAt = clock()
  const fieldsAt = (now: number) => ({
    jobId,
    attempt: claim.attempt,
    traces: claim.total,
    ms: now - startedAt,
    ...traceFields(),
  })
  const failJob = async (message: string, failure?: AttemptFailure): Promise<void> => {
    const now = clock()
    await store.failJob({ claim, message, usdPerMillionTokens, now, failure, event: makeEvent('job.failed', now) })
    logger.warn({ ...fieldsAt(now), ...failure }, 'ingest.job.failed')
    measurements.count('tributary_jobs_total', { outcome: 'failed' })
  }
  // The claim counted this attempt, so that a job which stops its worker each time also ends. The job fails immediately
  // if rejecting the next trace did not help.
  if (claim.attempt > maxLostAttempts || claim.losses > maxLossesAlone + 1) {
    markFailed(span, 'worker_stopped')
    // Each failed attempt is recorded, and the fifth recorded attempt ends the job. The last attempt was not recorded.
    await failJob(
      `The batch could not be processed in ${claim.attempt - 1} attempts: ` +
        'in the last one, its worker stopped or was cut off from the database.',
      { errorStage: claim.done < claim.total ? 'redacting' : 'finishing', errorClass: 'worker_lost' },
    )
    return 'failed'
  }
  let errorStage: JobStage = 'reading'
  try {
    await runJob(deps, claim, { ...options, onStage: (stage) => (errorStage = stage) })
    logger.info(fieldsAt(clock()), 'ingest.job.completed')
    measurements.count('tributary_jobs_total', { outcome: 'done' })
    return 'done'
  } catch (error) {
    if (error instanceof LeaseLostError) {
      logger.warn({ jobId, attempt: claim.attempt }, 'ingest.job.lease_lost')
      measurements.count('tributary_lease_losses_total', { worker: 'ingest' })
      // The attempt ended without a crash, so it does not count. If another worker claimed the job, that worker keeps
      // it. The wait limits the load when a store reports a valid lease as lost.
      await store.releaseJob({ claim, dueAt: clock() + lostWaitMs, end: 'lease_lost' })
      return 'later'
    }
    if (error instanceof PreemptedError) {
      // The job keeps its due time, so that it is its owner's next job.
      await store.releaseJob({ claim, dueAt: claim.dueAt, end: null })
      return 'preempted'
    }
    if (error instanceof StoppedError) {
      await store.releaseJob({ claim, dueAt: clock(), end: 'stopped' })
      return 'later'
    }
    if (Unavailable.is(error) && !Unavailable.isDamaged(error)) throw error
    markFailed(span, error instanceof Error ? error.name : '_OTHER')
    // These errors fail the next attempt too; the operator retries the job after a repair.
    const failure = { errorStage, errorClass: classifyError(error) }
    const isFinal = finalErrors.has(failure.errorClass)
    const retryDelayMs = isFinal ? null : retryDelay(times, claim.attempt)
    logger.warn({ err: error, jobId, attempt: claim.attempt, ...failure, retryDelayMs }, 'ingest.job.attempt_failed')
    if (retryDelayMs === null) {
      await failJob(contributorMessages[failure.errorClass], failure)
      return 'failed'
    }
    measurements.count('tributary_jobs_total', { outcome: 'retried' })
    await store.postponeJob({ claim, dueAt: clock() + retryDelayMs, end: 'error', failure })
    return 'later'
  }
}

/** Errors that every further attempt would have too. */
const finalErrors: ReadonlySet<ErrorClass> = new Set(['database_damaged', 'detector_timeout', 'verifier_timeout'])

const notChecked = 'The upload could not be checked, because a detector or verifier of the service'

/** The message that the contributor reads. The error's own message may contain a path or a value. */
const contributorMessages: Readonly<Record<Exclude<ErrorClass, 'worker_lost'>, string>> = {
  upload_gone: 'The uploaded batch is no longer there. Please send it again.',
  upload_unreadable: 'The uploaded batch can no longer be read. Please send it again.',
  detector_timeout: `${notChecked} does not answer.`,
  verifier_timeout: `${notChecked} does not answer.`,
  detector_failed: `${notChecked} fails.`,
  verifier_failed: `${notChecked} fails.`,
  database_damaged: 'The upload could not be stored, because the database of the service is damaged.',
  internal_error: 'The upload could not be processed because of a server error.',
}
