import type { Mutant } from './plugin.ts'

/** The comment before a line that has equivalent mutants: // No test can notice a change of `0` or `<`: the reason. */
const comment = /^\s*\/\/ No test can notice a change of (?<whats>.+?): (?<why>.+)$/

/** The mutants of one line that no test can notice, because callers cannot see a difference. */
export interface Equivalents {
  /** The number of the line with the mutants, from 1. */
  readonly line: number
  /** The changes that the comment is about, as in `Mutant.what`. */
  readonly whats: readonly string[]
  readonly why: string
}

/** Returns the equivalent mutants that the comments of a source name. `npm run mutants` does not count them. */
export function listEquivalents(text: string): Equivalents[] {
  return text.split('\n').flatMap((line, index) => {
    const { whats, why } = comment.exec(line)?.groups ?? {}
    return whats && why ? [{ line: index + 2, whats: whats.replaceAll('`', '').split(/, | or /), why }] : []
  })
}

/** Returns the reason why a mutant is equivalent, or null if no comment names it. */
export const findEquivalenceReason = (text: string, { line, what }: Mutant): string | null =>
  listEquivalents(text).find((one) => one.line === line && one.whats.includes(what))?.why ?? null
