import { describe, expect, test } from 'vitest'
import { formatMessageBlock } from '../blocks.ts'
import { documentInventory, readEveryFormat, readMessagesLine, readTrajectory } from './format-rules.fixture.ts'
import { AtifTrajectory, MessagesLine, SessionTraceLine } from './lines.ts'
import type { TraceDocument } from '../trace-document.ts'
import { formatTraceDocument, type SessionMessage } from './formats.ts'

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
const toMessages = (messages: Message[]) =>
  formatTraceDocument({ ...makeDocument(messages), model: null }, 'sts')
    .split('\n')
    .slice(1)
    .map((line) => (JSON.parse(line) as { message: SessionMessage }).message)

describe('formatTraceDocument', () => {
  const whole = makeDocument([
    makeMessage(0, 'system', 'Be brief.'),
    makeMessage(1, 'user', 'List the files', { createdAt: at }),
    makeMessage(
      2,
      'assistant',
      `${formatMessageBlock({ type: 'thinking', text: 'ls does it' })}\n\nI look.\n\n${makeToolCall('call_1')}`,
      { tokenCount: 30 },
    ),
    makeMessage(3, 'tool', makeToolResult('call_1', 'a.ts\nb.ts')),
    makeMessage(4, 'assistant', 'a.ts and b.ts', { tokenCount: 40 }),
  ])

  test('writes sts as the session, followed by its messages with thinking, tool calls and results as fields', () => {
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

  const details = {
    agent: { name: 'claude-code', version: '2.1.0' },
    tools: [{ name: 'Bash', description: 'Runs a command', parameters: { type: 'object', $ref: '#' } }],
    usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 5, costUsd: 0.25 },
    outcome: { status: 'success' as const, testsPassed: 3 },
  }
  const tools = [{ type: 'function', function: details.tools[0] }]

  test('writes messages in the form that chat templates accept, together with the metadata of the trace', () => {
    const line = JSON.parse(formatTraceDocument({ ...whole, ...details }, 'messages')) as Record<string, unknown>
    expect(MessagesLine.parse(line)).toEqual(line)
    const { messages: _, ...meta } = whole
    expect(line).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'List the files' },
        {
          role: 'assistant',
          content: 'I look.',
          reasoning_content: 'ls does it',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'Bash', arguments: { command: 'ls' } } }],
        },
        { role: 'tool', content: 'a.ts\nb.ts', tool_call_id: 'call_1', name: 'Bash' },
        { role: 'assistant', content: 'a.ts and b.ts' },
      ],
      ...meta,
      ...details,
      tools,
      openToolCalls: 0,
      meta: { openToolCalls: 0 },
    })
    expect(Object.keys(line)[0]).toBe('messages')
  })

  test('writes atif as a trajectory whose steps contain the results of their calls', () => {
    const line = JSON.parse(formatTraceDocument({ ...whole, ...details, parentTraceId: 'main' }, 'atif')) as object
    expect(AtifTrajectory.parse(line)).toEqual(line)
    const { source, title, createdAt, segmentIndex, contentHash, scrub } = whole
    expect(line).toEqual({
      schema_version: 'ATIF-v1.7',
      session_id: 'session-1',
      trajectory_id: whole.id,
      agent: { ...details.agent, model_name: 'claude', tool_definitions: tools },
      steps: [
        { step_id: 1, source: 'system', message: 'Be brief.' },
        { step_id: 2, source: 'user', message: 'List the files', timestamp: at },
        {
          step_id: 3,
          source: 'agent',
          message: 'I look.',
          reasoning_content: 'ls does it',
          tool_calls: [{ tool_call_id: 'call_1', function_name: 'Bash', arguments: { command: 'ls' } }],
          observation: { results: [{ source_call_id: 'call_1', content: 'a.ts\nb.ts' }] },
          metrics: { completion_tokens: 30 },
        },
        { step_id: 4, source: 'agent', message: 'a.ts and b.ts', metrics: { completion_tokens: 40 } },
      ],
      final_metrics: {
        total_prompt_tokens: 100,
        total_completion_tokens: 20,
        total_cached_tokens: 60,
        total_cost_usd: 0.25,
        total_steps: 4,
        extra: { cache_creation_input_tokens: 5 },
      },
      extra: {
        source,
        title,
        createdAt,
        parentTraceId: 'main',
        segmentIndex,
        contentHash,
        scrub,
        outcome: details.outcome,
      },
    })
  })

  test('writes the details of a trace into the session line of sts', () => {
    const session = JSON.parse(formatTraceDocument({ ...whole, ...details }, 'sts').split('\n')[0]!) as object
    expect(SessionTraceLine.parse(session)).toEqual(session)
    expect(session).toMatchObject(details)
  })

  test('writes default values for agent and version into atif when the trace has none', () => {
    const { agent, session_id: session } = JSON.parse(
      formatTraceDocument({ ...whole, sourceId: '', model: null, agent: { name: 'codex' } }, 'atif'),
    ) as { agent: object; session_id: string }
    expect([agent, session]).toEqual([{ name: 'codex', version: 'unknown' }, whole.id])
    expect(JSON.parse(formatTraceDocument(whole, 'atif'))).toMatchObject({
      agent: { name: 'claude-code', version: 'unknown' },
      final_metrics: { total_steps: 4 },
    })
  })

  const strangeCall = (id: string | null, args: string, name = 'Bash') =>
    formatMessageBlock({ type: 'tool_call', id, name, arguments: args })
  const strange = makeDocument([
    makeMessage(0, 'tool', 'before every agent', { truncated: true }),
    makeMessage(1, 'tool', makeToolResult('lost', 'of a call that is not there'), { createdAt: at }),
    makeMessage(2, 'assistant', `${strangeCall('same', '{"n":1}')}\n\n${strangeCall('same', '{"n":2}', 'Read')}`),
    makeMessage(3, 'assistant', `${strangeCall('text', '"ls -la"')}\n\n${strangeCall('list', '[1,2]')}`),
    makeMessage(4, null, `Between.\n\n${formatMessageBlock({ type: 'thinking', text: 'one' })}`, { truncated: true }),
    makeMessage(5, 'tool', `${makeToolResult('same', 'first')}\n\n${makeToolResult('same', 'second')}`),
    makeMessage(6, 'tool', makeToolResult('same', 'third')),
    makeMessage(7, 'tool', `Ran.\n\n${makeToolResult('text', 'a')}`),
    makeMessage(8, 'user', makeToolCall('quoted')),
    makeMessage(9, 'assistant', '```tool_call\n{"name":"x","arguments":{"__proto__":{"a":1},"constructor":2}}\n```'),
  ])

  test('keeps every call, result, argument, thinking and id of an unusual conversation, and follows every rule of the formats', () => {
    const { messages, sts, atif } = readEveryFormat(strange)
    for (const { faults } of [messages, sts, atif]) expect(faults).toEqual([])
    const made = documentInventory(strange)
    for (const { inventory } of [messages, sts, atif]) {
      expect(inventory.results).toEqual(made.results)
      expect(inventory.thinking).toEqual(made.thinking)
      expect(inventory.text).toEqual(made.text)
    }
    const withMadeId = made.calls.map((call) => call.replace(/^null/, 'call_1'))
    expect(sts.inventory.calls).toEqual(withMadeId.sort())
    expect(messages.inventory.calls).toEqual(withMadeId.map((call) => call.replace('[1,2]', '"[1,2]"')).sort())
    expect(atif.inventory.calls).toEqual(withMadeId)
    expect(formatTraceDocument(strange, 'atif')).toContain('"arguments":{"arguments":"ls -la"}')
    expect(JSON.parse(formatTraceDocument(strange, 'messages'))).toMatchObject({ openToolCalls: 2 })
    const { steps } = JSON.parse(formatTraceDocument(strange, 'atif')) as { steps: object[] }
    expect(steps.slice(0, 3)).toMatchObject([
      {
        source: 'system',
        message: '',
        observation: {
          results: [{ content: 'before every agent', extra: { truncated: true } }],
        },
      },
      {
        source: 'system',
        observation: {
          results: [{ content: 'of a call that is not there', extra: { timestamp: at, tool_call_id: 'lost' } }],
        },
      },
      {
        source: 'agent',
        observation: {
          results: [
            { source_call_id: 'same', content: 'first' },
            { source_call_id: 'same', content: 'second' },
            { source_call_id: 'same', content: 'third' },
          ],
        },
      },
    ])
  })

  test.each([
    ['{"a":\n{"messages":[],"id":"x"}\r\n}', { a: { messages: [], id: 'x' } }],
    [' {"a":\t"b\\nc\u2028d"}\n', { a: 'b\nc\u2028d' }],
    ['{\n"__proto__":{"a":1},"b":1,"b":2}', JSON.parse('{"__proto__":{"a":1},"b":2}')],
    ['{"a":\n1e400,"b":12345678901234567890}', { a: null, b: 12345678901234567000 }],
    ['[1,\n2]', [1, 2]],
    ['\n"a\\nb"', 'a\nb'],
  ])('writes arguments on one line when a client sent them as the JSON text %j', (sent, expected) => {
    const call = JSON.stringify({ id: 'call_1', function: { name: 'x', arguments: sent } })
    const document = makeDocument([makeMessage(0, 'assistant', `\`\`\`tool_call\n${call}\n\`\`\``)])
    for (const format of ['documents', 'messages', 'sts', 'atif'] as const)
      expect(formatTraceDocument(document, format).split(/[\r\n]/)).toHaveLength(format === 'sts' ? 2 : 1)
    const { messages, sts, atif } = readEveryFormat(document)
    for (const { faults } of [messages, sts, atif]) expect(faults).toEqual([])
    const canonical = JSON.stringify(expected)
    const inMessages = Array.isArray(expected) ? JSON.stringify(canonical) : canonical
    expect(messages.inventory.calls).toEqual([`call_1 x ${inMessages}`])
    for (const { inventory } of [sts, atif]) expect(inventory.calls).toEqual([`call_1 x ${canonical}`])
  })

  test('makes ids that differ from all ids of calls in the trace', () => {
    const line = formatTraceDocument(
      makeDocument([
        makeMessage(0, 'assistant', makeToolCall(null)),
        makeMessage(1, 'assistant', makeToolCall('call_1')),
      ]),
      'messages',
    )
    expect(readMessagesLine(line).inventory.calls.map((call) => call.split(' ')[0])).toEqual(['call_1', 'call_2'])
  })

  test('keeps a call as text when its arguments are nested too deep to be written', { tags: 'long' }, () => {
    const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    for (const sent of [nested, JSON.stringify(nested)]) {
      const deep = `\`\`\`tool_call\n{"name":"x","arguments":${sent}}\n\`\`\``
      for (const { faults, inventory } of Object.values(
        readEveryFormat(makeDocument([makeMessage(0, 'assistant', deep)])),
      ))
        expect([faults, inventory.calls, inventory.text]).toEqual([[], [], [deep]])
    }
  })

  test('takes time linear in the number of calls, for open calls, answered calls and calls that share one id', () => {
    const many = 9_000
    const calls = Array.from({ length: many }, (_, n) =>
      makeToolCall(n % 3 === 0 ? 'same' : n % 3 === 1 ? `c${n}` : null),
    )
    const results = Array.from({ length: many / 2 }, (_, n) => makeToolResult(n % 2 === 0 ? 'same' : null, 'x'))
    const document = makeDocument([
      makeMessage(0, 'assistant', calls.join('\n\n')),
      makeMessage(1, 'tool', results.join('\n\n')),
    ])
    expect(readTrajectory(formatTraceDocument(document, 'atif')).inventory.calls).toHaveLength(many)
  })

  test('writes a trace without title and messages, and content with Unicode line separators', () => {
    const empty = formatTraceDocument({ ...makeDocument([]), title: null }, 'sts')
    expect(JSON.parse(empty)).toEqual({ type: 'session', harness: 'claude-code', id: whole.id })
    const odd = formatTraceDocument(makeDocument([makeMessage(0, null, 'a\u2028b\r\nc')]), 'sts')
    expect(odd.split('\n')).toHaveLength(2)
    expect(JSON.parse(odd.split('\n')[1]!)).toEqual({
      type: 'message',
      message: { role: 'user', content: 'a\u2028b\r\nc' },
    })
  })
})

describe('formatTraceDocument for sts', () => {
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
