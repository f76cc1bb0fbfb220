import type { TokenRanges } from './rules.ts'

/** A stored trace that may have text of another one. */
export interface SimilarTrace {
  /** Its place in the order in which traces were first stored. */
  readonly num: number
  readonly id: string
  /** How many of its fingerprints were looked up, and how many it has. */
  readonly hits: number
  readonly fingerprints: number
}

export interface SimilarTraces {
  /** Changes with every batch that stores fingerprints. */
  readonly version: number
  /** Those of the shingles that 20 or more traces of 3 or more people have. */
  readonly common: readonly number[]
  /** For each trace that was looked up, in order; those with the most hits first. */
  readonly similar: readonly (readonly SimilarTrace[])[]
}

/** What a trace of a batch has in common with a stored one, or with an earlier trace of the same batch. */
export interface PreparedOverlap {
  readonly other: { readonly num: number } | { readonly index: number }
  /** Tokens of the trace, and of the other one. */
  readonly ranges: TokenRanges
  readonly otherRanges: TokenRanges
}

/** What is stored with a trace to recognize copies of it. */
export interface PreparedCopies {
  /** In ascending order. */
  readonly fingerprints: readonly number[]
  readonly overlaps: readonly PreparedOverlap[]
}

/** How much of a contributor's traces earlier stored traces have. */
export interface CopyStats {
  /** Traces of which at most a fifth is new, and the tokens that are copied. */
  readonly copiedTraces: number
  readonly copiedTokens: number
}

/**
 * Finds traces that have text of others. `IngestStore.writeBatch` stores fingerprints and overlaps in the step that
 * stores their trace; a deletion deletes both in its own step.
 */
export interface CopyStore {
  /**
   * Returns for each list of shingles the stored traces with the most of them as fingerprints, at most `limit`. Common
   * text is left out. A shingle that very many traces have finds some of them.
   */
  findSimilarTraces(params: Readonly<{ lists: readonly (readonly number[])[]; limit: number }>): Promise<SimilarTraces>

  /** Returns the messages of a trace of any owner as they were stored (`StoredTrace.messages`). */
  readMessages(params: Readonly<{ id: string }>): Promise<string | null>
}
