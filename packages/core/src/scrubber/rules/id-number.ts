/** One kind of government or account number. */
export interface IdNumber {
  readonly id: string
  readonly category: string
  readonly placeholder: string
  /** Anchored at the start of the word. */
  readonly pattern: RegExp
  readonly valid?: (bare: string) => boolean
  /** How many letters may be before the first digit; default 0. */
  readonly letters?: string
  /**
   * How many digits follow one another, unseparated; with separators, how many before the first. Where letters is 0.
   */
  readonly runs?: readonly number[]
  /** Without separators it counts only where this is shortly before. */
  readonly near?: RegExp
  /** `near` is wanted even where separators are written. */
  readonly always?: true
}
