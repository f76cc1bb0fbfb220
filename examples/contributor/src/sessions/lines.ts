import { toObject, type Json } from './trace.ts'

/**
 * Parses the objects of a JSON Lines text. A line that is cut off, malformed or not an object is counted and left out:
 * a session that is being written ends in half a line, and one bad line must not cost the conversation.
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
