import { readFileSync, statSync } from 'node:fs'
import { readClaude } from './claude.ts'
import { readCodex } from './codex.ts'
import { readGemini } from './gemini.ts'
import { lines, parse } from './lines.ts'
import { list, type Json, type Reading, type Trace } from './trace.ts'

export type Kind = 'claude' | 'codex' | 'gemini' | 'ingest'

/** A file longer than this is left alone: V8 holds no longer string, and no session is that long. */
const longest = 400 * 1024 * 1024

/** Tells by its content who wrote a file; null when nobody we know. The name decides nothing: they are copied and renamed. */
export function kindOf(content: string): Kind | null {
  const whole = content.trimStart().startsWith('{') ? parse(content) : null
  if (whole && Array.isArray(whole['traces'])) return 'ingest'
  if (whole && Array.isArray(whole['messages']) && typeof whole['sessionId'] === 'string') return 'gemini'
  const { entries } = lines(content.split('\n', 50).join('\n'))
  if (entries.some((entry) => 'payload' in entry && 'type' in entry)) return 'codex'
  if (entries.some((entry) => 'isSidechain' in entry || 'parentUuid' in entry)) return 'claude'
  if (entries.some((entry) => 'projectHash' in entry && 'sessionId' in entry)) return 'gemini'
  const [first] = entries
  return first && 'id' in first && 'timestamp' in first && !('type' in first) ? 'codex' : null
}

/** Reads the conversations in a session file or a ready-made ingest file. Null when it is neither, or not readable. */
export function readFile(path: string): Reading | null {
  let content: string
  let fallback: string
  try {
    const { size, mtime } = statSync(path)
    if (size > longest) return null
    fallback = mtime.toISOString()
    content = readFileSync(path, 'utf8')
  } catch {
    return null
  }
  return read(content, fallback)
}

/** The same for a text. `fallbackTime` dates conversations that carry no time of their own. */
export function read(content: string, fallbackTime: string): Reading | null {
  switch (kindOf(content)) {
    case 'claude':
      return readClaude(content, fallbackTime)
    case 'codex':
      return readCodex(content, fallbackTime)
    case 'gemini':
      return readGemini(content, fallbackTime)
    case 'ingest':
      return readIngest(parse(content)!)
    case null:
      return null
  }
}

/** A ready-made body of POST /api/ingest. What has no id or no messages is left out, the rest goes up as it stands. */
function readIngest(body: Json): Reading {
  const every = list(body['traces']) as Partial<Trace>[]
  const good = every.filter(
    (trace) =>
      typeof trace?.sourceId === 'string' &&
      Array.isArray(trace.messages) &&
      trace.messages.length > 0 &&
      trace.messages.every((message) => typeof message?.content === 'string'),
  )
  return { traces: good as Trace[], skipped: every.length - good.length }
}
