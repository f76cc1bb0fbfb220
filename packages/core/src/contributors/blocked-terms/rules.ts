/** The maximum number of terms of one person. */
export const maxTerms = 200

/**
 * Returns the terms without those that the scrubber would not distinguish from an earlier one, such as the same term in
 * another case or width.
 */
export function withoutRepetitions(terms: readonly string[]): string[] {
  const firstByForm = new Map<string, string>()
  for (const term of terms) {
    const form = term.normalize('NFKC').toLowerCase()
    if (!firstByForm.has(form)) firstByForm.set(form, term)
  }
  return [...firstByForm.values()]
}

/** Returns the lines of a text that are not blank. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '')
}
