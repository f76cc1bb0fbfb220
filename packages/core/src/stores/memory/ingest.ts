import { listPage, type MemoryList } from './list.ts'
import { decideOutcome, estimate, hasReplacedDuplicate } from '../../ingest/rules.ts'
import { queueTimes, retryDelay } from '../../queue/times.ts'
import type {
  AdminJob,
  Claim,
  ClaimJobParams,
  IngestStore,
  ListAllJobsParams,
  JobRecord,
  OutcomeRecord,
  PreparedTrace,
  UploadRecord,
} from '../../ingest/store.ts'
import { clockSkewMs } from '../../ports.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import { memoryDailyCounts, type MemoryDailyCounts } from './overview.ts'
import { memoryOutbox, type MemoryOutbox } from './outbox.ts'
import { utcDay } from '../../ids.ts'
import { unknownOrigin, type TraceOrigin } from '../../traces/store.ts'
import type { MemoryTraces } from './traces.ts'

interface StoredJob {
  job: { -readonly [K in Exclude<keyof AdminJob, 'email'>]: AdminJob[K] }
  parts: number
  bytes: number
  dueAt: number
  lease: string | null
  leaseUntil: number
  takenAt: number | null
  losses: number
  traceparent: string | null
  origin: TraceOrigin
  outcomes: StoredOutcome[]
}
type ScrubbedTrace = Extract<PreparedTrace, { kind: 'scrubbed' }>
type StoredOutcome = Omit<OutcomeRecord, 'sourceId'> & { sourceId: string; readonly tokens: number }
interface StoredUpload extends Omit<UploadRecord, 'taken'> {
  ownerId: string
  secretHash: string
  job: string | null
}

const isOpen = ({ job }: StoredJob): boolean => job.status !== 'done' && job.status !== 'failed'
const recordOf = ({ job: { ownerId: _, attempts: __, attemptEnd: ___, ...record } }: StoredJob): JobRecord => record
const isKept = ({ outcome }: Pick<StoredOutcome, 'outcome'>): boolean => outcome === 'stored' || outcome === 'updated'
const outcomesOf = ({ outcomes }: StoredJob): OutcomeRecord[] => outcomes.map(({ tokens: _, ...outcome }) => outcome)

/**
 * Returns an ingest store in Maps that stores into the given traces. Every method is synchronous inside, so it is
 * atomic.
 */
