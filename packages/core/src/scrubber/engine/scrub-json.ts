import type { ScrubContext, Scrubber } from './scrubber-types.ts'

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
    pairs(value, texts)
    const done = scrubber.scrub(texts, { ...context, counted: spans })
    if (!done.ok) return done
    return {
      ok: true,
      value: rebuild(value, (text) => done.texts[add(text)] ?? '') as T,
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
function pairs(value: unknown, texts: string[]): void {
  if (Array.isArray(value)) for (const item of value) pairs(item, texts)
  else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'string') texts.push(`${JSON.stringify(key)}: ${JSON.stringify(item)}`)
      else pairs(item, texts)
    }
}

function rebuild(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((item) => rebuild(item, clean))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), rebuild(item, clean)]))
}
