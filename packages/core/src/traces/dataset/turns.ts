import { parseMessageBlocks, type MessageBlock } from '../blocks.ts'
import { itemAt } from '../../lists.ts'

/** A message in the form of a trace's document. */
export interface DocumentMessage {
  readonly role: string | null
  readonly content: string
  readonly tokenCount: number
  /** ISO 8601. */
  readonly createdAt: string | null
  readonly truncated: boolean
}

export interface ToolCall {
  /** The id as sent. A call that was sent without an id gets a new id here, unique within the trace. */
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

export interface ToolResult {
  /** The id as sent, or the id of the call that this result answers. Null if neither exists. */
  readonly callId: string | null
  readonly call: ToolCall | null
  readonly text: string
}

/** A message whose thinking, tool calls and tool results are separated from its text. */
export interface Turn {
  readonly message: DocumentMessage
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly text: string
  readonly thinking: string
  readonly calls: readonly ToolCall[]
  readonly results: readonly ToolResult[]
  /** Whether the message contains anything other than tool results. */
  readonly isSpoken: boolean
}

/** The number of characters of messages that are read before other work may run. */
const stride = 256 * 1024

/**
 * Returns the turns of a conversation, one for each message, and the number of calls without a result. A result without
 * an id answers the oldest call without a result. Takes time linear in the length, and yields an empty text every few
 * milliseconds, so that other work may run.
 */
export function* readTurns(
  messages: readonly DocumentMessage[],
): Generator<'', { readonly turns: readonly Turn[]; readonly openCalls: number }> {
  const parsed: { readonly message: DocumentMessage; readonly blocks: readonly MessageBlock[] }[] = []
  let chars = 0
  for (const message of messages) {
    parsed.push({ message, blocks: parseMessageBlocks(message) })
    chars += message.content.length
    if (chars < stride) continue
    yield ''
    chars = 0
  }
  const open = new OpenCalls(
    parsed.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'tool_call' && block.id) || [])),
  )
  const turns = parsed.map(({ message, blocks }): Turn => {
    const calls = blocks.flatMap((block) => (block.type === 'tool_call' ? [open.add(block)] : []))
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [open.answer(block)] : []))
    const [text, thinking] = [joinTexts(blocks, 'text'), joinTexts(blocks, 'thinking')]
    const role = calls.length > 0 || thinking !== '' ? 'assistant' : readRole(message)
    const isSpoken = results.length === 0 || text !== '' || thinking !== '' || calls.length > 0
    return { message, role, text, thinking, calls, results, isSpoken }
  })
  return { turns, openCalls: open.size }
}

/** The calls of a trace that have no result yet, oldest first. */
class OpenCalls {
  readonly #sentIds: ReadonlySet<string>
  readonly #open = new Set<ToolCall>()
  /** The calls of each id. The calls before `next` have a result; the call at `next` may have a result. */
  readonly #byId = new Map<string, { readonly calls: ToolCall[]; next: number }>()
  #made = 0

  constructor(sentIds: readonly string[]) {
    this.#sentIds = new Set(sentIds)
  }

  get size(): number {
    return this.#open.size
  }

  add({ id, name, arguments: json }: Extract<MessageBlock, { type: 'tool_call' }>): ToolCall {
    const call = { id: id ?? this.#makeId(), name, arguments: json }
    this.#open.add(call)
    const same = this.#byId.get(call.id)
    if (same) same.calls.push(call)
    else this.#byId.set(call.id, { calls: [call], next: 0 })
    return call
  }

  answer({ id, text }: Extract<MessageBlock, { type: 'tool_result' }>): ToolResult {
    const call = id === null ? this.#findOldest() : this.#findById(id)
    if (call) this.#open.delete(call)
    return { callId: id ?? call?.id ?? null, call, text }
  }

  #findOldest(): ToolCall | null {
    const [oldest = null] = this.#open
    return oldest
  }

  /** Returns the oldest open call with an id, or the last call with this id if none is open. */
  #findById(id: string): ToolCall | null {
    const same = this.#byId.get(id)
    if (!same) return null
    while (same.next < same.calls.length - 1 && !this.#open.has(itemAt(same.calls, same.next))) same.next++
    return itemAt(same.calls, same.next)
  }

  #makeId(): string {
    do this.#made++
    while (this.#sentIds.has(`call_${this.#made}`))
    return `call_${this.#made}`
  }
}

/** Returns the role of a message, or `user` if the role is missing or unknown. */
const readRole = ({ role }: DocumentMessage): Turn['role'] =>
  role === 'system' || role === 'assistant' || role === 'tool' ? role : 'user'

const joinTexts = (blocks: readonly MessageBlock[], type: 'text' | 'thinking'): string =>
  blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join('\n\n')
