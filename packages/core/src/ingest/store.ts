import type { ListPage, ListParams } from '../http/list.ts'
import type { AuditContext } from '../audit/store.ts'
import type { NewEvent } from '../events/event.ts'
import type { PreparedCopies } from '../traces/copies/store.ts'
import type { ConversationName, NewTrace, TraceOrigin } from '../traces/store.ts'

export const jobStatuses = ['queued', 'parsing', 'ingesting', 'done', 'failed'] as const
export type JobStatus = (typeof jobStatuses)[number]

/**
 * The reason why an attempt ended without finishing its job. `unavailable`: the store or the blobs did not answer.
 * `lease_lost`: the worker was paused or disconnected for longer than its lease. `worker_lost`: the worker died, is
 * paused or is disconnected, and did not report since then. `error`: the work itself failed.
 */
export const attemptEnds = ['unavailable', 'lease_lost', 'worker_lost', 'stopped', 'error'] as const
export type AttemptEnd = (typeof attemptEnds)[number]

/** The step of an attempt at a job. `finishing`: the traces are stored, and the upload is being deleted. */
export const jobStages = ['reading', 'redacting', 'storing', 'finishing'] as const
export type JobStage = (typeof jobStages)[number]

/**
 * The class of an error that ended an attempt. Only after `upload_gone` and `upload_unreadable` must the contributor
 * send the upload again. `worker_lost` means that there was no error, but the worker did not report again.
 */
export const errorClasses = [
  'upload_gone',
  'upload_unreadable',
  'detector_timeout',
  'detector_failed',
  'verifier_timeout',
  'verifier_failed',
  'database_damaged',
  'worker_lost',
  'internal_error',
] as const
export type ErrorClass = (typeof errorClasses)[number]

/** The step at which an attempt failed, and the reason. */
export interface AttemptFailure {
  readonly errorStage: JobStage
  readonly errorClass: ErrorClass
}

export const outcomeNames = [
  'stored',
  'updated',
  'duplicate',
  'duplicate_in_batch',
  'deleted_before',
  'already_sold',
  'rejected',
] as const
export type OutcomeName = (typeof outcomeNames)[number]

