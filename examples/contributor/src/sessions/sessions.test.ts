import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseMessageBlocks } from '@tributary/core'
import { describe, expect, test } from 'vitest'
import { detectKind, read, readFile } from './file.ts'
import type { Trace } from './trace.ts'

const now = '2026-01-01T00:00:00.000Z'
const at = '2025-12-09T19:45:21.709Z'
const toJsonLines = (...lines: unknown[]): string =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')

function readOneTrace(content: string): Trace {
  const reading = read(content, now)
  expect(reading?.traces).toHaveLength(1)
  return reading!.traces[0]!
}

/** Returns the messages as roles and blocks, as a buyer gets them. */
const listBlocks = ({ messages }: Trace) =>
  messages.flatMap((message) => parseMessageBlocks(message).map((block) => [message.role, block]))
const makeText = (content: string) => ({ type: 'text', text: content })
const makeThinking = (content: string) => ({ type: 'thinking', text: content })
const makeToolCall = (id: string, name: string, input: unknown) => ({
  type: 'tool_call',
  id,
  name,
  arguments: JSON.stringify(input),
})
const makeToolResult = (id: string | null, content: string) => ({ type: 'tool_result', id, text: content })

const makeClaudeEntry = (type: string, message: unknown, more: object = {}) => ({
  type,
  sessionId: 's1',
  parentUuid: null,
  isSidechain: false,
  timestamp: at,
  message,
  ...more,
})

describe('Claude Code', () => {
  test('returns texts with their roles, thinking, and tool calls with their results', () => {
    const trace = readOneTrace(
      toJsonLines(
        makeClaudeEntry('user', { role: 'user', content: 'list the files' }),
        makeClaudeEntry('assistant', {
          model: 'claude-x',
          content: [
            { type: 'thinking', thinking: 'with ls', signature: 'zzz' },
            { type: 'text', text: 'Looking.' },
          ],
        }),
        makeClaudeEntry('assistant', {
          model: 'claude-x',
          content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls', timeout: 5 } }],
        }),
        makeClaudeEntry('user', {
          content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'a.txt' }] }],
        }),
        makeClaudeEntry('user', {
          content: [{ type: 'tool_result', tool_use_id: 't9', content: 'gone', is_error: true }],
        }),
      ),
    )
    const { messages, ...head } = trace
    expect(head).toMatchObject({ source: 'claude_code_jsonl', sourceId: 's1', model: 'claude-x', createdAt: at })
    expect(messages.every(({ createdAt }) => createdAt === at)).toBe(true)
    expect(listBlocks(trace)).toEqual([
      ['user', makeText('list the files')],
      ['assistant', makeThinking('with ls')],
      ['assistant', makeText('Looking.')],
      ['assistant', makeToolCall('call_1', 'Bash', { command: 'ls', timeout: 5 })],
      ['tool', makeToolResult('call_1', 'a.txt')],
      ['tool', makeToolResult(null, 'Error: gone')],
    ])
  })

  test('counts broken lines and reads the rest', () => {
    const good = makeClaudeEntry('user', { content: 'hello' })
    const reading = read(toJsonLines('{"type":"user","mess', good, 'null', '[1]', '', '{"type":"us'), now)
    expect(reading?.skipped).toBe(4)
    expect(reading?.traces[0]?.messages).toEqual([{ role: 'user', content: 'hello', createdAt: at }])
  })

  test('skips only the entries of the wrong shape', () => {
    const trace = readOneTrace(
      toJsonLines(
        makeClaudeEntry('user', { content: 'hello' }),
        makeClaudeEntry('user', null),
        makeClaudeEntry('user', { content: 7 }),
        makeClaudeEntry('assistant', { content: [null, 3, { type: 'text', text: 4 }] }),
        { type: 'user', isSidechain: false },
        makeClaudeEntry('user', { content: 'bye' }, { timestamp: 'yesterday' }),
      ),
    )
    expect(trace.messages).toEqual([
      { role: 'user', content: 'hello', createdAt: at },
      { role: 'user', content: 'bye' },
    ])
  })

  test('returns a sub-agent as a separate trace below the session, and omits repeated and local entries', () => {
    const reading = read(
      toJsonLines(
        makeClaudeEntry('user', { content: 'go' }, { uuid: 'u1' }),
        makeClaudeEntry('user', { content: 'go' }, { uuid: 'u1' }),
        makeClaudeEntry('user', { content: 'Caveat' }, { isMeta: true }),
        makeClaudeEntry('user', { content: '<command-name>/exit</command-name>' }),
        makeClaudeEntry('user', { content: 'look' }, { isSidechain: true, agentId: 'a7' }),
      ),
      now,
    )
    expect(
      reading?.traces.map(({ sourceId, parentTraceId, messages }) => [sourceId, parentTraceId, messages.length]),
    ).toEqual([
      ['s1', undefined, 1],
      ['s1/a7', 's1', 1],
    ])
  })
})

