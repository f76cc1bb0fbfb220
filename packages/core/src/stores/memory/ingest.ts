import { estimate, waitAfter } from '../../ingest/rules.ts'
import type {
  AdminJob,
  Claim,
  PreparedTrace,
  IngestStore,
  JobRecord,
  OutcomeRecord,
  ClaimJobParams,
  UploadRecord,
} from '../../ingest/store.ts'
import type { NewTrace } from '../../traces/store.ts'
import { clockSkewMs } from '../../ports.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import type { MemoryTraces } from './traces.ts'

interface Kept {
  job: { -readonly [K in keyof AdminJob]: AdminJob[K] }
  parts: number
  bytes: number
  dueAt: number
  lease: string | null
  leaseUntil: number
  takenAt: number | null
  outcomes: (Omit<OutcomeRecord, 'sourceId'> & { sourceId: string; readonly tokens: number })[]
}
interface KeptUpload extends Omit<UploadRecord, 'taken'> {
  ownerId: string
  secretHash: string
  job: string | null
}

const isOpen = ({ job }: Kept): boolean => job.status !== 'done' && job.status !== 'failed'

/** Ingest jobs in Maps, storing into the given traces. Every step is synchronous inside, so it is atomic. */
export function memoryIngest(traces: MemoryTraces, audits: Pick<MemoryAudit, 'record'> = memoryAudit()): IngestStore {
  /** In the order in which they came. */
  const jobs = new Map<string, Kept>()
  const uploads = new Map<string, KeptUpload>()

  traces.onDeletion((traceId) => {
    for (const { outcomes } of jobs.values()) for (const one of outcomes) if (one.traceId === traceId) one.sourceId = ''
  })

  const mine = (ownerId: string, id: string): Kept | null => {
    const kept = jobs.get(id)
    return kept?.job.ownerId === ownerId ? kept : null
  }
  const held = ({ jobId, lease }: Claim): Kept | null => {
    const kept = jobs.get(jobId)
    return kept?.lease === lease ? kept : null
  }
  const bare = ({ job }: Kept): JobRecord => {
    const { ownerId: _, attempts: __, total: ___, ...record } = job
    return { ...record }
  }
  const told = ({ outcomes }: Kept): OutcomeRecord[] => outcomes.map(({ tokens: _, ...outcome }) => outcome)
  const letGo = (kept: Kept | null, changes: Partial<Kept['job']>, dueAt = 0): void => {
    if (!kept) return
    Object.assign(kept.job, changes)
    Object.assign(kept, { lease: null, dueAt })
  }

  function decide(kept: Kept, one: PreparedTrace, now: number): Kept['outcomes'][number] {
    const { ownerId } = kept.job
    const head = { index: one.index, sourceId: one.sourceId, redactions: 0, tokens: 0 }
    const knows = traces.knows(ownerId, one.contentHash)
    if (one.kind === 'refused' && !knows) return { ...head, outcome: 'rejected', traceId: null }
    // What is known is decided by its hash alone; nothing of the stand-in is kept.
    const trace = one.kind === 'scrubbed' ? one.trace : ({ contentHash: one.contentHash } as NewTrace)
    const { outcome, traceId } = traces.put(ownerId, [trace], now, one.kind === 'scrubbed' ? one.nameHashes : [])[0]!
    if (outcome === 'duplicate' && one.isRepeated) return { ...head, outcome: 'duplicate_in_batch', traceId }
    if ((outcome !== 'stored' && outcome !== 'updated') || one.kind !== 'scrubbed') return { ...head, outcome, traceId }
    return { ...head, outcome, traceId, redactions: one.redactions, tokens: one.trace.tokenCount }
  }

  function waitingBytes(ownerId: string, now: number): number {
    let bytes = 0
    for (const kept of jobs.values()) if (kept.job.ownerId === ownerId && isOpen(kept)) bytes += kept.bytes
    for (const one of uploads.values())
      if (one.ownerId === ownerId && one.job === null && one.expiresAt > now) bytes += one.bytes
    return bytes
  }

  function dueJobs({ lease, now, leaseUntil: until, exceptOwnerIds = [] }: ClaimJobParams): Kept[] {
    const isDue = ({ dueAt, job: { attempts } }: Kept): boolean =>
      dueAt <= now || dueAt > now + clockSkewMs + (waitAfter(attempts) ?? 0)
    const isFree = (kept: Kept): boolean =>
      kept.lease === null || kept.lease === lease || kept.leaseUntil < now || kept.leaseUntil > 2 * until - now
    return [...jobs.values()].filter(
      (kept) => isOpen(kept) && isDue(kept) && isFree(kept) && !exceptOwnerIds.includes(kept.job.ownerId),
    )
  }

  /** The job of the owner of whom one was taken longest ago, and of theirs the one that has been due longest. */
  function nextOf(due: readonly Kept[], now: number): Kept | undefined {
    const lastTaken = new Map<string, number>()
    for (const {
      job: { ownerId },
      takenAt,
    } of jobs.values()) {
      if (takenAt !== null && takenAt <= now + clockSkewMs)
        lastTaken.set(ownerId, Math.max(takenAt, lastTaken.get(ownerId) ?? takenAt))
    }
    const turn = ({ job }: Kept): number => lastTaken.get(job.ownerId) ?? Number.MIN_SAFE_INTEGER
    return [...due].sort((a, b) => turn(a) - turn(b) || a.dueAt - b.dueAt)[0]
  }

  return {
    async enqueueJob(ownerId, { parts, bytes, ...job }, maxWaitingBytes = Infinity) {
      if (waitingBytes(ownerId, job.enqueuedAt) + bytes > maxWaitingBytes) return 'over_quota'
      jobs.set(job.id, {
        job: {
          ...job,
          ownerId,
          status: 'queued',
          traceCount: 0,
          rejectedCount: 0,
          estimatedUsd: null,
          errorMessage: null,
          startedAt: null,
          finishedAt: null,
          attempts: 0,
        },
        parts,
        bytes,
        dueAt: job.enqueuedAt,
        lease: null,
        leaseUntil: 0,
        takenAt: null,
        outcomes: [],
      })
      return null
    },
    async countWaitingBytes(ownerId, now) {
      return waitingBytes(ownerId, now)
    },
    async withdrawJob(ownerId, jobId) {
      const kept = mine(ownerId, jobId)
      return kept !== null && kept.job.startedAt === null && jobs.delete(jobId)
    },
    async findJob(ownerId, jobId) {
      const kept = mine(ownerId, jobId)
      return kept && bare(kept)
    },
    async listOutcomes(ownerId, jobId) {
      const kept = mine(ownerId, jobId)
      return kept && told(kept)
    },
    async listJobs(ownerId, limit) {
      return [...jobs.values()]
        .filter(({ job }) => job.ownerId === ownerId)
        .reverse()
        .slice(0, limit)
        .map(bare)
    },
    async listAllJobs(status, cursor, limit) {
      const found = [...jobs.values()].filter(
        ({ job }) => (status === null || job.status === status) && (cursor === null || job.id < cursor),
      )
      return found
        .map(({ job }) => ({ ...job }))
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, limit)
    },
    async retryJob(jobId, since, audit) {
      const kept = jobs.get(jobId)
      if (!kept) return null
      const retried =
        kept.job.status === 'failed' && kept.job.finishedAt! >= since && (kept.parts > 0 || kept.job.total === 0)
      if (retried) {
        letGo(kept, { status: 'queued', attempts: 0, errorMessage: null, startedAt: null, finishedAt: null }, audit.at)
        audits.record(audit, 'job.retry', jobId, { status: 'failed' }, { status: 'queued' })
      }
      return { retried, job: bare(kept) }
    },

    async claimJob(params) {
      const { lease, now, leaseUntil: until, jobId } = params
      const due = dueJobs(params)
      const repeated = due.find((one) => one.lease === lease)
      const kept = jobId === undefined ? (repeated ?? nextOf(due, now)) : due.find(({ job }) => job.id === jobId)
      if (!kept) return null
      const { job, parts, outcomes } = kept
      const attempts = job.attempts + (kept.lease === lease ? 0 : 1)
      // What lay too far ahead was set by a clock that was set back since.
      Object.assign(kept, { lease, leaseUntil: until, takenAt: now, dueAt: Math.min(kept.dueAt, now) })
      Object.assign(job, { status: 'parsing', attempts, startedAt: job.startedAt ?? now })
      return {
        jobId: job.id,
        lease,
        ownerId: job.ownerId,
        total: job.total,
        parts,
        done: outcomes.length,
        attempt: job.attempts,
        dueAt: kept.dueAt,
      }
    },
    async hasDueJob(params) {
      return dueJobs(params).length > 0
    },
    async renewLease(claim, until) {
      const kept = held(claim)
      if (kept) kept.leaseUntil = until
      return kept !== null
    },
    async writeBatch(claim, slice, now, until) {
      const kept = held(claim)
      if (!kept) return 'lost'
      const decided = kept.outcomes.length
      if (slice[0]?.index !== decided)
        throw new Error(
          `a slice must begin at trace ${decided}, the first without an outcome, not at ${slice[0]?.index}`,
        )
      kept.leaseUntil = until
      kept.job.status = 'ingesting'
      if (slice.some((one) => one.kind === 'known' && !traces.knows(claim.ownerId, one.contentHash))) return 'unknown'
      for (const one of slice) kept.outcomes.push(decide(kept, one, now))
      return 'written'
    },
    async completeJob(claim, usdPerMillionTokens, finishedAt) {
      const kept = held(claim)
      if (!kept || kept.outcomes.length !== kept.job.total) return false
      const stored = kept.outcomes.filter(({ outcome }) => outcome === 'stored' || outcome === 'updated')
      const estimatedUsd = estimate(
        stored.reduce((sum, { tokens }) => sum + tokens, 0),
        usdPerMillionTokens,
      )
      const counts = { traceCount: stored.length, rejectedCount: kept.outcomes.length - stored.length }
      letGo(kept, { status: 'done', finishedAt, errorMessage: null, estimatedUsd, ...counts })
      return true
    },
    async releaseJob(claim, dueAt) {
      const kept = held(claim)
      letGo(kept, { status: 'queued', attempts: claim.attempt - 1 }, dueAt)
    },
    async postponeJob(claim, dueAt) {
      letGo(held(claim), { status: 'queued' }, dueAt)
    },
    async failJob(claim, errorMessage, finishedAt) {
      letGo(held(claim), { status: 'failed', errorMessage, finishedAt })
    },
    async listJobsNeedingUpload(jobIds, since) {
      return jobIds.filter((id) => {
        const kept = jobs.get(id)
        return kept !== undefined && (isOpen(kept) || (kept.job.status === 'failed' && kept.job.finishedAt! >= since))
      })
    },

    async findUploadOfJob({ ownerId, jobId }) {
      const kept = mine(ownerId, jobId)
      return kept && { status: kept.job.status, parts: kept.parts }
    },
    async markUploadDeleted({ ownerId, jobId }) {
      const kept = mine(ownerId, jobId)
      if (kept?.job.status === 'failed') kept.parts = 0
    },

    async createUpload(ownerId, { now, ...upload }, maxWaitingBytes = Infinity) {
      if (waitingBytes(ownerId, now) + upload.bytes > maxWaitingBytes) return 'over_quota'
      uploads.set(upload.id, { ...upload, ownerId, job: null })
      return null
    },
    async findUpload(secretHash) {
      const found = [...uploads.values()].find((upload) => upload.secretHash === secretHash)
      return found ? { id: found.id, bytes: found.bytes, expiresAt: found.expiresAt, taken: found.job !== null } : null
    },
    async claimUpload(ownerId, uploadId, jobId, now) {
      const upload = uploads.get(uploadId)
      if (upload?.ownerId !== ownerId) return 'not_found'
      if (upload.job !== null) return 'taken'
      if (upload.expiresAt <= now) return 'expired'
      upload.job = jobId
      return null
    },
    async releaseUpload(ownerId, uploadId, jobId) {
      const upload = uploads.get(uploadId)
      if (upload?.ownerId === ownerId && upload.job === jobId) upload.job = null
    },
    async deleteExpiredUploads(before) {
      for (const [id, { expiresAt }] of uploads) if (expiresAt < before) uploads.delete(id)
    },

    async deleteFinishedJobs({ finishedBefore }) {
      for (const [id, kept] of jobs) if (!isOpen(kept) && kept.job.finishedAt! < finishedBefore) jobs.delete(id)
      return false
    },

    async *exportJobs(ownerId) {
      for (const kept of jobs.values()) if (kept.job.ownerId === ownerId) yield { ...bare(kept), outcomes: told(kept) }
    },
    async eraseJobs(ownerId) {
      const gone = [...jobs.values()].filter(({ job }) => job.ownerId === ownerId)
      for (const { job } of gone) jobs.delete(job.id)
      const put = [...uploads.values()].filter((upload) => upload.ownerId === ownerId).map(({ id }) => id)
      for (const id of put) uploads.delete(id)
      return { jobs: gone.map(({ job, parts }) => ({ id: job.id, parts })), uploads: put, hasMore: false }
    },
  }
}
