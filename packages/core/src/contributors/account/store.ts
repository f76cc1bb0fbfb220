/** A prepared export. Times are ms since 1970. */
export interface PreparedExport {
  readonly id: string
  readonly status: 'preparing' | 'ready' | 'failed'
  readonly requestedAt: number
  /** Length of the document; null until it is ready. */
  readonly bytes: number | null
  /** When it is forgotten; null while it is being prepared. */
  readonly expiresAt: number | null
  /** Where it is fetched from, if not from us. */
  readonly url: string | null
  /** The unguessable end of our own address of it. Kept as it is: whoever reads the database has what the export holds. */
  readonly secret: string
}

/** What the blobs of an export are found by. */
export interface StoredExport {
  readonly id: string
  /** The attempt that prepared it. */
  readonly attempt: number
  readonly parts: number
  /** Not null: its parts were joined into one blob. */
  readonly url: string | null
}

/** A job in hand. */
export interface AccountJob {
  readonly id: string
  readonly kind: 'export' | 'erasure'
  /** The id that the stores know the person by now; '' when the person is gone. */
  readonly ownerId: string
  /** The person's id when the job was asked for. */
  readonly formerId: string
  readonly lease: string
  /** 1 for the first. */
  readonly attempt: number
}

export interface NewAccountJob {
  readonly ownerId: string
  readonly id: string
  readonly now: number
}

/**
 * Exports and erasures of whole accounts, which workers do in the background. Every method is one atomic step. A job is held by
 * lease; one whose worker died is taken again when its lease runs out.
 */
export interface AccountStore {
  /**
   * Makes a person unusable and queues the erasure of everything held about them: their credentials and codes end, what
   * waits to go out for them is dropped, their mail address is free again, and their id leads to nobody from then on. False when there is no such person.
   */
  startErasure(params: Readonly<NewAccountJob>): Promise<boolean>
  /** Queues an export, unless one is being prepared or can still be fetched; returns that one or the new one. Null when there is no such person. */
  startExport(params: Readonly<NewAccountJob & { readonly secret: string }>): Promise<PreparedExport | null>
  /** The person's latest export that has not expired, or the one with this id. */
  findExport(
    params: Readonly<{ readonly ownerId: string; readonly id: string | null; readonly now: number }>,
  ): Promise<PreparedExport | null>
  /** The export that is ready at our own address with this secret. */
  findFile(
    params: Readonly<{ readonly secret: string; readonly now: number }>,
  ): Promise<(StoredExport & { readonly bytes: number }) | null>

  /** Takes a job that is due and that nobody holds. Asked again with the same lease it gives the same job. */
  takeJob(
    params: Readonly<{ readonly lease: string; readonly now: number; readonly until: number }>,
  ): Promise<AccountJob | null>
  /** False when the job is no longer held under this lease, or is gone. */
  renewLease(params: Readonly<{ readonly job: AccountJob; readonly until: number }>): Promise<boolean>
  /** Gives a job back without counting the attempt. */
  releaseJob(params: Readonly<{ readonly job: AccountJob; readonly now: number }>): Promise<void>
  /** Gives a job back until `dueAt`. */
  postponeJob(params: Readonly<{ readonly job: AccountJob; readonly dueAt: number }>): Promise<void>
  /** False when the lease was lost, or the person erased. */
  completeExport(
    params: Readonly<{
      readonly job: AccountJob
      readonly bytes: number
      readonly parts: number
      readonly url: string | null
      readonly expiresAt: number
    }>,
  ): Promise<boolean>
  /** Ends an export that cannot be prepared; it says so until `expiresAt`. */
  failExport(params: Readonly<{ readonly job: AccountJob; readonly expiresAt: number }>): Promise<void>
  /** Forgets an erasure that is done, and with it the person's former id. */
  completeErasure(params: Readonly<{ readonly job: AccountJob }>): Promise<void>

  /** Exports whose time was over before `now`, at most `limit`. */
  expiredExports(params: Readonly<{ readonly now: number; readonly limit: number }>): Promise<StoredExport[]>
  /** Forgets exports. Fine if there are none. */
  deleteExports(params: Readonly<{ readonly ids: readonly string[] }>): Promise<void>
  /** The person's exports, oldest first, for the export itself. */
  exports(ownerId: string): Promise<
    {
      readonly id: string
      readonly status: PreparedExport['status']
      readonly requestedAt: number
      readonly expiresAt: number | null
    }[]
  >
  /** Deletes a bounded number of the person's exports and says which, so that their blobs go too. */
  eraseExports(ownerId: string): Promise<{ readonly exports: readonly StoredExport[]; readonly hasMore: boolean }>
}