describe('Codex', () => {
  const makeItem = (payload: unknown) => ({ timestamp: at, type: 'response_item', payload })

  test('returns items as messages, and omits events that only update the screen', () => {
    const trace = readOneTrace(
      toJsonLines(
        { timestamp: at, type: 'session_meta', payload: { id: 'c1', timestamp: at } },
        makeItem({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'be brief' }] }),
        makeItem({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'run it' }] }),
        { timestamp: at, type: 'event_msg', payload: { type: 'user_message', message: 'run it' } },
        { timestamp: at, type: 'turn_context', payload: { model: 'gpt-x' } },
        makeItem({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'shell' }], encrypted_content: 'zzz' }),
        makeItem({ type: 'function_call', name: 'shell', arguments: '{"command":"ls"}', call_id: 'k1' }),
        makeItem({ type: 'function_call_output', call_id: 'k1', output: 'a.txt' }),
        makeItem({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'k2' }),
        makeItem({
          type: 'custom_tool_call_output',
          call_id: 'k2',
          output: '{"output":"Success.","metadata":{"exit_code":0}}',
        }),
        makeItem({ type: 'function_call', name: 'shell', arguments: '{"command":', call_id: 'k3' }),
        '{"timestamp":"2025-12',
      ),
    )
    expect(trace).toMatchObject({ source: 'codex_jsonl', sourceId: 'c1', model: 'gpt-x', createdAt: at })
    expect(listBlocks(trace)).toEqual([
      ['system', makeText('be brief')],
      ['user', makeText('run it')],
      ['assistant', makeThinking('shell')],
      ['assistant', makeToolCall('call_1', 'shell', { command: 'ls' })],
      ['tool', makeToolResult('call_1', 'a.txt')],
      ['assistant', makeToolCall('call_2', 'apply_patch', '*** Begin')],
      ['tool', makeToolResult('call_2', 'Success.')],
      ['assistant', makeToolCall('call_3', 'shell', '{"command":')],
    ])
  })

  test('omits the description of the machine, and returns the instructions of the project as a system message', () => {
    const makeUser = (text: string) =>
      makeItem({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
    const trace = readOneTrace(
      toJsonLines(
        { timestamp: at, type: 'session_meta', payload: { id: 'c1', timestamp: at } },
        makeUser('# AGENTS.md instructions for /home/jane/app\n\nUse tabs.'),
        makeUser('<user_instructions>\nBe brief.\n</user_instructions>'),
        makeUser('<environment_context>\n  <cwd>/home/jane/app</cwd>\n</environment_context>'),
        makeUser('fix the <environment_context> tag'),
      ),
    )
    expect(trace.messages.map(({ role, content }) => [role, content.split('\n')[0]])).toEqual([
      ['system', '# AGENTS.md instructions for /home/jane/app'],
      ['system', '<user_instructions>'],
      ['user', 'fix the <environment_context> tag'],
    ])
  })

  test('reads sessions of the older format without envelopes', () => {
    const trace = readOneTrace(
      toJsonLines(
        { id: 'c0', timestamp: at, instructions: null },
        { record_type: 'state' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      ),
    )
    expect(trace).toEqual({
      source: 'codex_jsonl',
      sourceId: 'c0',
      createdAt: at,
      agent: { name: 'codex' },
      messages: [{ role: 'user', content: 'hi' }],
    })
  })
})

describe('Gemini CLI', () => {
  const messages = [
    { id: '1', timestamp: at, type: 'user', content: [{ text: 'hi' }] },
    { id: '2', timestamp: at, type: 'info', content: 'update there is' },
    {
      id: '3',
      timestamp: at,
      type: 'gemini',
      model: 'gemini-x',
      content: 'Running.',
      thoughts: [{ subject: 'Plan', description: 'run ls' }],
      toolCalls: [
        {
          name: 'shell',
          args: { command: 'ls' },
          status: 'error',
          result: [{ functionResponse: { response: { error: 'no shell' } } }],
        },
      ],
    },
  ]
  const expected = [
    ['user', makeText('hi')],
    ['assistant', makeThinking('Plan\nrun ls')],
    ['assistant', makeText('Running.')],
    ['assistant', makeToolCall('call_1', 'shell', { command: 'ls' })],
    ['tool', makeToolResult('call_1', 'Error: no shell')],
  ]

  test('reads a document, and counts entries of the wrong shape', () => {
    const reading = read(
      JSON.stringify({ sessionId: 'g1', projectHash: 'p', startTime: at, messages: [...messages, null, 7] }),
      now,
    )
    expect(reading?.skipped).toBe(2)
    expect(reading?.traces[0]).toMatchObject({ source: 'gemini_cli', sourceId: 'g1', model: 'gemini-x', createdAt: at })
    expect(listBlocks(reading!.traces[0]!)).toEqual(expected)
  })

  test('reads a JSON Lines file, in which a later entry replaces an earlier one with the same id, and counts incomplete lines', () => {
    const reading = read(
      toJsonLines(
        { sessionId: 'g1', projectHash: 'p', startTime: at },
        { ...messages[2], content: 'Ru' },
        ...messages.slice(0, 2),
        messages[2],
        '{"id":"4","ty',
      ),
      now,
    )
    expect(reading?.skipped).toBe(1)
    expect(reading?.traces[0]?.messages.filter(({ content }) => content === 'Ru')).toEqual([])
    expect(reading?.traces[0]?.messages).toHaveLength(5)
  })
})

describe('OpenCode', () => {
  const session = { id: 'ses_1', directory: '/work/parser', title: 'Parser', time: { created: 1765309521709 } }
  const user = {
    info: { id: 'msg_1', role: 'user', time: { created: 1765309521709 } },
    parts: [{ type: 'text', text: 'hi' }],
  }
  const assistant = {
    info: { id: 'msg_2', role: 'assistant', modelID: 'model-x', time: { created: 1765309522000 } },
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'with ls' },
      {
        type: 'tool',
        tool: 'bash',
        callID: 'k1',
        state: { status: 'completed', input: { command: 'ls' }, output: 'a' },
      },
      { type: 'tool', tool: 'bash', callID: 'k2', state: { status: 'error', input: {}, error: 'denied' } },
      { type: 'text', text: 'Done.' },
    ],
  }
  const expected = [
    ['user', makeText('hi')],
    ['assistant', makeThinking('with ls')],
    ['assistant', makeToolCall('call_1', 'bash', { command: 'ls' })],
    ['tool', makeToolResult('call_1', 'a')],
    ['assistant', makeToolCall('call_2', 'bash', {})],
    ['tool', makeToolResult('call_2', 'Error: denied')],
    ['assistant', makeText('Done.')],
  ]

  test('reads an export', () => {
    const reading = read(JSON.stringify({ info: session, messages: [user, assistant, { info: {} }] }), now)!
    expect(reading).toMatchObject({ project: '/work/parser', skipped: 1 })
    expect(reading.traces[0]).toMatchObject({ source: 'opencode', sourceId: 'ses_1', model: 'model-x', createdAt: at })
    expect(listBlocks(reading.traces[0]!)).toEqual(expected)
  })

  test('reads a session with its messages and parts from the folders in which the tool stores them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'opencode-'))
    const write = (path: string, value: unknown): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), JSON.stringify(value))
    }
    write('storage/session/p1/ses_1.json', session)
    for (const { info, parts } of [user, assistant]) {
      write(`storage/message/ses_1/${info.id}.json`, info)
      for (const [index, part] of parts.entries()) write(`storage/part/${info.id}/prt_${index}.json`, part)
    }
    const reading = readFile(join(folder, 'storage/session/p1/ses_1.json'))!
    rmSync(folder, { recursive: true })
    expect(listBlocks(reading.traces[0]!)).toEqual(expected)
  })
})

