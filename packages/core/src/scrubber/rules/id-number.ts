/** One kind of government or account number. */
export interface IdNumber {
  readonly id: string
  readonly category: string
  readonly placeholder: string
  /** The pattern, anchored at the start of the word. */
  readonly pattern: RegExp
  readonly valid?: (bare: string) => boolean
  /** The numbers of letters that may precede the first digit. Default: 0. */
  readonly letters?: string
  /**
   * The possible numbers of consecutive digits; with separators, the numbers before the first separator. It is for
   * numbers without letters before them.
   */
  readonly runs?: readonly number[]
  /** Without separators, the number counts only if this matches shortly before it. */
  readonly near?: RegExp
  /** `near` is required even when the number contains separators. */
  readonly always?: true
}
