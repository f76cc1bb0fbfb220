import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from './lines.ts'
import { toList, toObject, toText, toTime, Transcript, type Json, type Reading, type Trace } from './trace.ts'

/**
 * Reads what `opencode export` prints: `info` of the session, and `messages` with an `info` and `parts` each. Times are
 * milliseconds since 1970.
 */
export function readOpencodeSession(document: Json, fallbackTime: string): Reading {
  const info = toObject(document['info'])
  const transcript = new Transcript()
  let model = ''
  let skipped = 0
  for (const message of toList(document['messages']).map(toObject)) {
    const head = toObject(message['info'])
    const role = head['role'] === 'user' ? 'user' : 'assistant'
    const createdAt = toTime(toObject(head['time'])['created'])
    model ||= toText(head['modelID']) || toText(toObject(head['model'])['modelID'])
    if (!Array.isArray(message['parts'])) skipped++
    for (const part of toList(message['parts']).map(toObject)) addPart(transcript, role, part, createdAt)
  }
  const project = toText(info['directory']) || null
  const sourceId = toText(info['id'])
  const { messages } = transcript
  if (!sourceId || messages.length === 0) return { traces: [], project, skipped }
  const trace: Trace = {
    source: 'opencode',
    sourceId,
    createdAt: toTime(toObject(info['time'])['created']) ?? messages[0]?.createdAt ?? fallbackTime,
    messages,
  }
  if (model) trace.model = model
  if (toText(info['parentID'])) trace.parentTraceId = toText(info['parentID'])
  return { traces: [trace], project, skipped }
}

function addPart(transcript: Transcript, role: 'user' | 'assistant', part: Json, createdAt: string | undefined): void {
  if (part['type'] === 'text') transcript.addText(role, toText(part['text']), createdAt)
  else if (part['type'] === 'reasoning') transcript.addThinking(toText(part['text']), createdAt)
  else if (part['type'] === 'file') transcript.addText(role, `[file ${toText(part['filename'])}]`, createdAt)
  else if (part['type'] === 'tool') {
    const state = toObject(part['state'])
    const call = { id: toText(part['callID']), name: toText(part['tool']), input: state['input'] }
    const id = transcript.addCall(call, createdAt)
    const isError = state['status'] === 'error'
    if (isError || state['status'] === 'completed')
      transcript.addResult({ id, text: toText(isError ? state['error'] : state['output']), isError }, createdAt)
  }
}

/**
 * Reads a session from the folder where opencode stores it, `storage/session/<project>/<session>.json`, into the form
 * of its export: messages are files below `storage/message/<session>`, and their parts are below
 * `storage/part/<message>`.
 */
export function loadOpencodeSession(path: string, session: Json): Json {
  const storage = dirname(dirname(dirname(path)))
  const messages = readObjects(join(storage, 'message', toText(session['id']))).map((info) => ({
    info,
    parts: readObjects(join(storage, 'part', toText(info['id']))),
  }))
  return { info: session, messages }
}

/** Reads the JSON files of a folder in the order of their names, which is the order in which they were created. */
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
