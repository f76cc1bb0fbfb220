import { describeSession, type UsagePart } from './details.ts'
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

/** Local commands (`/exit`) and their output belong to the terminal, not to the conversation. */
const local = /^\s*<(command-name|command-message|local-command-stdout|local-command-stderr)>/

/**
 * Reads a Claude Code session, `~/.claude/projects/<project>/<session>.jsonl`, with one entry on each line. `user` and
 * `assistant` entries have a message whose content is a text or a list of blocks. Entries of sub-agents (`isSidechain`)
 * become separate traces, whose parent is the session.
 */
export function readClaudeSession(content: string, fallbackTime: string): Reading {
  const { entries, skipped } = parseLines(content)
  const traces = new Map<string, Session>()
  const seen = new Set<string>()
  let project: string | null = null
  for (const entry of entries) {
    const session = toText(entry['sessionId'])
    if (!session || entry['isMeta'] === true || (entry['type'] !== 'user' && entry['type'] !== 'assistant')) continue
    // A resumed session repeats the entries that it continues.
    const id = toText(entry['uuid'])
    if (id && seen.has(id)) continue
    seen.add(id)
    project ??= toText(entry['cwd']) || null
    const sourceId = entry['isSidechain'] === true ? `${session}/${toText(entry['agentId']) || 'agent'}` : session
    const message = toObject(entry['message'])
    const createdAt = toTime(entry['timestamp'])
    let trace = traces.get(sourceId)
    if (!trace) {
      const head = { source: 'claude_code_jsonl', sourceId, createdAt: createdAt ?? fallbackTime }
      const parent = sourceId === session ? {} : { parentTraceId: session }
      traces.set(
        sourceId,
        (trace = { head: { ...head, ...parent }, transcript: new Transcript(), usage: new Map(), version: '' }),
      )
    }
    const model = toText(message['model'])
    if (model && model !== '<synthetic>') trace.head.model ??= model
    trace.version ||= toText(entry['version'])
    // The file has a line for each block of an answer, and the last line has the final counts.
    trace.usage.set(toText(message['id']) || id, readUsage(entry))
    addContent(trace.transcript, entry['type'], message['content'], createdAt)
  }
  const read = [...traces.values()].map(({ head, transcript, usage, version }): Trace => ({
    ...head,
    ...describeSession('claude-code', version, transcript, usage.values()),
    messages: transcript.messages,
  }))
  return { traces: read.filter(({ messages }) => messages.length > 0), project, skipped }
}

interface Session {
  readonly head: Omit<Trace, 'messages'>
  readonly transcript: Transcript
  /** The tokens that each answer used, by the answer's id. */
  readonly usage: Map<string, UsagePart>
  version: string
}

function readUsage(entry: Json): UsagePart {
  const usage = toObject(toObject(entry['message'])['usage'])
  return {
    inputTokens: usage['input_tokens'],
    outputTokens: usage['output_tokens'],
    cacheReadTokens: usage['cache_read_input_tokens'],
    cacheWriteTokens: usage['cache_creation_input_tokens'],
    costUsd: entry['costUSD'],
  }
}

function addContent(
  transcript: Transcript,
  role: 'user' | 'assistant',
  content: unknown,
  createdAt: string | undefined,
): void {
  if (typeof content === 'string') {
    if (!local.test(content)) transcript.addText(role, content, createdAt)
    return
  }
  for (const block of toList(content).map(toObject)) {
    switch (block['type']) {
      case 'text':
        transcript.addText(role, toText(block['text']), createdAt)
        break
      case 'thinking':
        transcript.addThinking(toText(block['thinking']), createdAt)
        break
      case 'image':
        transcript.addText(role, '[image]', createdAt)
        break
      case 'tool_use':
        transcript.addCall({ id: toText(block['id']), name: toText(block['name']), input: block['input'] }, createdAt)
        break
      case 'tool_result': {
        const result = { id: toText(block['tool_use_id']), text: joinParts(block['content']) }
        transcript.addResult({ ...result, isError: block['is_error'] === true }, createdAt)
      }
    }
  }
}
