import { readFileSync, statSync } from 'node:fs'
import { readClaudeSession } from './claude.ts'
import { readCodexSession } from './codex.ts'
import { cursorHeader, readCursor } from './cursor.ts'
import { readGeminiSession } from './gemini.ts'
import { parseLines, parse } from './lines.ts'
import { loadOpencodeSession, readOpencodeSession } from './opencode.ts'
import { readPiSession } from './pi.ts'
import { readSts } from './sts.ts'
import { toList, toObject, type Json, type Reading, type Trace } from './trace.ts'

export type Kind = 'claude' | 'codex' | 'gemini' | 'opencode' | 'opencode session' | 'pi' | 'cursor' | 'sts' | 'ingest'

/** The largest file that is read, in bytes. V8 cannot hold a longer string, and no session is that long. */
const maxBytes = 400 * 1024 * 1024

/**
 * Returns the tool that wrote a file, or null for an unknown tool. Detects it by the content, because files are copied
 * and renamed.
 */
export function detectKind(content: string): Kind | null {
  const whole = content.trimStart().startsWith('{') ? parse(content) : null
  if (whole && Array.isArray(whole['traces'])) return 'ingest'
  if (whole && Array.isArray(whole['messages'])) {
    if (typeof whole['sessionId'] === 'string') return 'gemini'
    if (typeof toObject(whole['info'])['id'] === 'string') return 'opencode'
  }
  if (whole && typeof whole['directory'] === 'string' && 'created' in toObject(whole['time'])) return 'opencode session'
  if (!whole && cursorHeader.test(content.slice(0, 2000))) return 'cursor'
  const { entries } = parseLines(content.split('\n', 50).join('\n'))
  const [first] = entries
  if (first?.['type'] === 'session') return 'harness' in first ? 'sts' : 'pi'
  if (entries.some((entry) => 'payload' in entry && 'type' in entry)) return 'codex'
  if (entries.some((entry) => 'isSidechain' in entry || 'parentUuid' in entry)) return 'claude'
  if (entries.some((entry) => 'projectHash' in entry && 'sessionId' in entry)) return 'gemini'
  return first && 'id' in first && 'timestamp' in first && !('type' in first) ? 'codex' : null
}

/**
 * Reads the conversations of a session file or a ready-made ingest file. Returns null if the file is neither or cannot
 * be read.
 */
export function readFile(path: string): Reading | null {
  try {
    const { size, mtime } = statSync(path)
    return size > maxBytes ? null : read(readFileSync(path, 'utf8'), mtime.toISOString(), path)
  } catch {
    return null
  }
}

/** Reads a text as `readFile` reads a file. Conversations without their own time get `fallbackTime`. */
export function read(content: string, fallbackTime: string, path = ''): Reading | null {
  switch (detectKind(content)) {
    case 'claude':
      return readClaudeSession(content, fallbackTime)
    case 'codex':
      return readCodexSession(content, fallbackTime)
    case 'gemini':
      return readGeminiSession(content, fallbackTime)
    case 'opencode':
      return readOpencodeSession(parse(content)!, fallbackTime)
    case 'opencode session':
      return readOpencodeSession(loadOpencodeSession(path, parse(content)!), fallbackTime)
    case 'pi':
      return readPiSession(content, fallbackTime)
    case 'cursor':
      return readCursor(content, fallbackTime)
    case 'sts':
      return readSts(content, fallbackTime)
    case 'ingest':
      return readIngest(parse(content)!)
    case null:
      return null
  }
}

/** Reads a body of POST /api/ingest. Leaves out a trace without an id or messages, and keeps all others unchanged. */
function readIngest(body: Json): Reading {
  const all = toList(body['traces']) as Partial<Trace>[]
  const valid = all.filter(
    (trace) =>
      typeof trace?.sourceId === 'string' &&
      Array.isArray(trace.messages) &&
      trace.messages.length > 0 &&
      trace.messages.every((message) => typeof message?.content === 'string'),
  )
  return { traces: valid as Trace[], project: null, skipped: all.length - valid.length }
}