describe('Pi', () => {
  const makeEntry = (id: string, parentId: string | null, message: unknown) => ({
    type: 'message',
    id,
    parentId,
    timestamp: at,
    message,
  })

  test('reads the branch that ends with the last entry', () => {
    const reading = read(
      toJsonLines(
        { type: 'session', version: 3, id: 'p1', timestamp: at, cwd: '/work/parser' },
        makeEntry('1', null, { role: 'user', content: 'hi' }),
        makeEntry('2', '1', { role: 'assistant', content: [{ type: 'text', text: 'left behind' }] }),
        makeEntry('3', '1', {
          role: 'assistant',
          model: 'model-x',
          content: [
            { type: 'thinking', thinking: 'with ls' },
            { type: 'toolCall', id: 'k1', name: 'bash', arguments: { command: 'ls' } },
          ],
        }),
        makeEntry('4', '3', { role: 'toolResult', toolCallId: 'k1', content: [{ type: 'text', text: 'a' }] }),
        makeEntry('5', '4', { role: 'bashExecution', command: 'pwd', output: '/work' }),
      ),
      now,
    )!
    expect(reading.project).toBe('/work/parser')
    expect(reading.traces[0]).toMatchObject({ source: 'unknown', sourceId: 'pi/p1', model: 'model-x', createdAt: at })
    expect(listBlocks(reading.traces[0]!)).toEqual([
      ['user', makeText('hi')],
      ['assistant', makeThinking('with ls')],
      ['assistant', makeToolCall('call_1', 'bash', { command: 'ls' })],
      ['tool', makeToolResult('call_1', 'a')],
      ['assistant', makeToolCall('call_2', 'bash', { command: 'pwd' })],
      ['tool', makeToolResult('call_2', '/work')],
    ])
  })
})

