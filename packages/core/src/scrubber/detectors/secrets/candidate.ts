import type { KeyClass } from './key-name.ts'

/** The place of a candidate in its text: an assignment in code, configuration or a command; a sentence; or a table. */
export type Site = 'assignment' | 'sentence' | 'foreign-sentence' | 'beside' | 'foreign-beside' | 'answer' | 'cell'

/** Returns the score of a secret, from 0.5 to 0.99, or null for a candidate that is not a secret. */
export type ScoreSecret = (candidate: Candidate) => number | null

/** A value that may be a secret because of its name or its position. A score then decides whether it is a secret. */
export interface Candidate {
  readonly site: Site
  /** The class of the name. */
  readonly keyClass: KeyClass
  /** The name as written: `DB_PASSWORD`, `--token`. It is '' if only the position shows that the value is a secret. */
  readonly name: string
  readonly raw: string
  /** The quote around the value, or ''. */
  readonly quote: string
  /** The operator between the name and the value: `=`, `:`, `,`, `>`, ` `, `is`. */
  readonly operator: string
  /** Whether there are spaces around the operator. */
  readonly spaced: boolean
  /** The character after the value, '' at the end of the text. */
  readonly next: string
  /** The character before the name: `;` in a connection string, `&` in a query. */
  readonly lead: string
  /** Whether an authorization scheme precedes the value: `Bearer`, `Basic`. */
  readonly scheme: boolean
  /** Whether the value is not quoted and contains brackets that do not occur in code: `Kj(9)x[w]2`. */
  readonly bracketed: boolean
  /** Whether the previous line contains the name of a user. */
  readonly followsUser: boolean
}
