/** The maximum number of terms of one person. */
export const maxTerms = 200

/**
 * Returns the terms without repetitions. Terms that the scrubber does not distinguish, such as the same term in another
 * case or width, count as one term.
 */
export function removeRepetitions(terms: readonly string[]): string[] {
  const firstByForm = new Map<string, string>()
  for (const term of terms) {
    const form = term.normalize('NFKC').toLowerCase()
    if (!firstByForm.has(form)) firstByForm.set(form, term)
  }
  return [...firstByForm.values()]
}

/** Returns the lines of a text that are not blank. */
export function listLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '')
}
