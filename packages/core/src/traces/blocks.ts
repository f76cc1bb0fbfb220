/** A part of a message's content. `docs/messages.md` defines how each type is written. */
export type MessageBlock =
  | { readonly type: 'text'; readonly text: string }
  /** Text that the model wrote for itself before it answered. */
  | { readonly type: 'thinking'; readonly text: string }
  | {
      readonly type: 'tool_call'
      /** The id is unique within the trace. Null when the client sent no id. */
      readonly id: string | null
      readonly name: string
      /** JSON text without line breaks. */
      readonly arguments: string
    }
  | {
      readonly type: 'tool_result'
      /** The `id` of the call that this result answers. Null when the client sent no id. */
      readonly id: string | null
      readonly text: string
    }

type BlockType = Exclude<MessageBlock['type'], 'text'>

/** The blocks that each role may have. A block that a user quotes stays text. A message without a role may have all. */
const blocksOfRole: Readonly<Record<string, readonly BlockType[]>> = {
  assistant: ['thinking', 'tool_call'],
  tool: ['tool_result'],
  user: [],
  system: [],
}
const allBlocks: readonly BlockType[] = ['thinking', 'tool_call', 'tool_result']

const maxTicks = 8
/** A line that opens a fence: 3 to 8 backticks, then an info string without backticks. */
const opening = /^(`{3,8})(?!`)([^`\r\n]*)(?:\r?\n|$)/gm
/** The pattern of the line that closes a fence, by the number of backticks that opened the fence. */
const closing = Array.from({ length: maxTicks + 1 }, (_, ticks) =>
  ticks < 3 ? null : new RegExp(`^\`{${ticks},${maxTicks}}(?!\`)[ \\t]*(?:\\r?\\n|$)`, 'gm'),
)

interface Fence {
  readonly info: string
  readonly start: number
  readonly bodyStart: number
  readonly bodyEnd: number
  /** The index after the line break. */
  readonly end: number
}

const lineBreaks = '\r\n'

/**
 * Splits the content of a message into text, thinking, tool calls and tool results. Blocks are fenced as code in
 * Markdown. A fence that contains another fence is code, and a block that is not closed or has no valid call is
 * returned as text. No text is lost except the line breaks next to a block. Takes time linear in the length of the
 * content.
 *
 * ```ts
 * parseMessageBlocks({ role: 'assistant', content: '```tool_call\n{"id":"call_1","name":"Bash","arguments":{"command":"ls"}}\n```' })
 * // [{ type: 'tool_call', id: 'call_1', name: 'Bash', arguments: '{"command":"ls"}' }]
 * ```
 */
export function parseMessageBlocks(message: {
  readonly role?: string | null | undefined
  readonly content: string
}): MessageBlock[] {
  const { role, content } = message
  const types = role == null ? allBlocks : (blocksOfRole[role] ?? [])
  if (!types.some((type) => content.includes(`\`${type}`))) return [{ type: 'text', text: content }]
  const blocks: MessageBlock[] = []
  let textStart = 0
  for (const { info, start, bodyStart, bodyEnd, end } of closedFences(content)) {
    const [type, id = null] = info.split(/[ \t]+/, 2)
    if (!types.some((known) => known === type)) continue
    const block = readBlock(type as BlockType, id, content.slice(bodyStart, bodyEnd).replace(/\r?\n$/, ''))
    if (!block) continue
    blocks.push(...textBetween(content, textStart, start), block)
    textStart = end
  }
  if (blocks.length === 0) return [{ type: 'text', text: content }]
  blocks.push(...textBetween(content, textStart, content.length))
  return blocks
}

/**
 * Writes a block in the form that `parseMessageBlocks` reads. A tool call or thinking belongs in a message of role
 * `assistant`; a tool result belongs in a message of role `tool`. A blank line separates the block from other text of
 * the message.
 *
 * ```ts
 * formatMessageBlock({ type: 'tool_result', id: 'call_1', text: 'README.md' }) // '```tool_result call_1\nREADME.md\n```'
 * ```
 */
export function formatMessageBlock(block: MessageBlock): string {
  if (block.type === 'text') return block.text
  const id = 'id' in block ? block.id?.replace(/[\s`]+/g, '_') : undefined
  const text =
    block.type === 'tool_call'
      ? JSON.stringify({ id, name: block.name, arguments: JSON.parse(block.arguments) as unknown })
      : block.text
  const longest = Math.max(2, ...Array.from(text.matchAll(/^`{3,7}(?!`)/gm), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${block.type}${block.type === 'tool_result' && id ? ` ${id}` : ''}\n${text}\n${fence}`
}

/** Yields the fences that are closed and not inside another fence, in their order. */
function* closedFences(content: string): Generator<Fence> {
  // Fences of this many or more backticks have no closing line, so each length is searched to the end only once.
  let unclosed = maxTicks + 1
  for (let from = 0; from < content.length;) {
    opening.lastIndex = from
    const open = opening.exec(content)
    if (!open) return
    const [line, { length: ticks }, info] = open as unknown as [string, string, string]
    const bodyStart = open.index + line.length
    from = bodyStart
    const closer = closing[ticks]
    if (ticks >= unclosed || !closer) continue
    closer.lastIndex = bodyStart
    const close = closer.exec(content)
    if (close) {
      from = close.index + close[0].length
      yield { info: info.trim(), start: open.index, bodyStart, bodyEnd: close.index, end: from }
    } else unclosed = ticks
  }
}

/**
 * Returns the text between two blocks without the line breaks at its ends. Returns no block when no other text is left.
 */
function textBetween(content: string, start: number, end: number): MessageBlock[] {
  while (start < end && lineBreaks.includes(content.charAt(start))) start++
  while (start < end && lineBreaks.includes(content.charAt(end - 1))) end--
  return start === end ? [] : [{ type: 'text', text: content.slice(start, end) }]
}

function readBlock(type: BlockType, id: string | null, body: string): MessageBlock | null {
  if (type === 'thinking') return { type, text: body }
  return type === 'tool_call' ? readCall(body) : readResult(id, body)
}

/**
 * Reads a call. The call may also have the form of OpenAI (`function`, `arguments` as JSON text) or of Anthropic
 * (`input`).
 */
function readCall(body: string): MessageBlock | null {
  const call = parseObject(body)
  const given = isObject(call?.['function']) ? call['function'] : call
  if (!call || typeof given?.['name'] !== 'string' || given['name'] === '') return null
  // JSON text is parsed and written again, because lines of the dataset contain it as JSON, not as a string.
  const json = toJsonText(parseJsonText(given['arguments'] ?? given['input'] ?? {}))
  if (json === null) return null
  return {
    type: 'tool_call',
    id: typeof call['id'] === 'string' && call['id'] !== '' ? call['id'] : null,
    name: given['name'],
    arguments: json,
  }
}

/** Reads a tool result. The id comes from the info string and the text is the body, or both come from a JSON object. */
function readResult(id: string | null, body: string): MessageBlock {
  const object = id === null && body.startsWith('{') ? parseObject(body) : null
  return typeof object?.['id'] === 'string' && typeof object['content'] === 'string'
    ? { type: 'tool_result', id: object['id'], text: object['content'] }
    : { type: 'tool_result', id, text: body }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** Writes a value as JSON. Returns null when it is nested deeper than the stack allows. */
function toJsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

/** Parses a text that is JSON. Returns every other value as it is. */
function parseJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
