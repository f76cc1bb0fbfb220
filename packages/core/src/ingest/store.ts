import type { AuditContext } from '../admin/audit/store.ts'
import type { NewTrace } from '../traces/store.ts'
import type { jobStatuses, outcomeNames } from './contract.ts'

/** The waits after the first four attempts of a job that went wrong, in milliseconds; after the fifth the job has failed. */
export const retryWaitsMs = [5_000, 30_000, 2 * 60_000, 10 * 60_000] as const

export type JobStatus = (typeof jobStatuses)[number]
export type OutcomeName = (typeof outcomeNames)[number]

/** A job as E6 tells of it. Times are milliseconds since 1970. */
export interface JobRecord {
  /** Lower-case UUID version 7: sorts by time. */
  readonly id: string
  readonly source: string
  readonly status: JobStatus
  readonly traceCount: number
  readonly rejectedCount: number
  /** Dollars. */
  readonly estimatedUsd: number | null
  readonly errorMessage: string | null
  readonly enqueuedAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** The same as the operator sees it. */
export interface AdminJob extends JobRecord {
  readonly ownerId: string
  readonly attempts: number
  readonly total: number
}

/** A job on its way in. Its traces are durable in the blobs `upload/<id>/0` to `upload/<id>/<parts - 1>`. */
export interface NewJob {
  readonly id: string
  readonly source: string
  readonly total: number
  readonly parts: number
  /** Of all parts. */
  readonly bytes: number
  readonly enqueuedAt: number
}

/** An address for an upload. It is open from `now` until it expires or a job takes it. */
export interface NewUpload {
  readonly id: string
  readonly secretHash: string
  readonly bytes: number
  readonly now: number
  readonly expiresAt: number
}

/** Why something was not added: the owner does not exist, or would have more bytes waiting than allowed. */
export type NotAdded = 'unknown_owner' | 'over_quota'

/** What became of one trace of a job. `sourceId` is scrubbed. `redactions` is of what was stored, else 0. */
export interface OutcomeRecord {
  readonly index: number
  readonly sourceId: string
  readonly outcome: OutcomeName
  readonly traceId: string | null
  readonly redactions: number
}

/** A job in a worker's hands, and the proof of it: every step names the lease and does nothing once it is another's. */
export interface Claim {
  readonly jobId: string
  readonly lease: string
  readonly ownerId: string
  readonly total: number
  readonly parts: number
  /** Traces that have their outcome already: always the first ones, since slices are written in order. */
  readonly done: number
  /** 1 for the first. */
  readonly attempt: number
  /** Since when the job was due. */
  readonly dueAt: number
}

export interface ClaimJobParams {
  /** Names the taker; random. */
  readonly lease: string
  readonly now: number
  /** When the lease runs out. */
  readonly leaseUntil: number
  /** Take this job alone. */
  readonly jobId?: string | undefined
  /** Take no job of these people. */
  readonly exceptOwnerIds?: readonly string[]
}

interface Entry {
  /** Its place in the batch. Indices of a slice follow each other without a gap, and slices follow each other. */
  readonly index: number
  /** Scrubbed, for the outcome. */
  readonly sourceId: string
  /** 64 lower-case hexadecimal digits. */
  readonly contentHash: string
  /** Whether an earlier trace of the batch has the same hash. */
  readonly isRepeated: boolean
}

/**
 * A trace as the worker hands it over: scrubbed (`redactions` is the number of replacements, `nameHashes` are keyed hashes of its name); or `known`, without its
 * content, since its hash was among the known ones a moment ago; or `refused` by the scrubber.
 */
export type PreparedTrace = Entry &
  (
    | {
        readonly kind: 'scrubbed'
        readonly trace: NewTrace
        readonly redactions: number
        readonly nameHashes?: readonly string[]
      }
    | { readonly kind: 'known' }
    | { readonly kind: 'refused' }
  )

/** An address to PUT to that was handed out. */
export interface UploadRecord {
  readonly id: string
  /** Bytes declared; one more is refused. */
  readonly bytes: number
  readonly expiresAt: number
  /** Whether a job took it: it is taken once. */
  readonly taken: boolean
}

/** Ingest jobs, which are their own queue; what became of each trace; uploads by address. */
export interface IngestStore {
  /**
   * Durable when it resolves with null: the job is `queued` and due; else why not. With `maxWaitingBytes` the bytes of the owner's
   * waiting uploads (see `waitingBytes`) stay within it, however many calls are made at once.
   */
  enqueueJob(ownerId: string, job: NewJob, maxWaitingBytes?: number): Promise<NotAdded | null>
  /** Returns the bytes of the owner's uploads that wait: of jobs that are neither done nor failed, and of open upload addresses. */
  countWaitingBytes(ownerId: string, now: number): Promise<number>
  /** Removes a job that no worker ever took. False when one did: it then runs. */
  withdrawJob(ownerId: string, jobId: string): Promise<boolean>
  findJob(ownerId: string, jobId: string): Promise<JobRecord | null>
  /** By index; of a job under way those decided so far. Null when there is no such job. */
  listOutcomes(ownerId: string, jobId: string): Promise<OutcomeRecord[] | null>
  /** The owner's, newest first. */
  listJobs(ownerId: string, limit: number): Promise<JobRecord[]>
  /** Everybody's, newest first, with ids below `cursor`. */
  listAllJobs(status: JobStatus | null, cursor: string | null, limit: number): Promise<AdminJob[]>
  /**
   * Makes a failed job due again with all its attempts, with an entry in the audit, if it failed at `since` or later and its upload is
   * not forgotten.
   * Returns whether it did, and the job as it is; null when there is no such job.
   */
  retryJob(jobId: string, since: number, audit: AuditContext): Promise<{ retried: boolean; job: JobRecord } | null>

