import type { ScrubContext, Scrubber } from './scrubber-types.ts'

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

export type JsonResult<T> =
  | { readonly ok: true; readonly value: T; readonly counts: Record<string, number>; readonly total: number }
  | { readonly ok: false; readonly reason: string }

/**
 * Scrubs all strings in a plain JSON value, including the keys of objects, as one trace. Numbers, booleans, nulls and
 * the shape stay the same. Each key is also read together with its string value, because the key may reveal a secret:
 * `{"password": "x"}`.
 */
export function scrubJson<T>(scrubber: Scrubber, value: T, context: ScrubContext = {}): JsonResult<T> {
  const texts: string[] = []
  const seen = new Map<string, number>()
  const add = (text: string): number => {
    let index = seen.get(text)
    if (index === undefined) seen.set(text, (index = texts.push(text) - 1))
    return index
  }
  try {
    gather(value, add)
    const spans = texts.length
    addPairs(value, texts)
    const done = scrubber.scrub(texts, { ...context, counted: spans })
    if (!done.ok) return done
    return {
      ok: true,
      value: replaceStrings(value, (text) => done.texts[add(text)] ?? '') as T,
      counts: done.counts,
      total: done.total,
    }
  } catch {
    return { ok: false, reason: 'the scrubber failed' }
  }
}

function gather(value: unknown, add: (text: string) => void): void {
  if (typeof value === 'string') add(value)
  else if (Array.isArray(value)) for (const item of value) gather(item, add)
  else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) {
      add(key)
      gather(item, add)
    }
}

/** Adds each `"key": "value"` as an extra text. If the key reveals a secret, the secret is replaced everywhere. */
function addPairs(value: unknown, texts: string[]): void {
  if (Array.isArray(value)) for (const item of value) addPairs(item, texts)
  else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'string') texts.push(`${JSON.stringify(key)}: ${JSON.stringify(item)}`)
      else addPairs(item, texts)
    }
}

function replaceStrings(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((item) => replaceStrings(item, clean))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), replaceStrings(item, clean)]))
}
