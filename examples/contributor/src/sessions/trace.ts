export type Role = 'system' | 'user' | 'assistant' | 'tool'

export interface Message {
  role: Role
  content: string
  /** ISO 8601 with `Z` or an offset. */
  createdAt?: string
  /** This client cut the message. */
  truncated?: boolean
}

/** A conversation as POST /api/ingest takes it. `position` is left out: the order of `messages` is the order. */
export interface Trace {
  source: string
  sourceId: string
  model?: string
  createdAt: string
  parentTraceId?: string
  segmentIndex?: number
  messages: Message[]
}

/** What reading one file gave. */
export interface Reading {
  traces: Trace[]
  /** Lines or entries that could not be understood and were left out. */
  skipped: number
}

/** Anything that JSON gives, before somebody looked at it. */
export type Json = Record<string, unknown>

export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** A time that the service accepts, else undefined. */
export function time(value: unknown): string | undefined {
  const stamp = text(value)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/.test(stamp) && !Number.isNaN(Date.parse(stamp))
    ? stamp
    : undefined
}

/** The message a tool call becomes: its name, then what it was given, one readable argument a line. */
export function call(name: string, given: unknown): string {
  const shown =
    typeof given === 'string'
      ? given
      : Object.entries(object(given))
          .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join('\n')
  return `[call ${name}]\n${shown}`.trimEnd()
}

/** The message a tool's answer becomes. */
export function result(name: string, given: string, failed = false): string {
  return `[${failed ? 'error' : 'result'} of ${name}]\n${given}`.trimEnd()
}

/** Adds a message unless there is nothing in it. */
export function add(messages: Message[], role: Role, content: string, createdAt: string | undefined): void {
  if (content.trim() !== '') messages.push({ role, content, ...(createdAt && { createdAt }) })
}
