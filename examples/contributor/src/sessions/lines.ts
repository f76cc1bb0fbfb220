import { object, type Json } from './trace.ts'

/**
 * The objects of a JSON Lines text. A line that is cut off, garbled or no object is counted and left out: a session that
 * is being written ends in half a line, and one bad line must not cost the conversation.
 */
export function lines(content: string): { entries: Json[]; skipped: number } {
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

/** The object in a JSON text, or null. */
export function parse(content: string): Json | null {
  try {
    const value: unknown = JSON.parse(content)
    return Object.keys(object(value)).length > 0 ? object(value) : null
  } catch {
    return null
  }
}
