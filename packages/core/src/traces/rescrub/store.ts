import type { KeptDetails } from '../stored-json.ts'
import type { TraceRecord, WithheldReason } from '../store.ts'

/** The fields of a trace that may change when the trace is scrubbed again. */
export type RescrubbedFields = Pick<
  TraceRecord,
  'sourceId' | 'title' | 'model' | 'parentTraceId' | 'scrubVersion' | 'identityRevision' | 'redactions'
> &
  KeptDetails & {
    /** The messages as JSON text, as in `NewTrace`. */
    readonly messages: string
    readonly replacements: string
  }

/**
 * An unsold trace that was scrubbed with another version, or at an identity revision that is not its owner's current
 * revision.
 */
export interface StaleTrace {
  /** The position of the trace in the order in which traces were first stored. */
  readonly num: number
  readonly id: string
  readonly ownerId: string
}

export interface ListStaleTracesParams {
  /** Null means the traces of all people. */
  readonly ownerId: string | null
  readonly scrubVersion: string
  readonly cursor: number
  readonly limit: number
}

/** The stale traces in a range of positions. */
export interface StaleTraces {
  readonly traces: readonly StaleTrace[]
  /** The last position of the range, which is the next cursor. Null when there is no trace after the cursor. */
  readonly next: number | null
}

/** The progress of background re-scrubbing. A position is the place of a trace in the order of storage. */
export interface RescrubProgress {
  /** The scrub version of the pass over all traces. Null before the first pass. */
  readonly version: string | null
  /** The position of the last trace that this pass read. */
  readonly cursor: number
  /** The position of the trace that was stored last, or 0 if there is no trace. */
  readonly last: number
  /** The number of people whose identity or blocked terms changed and whose traces are still to be scrubbed again. */
  readonly people: number
}

/** A person whose identity or blocked terms changed, with the position up to which their traces were scrubbed again. */
export interface ChangedPerson {
  readonly ownerId: string
  readonly identityRevision: number
  readonly cursor: number
}

interface OfLease {
  readonly lease: string
}

export interface ClaimPassParams extends OfLease {
  readonly scrubVersion: string
  readonly now: number
  readonly leaseUntil: number
}

export interface SaveCursorParams extends OfLease {
  /** Null means the pass over all traces. */
  readonly person: ChangedPerson | null
  readonly cursor: number
  readonly leaseUntil: number
}

export interface StoreRescrubbedParams {
  readonly ownerId: string
  readonly id: string
  /** The state of the trace when it was read. Nothing is written if it differs now. */
  readonly expected: Pick<TraceRecord, 'scrubVersion' | 'identityRevision' | 'contentHash'>
  /**
   * The trace as it will be stored, or the reason why the trace is withheld, with the scrub version and identity
   * revision that led to this decision.
   */
  readonly result:
    | { readonly kind: 'scrubbed'; readonly trace: RescrubbedFields }
    | ({ readonly kind: 'withheld'; readonly reason: WithheldReason } & Pick<
        TraceRecord,
        'scrubVersion' | 'identityRevision'
      >)
}

/**
 * Stores the state of the background re-scrubbing of stored traces. One worker at a time holds a lease. It processes
 * the traces of each person whose identity or blocked terms changed, and it processes all traces once for each scrub
 * version. Every method is one atomic step. Times are ms since 1970.
 */
export interface RescrubStore {
  getProgress(): Promise<RescrubProgress>
  /** Counts the owner's unsold traces that were scrubbed with another version or at another identity revision. */
  countStaleTraces(params: { readonly ownerId: string; readonly scrubVersion: string }): Promise<number>

  /**
   * Claims the pass over all traces. If the scrub version changed, the pass starts again at the first trace. Returns
   * false while another worker holds the lease. A lease that lasts longer than twice `leaseUntil - now` counts as
   * expired, because such a lease was written before the clock was set back.
   */
  claimPass(params: Readonly<ClaimPassParams>): Promise<boolean>
  /**
   * Extends the lease and advances the cursor. Returns false, and changes nothing, when another worker has the lease.
   */
  saveCursor(params: Readonly<SaveCursorParams>): Promise<boolean>
  /** Releases the lease. */
  releasePass(params: OfLease): Promise<void>

  /**
   * Returns a person whose identity or blocked terms changed and who has no open job, or null. An open job may still
   * store traces at an earlier revision.
   */
  findChangedPerson(): Promise<ChangedPerson | null>
  /**
   * Marks a person's traces as scrubbed again, unless the identity revision grew meanwhile or another worker has the
   * lease.
   */
  completePerson(params: OfLease & { readonly person: ChangedPerson }): Promise<void>
  /**
   * Returns at most `limit` stale traces after a position, in order. A call reads a limited number of positions, so
   * there may be more stale traces after `next`, even if the call returns none.
   */
  listStaleTraces(params: Readonly<ListStaleTracesParams>): Promise<StaleTraces>
  /**
   * Stores a trace that was scrubbed again, or withholds it. Also updates the trace's name in the outcomes of jobs.
   * Returns false, and writes nothing, when the trace was sold, deleted, updated or scrubbed again meanwhile.
   */
  storeRescrubbed(params: Readonly<StoreRescrubbedParams>): Promise<boolean>
}
