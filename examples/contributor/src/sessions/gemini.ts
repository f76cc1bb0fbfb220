import { lines, parse } from './lines.ts'
import {
  add,
  call,
  list,
  object,
  result,
  text,
  time,
  type Json,
  type Message,
  type Reading,
  type Trace,
} from './trace.ts'

/**
 * Reads a Gemini CLI session, `~/.gemini/tmp/<project>/chats/session-*.json`: one JSON document with `messages`, or one
 * entry a line, the first of which names the session and a later one of the same id replaces the earlier.
 */
export function readGemini(content: string, fallbackTime: string): Reading {
  const { head, entries, skipped } = open(content)
  const messages: Message[] = []
  let model = ''
  for (const entry of entries) {
    const at = time(entry['timestamp'])
    if (entry['type'] === 'user') add(messages, 'user', parts(entry['content']), at)
    if (entry['type'] !== 'gemini') continue
    model ||= text(entry['model'])
    const thoughts = list(entry['thoughts'])
      .map(object)
      .map((one) => `${text(one['subject'])}\n${text(one['description'])}`.trim())
    add(messages, 'assistant', thoughts.length > 0 ? `[thinking]\n${thoughts.join('\n\n')}` : '', at)
    add(messages, 'assistant', parts(entry['content']), at)
    for (const tool of list(entry['toolCalls']).map(object)) addTool(messages, tool, at)
  }
  const sourceId = text(head['sessionId'])
  if (!sourceId || messages.length === 0) return { traces: [], skipped }
  const createdAt = time(head['startTime']) ?? messages[0]?.createdAt ?? fallbackTime
  const trace: Trace = { source: 'gemini_cli', sourceId, createdAt, ...(model && { model }), messages }
  return { traces: [trace], skipped }
}

function open(content: string): { head: Json; entries: Json[]; skipped: number } {
  const whole = parse(content)
  if (whole && Array.isArray(whole['messages'])) {
    const entries = whole['messages'].map(object)
    const good = entries.filter((entry) => typeof entry['type'] === 'string')
    return { head: whole, entries: good, skipped: entries.length - good.length }
  }
  const read = lines(content)
  const head = read.entries.find((entry) => typeof entry['sessionId'] === 'string') ?? {}
  const latest = new Map<string, Json>()
  for (const entry of read.entries) if (typeof entry['id'] === 'string') latest.set(entry['id'], entry)
  return { head, entries: [...latest.values()], skipped: read.skipped }
}

function addTool(messages: Message[], tool: Json, at: string | undefined): void {
  const name = text(tool['name'])
  add(messages, 'tool', call(name, tool['args']), at)
  const answers = list(tool['result']).map((part) => object(object(object(part)['functionResponse'])['response']))
  const shown = answers
    .map((answer) => text(answer['output']) || text(answer['error']) || JSON.stringify(answer))
    .join('\n')
  if (answers.length > 0)
    add(messages, 'tool', result(name, shown, tool['status'] === 'error'), time(tool['timestamp']) ?? at)
}

function parts(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => (typeof part === 'string' ? part : text(object(part)['text']) || '[attachment]'))
    .join('\n')
}
