import { parseLines } from './lines.ts'
import {
  joinParts,
  toList,
  toObject,
  toText,
  toTime,
  Transcript,
  type Json,
  type Reading,
  type Trace,
} from './trace.ts'

/**
 * Reads a session of Pi, `~/.pi/agent/sessions/<project>/<time>_<id>.jsonl`: the first line describes the session, and
 * lines of type `message` contain the messages. Entries form a tree; the branch that ends with the last entry is the
 * conversation.
 */
export function readPiSession(content: string, fallbackTime: string): Reading {
  const { entries, skipped } = parseLines(content)
  const head = entries.find((entry) => entry['type'] === 'session') ?? {}
  const transcript = new Transcript()
  let model = ''
  for (const entry of findLastBranch(entries)) {
    if (entry['type'] === 'model_change') model = toText(entry['modelId'])
    if (entry['type'] !== 'message') continue
    const message = toObject(entry['message'])
    model = toText(message['model']) || model
    addMessage(transcript, message, toTime(entry['timestamp']) ?? toTime(message['timestamp']))
  }
  const project = toText(head['cwd']) || null
  const sourceId = toText(head['id'])
  const { messages } = transcript
  if (!sourceId || messages.length === 0) return { traces: [], project, skipped }
  const createdAt = toTime(head['timestamp']) ?? messages[0]?.createdAt ?? fallbackTime
  const trace: Trace = { source: 'unknown', sourceId: `pi/${sourceId}`, createdAt, ...(model && { model }), messages }
  return { traces: [trace], project, skipped }
}

/** Returns the entries from the root to the last one. Sessions of version 1 have no ids: all of them are one branch. */
function findLastBranch(entries: readonly Json[]): Json[] {
  const byId = new Map(entries.map((entry) => [toText(entry['id']), entry]))
  const last = entries.at(-1)
  if (!last || !('parentId' in last)) return [...entries]
  const branch = new Set<Json>()
  for (let entry: Json | undefined = last; entry && !branch.has(entry); entry = byId.get(toText(entry['parentId'])))
    branch.add(entry)
  return [...branch].reverse()
}

function addMessage(transcript: Transcript, message: Json, createdAt: string | undefined): void {
  const { role, content } = message
  if (role === 'toolResult') {
    const result = { id: toText(message['toolCallId']), text: joinParts(content), isError: message['isError'] === true }
    return transcript.addResult(result, createdAt)
  }
  if (role === 'bashExecution') {
    const input = { command: toText(message['command']) }
    const id = transcript.addCall({ id: '', name: 'bash', input }, createdAt)
    return transcript.addResult({ id, text: toText(message['output']) }, createdAt)
  }
  if (role !== 'user' && role !== 'assistant') return
  if (typeof content === 'string') return transcript.addText(role, content, createdAt)
  for (const part of toList(content).map(toObject)) {
    if (part['type'] === 'text') transcript.addText(role, toText(part['text']), createdAt)
    else if (part['type'] === 'thinking') transcript.addThinking(toText(part['thinking']), createdAt)
    else if (part['type'] === 'image') transcript.addText(role, '[image]', createdAt)
    else if (part['type'] === 'toolCall')
      transcript.addCall({ id: toText(part['id']), name: toText(part['name']), input: part['arguments'] }, createdAt)
  }
}
