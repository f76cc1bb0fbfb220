/** A JSON document that replacements in its text would break. */
export interface BrokenDocument {
  /** The strings, keys and numbers of the document, in the order in which `rebuild` asks for their replacements. */
  readonly leaves: readonly string[]
  /** Each key with its value as one text, because a key may show the kind of its value. */
  readonly pairs: readonly string[]
  /**
   * Returns the document as JSON text, with each leaf replaced by the next result of `clean`. A changed number becomes
   * a string.
   */
  rebuild(clean: () => string): string
}

/**
 * A character that is only possible inside strings: not a mark, a number, or a letter of `true`, `false` and `null`.
 */
const INSIDE_ONLY = /[^\s{}[\]:,\d+.eEtrufalsn-]/

/**
 * Returns whether a part of a text is certainly inside one string if the text is a JSON document. Then a placeholder in
 * its place keeps the document valid. This check replaces parsing, which takes much longer.
 */
export function isInsideString(text: string, start: number, end: number): boolean {
  const part = text.slice(start, end)
  if (part.includes('"') || part.includes('\\')) return false
  const before = text.slice(Math.max(0, start - 5), start)
  // A quote before the part opens a string only if a letter or digit follows; after a closing quote, only punctuation
  // can follow. A backslash may begin an escape that ends inside the part.
  if (before.endsWith('"')) return /^[\p{L}\d]/u.test(part)
  return !before.includes('\\') && INSIDE_ONLY.test(part)
}

/** Returns the document of a text if the text is JSON and its scrubbed form is not. Returns null otherwise. */
export function brokenDocument(text: string, scrubbed: string): BrokenDocument | null {
  if (!/^\s*[[{]/.test(text) || isJson(scrubbed)) return null
  const value = parsed(text)
  if (value === undefined) return null
  const leaves: string[] = []
  const pairs: string[] = []
  walk(
    value,
    (leaf) => leaves.push(leaf),
    (pair) => pairs.push(pair),
  )
  return { leaves, pairs, rebuild: (clean) => JSON.stringify(rebuilt(value, clean)) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isJson = (text: string): boolean => parsed(text) !== undefined

function walk(value: unknown, leaf: (text: string) => void, pair: (text: string) => void): void {
  if (typeof value === 'string' || typeof value === 'number') leaf(String(value))
  else if (Array.isArray(value)) for (const item of value) walk(item, leaf, pair)
  else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      leaf(key)
      if (typeof item === 'string' || typeof item === 'number') pair(`${JSON.stringify(key)}: ${JSON.stringify(item)}`)
      walk(item, leaf, pair)
    }
  }
}

/** Rebuilds a document from its scrubbed leaves, in the order of `walk`. */
function rebuilt(value: unknown, clean: () => string): unknown {
  if (typeof value === 'string') return clean()
  if (typeof value === 'number') {
    const text = clean()
    return text === String(value) ? value : text
  }
  if (Array.isArray(value)) return value.map((item) => rebuilt(item, clean))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([, item]) => [clean(), rebuilt(item, clean)]))
}

/** Returns the strings in a part of a JSON document: the part is split at quotes, and escapes are decoded. */
export const stringsIn = (part: string): string[] =>
  part
    .split(/(?<!\\)"/)
    .map(decodeString)
    .filter(Boolean)

function decodeString(content: string): string {
  const value = content.includes('\\') ? parsed(`"${content}"`) : content
  return (typeof value === 'string' ? value : content).trim()
}
