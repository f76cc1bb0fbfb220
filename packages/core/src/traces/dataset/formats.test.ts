import { describe, expect, test } from 'vitest'
import { formatMessageBlock } from '../blocks.ts'
import { MessagesLine, SessionTraceLine } from './contract.ts'
import { formatTraceDocument, toSessionMessages, type TraceDocument } from './formats.ts'

const at = '2026-10-01T08:00:00.000Z'
type Message = TraceDocument['messages'][number]
const makeMessage = (position: number, role: string | null, content: string, more: Partial<Message> = {}): Message => ({
  position,
  role,
  content,
  tokenCount: 1,
  createdAt: null,
  truncated: false,
  ...more,
})
const makeDocument = (messages: Message[]): TraceDocument => ({
  id: '0199d3f0-6f5a-7c1e-8a4b-3f2d1c0b9a87',
  source: 'claude_code_jsonl',
  sourceId: 'session-1',
  title: 'Fix the parser',
  model: 'claude',
  createdAt: at,
  parentTraceId: null,
  segmentIndex: null,
  contentHash: 'a'.repeat(64),
  scrub: { version: '1', redactions: { email: 1 } },
  messages,
})
const makeToolCall = (id: string | null, name = 'Bash') =>
  formatMessageBlock({ type: 'tool_call', id, name, arguments: '{"command":"ls"}' })
const makeToolResult = (id: string | null, text: string) => formatMessageBlock({ type: 'tool_result', id, text })
const toMessages = (messages: Message[]) => toSessionMessages({ messages, model: 'claude' })

describe('formatTraceDocument', () => {
  const whole = makeDocument([
    makeMessage(0, 'system', 'Be brief.'),
    makeMessage(1, 'user', 'List the files', { createdAt: at }),
    makeMessage(
      2,
      'assistant',
      `${formatMessageBlock({ type: 'thinking', text: 'ls does it' })}\n\nI look.\n\n${makeToolCall('call_1')}`,
    ),
    makeMessage(3, 'tool', makeToolResult('call_1', 'a.ts\nb.ts')),
    makeMessage(4, 'assistant', 'a.ts and b.ts'),
  ])

  test('for sts writes the session, then its messages with thinking, tool calls and results as fields', () => {
    const lines = formatTraceDocument(whole, 'sts')
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    for (const line of lines) expect(SessionTraceLine.parse(line)).toEqual(line)
    expect(lines).toEqual([
      { type: 'session', harness: 'claude-code', id: whole.id, name: 'Fix the parser' },
      { type: 'message', message: { role: 'system', content: 'Be brief.' } },
      { type: 'message', message: { role: 'user', content: 'List the files', timestamp: Date.parse(at) } },
      {
        type: 'message',
        message: {
          role: 'assistant',
          content: 'I look.',
          reasoningContent: 'ls does it',
          toolCalls: [{ id: 'call_1', function: { name: 'Bash', arguments: '{"command":"ls"}' } }],
          model: 'claude',
        },
      },
      { type: 'message', message: { role: 'tool', content: 'a.ts\nb.ts', toolCallId: 'call_1' } },
      { type: 'message', message: { role: 'assistant', content: 'a.ts and b.ts', model: 'claude' } },
    ])
  })

  test('for messages writes role and content, with the metadata of the trace beside them', () => {
    const line = JSON.parse(formatTraceDocument(whole, 'messages')) as Record<string, unknown>
    expect(MessagesLine.parse(line)).toEqual(line)
    const { messages, ...meta } = whole
    expect(line).toEqual({ ...meta, messages: messages.map(({ role, content }) => ({ role, content })) })
    expect(Object.keys(line)[0]).toBe('messages')
  })

  test('writes a trace without title and messages, and content with Unicode line separators', () => {
    const empty = formatTraceDocument({ ...makeDocument([]), title: null }, 'sts')
    expect(JSON.parse(empty)).toEqual({ type: 'session', harness: 'claude-code', id: whole.id })
    const strange = formatTraceDocument(makeDocument([makeMessage(0, null, 'a\u2028b\r\nc')]), 'sts')
    expect(strange.split('\n')).toHaveLength(2)
    expect(JSON.parse(strange.split('\n')[1]!)).toEqual({
      type: 'message',
      message: { role: 'user', content: 'a\u2028b\r\nc' },
    })
  })
})

describe('toSessionMessages', () => {
  test('links tool calls to results without ids by their order', () => {
    const messages = toMessages([
      makeMessage(0, 'assistant', `${makeToolCall(null)}\n\n${makeToolCall(null, 'Read')}`),
      makeMessage(1, 'tool', `${makeToolResult(null, 'one')}\n\n${makeToolResult(null, 'two')}`),
      makeMessage(2, 'tool', makeToolResult(null, 'three')),
    ])
    expect(messages.map(({ toolCalls, toolCallId }) => toolCalls?.map(({ id }) => id) ?? toolCallId)).toEqual([
      ['call_1', 'call_2'],
      'call_1',
      'call_2',
      undefined,
    ])
  })

  test('keeps text next to tool results, and the text of a tool message without a block', () => {
    expect(
      toMessages([makeMessage(0, 'tool', `Ran.\n\n${makeToolResult('x', 'one')}`), makeMessage(1, 'tool', 'plain')]),
    ).toEqual([
      { role: 'tool', content: 'Ran.' },
      { role: 'tool', content: 'one', toolCallId: 'x' },
      { role: 'tool', content: 'plain' },
    ])
  })

  test('derives a missing role from the blocks of the message, and keeps quoted blocks of a user as text', () => {
    expect(toMessages([makeMessage(0, null, makeToolCall('c'))])[0]).toMatchObject({
      role: 'assistant',
      toolCalls: [{ id: 'c' }],
    })
    expect(toMessages([makeMessage(0, 'user', makeToolCall('c'))])).toEqual([
      { role: 'user', content: makeToolCall('c') },
    ])
  })
})
