import type { NewEvent } from '../../events/event.ts'

/** A prepared export. Times are ms since 1970. */
export interface PreparedExport {
  readonly id: string
  readonly status: 'preparing' | 'ready' | 'failed'
  readonly requestedAt: number
  /** The length of the document in bytes, or null until the export is ready. */
  readonly bytes: number | null
  /** The time at which the export is deleted. Null while the export is being prepared. */
  readonly expiresAt: number | null
  /** The sealed download URL if the blob store serves the export, or null. */
  readonly url: string | null
  /** The SHA-256 in hex of the secret at the end of the export's URL at this service. */
  readonly secretHash: string
}

/** The data from which the keys of an export's blobs are built. */
export interface StoredExport {
  readonly id: string
  /** The attempt that prepared the export. */
  readonly attempt: number
  readonly parts: number
  /** Not null if the parts were joined into one blob. */
  readonly url: string | null
}

/** A claimed job. */
export interface AccountJob {
  readonly id: string
  readonly kind: 'export' | 'erasure'
  /** The id under which the stores know the user now, or '' when the user is deleted. */
  readonly ownerId: string
  /** The user's id when the job was requested. */
  readonly formerId: string
  readonly lease: string
  /** The number of this attempt, 1 for the first. */
  readonly attempt: number
}

export interface NewAccountJob {
  readonly ownerId: string
  readonly id: string
  readonly now: number
}

export interface StartExportParams extends NewAccountJob {
  readonly secretHash: string
  /**
   * The hash of the token or session that requests the job. Null if an embedding app's own sign-in identified the user.
   */
  readonly credential: string | null
}

export interface FindExportParams {
  readonly ownerId: string
  /** The id of the export, or null for the latest export. */
  readonly id: string | null
  readonly now: number
}

export interface FindExportFileParams {
  readonly secretHash: string
  readonly now: number
}

export interface ClaimJobParams {
  readonly lease: string
  readonly now: number
  /** The time at which the lease ends. */
  readonly until: number
}

export interface CompleteExportParams {
  readonly job: AccountJob
  readonly bytes: number
  readonly parts: number
  readonly url: string | null
  readonly expiresAt: number
}

/** An export of a user, in the form in which the account export lists it. */
export type ListedExport = Pick<PreparedExport, 'id' | 'status' | 'requestedAt' | 'expiresAt'>

interface Owner {
  readonly ownerId: string
}

/**
 * Exports and erasures of accounts, which workers process in the background. Every method is one atomic step. A worker
 * claims a job by a lease; when the lease of a worker that died ends, the job can be claimed again. An export expires
 * with the token or session that requested it. If a later sign-in of the same person replaces that session, the export
 * belongs to the new session.
 */
export interface AccountStore {
  /**
   * Disables a user and queues the erasure of everything stored about them: revokes their credentials and codes, drops
   * their open outbox entries, frees their e-mail address, and replaces their id. Returns false when there is no such
   * user.
   */
  startErasure(params: Readonly<NewAccountJob>): Promise<boolean>
  /** Returns whether the erasure with the given id was started and is not completed. */
  isErasing(params: { readonly id: string }): Promise<boolean>
  /**
   * Queues an export, or returns the export that is being prepared or has not expired. Returns null when there is no
   * such user.
   */
  startExport(params: Readonly<StartExportParams>): Promise<PreparedExport | null>
  /**
   * Returns the export with the given id, or if `id` is null, the user's latest export that has not expired. Returns
   * null if there is no such export.
   */
  findExport(params: Readonly<FindExportParams>): Promise<PreparedExport | null>
  /** Returns the ready export that this service serves under the secret, or null. */
  findExportFile(params: Readonly<FindExportFileParams>): Promise<(StoredExport & { readonly bytes: number }) | null>

  /** Claims a job that is due and not leased, or returns null. A call with the same lease returns the same job. */
  claimJob(params: Readonly<ClaimJobParams>): Promise<AccountJob | null>
  /** Extends the lease. Returns false when the job has another lease or is deleted. */
  renewLease(params: { readonly job: AccountJob; readonly until: number }): Promise<boolean>
  /** Releases a job without counting the attempt. */
  releaseJob(params: { readonly job: AccountJob; readonly now: number }): Promise<void>
  /** Releases a job until `dueAt`. */
  postponeJob(params: { readonly job: AccountJob; readonly dueAt: number }): Promise<void>
  /** Marks an export as ready. Returns false when the lease was lost or the user is erased. */
  completeExport(params: Readonly<CompleteExportParams>): Promise<boolean>
  /** Marks an export as failed. The export is deleted after `expiresAt`. */
  failExport(params: { readonly job: AccountJob; readonly expiresAt: number }): Promise<void>
  /**
   * Deletes a finished erasure, and with it the user's former id: audit entries get `erased-` and the id of the job
   * instead, and the counters of rate limits in this store are deleted. The event of the erasure contains the former id
   * until the event is delivered.
   */
  completeErasure(params: {
    readonly job: AccountJob
    readonly event?: NewEvent<'account.erased'> | undefined
  }): Promise<void>

  /** Returns at most `limit` exports that have expired at `now`. */
  listExpiredExports(params: { readonly now: number; readonly limit: number }): Promise<StoredExport[]>
  /** Deletes exports. */
  deleteExports(params: { readonly ids: readonly string[] }): Promise<void>
  /** Returns the user's exports, oldest first. */
  listExports(params: Owner): Promise<ListedExport[]>
  /** Deletes a bounded number of the user's exports and returns them, so that their blobs can be deleted too. */
  eraseExports(params: Owner): Promise<{ readonly exports: readonly StoredExport[]; readonly hasMore: boolean }>
}