/** A job as its owner sees it. Times are milliseconds since 1970. */
export interface JobRecord {
  /** A UUID version 7 in lower case, which sorts by time. */
  readonly id: string
  readonly source: string
  readonly status: JobStatus
  /** The number of traces in the upload. */
  readonly total: number
  readonly traceCount: number
  readonly rejectedCount: number
  /** The estimated value of the job's traces in US dollars. */
  readonly estimatedUsd: number | null
  readonly errorMessage: string | null
  /** The stage of the last failed attempt, and the class of its error. Null when no attempt failed. */
  readonly errorStage: JobStage | null
  readonly errorClass: ErrorClass | null
  readonly enqueuedAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** A job as the operator sees it. */
export interface AdminJob extends JobRecord {
  readonly ownerId: string
  /** The e-mail address of the owner's account, or null. */
  readonly email: string | null
  readonly attempts: number
  /** The reason why the last unsuccessful attempt ended. Null when there was no such attempt. */
  readonly attemptEnd: AttemptEnd | null
}

/** The filter of the operator's list of jobs. A search covers the ID, person, source and error of a job. */
export interface ListAllJobsParams extends ListParams<'enqueuedAt' | 'total' | 'rejectedCount'> {
  readonly status?: JobStatus | undefined
  /** The client from which the traces come, or `mixed`. */
  readonly source?: string | undefined
  readonly errorClass?: ErrorClass | undefined
}

/** A job to enqueue. Its traces are durable in the blobs `upload/<id>/0` to `upload/<id>/<parts - 1>`. */
export interface EnqueueJobParams {
  readonly ownerId: string
  readonly id: string
  readonly source: string
  /** The number of traces in the upload. */
  readonly total: number
  readonly parts: number
  /** The bytes of all parts. */
  readonly bytes: number
  readonly enqueuedAt: number
  /** The maximum number of bytes of the owner's uploads that may wait, including this upload. Default: any number. */
  readonly maxWaitingBytes?: number | undefined
  /**
   * The trace context (W3C `traceparent`) of the request that created the job. A claim of the job returns it. Default:
   * none.
   */
  readonly traceparent?: string | null | undefined
  /** The origin, which is stored with each trace of the job. Default: not known. */
  readonly origin?: TraceOrigin | undefined
}

/** An upload URL. It is open from `now` until it expires or a job claims it. */
export interface CreateUploadParams {
  readonly ownerId: string
  readonly id: string
  /** SHA-256 of the secret in the upload URL, hexadecimal. */
  readonly secretHash: string
  /** The declared number of bytes. */
  readonly bytes: number
  readonly now: number
  readonly expiresAt: number
  /** The same limit as in `EnqueueJobParams`. */
  readonly maxWaitingBytes?: number | undefined
}

/** The reason why something was not added: the owner does not exist, or its waiting bytes would exceed the limit. */
export type NotAdded = 'unknown_owner' | 'over_quota'

/**
 * The outcome of one trace of a job. `sourceId` is scrubbed. `redactions` is the number of redactions in a stored
 * trace, otherwise 0.
 */
export interface OutcomeRecord {
  readonly index: number
  readonly sourceId: string
  readonly outcome: OutcomeName
  readonly traceId: string | null
  readonly redactions: number
}

/**
 * A claimed job and the lease that proves the claim. A step with a lease does nothing if another worker holds the
 * lease.
 */
export interface Claim {
  readonly jobId: string
  readonly lease: string
  readonly ownerId: string
  readonly total: number
  readonly parts: number
  /**
   * The number of traces that already have an outcome. These are always the first traces, because batches are written
   * in order.
   */
  readonly done: number
  /** The number of the attempt. The first attempt has the number 1. */
  readonly attempt: number
  /**
   * The number of lost workers that count against the next trace. It is 0 if the last attempt did not end as
   * `worker_lost`, and 1 if that attempt ran several traces. A number N above 1 means that the last N - 1 attempts ran
   * only the next trace and lost their workers.
   */
  readonly losses: number
  /**
   * Whether the owner has traces that are stored without their conversation or their parent's conversation, or
   * deletions that are recorded by name. `writeBatch` recognizes these only by former names.
   */
  readonly hasFormerNames: boolean
  /** The time since which the job was due. */
  readonly dueAt: number
  /** The `traceparent` with which the job was added. */
  readonly traceparent?: string | null | undefined
}

export interface ClaimJobParams {
  /** The random lease that identifies the claim. */
  readonly lease: string
  readonly now: number
  readonly leaseUntil: number
  /** The only job that may be claimed. Default: any job. */
  readonly jobId?: string | undefined
  /** The owners whose jobs are not claimed. */
  readonly exceptOwnerIds?: readonly string[]
}

interface BatchTrace {
  /** The position of the trace in the upload. Positions are consecutive, within a batch and across batches. */
  readonly index: number
  /** The source id for the outcome, after scrubbing. */
  readonly sourceId: string
  /** 64 lower-case hexadecimal digits. */
  readonly contentHash: string
  /** Whether an earlier trace of the upload has the same hash. */
  readonly isRepeated: boolean
}

/**
 * A trace ready to be written: `scrubbed` with its content, its names and `redactions`, the number of replacements;
 * `known` without its content, because the owner had a trace with the same hash shortly before; or `refused` by the
 * scrubber.
 */
export type PreparedTrace = BatchTrace &
  (
    | {
        readonly kind: 'scrubbed'
        readonly trace: NewTrace
        readonly redactions: number
        /** The conversation of the trace. The trace's `segmentIndex` is the index of its piece in the conversation. */
        readonly conversation: ConversationName
        /** The conversation that `parentTraceId` names, or null if the trace has no parent. */
        readonly parent: ConversationName | null
        /**
         * The keyed hashes that identified the trace after a deletion, before conversations had keyed hashes
         * (`formerNameHashes`). Empty if the claim has no former names.
         */
        readonly formerNameHashes: readonly string[]
        /** The data stored to recognize copies of the trace. Default: nothing. */
        readonly copies?: PreparedCopies | undefined
      }
    | { readonly kind: 'known' }
    | { readonly kind: 'refused' }
  )

export interface WriteBatchParams {
  readonly claim: Claim
  /** The version of the fingerprints (`CopyStore`) with which the copies of the traces were found. Default: any. */
  readonly copyVersion?: number | undefined
  /** At least one trace. Each has a different hash, and is a different piece of a conversation. */
  readonly traces: readonly PreparedTrace[]
  readonly now: number
  readonly leaseUntil: number
  readonly copiesFound?: NewEvent<'contributor.copies_found'> | undefined
}

/** An upload URL that was created for a client. */
export interface UploadRecord {
  readonly id: string
  /** The declared number of bytes. A longer body is refused. */
  readonly bytes: number
  readonly expiresAt: number
  /** Whether a job claimed the upload. Only one job can claim it. */
  readonly taken: boolean
}

export interface JobExport extends JobRecord {
  readonly outcomes: OutcomeRecord[]
}

/** The jobs and uploads that `eraseJobs` deleted, and whether more may remain. The caller deletes their blobs. */
export interface ErasedJobs {
  readonly jobs: { readonly id: string; readonly parts: number }[]
  readonly uploads: string[]
  readonly hasMore: boolean
}

type OfOwner<Fields = unknown> = Readonly<{ ownerId: string } & Fields>
type OfClaim<Fields = unknown> = Readonly<{ claim: Claim } & Fields>

/**
 * Stores ingest jobs, which are their own queue, the outcome of each trace, and upload URLs. Each method is atomic. A
 * method with the parameter `ownerId` sees only this owner's jobs and uploads. Times are milliseconds since 1970.
 */
export interface IngestStore {
  /**
   * Adds a job that is `queued` and due. Resolves with null when the job is durable, otherwise with the reason why it
   * was not added. Even with concurrent calls, the bytes of `countWaitingBytes` stay within `maxWaitingBytes`.
   */
  enqueueJob(params: Readonly<EnqueueJobParams>): Promise<NotAdded | null>
  /**
   * Returns the bytes of the owner's waiting uploads: the uploads of jobs that are neither done nor failed, and open
   * upload URLs.
   */
  countWaitingBytes(params: OfOwner<{ now: number }>): Promise<number>
  /** Deletes a job that no worker ever claimed. Returns false if a worker claimed it; the job then runs. */
  withdrawJob(params: OfOwner<{ jobId: string }>): Promise<boolean>
  findJob(params: OfOwner<{ jobId: string }>): Promise<JobRecord | null>
  /**
   * Returns the outcomes by index. For a job in progress, these are the outcomes so far. Returns null when there is no
   * such job.
   */
  listOutcomes(params: OfOwner<{ jobId: string }>): Promise<OutcomeRecord[] | null>
  /**
   * Returns the owner's jobs, newest first. With `cursor`, the id of a job, only the jobs before this job are returned.
   */
  listJobs(params: OfOwner<{ limit: number; cursor?: string | null | undefined }>): Promise<JobRecord[]>
  /** Returns the jobs of all owners, newest first, with ids below `cursor`. A null `status` means any. */
  listAllJobs(params: Readonly<ListAllJobsParams>): Promise<ListPage<AdminJob>>
  /** Returns a job of any owner, for the operator, or null. */
  findAnyJob(params: { readonly jobId: string }): Promise<AdminJob | null>
  /**
   * Makes a failed job due again with the full number of attempts and without totals, and adds an audit entry. It does
   * so only if the job failed at `failedSince` or later and its upload was not deleted. Returns the job and whether it
   * was retried, or null when there is no such job.
   */
  retryJob(
    params: Readonly<{ jobId: string; failedSince: number; audit: AuditContext }>,
  ): Promise<{ retried: boolean; job: JobRecord } | null>

