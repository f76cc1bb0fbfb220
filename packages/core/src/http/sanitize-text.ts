/** Makes text fit to keep: NUL, which SQLite cuts at, and lone surrogates, which UTF-8 cannot say, become U+FFFD. */
export function sanitizeText(text: string): string {
  const formed = text.isWellFormed() ? text : text.toWellFormed()
  return formed.includes('\0') ? formed.replaceAll('\0', '\uFFFD') : formed
}
