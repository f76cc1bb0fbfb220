import { lines } from './lines.ts'
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

/** Local commands (`/exit`) and their output are of the terminal, not of the conversation. */
const local = /^\s*<(command-name|command-message|local-command-stdout|local-command-stderr)>/

/**
 * Reads a Claude Code session, `~/.claude/projects/<project>/<session>.jsonl`: one entry a line, `user` and `assistant`
 * entries holding a message whose content is a text or a list of blocks. Entries of sub-agents (`isSidechain`) become
 * traces of their own, whose parent is the session.
 */
export function readClaude(content: string, fallbackTime: string): Reading {
  const { entries, skipped } = lines(content)
  const traces = new Map<string, Trace>()
  const tools = new Map<string, string>()
  const seen = new Set<string>()
  for (const entry of entries) {
    const session = text(entry['sessionId'])
    if (!session || entry['isMeta'] === true || (entry['type'] !== 'user' && entry['type'] !== 'assistant')) continue
    // A resumed session repeats the entries it goes on from.
    const id = text(entry['uuid'])
    if (id && seen.has(id)) continue
    seen.add(id)
    const sourceId = entry['isSidechain'] === true ? `${session}/${text(entry['agentId']) || 'agent'}` : session
    const message = object(entry['message'])
    const at = time(entry['timestamp'])
    let trace = traces.get(sourceId)
    if (!trace) {
      trace = { source: 'claude_code_jsonl', sourceId, createdAt: at ?? fallbackTime, messages: [] }
      if (sourceId !== session) trace.parentTraceId = session
      traces.set(sourceId, trace)
    }
    const model = text(message['model'])
    if (model && model !== '<synthetic>') trace.model ??= model
    addContent(trace.messages, entry['type'], message['content'], at, tools)
  }
  return { traces: [...traces.values()].filter(({ messages }) => messages.length > 0), skipped }
}

function addContent(
  messages: Message[],
  role: 'user' | 'assistant',
  content: unknown,
  at: string | undefined,
  tools: Map<string, string>,
): void {
  if (typeof content === 'string') {
    if (!local.test(content)) add(messages, role, content, at)
    return
  }
  for (const block of list(content).map(object)) {
    if (block['type'] === 'text') add(messages, role, text(block['text']), at)
    else if (block['type'] === 'thinking' && text(block['thinking']))
      add(messages, role, `[thinking]\n${text(block['thinking'])}`, at)
    else if (block['type'] === 'image') add(messages, role, '[image]', at)
    else if (block['type'] === 'tool_use') {
      tools.set(text(block['id']), text(block['name']))
      add(messages, 'tool', call(text(block['name']), block['input']), at)
    } else if (block['type'] === 'tool_result') {
      const name = tools.get(text(block['tool_use_id'])) ?? 'tool'
      add(messages, 'tool', result(name, shown(block), block['is_error'] === true), at)
    }
  }
}

function shown(block: Json): string {
  const { content } = block
  if (typeof content === 'string') return content
  return list(content)
    .map(object)
    .map((part) => (part['type'] === 'text' ? text(part['text']) : `[${text(part['type'])}]`))
    .join('\n')
}