  /**
   * Claims a due job that no worker holds, or whose lease expired: the job `jobId` if it is given. Otherwise owners
   * take turns: the next owner is the one whose last claim is the oldest. The job of this owner that has been due
   * longest is claimed. Returns null when there is no such job. Only one of several concurrent workers claims a job; it
   * becomes `parsing` and the attempt counts. If the lease of the previous attempt expired, that attempt ended as
   * `worker_lost`, and `losses` grows.
   *
   * A due time too far in the future (see `clockSkewMs`) counts as past, because the clock was set back. A lease that
   * lasts longer than twice `leaseUntil - now` counts as expired for the same reason. A job that `lease` already holds
   * is claimed again without another attempt, so that a caller who did not receive the reply may repeat the call.
   */
  claimJob(params: Readonly<ClaimJobParams>): Promise<Claim | null>
  /** Returns the time at which an open job is due and its lease has ended, or null when the job is not open. */
  findClaimTime(params: { readonly jobId: string }): Promise<{ readonly claimableAt: number } | null>
  /** Returns whether `claimJob` with the same parameters would find a job. */
  hasDueJob(params: Readonly<Omit<ClaimJobParams, 'jobId'>>): Promise<boolean>
  /** Extends the lease. Returns false when another worker has the job. */
  renewLease(params: OfClaim<{ leaseUntil: number }>): Promise<boolean>
  /**
   * Decides (`decideOutcome`) and stores the next traces of the job in one atomic step. An update keeps the trace's id
   * and its exclusion from sale, and its old hash is no longer known. Each trace is decided either before or after a
   * concurrent sale or deletion. The job becomes `ingesting`, the lease is extended, and `losses` is reduced to at most
   * 1.
   *
   * A conversation is recognized by any of its keyed hashes; from then on it has the first of them. A trace without a
   * conversation is recognized by any of the former names; from then on it belongs to the conversation. A trace that
   * was stored by a job added later is not replaced.
   *
   * Enqueues `copiesFound` when a trace that it stores is a copy (`isCopy`), once per owner and UTC day.
   *
   * Returns `lost` when another worker has the job. Returns `unknown` when a trace that was sent as `known` was deleted
   * since then, or when `hasReplacedDuplicate` is true, which is impossible for one trace. Returns `stale` when other
   * fingerprints were stored since `copyVersion`. In these cases nothing is written. Throws, and writes nothing, for a
   * trace that has an outcome already: an earlier call took effect and its reply was lost.
   */
  writeBatch(params: Readonly<WriteBatchParams>): Promise<'written' | 'lost' | 'unknown' | 'stale'>
  /** Makes the job `done`, with its totals. Returns false when another worker has the job or a trace has no outcome. */
  completeJob(
    params: OfClaim<{ usdPerMillionTokens: number; now: number; event?: NewEvent<'job.completed'> | undefined }>,
  ): Promise<boolean>
  /**
   * Returns the job to the queue, due since `dueAt`. The attempt does not count, neither as an attempt nor as a lost
   * worker. If another worker claimed the job because the lease expired, that worker keeps it. If `end` is null, the
   * job was preempted.
   */
  releaseJob(params: OfClaim<{ dueAt: number; end: AttemptEnd | null }>): Promise<void>
  /** Returns the job to the queue, due at `dueAt`. The attempt counts, and its failure is stored. */
  postponeJob(params: OfClaim<{ dueAt: number; end: AttemptEnd; failure?: AttemptFailure | undefined }>): Promise<void>
  /**
   * Makes the job `failed`, with the totals of the outcomes so far; it is not retried. `message` is for the contributor.
   * Without `failure`, the failure of an earlier attempt is kept.
   */
  failJob(
    params: OfClaim<{
      message: string
      usdPerMillionTokens: number
      now: number
      failure?: AttemptFailure | undefined
      event?: NewEvent<'job.failed'> | undefined
    }>,
  ): Promise<void>
  /** Returns the given jobs that still need their upload: open jobs, and jobs that failed at `failedSince` or later. */
  listJobsNeedingUpload(params: Readonly<{ jobIds: readonly string[]; failedSince: number }>): Promise<string[]>

