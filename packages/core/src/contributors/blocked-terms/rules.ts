/** The most terms of one person. */
export const maxTerms = 200

/**
 * Returns the terms without those that the scrubber would not tell apart from an earlier one: in another case or width.
 */
export function withoutRepetitions(terms: readonly string[]): string[] {
  const seen = new Set<string>()
  return terms.filter((term) => seen.size < seen.add(term.normalize('NFKC').toLowerCase()).size)
}

/** Returns the lines of a text that are not blank. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '')
}
