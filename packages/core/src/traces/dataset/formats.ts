import type * as z from 'zod'
import { parseMessageBlocks, type MessageBlock } from '../blocks.ts'
import type { TraceDocument as TraceDocumentSchema } from '../contract.ts'

/** A trace as `format=documents` gives it: the document of E10. */
export type TraceDocument = z.output<typeof TraceDocumentSchema>

/** The forms in which the dataset is read, line by line. */
export const datasetFormats = ['documents', 'messages', 'sts'] as const
export type DatasetFormat = (typeof datasetFormats)[number]

interface ToolCall {
  readonly id: string
  /** `arguments` is JSON text. */
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A message of the Session Trace Simple Format (https://huggingface.co/docs/hub/session-traces-format). */
export interface SessionMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly content: string
  readonly reasoningContent?: string
  readonly toolCalls?: readonly ToolCall[]
  readonly toolCallId?: string
  /** Milliseconds since 1970. */
  readonly timestamp?: number
  readonly model?: string
}

type DocumentMessage = TraceDocument['messages'][number]

/** The names of the tools in the Session Trace Simple Format, where they differ from the source. */
const harnesses: Readonly<Record<string, string>> = {
  claude_code_jsonl: 'claude-code',
  codex_jsonl: 'codex',
  gemini_cli: 'gemini-cli',
  cursor_sqlite: 'cursor',
  claude_export: 'claude',
  chatgpt_export: 'chatgpt',
}

/**
 * Returns a trace as the lines of a format, without the last line break; `sts` has a line for the session and one for
 * each message.
 */
export function formatTraceDocument(document: TraceDocument, format: DatasetFormat): string {
  if (format === 'documents') return JSON.stringify(document)
  if (format === 'messages') return JSON.stringify(toMessagesLine(document))
  const { id, source, title } = document
  const session = {
    type: 'session',
    harness: harnesses[source] ?? source,
    id,
    ...(title === null ? {} : { name: title }),
  }
  const messages = toSessionMessages(document).map((message) => ({ type: 'message', message }))
  return [session, ...messages].map((line) => JSON.stringify(line)).join('\n')
}

/**
 * Returns a trace as training libraries read it: `messages` of role and content, and beside it what is known of the
 * trace.
 */
export function toMessagesLine({ messages, ...meta }: TraceDocument) {
  return { messages: messages.map((message) => ({ role: roleOf(message), content: message.content })), ...meta }
}

/**
 * Returns the messages of a trace with thinking, tool calls and tool results taken out of their text
 * (`parseMessageBlocks`).
 */
export function toSessionMessages({ messages, model }: Pick<TraceDocument, 'messages' | 'model'>): SessionMessage[] {
  /** Ids of the calls that have no result yet, oldest first: a result without an id answers the first. */
  const open: string[] = []
  let calls = 0
  return messages.flatMap((message) => {
    const blocks = parseMessageBlocks(message)
    const at = message.createdAt === null ? {} : { timestamp: Date.parse(message.createdAt) }
    const toolCalls = blocks.flatMap((block): ToolCall[] => {
      if (block.type !== 'tool_call') return []
      const id = block.id ?? `call_${++calls}`
      open.push(id)
      return [{ id, function: { name: block.name, arguments: block.arguments } }]
    })
    const results = blocks.flatMap((block): SessionMessage[] => {
      if (block.type !== 'tool_result') return []
      const toolCallId = block.id ?? open[0]
      if (toolCallId !== undefined && open.includes(toolCallId)) open.splice(open.indexOf(toolCallId), 1)
      return [{ role: 'tool', content: block.text, ...(toolCallId === undefined ? {} : { toolCallId }), ...at }]
    })
    const content = textOf(blocks, 'text')
    const reasoning = textOf(blocks, 'thinking')
    const role = toolCalls.length > 0 || reasoning !== '' ? 'assistant' : roleOf(message)
    const said: SessionMessage = {
      role,
      content,
      ...(reasoning === '' ? {} : { reasoningContent: reasoning }),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...at,
      ...(role === 'assistant' && model !== null ? { model } : {}),
    }
    const hasMore = content !== '' || reasoning !== '' || toolCalls.length > 0
    return results.length > 0 && !hasMore ? results : [said, ...results]
  })
}

/** Returns the role of a message; that of one without a role is `user`. */
const roleOf = ({ role }: DocumentMessage): SessionMessage['role'] =>
  role === 'system' || role === 'assistant' || role === 'tool' ? role : 'user'

const textOf = (blocks: readonly MessageBlock[], type: 'text' | 'thinking'): string =>
  blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join('\n\n')