export function memoryIngest(
  traces: MemoryTraces,
  audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
  counts: Pick<MemoryDailyCounts, 'add'> = memoryDailyCounts(),
  outbox: Pick<MemoryOutbox, 'enqueueEvent'> = memoryOutbox(),
  emailOf: (ownerId: string) => Promise<string | null> = async () => null,
): IngestStore {
  /** In the order in which they were enqueued. */
  const jobs = new Map<string, StoredJob>()
  const uploads = new Map<string, StoredUpload>()

  traces.onDeletion((traceId) => {
    for (const { outcomes } of jobs.values()) {
      for (const outcome of outcomes) if (outcome.traceId === traceId) outcome.sourceId = ''
    }
  })

  traces.onRename((traceId, before, after) => {
    for (const { outcomes } of jobs.values()) {
      for (const outcome of outcomes)
        if (outcome.traceId === traceId && outcome.sourceId === before) outcome.sourceId = after
    }
  })

  const findOwn = ({ ownerId, jobId }: { ownerId: string; jobId: string }): StoredJob | null => {
    const stored = jobs.get(jobId)
    return stored?.job.ownerId === ownerId ? stored : null
  }
  const findHeld = ({ jobId, lease }: Claim): StoredJob | null => {
    const stored = jobs.get(jobId)
    return stored?.lease === lease ? stored : null
  }
  /** Gives a job back; null, a job that another worker has, changes nothing. */
  const returnJob = (stored: StoredJob | null, changes: Partial<StoredJob['job']>, dueAt = 0): void => {
    if (!stored) return
    Object.assign(stored.job, changes)
    Object.assign(stored, { lease: null, dueAt })
  }

  /** Returns whether a job that was added after this one stored the trace. */
  function hasLaterVersion(jobId: string, traceId: string): boolean {
    const added = [...jobs.values()]
    return added
      .slice(added.findIndex(({ job }) => job.id === jobId) + 1)
      .some(({ outcomes }) => outcomes.some((one) => one.traceId === traceId && isKept(one)))
  }

  /** Returns null for a trace that came as known and is known no longer. */
  function decide(ownerId: string, jobId: string, prepared: PreparedTrace): StoredOutcome | null {
    const { index, sourceId, kind, isRepeated } = prepared
    const { contentTraceId, namedTraceId, ...state } = traces.stateFor(ownerId, prepared)
    const isSuperseded = namedTraceId !== null && hasLaterVersion(jobId, namedTraceId)
    const outcome = decideOutcome({ kind, isRepeated, isSuperseded, ...state })
    if (outcome === null) return null
    const decided = { index, sourceId, outcome, traceId: null, redactions: 0, tokens: 0 }
    if (outcome.startsWith('duplicate')) return { ...decided, traceId: contentTraceId ?? namedTraceId }
    if (outcome === 'already_sold') return { ...decided, traceId: namedTraceId }
    if (!isKept(decided) || prepared.kind !== 'scrubbed') return decided
    const { trace, redactions } = prepared
    return { ...decided, traceId: namedTraceId ?? trace.id, redactions, tokens: trace.tokenCount }
  }

  function storeTrace({ job: { ownerId }, origin }: StoredJob, prepared: ScrubbedTrace, now: number): void {
    traces.upsert(ownerId, prepared, now, origin)
    const categories = Object.entries(JSON.parse(prepared.trace.redactions) as Record<string, number>)
    counts.add(now, Object.fromEntries(categories.map(([category, count]) => [`redactions.${category}`, count])))
  }

  function waitingBytes(ownerId: string, now: number): number {
    let bytes = 0
    for (const stored of jobs.values()) if (stored.job.ownerId === ownerId && isOpen(stored)) bytes += stored.bytes
    for (const upload of uploads.values()) {
      if (upload.ownerId === ownerId && upload.job === null && upload.expiresAt > now) bytes += upload.bytes
    }
    return bytes
  }

  /** Returns the jobs that `IngestStore.claimJob` may claim. */
  function listDueJobs({ lease, now, leaseUntil, exceptOwnerIds = [] }: ClaimJobParams): StoredJob[] {
    const isDue = ({ dueAt, job: { attempts } }: StoredJob): boolean =>
      dueAt <= now || dueAt > now + clockSkewMs + (retryDelay(queueTimes.ingest, attempts) ?? 0)
    const isFree = (stored: StoredJob): boolean =>
      stored.lease === null ||
      stored.lease === lease ||
      stored.leaseUntil < now ||
      stored.leaseUntil > 2 * leaseUntil - now
    return [...jobs.values()].filter(
      (stored) => isOpen(stored) && isDue(stored) && isFree(stored) && !exceptOwnerIds.includes(stored.job.ownerId),
    )
  }

  /**
   * Returns the job of the owner whose last claim is the longest ago, and of theirs the one that has been due longest.
   */
  function nextOf(due: readonly StoredJob[], now: number): StoredJob | undefined {
    const lastClaims = new Map<string, number>()
    for (const { job, takenAt } of jobs.values()) {
      if (takenAt === null || takenAt > now + clockSkewMs) continue
      lastClaims.set(job.ownerId, Math.max(takenAt, lastClaims.get(job.ownerId) ?? takenAt))
    }
    const lastClaim = ({ job }: StoredJob): number => lastClaims.get(job.ownerId) ?? Number.MIN_SAFE_INTEGER
    return [...due].sort((a, b) => lastClaim(a) - lastClaim(b) || a.dueAt - b.dueAt)[0]
  }

  return {
    async enqueueJob({ parts, bytes, maxWaitingBytes = Infinity, traceparent = null, origin = unknownOrigin, ...job }) {
      if (waitingBytes(job.ownerId, job.enqueuedAt) + bytes > maxWaitingBytes) return 'over_quota'
      jobs.set(job.id, {
        job: {
          ...job,
          status: 'queued',
          traceCount: 0,
          rejectedCount: 0,
          estimatedUsd: null,
          errorMessage: null,
          errorStage: null,
          errorClass: null,
          startedAt: null,
          finishedAt: null,
          attempts: 0,
          attemptEnd: null,
        },
        parts,
        bytes,
        dueAt: job.enqueuedAt,
        lease: null,
        leaseUntil: 0,
        takenAt: null,
        losses: 0,
        traceparent,
        origin,
        outcomes: [],
      })
      counts.add(job.enqueuedAt, { uploads: 1 })
      return null
    },
    async countWaitingBytes({ ownerId, now }) {
      return waitingBytes(ownerId, now)
    },
    async withdrawJob(params) {
      const stored = findOwn(params)
      if (stored === null || stored.job.startedAt !== null) return false
      counts.add(stored.job.enqueuedAt, { uploads: -1 })
      return jobs.delete(params.jobId)
    },
    async findJob(params) {
      const stored = findOwn(params)
      return stored && recordOf(stored)
    },
    async listOutcomes(params) {
      const stored = findOwn(params)
      return stored && outcomesOf(stored)
    },
    async listJobs({ ownerId, limit, cursor = null }) {
      return [...jobs.values()]
        .filter(({ job }) => job.ownerId === ownerId && (cursor === null || job.id < cursor))
        .reverse()
        .slice(0, limit)
        .map(recordOf)
    },
    async findAnyJob({ jobId }) {
      const stored = jobs.get(jobId)
      return stored ? { ...stored.job, email: await emailOf(stored.job.ownerId) } : null
    },
    async listAllJobs({ status, source, errorClass, ...params }) {
      const all = await Promise.all(
        [...jobs.values()].map(async ({ job }, num) => ({ ...job, num: num + 1, email: await emailOf(job.ownerId) })),
      )
      const found = all.filter(
        (job) =>
          (status === undefined || job.status === status) &&
          (source === undefined || job.source === source) &&
          (errorClass === undefined || job.errorClass === errorClass),
      )
      const list: MemoryList<(typeof all)[number], NonNullable<ListAllJobsParams['sort']>> = {
        num: ({ num }) => num,
        at: ({ enqueuedAt }) => enqueuedAt,
        sorts: {
          enqueuedAt: ({ num }) => num,
          total: ({ total }) => total,
          rejectedCount: ({ rejectedCount }) => rejectedCount,
        },
        whole: ({ id, ownerId, email }) => [id, ownerId, email],
        text: ({ id, source: from, errorMessage }) => [id, from, errorMessage],
      }
      const { items, next } = listPage(found, list, params)
      return { items: items.map(({ num, ...job }) => job), next }
    },
    async retryJob({ jobId, failedSince, audit }) {
      const stored = jobs.get(jobId)
      if (!stored) return null
      const { job, parts } = stored
      const retried = job.status === 'failed' && job.finishedAt! >= failedSince && (parts > 0 || job.total === 0)
      if (retried) {
        const changes = {
          status: 'queued',
          attempts: 0,
          attemptEnd: null,
          errorMessage: null,
          errorStage: null,
          errorClass: null,
          startedAt: null,
          finishedAt: null,
        } as const
        returnJob(stored, changes, audit.at)
        stored.losses = 0
        audits.record(audit, 'job.retry', jobId, { status: 'failed' }, { status: 'queued' })
      }
      return { retried, job: recordOf(stored) }
    },

    async claimJob(params) {
      const { lease, now, leaseUntil, jobId } = params
      const due = listDueJobs(params)
      const repeated = due.find((stored) => stored.lease === lease)
      const stored = jobId === undefined ? (repeated ?? nextOf(due, now)) : due.find(({ job }) => job.id === jobId)
      if (!stored) return null
      const { job, parts, outcomes, lease: lastLease } = stored
      const attempt = job.attempts + (lastLease === lease ? 0 : 1)
      if (lastLease !== null && lastLease !== lease) {
        stored.losses++
        job.attemptEnd = 'worker_lost'
      }
      // A due time too far ahead was set before the clock was set back.
      Object.assign(stored, { lease, leaseUntil, takenAt: now, dueAt: Math.min(stored.dueAt, now) })
      Object.assign(job, { status: 'parsing', attempts: attempt, startedAt: job.startedAt ?? now })
      return {
        jobId: job.id,
        lease,
        ownerId: job.ownerId,
        total: job.total,
        parts,
        done: outcomes.length,
        attempt,
        losses: stored.losses,
        dueAt: stored.dueAt,
        traceparent: stored.traceparent,
      }
    },
    async findClaimTime({ jobId }) {
      const stored = jobs.get(jobId)
      if (!stored || !isOpen(stored)) return null
      return { claimableAt: Math.max(stored.dueAt, stored.lease === null ? 0 : stored.leaseUntil) }
    },
    async hasDueJob(params) {
      return listDueJobs(params).length > 0
    },
    async renewLease({ claim, leaseUntil }) {
      const stored = findHeld(claim)
      if (stored) stored.leaseUntil = leaseUntil
      return stored !== null
    },
    async writeBatch({ claim, traces: prepared, copyVersion, now, leaseUntil, copiesFound }) {
      const stored = findHeld(claim)
      if (!stored) return 'lost'
      const next = stored.outcomes.length
      if (prepared[0]?.index !== next) {
        throw new Error(
          `a batch must start at trace ${next}, the first without an outcome, not at ${prepared[0]?.index}`,
        )
      }
      stored.leaseUntil = leaseUntil
      stored.job.status = 'ingesting'
      stored.losses = Math.min(stored.losses, 1)
      if (copyVersion !== undefined && copyVersion !== traces.overlaps.version) return 'stale'
      const decided = prepared.flatMap((one) => decide(claim.ownerId, claim.jobId, one) ?? [])
      if (decided.length < prepared.length || hasReplacedDuplicate(decided)) return 'unknown'
      let traceCount = 0
      for (const [at, outcome] of decided.entries()) {
        const one = prepared[at]!
        if (isKept(outcome) && one.kind === 'scrubbed') storeTrace(stored, one, now)
        stored.outcomes.push(outcome)
        if (isKept(outcome) && one.kind === 'scrubbed' && one.copies) {
          const idOf = (index: number): string | null | undefined => stored.outcomes[index]?.traceId
          traces.storeCopies(outcome.traceId!, one.copies, (index) => idOf(index) ?? undefined)
          if (traces.isCopy(outcome.traceId!)) traceCount++
        }
        counts.add(now, { [isKept(outcome) ? 'tracesStored' : 'tracesRejected']: 1, tokens: outcome.tokens })
      }
      const { foundDays } = traces.overlaps
      const [{ ownerId }, day] = [claim, utcDay(now)]
      if (traceCount > 0 && (foundDays.get(ownerId) ?? -1) < day) {
        foundDays.set(ownerId, day)
        outbox.enqueueEvent(copiesFound, { ownerId, subject: ownerId, data: { userId: ownerId, traceCount } })
      }
      return 'written'
    },
    async completeJob({ claim, usdPerMillionTokens, now, event }) {
      const stored = findHeld(claim)
      if (!stored || stored.outcomes.length !== stored.job.total) return false
      const kept = stored.outcomes.filter(isKept)
      const tokens = kept.reduce((sum, outcome) => sum + outcome.tokens, 0)
      const totals = {
        estimatedUsd: estimate(tokens, usdPerMillionTokens),
        traceCount: kept.length,
        rejectedCount: stored.outcomes.length - kept.length,
      }
      const { id: jobId, ownerId } = stored.job
      returnJob(stored, {
        status: 'done',
        finishedAt: now,
        errorMessage: null,
        errorStage: null,
        errorClass: null,
        ...totals,
      })
      outbox.enqueueEvent(event, { ownerId, subject: ownerId, data: { userId: ownerId, jobId, ...totals } })
      return true
    },
    async releaseJob({ claim, dueAt, end }) {
      const stored = jobs.get(claim.jobId)
      if (!stored || stored.lease === null) return
      const { job, lease } = stored
      job.attemptEnd = end ?? job.attemptEnd
      stored.losses = lease === claim.lease ? 0 : Math.max(stored.losses - 1, 0)
      if (lease === claim.lease) returnJob(stored, { status: 'queued', attempts: job.attempts - 1 }, dueAt)
      else job.attempts = Math.max(job.attempts - 1, 1)
    },
    async postponeJob({ claim, dueAt, end, failure }) {
      const stored = findHeld(claim)
      if (stored) stored.losses = 0
      returnJob(stored, { status: 'queued', attemptEnd: end, ...failure }, dueAt)
    },
    async failJob({ claim, message, now, failure, event }) {
      const stored = findHeld(claim)
      if (!stored) return
      returnJob(stored, { status: 'failed', errorMessage: message, finishedAt: now, ...failure })
      const { id: jobId, ownerId } = stored.job
      outbox.enqueueEvent(event, { ownerId, subject: ownerId, data: { userId: ownerId, jobId, errorMessage: message } })
    },
    async listJobsNeedingUpload({ jobIds, failedSince }) {
      return jobIds.filter((id) => {
        const stored = jobs.get(id)
        if (!stored) return false
        return isOpen(stored) || (stored.job.status === 'failed' && stored.job.finishedAt! >= failedSince)
      })
    },

    async findUploadOfJob(params) {
      const stored = findOwn(params)
      return stored && { status: stored.job.status, parts: stored.parts }
    },
    async markUploadDeleted(params) {
      const stored = findOwn(params)
      if (stored?.job.status === 'failed') stored.parts = 0
    },

    async createUpload({ now, maxWaitingBytes = Infinity, ...upload }) {
      if (waitingBytes(upload.ownerId, now) + upload.bytes > maxWaitingBytes) return 'over_quota'
      uploads.set(upload.id, { ...upload, job: null })
      return null
    },
    async findUpload({ secretHash }) {
      const found = [...uploads.values()].find((upload) => upload.secretHash === secretHash)
      return found ? { id: found.id, bytes: found.bytes, expiresAt: found.expiresAt, taken: found.job !== null } : null
    },
    async claimUpload({ ownerId, uploadId, jobId, now }) {
      const upload = uploads.get(uploadId)
      if (upload?.ownerId !== ownerId) return 'not_found'
      if (upload.job !== null) return 'taken'
      if (upload.expiresAt <= now) return 'expired'
      upload.job = jobId
      return null
    },
    async releaseUpload({ ownerId, uploadId, jobId }) {
      const upload = uploads.get(uploadId)
      if (upload?.ownerId === ownerId && upload.job === jobId) upload.job = null
    },
    async deleteExpiredUploads({ expiredBefore }) {
      for (const [id, { expiresAt }] of uploads) if (expiresAt < expiredBefore) uploads.delete(id)
    },

    async deleteFinishedJobs({ finishedBefore }) {
      for (const [id, stored] of jobs) {
        if (!isOpen(stored) && stored.job.finishedAt! < finishedBefore) jobs.delete(id)
      }
      return false
    },

    async *exportJobs({ ownerId }) {
      for (const stored of jobs.values()) {
        if (stored.job.ownerId === ownerId) yield { ...recordOf(stored), outcomes: outcomesOf(stored) }
      }
    },
    async eraseJobs({ ownerId }) {
      const erased = [...jobs.values()].filter(({ job }) => job.ownerId === ownerId)
      for (const { job } of erased) jobs.delete(job.id)
      const uploadIds = [...uploads.values()].filter((upload) => upload.ownerId === ownerId).map(({ id }) => id)
      for (const id of uploadIds) uploads.delete(id)
      return { jobs: erased.map(({ job, parts }) => ({ id: job.id, parts })), uploads: uploadIds, hasMore: false }
    },
  }
}
