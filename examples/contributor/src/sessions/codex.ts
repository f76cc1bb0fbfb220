import { describeSession } from './details.ts'
import { parseLines, parse } from './lines.ts'
import {
  joinParts,
  toList,
  toObject,
  toText,
  toTime,
  Transcript,
  type Json,
  type Reading,
  type Role,
  type Trace,
} from './trace.ts'

const roles: Record<string, Role> = { user: 'user', assistant: 'assistant', system: 'system', developer: 'system' }

/**
 * Reads a Codex session, `~/.codex/sessions/<y>/<m>/<d>/rollout-*.jsonl`. The `session_meta` line contains the id,
 * `response_item` lines contain the messages and calls, and `turn_context` lines contain the model. `event_msg` lines
 * repeat the items for the screen and are left out, except `token_count`, which has the totals of the session so far.
 * In sessions before 2025-09 the items have no envelope; both forms are read.
 */
export function readCodexSession(content: string, fallbackTime: string): Reading {
  const { entries, skipped } = parseLines(content)
  const transcript = new Transcript()
  let head: { id: string; createdAt: string | undefined; parent: string; folder: string; version: string } | null = null
  let model = ''
  let totals: Json = {}
  for (const entry of entries) {
    const isWrapped = 'payload' in entry
    const item = isWrapped ? toObject(entry['payload']) : entry
    const createdAt = toTime(entry['timestamp'])
    if (isWrapped && entry['type'] === 'turn_context') model ||= toText(item['model'])
    else if (isWrapped ? entry['type'] === 'session_meta' : 'id' in entry && !('type' in entry)) {
      // A forked session begins with its own `session_meta` line, and then repeats the `session_meta` line of its
      // parent.
      head ??= {
        id: toText(item['id']),
        createdAt: toTime(item['timestamp']) ?? createdAt,
        parent: toText(item['forked_from_id']),
        folder: toText(item['cwd']),
        version: toText(item['cli_version']),
      }
      for (const tool of toList(item['dynamic_tools']).map(toObject)) addDeclaredTool(transcript, tool)
    } else if (isWrapped && item['type'] === 'token_count') {
      const { total_token_usage: total } = toObject(item['info'])
      if (total) totals = toObject(total)
    } else if (!isWrapped || entry['type'] === 'response_item') addItem(transcript, item, createdAt)
  }
  const { messages } = transcript
  const project = head?.folder || null
  if (!head?.id || messages.length === 0) return { traces: [], project, skipped }
  const trace: Trace = {
    source: 'codex_jsonl',
    sourceId: head.id,
    createdAt: head.createdAt ?? messages[0]?.createdAt ?? fallbackTime,
    ...describeSession('codex', head.version, transcript, [
      {
        inputTokens: totals['input_tokens'],
        outputTokens: totals['output_tokens'],
        cacheReadTokens: totals['cached_input_tokens'],
      },
    ]),
    messages,
  }
  if (model) trace.model = model
  if (head.parent) trace.parentTraceId = head.parent
  return { traces: [trace], project, skipped }
}

/** Adds a tool that the program around Codex declared. Codex's own tools are not in the file. */
function addDeclaredTool(transcript: Transcript, tool: Json): void {
  const parameters = toObject(tool['inputSchema'])
  transcript.addTool({ name: toText(tool['name']), description: toText(tool['description']), parameters })
}

/** Messages with the role `user` in which Codex describes the machine (its folder and shell) or an aborted turn. */
const surroundings = /^\s*<(?:environment_context|turn_aborted)>/
/** The instructions of the project, which Codex puts before the first prompt as a message of the user. */
const instructions = /^\s*(?:<user_instructions>|# AGENTS\.md instructions for )/

function addMessage(transcript: Transcript, item: Json, createdAt: string | undefined): void {
  const role = roles[toText(item['role'])] ?? 'user'
  const text = joinParts(item['content'])
  if (role === 'user' && surroundings.test(text)) return
  transcript.addText(role === 'user' && instructions.test(text) ? 'system' : role, text, createdAt)
}

function addItem(transcript: Transcript, item: Json, createdAt: string | undefined): void {
  const id = toText(item['call_id'])
  switch (item['type']) {
    case 'message':
      addMessage(transcript, item, createdAt)
      break
    case 'reasoning': {
      const parts = toList(item['summary']).map((part) => toText(toObject(part)['text']))
      transcript.addThinking(parts.filter(Boolean).join('\n\n'), createdAt)
      break
    }
    case 'function_call':
    case 'custom_tool_call': {
      const input = item['input'] ?? parse(toText(item['arguments'])) ?? item['arguments']
      transcript.addCall({ id, name: toText(item['name']), input }, createdAt)
      break
    }
    case 'local_shell_call':
      transcript.addCall({ id, name: 'shell', input: item['action'] }, createdAt)
      break
    case 'web_search_call':
      transcript.addCall({ id, name: 'web_search', input: item['action'] }, createdAt)
      break
    case 'function_call_output':
    case 'custom_tool_call_output':
      transcript.addResult({ id, text: readOutput(item['output']) }, createdAt)
  }
}

/**
 * Reads a tool's output. Some tools answer with a JSON text, `{"output": "...", "metadata": {...}}`; its `output` is
 * the text that was shown.
 */
function readOutput(value: unknown): string {
  if (Array.isArray(value)) return joinParts(value)
  const inner = typeof value === 'string' ? parse(value) : toObject(value)
  const output = inner?.['output'] ?? inner?.['content']
  return typeof output === 'string' ? output : typeof value === 'string' ? value : JSON.stringify(value)
}
