/** A literal that is assigned to a name, and how it is written. It is read from the text after the name. */
export interface Value {
  start: number
  end: number
  /** The quote around it, or ''. */
  quote: string
  /** The operator between the name and the literal: `=`, `:`, `,`, `>`, ` ` ... */
  operator: string
  /** Whether there were blanks around the operator. */
  spaced: boolean
  /** The character directly after the value. */
  next: string
  scheme: boolean
  /** Whether the literal is not quoted and contains brackets that do not occur in code: `Kj(9)x[w]2`. */
  bracketed: boolean
  /** The character before the name: `;` in a connection string, `-` of a flag. */
  lead: string
}
