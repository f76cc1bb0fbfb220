/** A literal that a name is given, and how it is written: read from the text after the name. */
export interface Value {
  start: number
  end: number
  /** The quote around it, or ''. */
  quote: string
  /** The operator between the name and it: `=`, `:`, `,`, `>`, ` ` ... */
  operator: string
  /** Blanks stood around the operator. */
  spaced: boolean
  /** The character directly after the value. */
  next: string
  scheme: boolean
  /** Not quoted, with brackets in it that no code has: `Kj(9)x[w]2`. */
  bracketed: boolean
  /** The character before the name: `;` in a connection string, `-` of a flag. */
  lead: string
}
