/** The terms that a person wants replaced in their traces. Times are ms since 1970. */
export interface BlockedTerms {
  /** The terms, without repetitions, in the form in which the person wrote them. */
  readonly terms: readonly string[]
  /** The time of the last change. Null until the person first saves terms. */
  readonly updatedAt: number | null
  /**
   * Increases whenever the account's e-mail address, the contact, the application or these terms change, because the
   * new values must be replaced in the person's traces. A trace scrubbed at another revision is stale.
   */
  readonly identityRevision: number
}

interface Owner {
  readonly ownerId: string
}

export interface SaveTermsParams extends Owner {
  readonly terms: readonly string[]
  readonly now: number
  /**
   * The list of terms that the user edited; the terms are saved only if this list is still stored. If absent, the terms
   * replace any stored list.
   */
  readonly replaces?: readonly string[]
}

/**
 * Stores the blocked terms of each person, and counts the changes of the data that identifies the person. Every method
 * is one atomic step.
 */
export interface BlockedTermStore {
  /** Returns the terms of a user. The list is empty for a user without terms, and for a user who does not exist. */
  findTerms(params: Owner): Promise<BlockedTerms>
  /**
   * Stores the terms in place of the earlier terms. When the list differs from the stored list, the identity revision
   * increases and the person's traces must be scrubbed again. Returns false and stores nothing when there is no such
   * user, or when the stored list is no longer `replaces`.
   */
  saveTerms(params: Readonly<SaveTermsParams>): Promise<boolean>
  /** Returns everything stored here about a user. */
  export(params: Owner): Promise<Pick<BlockedTerms, 'terms' | 'updatedAt'>>
  /** Deletes the terms of a person. Returns whether there may be more. */
  erase(params: Owner): Promise<boolean>
}
