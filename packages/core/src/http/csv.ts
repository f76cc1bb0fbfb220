/**
 * Quotes a field for CSV (RFC 4180). A spreadsheet would read a field that begins with `=`, `+`, `-` or `@` as a
 * formula, so such a field gets a quote mark at its start, unless it is a number.
 */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns a line of CSV with its line break. */
export const csvLine = (fields: readonly string[]): string => `${fields.map(csvField).join(',')}\r\n`
