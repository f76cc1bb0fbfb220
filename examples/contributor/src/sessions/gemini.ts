import { describeSession, type UsagePart } from './details.ts'
import { parseLines, parse } from './lines.ts'
import { toList, toObject, toText, toTime, Transcript, type Json, type Reading, type Trace } from './trace.ts'

/**
 * Reads a Gemini CLI session, `~/.gemini/tmp/<project>/chats/session-*.json`: one JSON document with `messages`, or one
 * entry on each line. The first entry names the session. A later entry replaces an earlier entry with the same id.
 */
export function readGeminiSession(content: string, fallbackTime: string): Reading {
  const { head, entries, skipped } = openDocument(content)
  const transcript = new Transcript()
  const usage: UsagePart[] = []
  let model = ''
  for (const entry of entries) {
    const createdAt = toTime(entry['timestamp'])
    if (entry['type'] === 'user') transcript.addText('user', readParts(entry['content']), createdAt)
    if (entry['type'] !== 'gemini') continue
    model ||= toText(entry['model'])
    const tokens = toObject(entry['tokens'])
    usage.push({ inputTokens: tokens['input'], outputTokens: tokens['output'], cacheReadTokens: tokens['cached'] })
    usage.push({ outputTokens: tokens['thoughts'] })
    const thoughts = toList(entry['thoughts'])
      .map(toObject)
      .map((thought) => `${toText(thought['subject'])}\n${toText(thought['description'])}`.trim())
    transcript.addThinking(thoughts.join('\n\n'), createdAt)
    transcript.addText('assistant', readParts(entry['content']), createdAt)
    for (const tool of toList(entry['toolCalls']).map(toObject)) addTool(transcript, tool, createdAt)
  }
  const sourceId = toText(head['sessionId'])
  const { messages } = transcript
  if (!sourceId || messages.length === 0) return { traces: [], project: null, skipped }
  const createdAt = toTime(head['startTime']) ?? messages[0]?.createdAt ?? fallbackTime
  const details = describeSession('gemini-cli', '', transcript, usage)
  const trace: Trace = { source: 'gemini_cli', sourceId, createdAt, ...(model && { model }), ...details, messages }
  return { traces: [trace], project: null, skipped }
}

function openDocument(content: string): { head: Json; entries: Json[]; skipped: number } {
  const whole = parse(content)
  if (whole && Array.isArray(whole['messages'])) {
    const entries = whole['messages'].map(toObject)
    const typed = entries.filter((entry) => typeof entry['type'] === 'string')
    return { head: whole, entries: typed, skipped: entries.length - typed.length }
  }
  const read = parseLines(content)
  const head = read.entries.find((entry) => typeof entry['sessionId'] === 'string') ?? {}
  const latest = new Map<string, Json>()
  for (const entry of read.entries) if (typeof entry['id'] === 'string') latest.set(entry['id'], entry)
  return { head, entries: [...latest.values()], skipped: read.skipped }
}

function addTool(transcript: Transcript, tool: Json, createdAt: string | undefined): void {
  const description = toText(tool['description'])
  if (description) transcript.addTool({ name: toText(tool['name']), description })
  const id = transcript.addCall({ id: toText(tool['id']), name: toText(tool['name']), input: tool['args'] }, createdAt)
  const answers = toList(tool['result']).map((part) =>
    toObject(toObject(toObject(part)['functionResponse'])['response']),
  )
  if (answers.length === 0) return
  const output = answers
    .map((answer) => toText(answer['output']) || toText(answer['error']) || JSON.stringify(answer))
    .join('\n')
  transcript.addResult(
    { id, text: output, isError: tool['status'] === 'error' },
    toTime(tool['timestamp']) ?? createdAt,
  )
}

function readParts(content: unknown): string {
  if (typeof content === 'string') return content
  return toList(content)
    .map((part) => (typeof part === 'string' ? part : toText(toObject(part)['text']) || '[attachment]'))
    .join('\n')
}
