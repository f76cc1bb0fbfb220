import { parseLines, parse } from './lines.ts'
import { joinParts, toList, toObject, toText, toTime, Transcript, type Reading, type Trace } from './trace.ts'

/** The service's name for each tool (`harness`) that writes sessions. */
const sources: Readonly<Record<string, string>> = {
  'claude-code': 'claude_code_jsonl',
  'codex': 'codex_jsonl',
  'gemini-cli': 'gemini_cli',
  'opencode': 'opencode',
  'cursor': 'cursor_sqlite',
}

/**
 * Reads a Session Trace Simple Format file: a line `{"type":"session","harness","id","name"}`, then lines
 * `{"type":"message","message":{...}}` whose times are milliseconds since 1970. One file may hold several sessions.
 */
export function readSts(content: string, fallbackTime: string): Reading {
  const { entries, skipped } = parseLines(content)
  const traces: Trace[] = []
  let transcript = new Transcript()
  for (const entry of entries) {
    if (entry['type'] === 'session') {
      transcript = new Transcript()
      traces.push({
        source: sources[toText(entry['harness'])] ?? 'unknown',
        sourceId: toText(entry['id']),
        createdAt: fallbackTime,
        messages: transcript.messages,
      })
      continue
    }
    const trace = traces.at(-1)
    if (!trace || entry['type'] !== 'message') continue
    const message = toObject(entry['message'])
    const createdAt = toTime(message['timestamp'])
    if (createdAt && trace.messages.length === 0) trace.createdAt = createdAt
    if (toText(message['model'])) trace.model ??= toText(message['model'])
    transcript.addThinking(toText(message['reasoningContent']), createdAt)
    const { role } = message
    if (role === 'tool') {
      transcript.addResult({ id: toText(message['toolCallId']), text: joinParts(message['content']) }, createdAt)
      continue
    }
    transcript.addText(
      role === 'assistant' || role === 'system' ? role : 'user',
      joinParts(message['content']),
      createdAt,
    )
    for (const call of toList(message['toolCalls']).map(toObject)) {
      const { name, arguments: json } = toObject(call['function'])
      transcript.addCall({ id: toText(call['id']), name: toText(name), input: parse(toText(json)) ?? json }, createdAt)
    }
  }
  return { traces: traces.filter(({ sourceId, messages }) => sourceId && messages.length > 0), project: null, skipped }
}