  /** Returns the status of the job and the number of its upload's parts, or null when there is no such job. */
  findUploadOfJob(
    params: OfOwner<{ jobId: string }>,
  ): Promise<{ readonly status: JobStatus; readonly parts: number } | null>
  /** Records that the upload of a failed job was deleted: the job has no parts from then on. */
  markUploadDeleted(params: OfOwner<{ jobId: string }>): Promise<void>

  /** Adds an upload URL, with the limit of `enqueueJob`. */
  createUpload(params: Readonly<CreateUploadParams>): Promise<NotAdded | null>
  findUpload(params: Readonly<{ secretHash: string }>): Promise<UploadRecord | null>
  /**
   * Claims an upload for a job. Only one of several concurrent calls succeeds. Returns null for success, or else the
   * reason for the failure.
   */
  claimUpload(
    params: OfOwner<{ uploadId: string; jobId: string; now: number }>,
  ): Promise<'not_found' | 'taken' | 'expired' | null>
  /** Releases an upload that the job claimed, so that it can be claimed again. */
  releaseUpload(params: OfOwner<{ uploadId: string; jobId: string }>): Promise<void>
  deleteExpiredUploads(params: Readonly<{ expiredBefore: number }>): Promise<void>

  /**
   * Deletes a bounded number of the jobs that were done or failed before a time, with their outcomes. Returns whether
   * there may be more.
   */
  deleteFinishedJobs(params: Readonly<{ finishedBefore: number }>): Promise<boolean>

  /** Yields the owner's jobs with their outcomes, oldest first, one at a time. */
  exportJobs(params: OfOwner): AsyncIterable<JobExport>
  /** Deletes a bounded number of the owner's jobs, including a job that a worker holds, and of the owner's uploads. */
  eraseJobs(params: OfOwner): Promise<ErasedJobs>
}
