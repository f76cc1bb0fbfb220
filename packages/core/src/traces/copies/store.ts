import type { ListPage, ListParams } from '../../http/list.ts'
import type { TokenRanges } from './rules.ts'

/** A stored trace that may have text of another trace. */
export interface SimilarTrace {
  /** The position of the trace in the order in which traces were first stored. */
  readonly num: number
  readonly id: string
  /**
   * The number of the trace's fingerprints that were looked up, their weight (`rankSimilar`), and the number of all
   * fingerprints of the trace.
   */
  readonly hits: number
  readonly weight: number
  readonly fingerprints: number
  readonly tokenCount: number
}

export interface SimilarTraces {
  /** The version of the stored fingerprints. Every step that stores fingerprints changes it. */
  readonly version: number
  /** The shingles that 20 or more traces of 3 or more people have. Traces that are mostly copied do not count. */
  readonly common: readonly number[]
  /**
   * The similar traces of each trace that was looked up, in the order of the lookup. The traces with the greatest
   * weight of hits are first.
   */
  readonly similar: readonly (readonly SimilarTrace[])[]
}

/** The overlap of a trace of a batch with a stored trace, or with an earlier trace of the same batch. */
export interface PreparedOverlap {
  readonly other: { readonly num: number } | { readonly index: number }
  /** The ranges of tokens of the trace, and of the other trace. */
  readonly ranges: TokenRanges
  readonly otherRanges: TokenRanges
}

/** The data stored with a trace to recognize copies of it. */
export interface PreparedCopies {
  /** The fingerprints in ascending order. */
  readonly fingerprints: readonly number[]
  readonly overlaps: readonly PreparedOverlap[]
}

/** The part of a contributor's traces that is also in earlier stored traces, including the contributor's own. */
export interface CopyStats {
  /** The number of traces of which less than a fifth is new, and the number of copied tokens in all traces. */
  readonly copiedTraces: number
  readonly copiedTokens: number
}

/** A contributor with at least 10 traces, of which half or more are copies. */
export interface Copier {
  readonly userId: string
  /** The verified address of the account, or null. */
  readonly email: string | null
  readonly traces: number
  readonly copiedTraces: number
}

/** A trace that was stored before fingerprints existed, with the data to recognize copies of it. */
export interface TraceWithCopies {
  readonly num: number
  /** The overlaps refer to other traces by `num`, never by `index`. */
  readonly copies: PreparedCopies
}

/**
 * Finds traces that contain text of other traces. `IngestStore.writeBatch` stores fingerprints and overlaps in the step
 * that stores their trace. The deletion of a trace deletes both in the same step.
 */
export interface CopyStore {
  /**
   * Returns, for each list of shingles, at most `limit` stored traces that have the most of these shingles as
   * fingerprints. Common text is left out. If very many traces have a shingle, only some of these traces are found.
   * `system` contains shingles that may be common, but are not used to find traces.
   */
  findSimilarTraces(
    params: Readonly<{ lists: readonly (readonly number[])[]; system: readonly number[]; limit: number }>,
  ): Promise<SimilarTraces>

  /** Returns the messages of a trace of any owner as they were stored (`StoredTrace.messages`). */
  readMessages(params: Readonly<{ id: string }>): Promise<string | null>

  /** Returns the counts of the copied parts of a contributor's traces, or zeros for a person without traces. */
  getCopyStats(params: Readonly<{ ownerId: string }>): Promise<CopyStats>

  /**
   * Returns a page of the contributors with at least 10 traces, of which half or more are copies, newest account first.
   * The search covers the ID and the verified address. The range of days refers to the sign-up.
   */
  listCopiers(params: Readonly<ListParams<'signedUpAt'>>): Promise<ListPage<Copier>>

  /**
   * Returns the next traces without fingerprints, in the order in which they were first stored, and the position
   * `after`, up to which all traces have fingerprints. Returns no traces when all have fingerprints.
   */
  listUnfilledTraces(
    params: Readonly<{ limit: number }>,
  ): Promise<{ after: number; traces: { readonly num: number; readonly id: string }[] }>

  /**
   * Stores the fingerprints and overlaps of traces without fingerprints, and moves the position from `after` to `next`.
   * Common words belong to the trace that was stored first. Returns false and changes nothing when another call has
   * moved the position, or when fingerprints were stored since `version`. `version` is undefined if no fingerprints
   * were looked up.
   */
  fillCopies(
    params: Readonly<{
      after: number
      next: number
      version: number | undefined
      traces: readonly TraceWithCopies[]
      now: number
    }>,
  ): Promise<boolean>
}
