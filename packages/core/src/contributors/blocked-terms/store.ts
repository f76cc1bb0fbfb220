/** The terms that a person wants replaced in their traces. Times are ms since 1970. */
export interface BlockedTerms {
  /** As the person wrote them, without repetitions. */
  readonly terms: readonly string[]
  /** Null until the person first saves terms. */
  readonly updatedAt: number | null
  /**
   * Grows with each change of what must be replaced in the person's traces: of the e-mail address of the account, the
   * contact, the application or these terms. A trace that was scrubbed at another revision is stale.
   */
  readonly identityRevision: number
}

interface Owner {
  readonly ownerId: string
}

export interface SaveTermsParams extends Owner {
  readonly terms: readonly string[]
  readonly now: number
  /** The terms that these are made from; absent: whatever is stored is replaced. */
  readonly replaces?: readonly string[]
}

/**
 * Stores the blocked terms of each person, and counts the changes of what identifies them. Every method is one atomic
 * step.
 */
export interface BlockedTermStore {
  /** Returns the terms of a user; of one without terms, or who does not exist, an empty list. */
  findTerms(params: Owner): Promise<BlockedTerms>
  /**
   * Stores the terms in place of the earlier ones. When the list differs from the stored one, the identity revision
   * grows and the person's traces are to be scrubbed again. Returns false and stores nothing when there is no such user,
   * or when the stored list is no longer `replaces`.
   */
  saveTerms(params: Readonly<SaveTermsParams>): Promise<boolean>
  /** Returns everything stored here about a user. */
  export(params: Owner): Promise<Pick<BlockedTerms, 'terms' | 'updatedAt'>>
  /** Deletes it; returns whether there may be more. */
  erase(params: Owner): Promise<boolean>
}
