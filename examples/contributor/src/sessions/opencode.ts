import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from './lines.ts'
import { list, object, text, time, Transcript, type Json, type Reading, type Trace } from './trace.ts'

/**
 * Reads what `opencode export` prints: `info` of the session, and `messages` with an `info` and `parts` each. Times are
 * milliseconds since 1970.
 */
export function readOpencode(document: Json, fallbackTime: string): Reading {
  const info = object(document['info'])
  const transcript = new Transcript()
  let model = ''
  let skipped = 0
  for (const message of list(document['messages']).map(object)) {
    const head = object(message['info'])
    const role = head['role'] === 'user' ? 'user' : 'assistant'
    const createdAt = time(object(head['time'])['created'])
    model ||= text(head['modelID']) || text(object(head['model'])['modelID'])
    if (!Array.isArray(message['parts'])) skipped++
    for (const part of list(message['parts']).map(object)) addPart(transcript, role, part, createdAt)
  }
  const project = text(info['directory']) || null
  const sourceId = text(info['id'])
  const { messages } = transcript
  if (!sourceId || messages.length === 0) return { traces: [], project, skipped }
  const trace: Trace = {
    source: 'opencode',
    sourceId,
    createdAt: time(object(info['time'])['created']) ?? messages[0]?.createdAt ?? fallbackTime,
    messages,
  }
  if (model) trace.model = model
  if (text(info['parentID'])) trace.parentTraceId = text(info['parentID'])
  return { traces: [trace], project, skipped }
}

function addPart(transcript: Transcript, role: 'user' | 'assistant', part: Json, createdAt: string | undefined): void {
  if (part['type'] === 'text') transcript.addText(role, text(part['text']), createdAt)
  else if (part['type'] === 'reasoning') transcript.addThinking(text(part['text']), createdAt)
  else if (part['type'] === 'file') transcript.addText(role, `[file ${text(part['filename'])}]`, createdAt)
  else if (part['type'] === 'tool') {
    const state = object(part['state'])
    const call = { id: text(part['callID']), name: text(part['tool']), input: state['input'] }
    const id = transcript.addCall(call, createdAt)
    const isError = state['status'] === 'error'
    if (isError || state['status'] === 'completed')
      transcript.addResult({ id, text: text(isError ? state['error'] : state['output']), isError }, createdAt)
  }
}

/**
 * Reads a session where opencode keeps it, `storage/session/<project>/<session>.json`, into the form of its export:
 * messages are files below `storage/message/<session>`, their parts below `storage/part/<message>`.
 */
export function loadOpencodeSession(path: string, session: Json): Json {
  const storage = dirname(dirname(dirname(path)))
  const messages = readObjects(join(storage, 'message', text(session['id']))).map((info) => ({
    info,
    parts: readObjects(join(storage, 'part', text(info['id']))),
  }))
  return { info: session, messages }
}

/** Reads the JSON files of a folder in the order of their names, which is that of their creation. */
function readObjects(folder: string): Json[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => parse(readFileSync(join(folder, name), 'utf8')))
      .filter((entry) => entry !== null)
  } catch {
    return []
  }
}
