import { toObject, type Json } from './trace.ts'

/**
 * Parses the objects of a JSON Lines text. A line that is cut off, malformed or not an object is counted and left out:
 * a session that is still being written ends with an incomplete line, and the rest of a conversation must be read even
 * if one line is invalid.
 */
export function parseLines(content: string): { entries: Json[]; skipped: number } {
  const entries: Json[] = []
  let skipped = 0
  for (const line of content.split('\n')) {
    if (line.trim() === '') continue
    const entry = parse(line)
    if (entry) entries.push(entry)
    else skipped++
  }
  return { entries, skipped }
}

/** Parses a JSON text. Returns null if it is not an object. */
export function parse(content: string): Json | null {
  try {
    const value: unknown = JSON.parse(content)
    return Object.keys(toObject(value)).length > 0 ? toObject(value) : null
  } catch {
    return null
  }
}
