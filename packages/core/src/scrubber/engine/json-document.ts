/** A JSON document that is no longer valid after replacements in its text. */
export interface BrokenDocument {
  /** The strings, keys and numbers of the document, in the order in which `rebuild` asks for their replacements. */
  readonly leaves: readonly string[]
  /** Each key together with its value as one text, because a key may show the kind of its value. */
  readonly pairs: readonly string[]
  /**
   * Returns the document as JSON text, with each leaf replaced by the next result of `clean`. A changed number becomes
   * a string.
   */
  rebuild(clean: () => string): string
}

/**
 * A character that occurs only inside strings. The punctuation of JSON, parts of numbers, and letters of `true`,
 * `false` and `null` are excluded.
 */
const INSIDE_ONLY = /[^\s{}[\]:,\d+.eEtrufalsn-]/

/**
 * Returns whether a part of a JSON document is certainly inside one string. If so, the document stays valid when a
 * placeholder replaces the part. This check is much faster than parsing the document.
 */
export function isInsideString(text: string, start: number, end: number): boolean {
  const part = text.slice(start, end)
  if (part.includes('"') || part.includes('\\')) return false
  const before = text.slice(Math.max(0, start - 5), start)
  // A quote before the part opens a string if a letter or digit follows, because only punctuation can follow a closing
  // quote. A backslash may begin an escape that ends inside the part.
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

/** Returns the strings in a part of a JSON document. Splits the part at quotes, and decodes escapes. */
export const stringsIn = (part: string): string[] =>
  part
    .split(/(?<!\\)"/)
    .map(decodeString)
    .filter(Boolean)

function decodeString(content: string): string {
  const value = content.includes('\\') ? parsed(`"${content}"`) : content
  return (typeof value === 'string' ? value : content).trim()
}
