import { formatMessageBlock } from '@tributary/core'

export type Role = 'system' | 'user' | 'assistant' | 'tool'

export interface Message {
  role: Role
  content: string
  /** The time as ISO 8601 with `Z` or an offset. */
  createdAt?: string
  /** Whether this client cut the message. */
  truncated?: boolean
}

export interface Tool {
  readonly name: string
  readonly description?: string
  /** A JSON Schema. */
  readonly parameters?: Json
}

export const usageFields = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'costUsd'] as const
export type Usage = Partial<Record<(typeof usageFields)[number], number>>

export const outcomeStatuses = ['success', 'failure', 'partial', 'unknown'] as const
export interface SessionOutcome {
  readonly status: (typeof outcomeStatuses)[number]
  readonly testsPassed?: number
  readonly testsFailed?: number
  readonly note?: string
}

/** The optional fields of a trace, apart from its messages (docs/messages.md). */
export interface Details {
  agent?: { readonly name: string; readonly version?: string }
  tools?: readonly Tool[]
  usage?: Usage
  outcome?: SessionOutcome
}

/**
 * A conversation in the form that POST /api/ingest accepts. `position` is left out, because `messages` are in order.
 */
export interface Trace extends Details {
  source: string
  sourceId: string
  model?: string
  createdAt: string
  parentTraceId?: string
  segmentIndex?: number
  messages: Message[]
}

/** The result of reading one file. */
export interface Reading {
  readonly traces: Trace[]
  /**
   * The folder in which the tool worked, or null when the file does not contain it. It is never sent to the service.
   */
  readonly project: string | null
  /** Lines or entries that could not be understood and were left out. */
  readonly skipped: number
}

/** A JSON object with unknown content. */
export type Json = Record<string, unknown>

export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a time that the service accepts, else undefined. */
export function toTime(value: unknown): string | undefined {
  if (typeof value === 'number' && value > 0 && value < 8.64e15) return new Date(value).toISOString()
  const stamp = toText(value)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(stamp) && !Number.isNaN(Date.parse(stamp))
    ? stamp
    : undefined
}

/** Joins the texts of content that is a text or a list of parts. A part without text is replaced by its type. */
export function joinParts(content: unknown): string {
  if (typeof content === 'string') return content
  return toList(content)
    .map((part) =>
      typeof part === 'string' ? part : toText(toObject(part)['text']) || `[${toText(toObject(part)['type'])}]`,
    )
    .join('\n')
}

/**
 * Collects the messages of a conversation. Thinking, tool calls and their results are written as fenced blocks
 * (docs/messages.md), which are parsed again for buyers. A tool's own call ids are long and random, so the scrubber
 * would redact them; calls are numbered instead.
 */
export class Transcript {
  readonly messages: Message[] = []
  /** The tools that the session declares or calls, by name. */
  readonly tools = new Map<string, Tool>()
  readonly #callIds = new Map<string, string>()

  /** Adds a message unless it is empty. */
  addText(role: Role, content: string, createdAt: string | undefined): void {
    if (content.trim() !== '') this.messages.push({ role, content, ...(createdAt && { createdAt }) })
  }

  addThinking(thinking: string, createdAt: string | undefined): void {
    if (thinking.trim() === '') return
    this.addText('assistant', formatMessageBlock({ type: 'thinking', text: thinking }), createdAt)
  }

  /** Adds a tool. For a tool that is known already, it adds only new fields. */
  addTool(tool: Tool): void {
    if (tool.name) this.tools.set(tool.name, { ...tool, ...this.tools.get(tool.name) })
  }

  /**
   * Adds a call; `input` is any JSON value. Returns the id to pass with its result: the tool's own id, or a new one.
   */
  addCall(call: { id: string; name: string; input: unknown }, createdAt: string | undefined): string {
    const id = `call_${this.#callIds.size + 1}`
    const key = call.id || id
    this.addTool({ name: call.name })
    this.#callIds.set(key, id)
    const json = JSON.stringify(call.input ?? {})
    const block = formatMessageBlock({ type: 'tool_call', id, name: call.name || 'tool', arguments: json })
    this.addText('assistant', block, createdAt)
    return key
  }

  /** Adds the result of a call. The result of an unknown call has no id. */
  addResult(result: { id: string; text: string; isError?: boolean }, createdAt: string | undefined): void {
    const id = this.#callIds.get(result.id) ?? null
    const output = result.isError ? `Error: ${result.text}` : result.text
    this.addText('tool', formatMessageBlock({ type: 'tool_result', id, text: output }), createdAt)
  }
}
