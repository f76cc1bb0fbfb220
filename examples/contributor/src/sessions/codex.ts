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
  type Role,
  type Trace,
} from './trace.ts'

const roles: Record<string, Role> = { user: 'user', assistant: 'assistant', system: 'system', developer: 'system' }

/**
 * Reads a Codex session, `~/.codex/sessions/<y>/<m>/<d>/rollout-*.jsonl`: `session_meta` names it, `response_item`
 * holds what was said and called, `turn_context` the model. `event_msg` repeats the items for the screen and is left
 * out. Sessions before 2025-09 have the items bare, without the envelope; both are read.
 */
export function readCodex(content: string, fallbackTime: string): Reading {
  const { entries, skipped } = lines(content)
  const tools = new Map<string, string>()
  const messages: Message[] = []
  let named: { id: string; at: string | undefined; parent: string } | null = null
  let model = ''
  for (const entry of entries) {
    const wrapped = 'payload' in entry
    const item = wrapped ? object(entry['payload']) : entry
    const at = time(entry['timestamp'])
    if (wrapped && entry['type'] === 'turn_context') model ||= text(item['model'])
    else if (wrapped ? entry['type'] === 'session_meta' : 'id' in entry && !('type' in entry)) {
      // A forked session begins with its own line and repeats its parent's.
      named ??= { id: text(item['id']), at: time(item['timestamp']) ?? at, parent: text(item['forked_from_id']) }
    } else if (!wrapped || entry['type'] === 'response_item') addItem(messages, item, at, tools)
  }
  if (!named?.id || messages.length === 0) return { traces: [], skipped }
  const trace: Trace = {
    source: 'codex_jsonl',
    sourceId: named.id,
    createdAt: named.at ?? messages[0]?.createdAt ?? fallbackTime,
    messages,
  }
  if (model) trace.model = model
  if (named.parent) trace.parentTraceId = named.parent
  return { traces: [trace], skipped }
}

function addItem(messages: Message[], item: Json, at: string | undefined, tools: Map<string, string>): void {
  const id = text(item['call_id'])
  switch (item['type']) {
    case 'message':
      return add(messages, roles[text(item['role'])] ?? 'user', parts(item['content']), at)
    case 'reasoning': {
      const thought = list(item['summary'])
        .map((part) => text(object(part)['text']))
        .filter(Boolean)
        .join('\n\n')
      return add(messages, 'assistant', thought && `[thinking]\n${thought}`, at)
    }
    case 'function_call':
    case 'custom_tool_call': {
      const name = text(item['name'])
      tools.set(id, name)
      return add(messages, 'tool', call(name, item['input'] ?? parse(text(item['arguments'])) ?? item['arguments']), at)
    }
    case 'local_shell_call':
      tools.set(id, 'shell')
      return add(messages, 'tool', call('shell', list(object(item['action'])['command']).join(' ')), at)
    case 'web_search_call':
      return add(messages, 'tool', call('web_search', item['action']), at)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return add(messages, 'tool', result(tools.get(id) ?? 'tool', output(item['output'])), at)
  }
}

/** Messages of a user, a model: `input_text`, `output_text`, images. */
function parts(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map(object)
    .map((part) => ('text' in part ? text(part['text']) : '[image]'))
    .join('\n')
}

/** Some tools answer with JSON in a text, `{"output": "...", "metadata": {...}}`; the text inside is what was shown. */
function output(value: unknown): string {
  if (Array.isArray(value)) return parts(value)
  const inner = typeof value === 'string' ? parse(value) : object(value)
  const plain = inner?.['output'] ?? inner?.['content']
  return typeof plain === 'string' ? plain : typeof value === 'string' ? value : JSON.stringify(value)
}