  /**
   * Takes a job that is due and nobody's, or whose worker's lease ran out: round-robin by owner, so of the owner of whom a job was
   * taken longest ago, and of theirs the one that has been due longest; or the one named, if it is due. A time that lies further in the future than it can have been set (see `clockSkewMs`; of a lease, twice `until - now`)
   * has come: the clock was set back. Counts an attempt; the job is `parsing`. Of many workers at once one gets it. Null: nothing
   * is due. A job that `lease` holds already is taken again and counts no further attempt, so that a caller who did not hear the
   * answer may repeat the call.
   */
  claimJob(params: Readonly<ClaimJobParams>): Promise<Claim | null>
  /** Returns whether `take` with the same parameters would find a job. */
  hasDueJob(params: Readonly<Omit<ClaimJobParams, 'jobId'>>): Promise<boolean>
  /** Makes the lease last until `until`. False when it is another's. */
  renewLease(claim: Claim, until: number): Promise<boolean>
  /**
   * Decides and stores the next traces of the job in one atomic step, by decisions section 6: content that is known is a
   * `duplicate` (`duplicate_in_batch` where `again`), known and deleted is `deleted_before`, and so is a name that was deleted under one of `nameHashes`; then refused is `rejected`; then a
   * name whose trace was sold is `already_sold`, an unsold one is `updated` (id and exclusion stay, its old hash is no longer
   * known), and the rest is `stored`. With a sale or a deletion at the same moment each trace is decided before it or after it.
   * No two entrants share a hash or a name. The job is `ingesting` and the lease lasts until `until`.
   * Throws, and writes nothing, for a trace that has its outcome already: an earlier call took effect and its reply was lost.
   *
   * `lost`: the lease is another's, nothing was written. `unknown`: one that came as known is no longer, nothing was written.
   */
  writeBatch(
    claim: Claim,
    slice: readonly PreparedTrace[],
    now: number,
    until: number,
  ): Promise<'written' | 'lost' | 'unknown'>
  /** The job is `done`, with its totals. False, and nothing changes, when the lease is another's or a trace has no outcome yet. */
  completeJob(claim: Claim, usdPerMillionTokens: number, now: number): Promise<boolean>
  /** Gives the job back, due since `dueAt`; the attempt does not count. */
  releaseJob(claim: Claim, dueAt: number): Promise<void>
  /** Gives the job back until `dueAt`. */
  postponeJob(claim: Claim, dueAt: number): Promise<void>
  /** Nobody tries again by himself. `message` is for the contributor. */
  failJob(claim: Claim, message: string, now: number): Promise<void>
  /** Those of the jobs that still need their upload: open ones, and such as failed at `since` or later. */
  listJobsNeedingUpload(jobIds: readonly string[], since: number): Promise<string[]>

  /** How the job stands, and of how many parts its upload was; null when there is no such job. */
  findUploadOfJob(
    params: Readonly<{ ownerId: string; jobId: string }>,
  ): Promise<{ readonly status: JobStatus; readonly parts: number } | null>
  /** Notes that the upload of a failed job was deleted: the job has no parts from then on. */
  markUploadDeleted(params: Readonly<{ ownerId: string; jobId: string }>): Promise<void>

  /** Adds an upload address, as `enqueue` adds a job. `secretHash`: SHA-256 of the address's secret, hexadecimal. */
  createUpload(ownerId: string, upload: NewUpload, maxWaitingBytes?: number): Promise<NotAdded | null>
  findUpload(secretHash: string): Promise<UploadRecord | null>
  /** Takes an upload for a job: of any number at once one does. Null when it did, else why not. */
  claimUpload(
    ownerId: string,
    uploadId: string,
    jobId: string,
    now: number,
  ): Promise<'not_found' | 'taken' | 'expired' | null>
  /** Undoes that. */
  releaseUpload(ownerId: string, uploadId: string, jobId: string): Promise<void>
  /** Forgets uploads that expired before `before`. */
  deleteExpiredUploads(before: number): Promise<void>

  /**
   * Deletes jobs that were done or failed before this time, with their outcomes, a bounded number at a time; true when there may be more.
   */
  deleteFinishedJobs(params: { readonly finishedBefore: number }): Promise<boolean>

  /** Each job of the owner with its outcomes, oldest first, one at a time. */
  exportJobs(ownerId: string): AsyncIterable<JobRecord & { readonly outcomes: OutcomeRecord[] }>
  /**
   * Erases a bounded number of the owner's jobs, also one that is being worked on, and uploads; says which blobs went with them,
   * and whether there may be more.
   */
  eraseJobs(ownerId: string): Promise<{ jobs: { id: string; parts: number }[]; uploads: string[]; hasMore: boolean }>
}
