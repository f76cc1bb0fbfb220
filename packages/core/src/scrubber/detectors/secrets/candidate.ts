import type { KeyClass } from './key-name.ts'

/**
 * How a candidate is in its text: written as code, configuration or a command, stated in a sentence, or in a table.
 */
export type Site = 'assignment' | 'sentence' | 'foreign-sentence' | 'beside' | 'foreign-beside' | 'answer' | 'cell'

/** Returns the score of a candidate that is a secret, from 0.5 to 0.99; null for one that is none. */
export type ScoreSecret = (candidate: Candidate) => number | null

/** A value that a name or its place says to be a secret, before anything decides whether it is one. */
export interface Candidate {
  readonly site: Site
  /** The class of the name. */
  readonly keyClass: KeyClass
  /** As written: `DB_PASSWORD`, `--token`; '' where only the place says it. */
  readonly name: string
  readonly raw: string
  /** The quote around it, or ''. */
  readonly quote: string
  /** The operator between the name and the value: `=`, `:`, `,`, `>`, ` `, `is`. */
  readonly operator: string
  /** Whether blanks stand around the operator. */
  readonly spaced: boolean
  /** The character after the value, '' at the end of the text. */
  readonly next: string
  /** The character before the name: `;` in a connection string, `&` in a query. */
  readonly lead: string
  /** Whether an authorization scheme precedes the value: `Bearer`, `Basic`. */
  readonly scheme: boolean
  /** Whether the value is not quoted and holds brackets that no code has: `Kj(9)x[w]2`. */
  readonly bracketed: boolean
  /** Whether the line before gives the name of a user. */
  readonly followsUser: boolean
}
