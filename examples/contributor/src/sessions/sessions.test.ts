import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { kindOf, read } from './file.ts'
import type { Trace } from './trace.ts'

const now = '2026-01-01T00:00:00.000Z'
const at = '2025-12-09T19:45:21.709Z'
const jsonl = (...lines: unknown[]): string =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')

function only(content: string): Trace {
  const reading = read(content, now)
  expect(reading?.traces).toHaveLength(1)
  return reading!.traces[0]!
}

const claude = (type: string, message: unknown, more: object = {}) => ({
  type,
  sessionId: 's1',
  parentUuid: null,
  isSidechain: false,
  timestamp: at,
  message,
  ...more,
})

describe('Claude Code', () => {
  test('texts keep their roles, tool calls and their answers become messages of the tool', () => {
    const trace = only(
      jsonl(
        claude('user', { role: 'user', content: 'list the files' }),
        claude('assistant', {
          model: 'claude-x',
          content: [
            { type: 'thinking', thinking: 'with ls', signature: 'zzz' },
            { type: 'text', text: 'Looking.' },
          ],
        }),
        claude('assistant', {
          model: 'claude-x',
          content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls', timeout: 5 } }],
        }),
        claude('user', {
          content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'a.txt' }] }],
        }),
        claude('user', { content: [{ type: 'tool_result', tool_use_id: 't9', content: 'gone', is_error: true }] }),
      ),
    )
    expect(trace).toEqual({
      source: 'claude_code_jsonl',
      sourceId: 's1',
      model: 'claude-x',
      createdAt: at,
      messages: [
        { role: 'user', content: 'list the files', createdAt: at },
        { role: 'assistant', content: '[thinking]\nwith ls', createdAt: at },
        { role: 'assistant', content: 'Looking.', createdAt: at },
        { role: 'tool', content: '[call Bash]\ncommand: ls\ntimeout: 5', createdAt: at },
        { role: 'tool', content: '[result of Bash]\na.txt', createdAt: at },
        { role: 'tool', content: '[error of tool]\ngone', createdAt: at },
      ],
    })
  })

  test('broken lines are counted and the rest is read', () => {
    const good = claude('user', { content: 'hello' })
    const reading = read(jsonl('{"type":"user","mess', good, 'null', '[1]', '', '{"type":"us'), now)
    expect(reading?.skipped).toBe(4)
    expect(reading?.traces[0]?.messages).toEqual([{ role: 'user', content: 'hello', createdAt: at }])
  })

  test('entries of the wrong shape cost nothing but themselves', () => {
    const trace = only(
      jsonl(
        claude('user', { content: 'hello' }),
        claude('user', null),
        claude('user', { content: 7 }),
        claude('assistant', { content: [null, 3, { type: 'text', text: 4 }] }),
        { type: 'user', isSidechain: false },
        claude('user', { content: 'bye' }, { timestamp: 'yesterday' }),
      ),
    )
    expect(trace.messages).toEqual([
      { role: 'user', content: 'hello', createdAt: at },
      { role: 'user', content: 'bye' },
    ])
  })

  test('a sub-agent is a trace of its own below the session, repeated and local entries are left out', () => {
    const reading = read(
      jsonl(
        claude('user', { content: 'go' }, { uuid: 'u1' }),
        claude('user', { content: 'go' }, { uuid: 'u1' }),
        claude('user', { content: 'Caveat' }, { isMeta: true }),
        claude('user', { content: '<command-name>/exit</command-name>' }),
        claude('user', { content: 'look' }, { isSidechain: true, agentId: 'a7' }),
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
  const item = (payload: unknown) => ({ timestamp: at, type: 'response_item', payload })

  test("items become messages, the screen's events do not", () => {
    const trace = only(
      jsonl(
        { timestamp: at, type: 'session_meta', payload: { id: 'c1', timestamp: at } },
        item({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'be brief' }] }),
        item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'run it' }] }),
        { timestamp: at, type: 'event_msg', payload: { type: 'user_message', message: 'run it' } },
        { timestamp: at, type: 'turn_context', payload: { model: 'gpt-x' } },
        item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'shell' }], encrypted_content: 'zzz' }),
        item({ type: 'function_call', name: 'shell', arguments: '{"command":"ls"}', call_id: 'k1' }),
        item({ type: 'function_call_output', call_id: 'k1', output: 'a.txt' }),
        item({ type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin', call_id: 'k2' }),
        item({
          type: 'custom_tool_call_output',
          call_id: 'k2',
          output: '{"output":"Success.","metadata":{"exit_code":0}}',
        }),
        item({ type: 'function_call', name: 'shell', arguments: '{"command":', call_id: 'k3' }),
        '{"timestamp":"2025-12',
      ),
    )
    expect(trace).toMatchObject({ source: 'codex_jsonl', sourceId: 'c1', model: 'gpt-x', createdAt: at })
    expect(trace.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'be brief'],
      ['user', 'run it'],
      ['assistant', '[thinking]\nshell'],
      ['tool', '[call shell]\ncommand: ls'],
      ['tool', '[result of shell]\na.txt'],
      ['tool', '[call apply_patch]\n*** Begin'],
      ['tool', '[result of apply_patch]\nSuccess.'],
      ['tool', '[call shell]\n{"command":'],
    ])
  })

  test('sessions of the older kind, without envelopes, are read too', () => {
    const trace = only(
      jsonl(
        { id: 'c0', timestamp: at, instructions: null },
        { record_type: 'state' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      ),
    )
    expect(trace).toEqual({
      source: 'codex_jsonl',
      sourceId: 'c0',
      createdAt: at,
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
    ['user', 'hi'],
    ['assistant', '[thinking]\nPlan\nrun ls'],
    ['assistant', 'Running.'],
    ['tool', '[call shell]\ncommand: ls'],
    ['tool', '[error of shell]\nno shell'],
  ]

  test('a document is read, entries of the wrong shape are counted', () => {
    const reading = read(
      JSON.stringify({ sessionId: 'g1', projectHash: 'p', startTime: at, messages: [...messages, null, 7] }),
      now,
    )
    expect(reading?.skipped).toBe(2)
    expect(reading?.traces[0]).toMatchObject({ source: 'gemini_cli', sourceId: 'g1', model: 'gemini-x', createdAt: at })
    expect(reading?.traces[0]?.messages.map(({ role, content }) => [role, content])).toEqual(expected)
  })

  test('a file of lines is read, the later entry of an id replaces the earlier, half a line is counted', () => {
    const reading = read(
      jsonl(
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

describe('other files', () => {
  test('ready-made ingest bodies go up as they stand, without the unusable traces', () => {
    const good = { sourceId: 'x', createdAt: at, messages: [{ content: 'hi', position: 3 }] }
    expect(
      read(
        JSON.stringify({ traces: [good, { sourceId: 'y', messages: [] }, null, { messages: [{ content: 'a' }] }] }),
        now,
      ),
    ).toEqual({ traces: [good], skipped: 3 })
  })

  test.each(['', 'hello', '{}', '[]', '{"a":1}', '\u0000\u0001', '{"traces":7}', '[['.repeat(100_000)])(
    "%#: is nobody's session",
    (content) => {
      expect(kindOf(content)).toBeNull()
      expect(read(content, now)).toBeNull()
    },
  )
})

const samples = new URL('../../../../../shared/traces/sessions/', import.meta.url)
describe.skipIf(!existsSync(samples))('the sample sessions in ../shared/traces', () => {
  test.each([
    ['claude_session.jsonl', 'claude_code_jsonl', 19],
    ['claude_agent.jsonl', 'claude_code_jsonl', 2],
    ['codex_session.jsonl', 'codex_jsonl', 21],
    ['gemini_session.json', 'gemini_cli', 26],
  ])('%s', (name, source, count) => {
    const reading = read(readFileSync(new URL(name, samples), 'utf8'), now)!
    expect(reading.skipped).toBe(0)
    expect(reading.traces.map((trace) => [trace.source, trace.messages.length])).toEqual([[source, count]])
    expect(reading.traces[0]!.model).toMatch(/^(claude|gpt|gemini)-/)
  })
})
