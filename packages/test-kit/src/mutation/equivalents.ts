import type { Mutant } from './plugin.ts'

/** A change that no test can notice, because nothing that a caller can see follows from it. */
export interface Equivalent {
  /** The path from core's `src`. */
  readonly file: string
  /** The lines of the change with the change in them, their spaces as one. */
  readonly mutated: string
  readonly why: string
}

/** Returns the lines of a mutant with the mutant in them, as `equivalents` names them. */
export function mutatedLines(text: string, { start, end, replacement }: Mutant): string {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const to = text.indexOf('\n', end)
  return `${text.slice(from, start)}${replacement}${text.slice(end, to === -1 ? undefined : to)}`
    .replace(/\s+/g, ' ')
    .trim()
}

/** Changes that `npm run mutants` leaves out of its score. */
export const equivalents: readonly Equivalent[] = []