describe('Session Trace Simple Format', () => {
  test('reads each session of a file', () => {
    const makeMessage = (one: unknown) => ({ type: 'message', message: one })
    const reading = read(
      toJsonLines(
        { type: 'session', harness: 'claude-code', id: 's1', name: 'Parser' },
        makeMessage({ role: 'user', content: 'hi', timestamp: 1765309521709 }),
        makeMessage({
          role: 'assistant',
          content: 'Looking.',
          reasoningContent: 'with ls',
          model: 'model-x',
          toolCalls: [{ id: 'k1', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
        }),
        makeMessage({ role: 'tool', content: 'a', toolCallId: 'k1' }),
        { type: 'session', harness: 'other', id: 's2' },
        makeMessage({ role: 'user', content: 'bye' }),
      ),
      now,
    )!
    expect(reading.traces.map(({ source, sourceId, createdAt }) => [source, sourceId, createdAt])).toEqual([
      ['claude_code_jsonl', 's1', at],
      ['unknown', 's2', now],
    ])
    expect(listBlocks(reading.traces[0]!)).toEqual([
      ['user', makeText('hi')],
      ['assistant', makeThinking('with ls')],
      ['assistant', makeText('Looking.')],
      ['assistant', makeToolCall('call_1', 'bash', { command: 'ls' })],
      ['tool', makeToolResult('call_1', 'a')],
    ])
  })
})

describe('Cursor', () => {
  test('reads an exported transcript', () => {
    const trace = readOneTrace(
      [
        '# Parser for dates',
        '_Exported on 12/9/2025 at 19:45:21 GMT from Cursor (2.1.0)_',
        '',
        '---',
        '',
        '**User**',
        '',
        'Read this:',
        '---',
        'a rule',
        '',
        '---',
        '',
        '**Cursor**',
        '',
        'Done.',
        '',
      ].join('\n'),
    )
    expect(trace).toMatchObject({ source: 'cursor_sqlite', createdAt: '2025-12-09T19:45:21.000Z' })
    expect(trace.messages).toEqual([
      { role: 'user', content: 'Read this:\n---\na rule' },
      { role: 'assistant', content: 'Done.' },
    ])
  })
})

describe('other files', () => {
  test('returns ready-made ingest bodies unchanged, except for invalid traces, which are left out', () => {
    const good = { sourceId: 'x', createdAt: at, messages: [{ content: 'hi', position: 3 }] }
    expect(
      read(
        JSON.stringify({ traces: [good, { sourceId: 'y', messages: [] }, null, { messages: [{ content: 'a' }] }] }),
        now,
      ),
    ).toEqual({ traces: [good], project: null, skipped: 3 })
  })

  test.each(['', 'hello', '{}', '[]', '{"a":1}', '\u0000\u0001', '{"traces":7}', '[['.repeat(100_000)])(
    'returns no session for file %#',
    (content) => {
      expect(detectKind(content)).toBeNull()
      expect(read(content, now)).toBeNull()
    },
  )
})

const samples = new URL('../../../../../shared/traces/sessions/', import.meta.url)
describe.skipIf(!existsSync(samples))('the sample sessions in ../shared/traces', () => {
  test.each([
    ['claude_session.jsonl', 'claude_code_jsonl', 19],
    ['claude_agent.jsonl', 'claude_code_jsonl', 2],
    ['codex_session.jsonl', 'codex_jsonl', 20],
    ['gemini_session.json', 'gemini_cli', 26],
  ])('%s', (name, source, count) => {
    const reading = read(readFileSync(new URL(name, samples), 'utf8'), now)!
    expect(reading.skipped).toBe(0)
    expect(reading.traces.map((trace) => [trace.source, trace.messages.length])).toEqual([[source, count]])
    expect(reading.traces[0]!.model).toMatch(/^(claude|gpt|gemini)-/)
  })
})
