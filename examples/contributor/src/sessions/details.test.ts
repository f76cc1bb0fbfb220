import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { fitDetails } from './details.ts'
import { read, readFile } from './file.ts'
import type { Trace } from './trace.ts'

const now = '2026-01-01T00:00:00.000Z'
const toJsonLines = (...lines: unknown[]): string => lines.map((line) => JSON.stringify(line)).join('\n')
const readDetails = (content: string) =>
  read(content, now)!.traces.map(({ agent, tools, usage }) => ({ agent, tools, usage }))

describe('read', () => {
  test('returns the version, called tools and usage of Claude Code, which repeats the counts on each line of an answer', () => {
    const makeEntry = (uuid: string, message: object, more: object = {}) => ({
      type: 'assistant',
      sessionId: 's1',
      uuid,
      isSidechain: false,
      version: '2.0.28',
      timestamp: now,
      message,
      ...more,
    })
    const makeUsage = (output: number) => ({
      input_tokens: 10,
      output_tokens: output,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 30,
    })
    const text = [{ type: 'text', text: 'Looking.' }]
    const call = [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }]
    const content = toJsonLines(
      { ...makeEntry('u0', { role: 'user', content: 'hi' }), type: 'user' },
      makeEntry('u1', { id: 'm1', content: text, usage: makeUsage(1) }, { costUSD: 0.25 }),
      makeEntry('u2', { id: 'm1', content: call, usage: makeUsage(40) }, { costUSD: 0.25 }),
      makeEntry('u3', { id: 'm2', content: call, usage: makeUsage(5) }, { costUSD: 0.5 }),
      makeEntry('u4', { id: 'm3', content: text, usage: makeUsage(7) }, { isSidechain: true, agentId: 'a1' }),
    )
    const agent = { name: 'claude-code', version: '2.0.28' }
    const counts = { inputTokens: 20, outputTokens: 45, cacheReadTokens: 400, cacheWriteTokens: 60, costUsd: 0.75 }
    const ofAgent = { inputTokens: 10, outputTokens: 7, cacheReadTokens: 200, cacheWriteTokens: 30 }
    expect(readDetails(content)).toEqual([
      { agent, tools: [{ name: 'Bash' }], usage: counts },
      { agent, tools: undefined, usage: ofAgent },
    ])
  })

  test('returns the version, the declared and called tools, and the last totals of Codex', () => {
    const makeTotals = (output: number) => ({
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: { total_token_usage: { input_tokens: 100, cached_input_tokens: 80, output_tokens: output } },
      },
    })
    const parameters = { type: 'object', properties: { id: { type: 'string' } } }
    const declared = { name: 'find_ticket', description: 'Finds a ticket', inputSchema: parameters }
    const content = toJsonLines(
      { type: 'session_meta', payload: { id: 'c1', timestamp: now, cli_version: '0.66.0', dynamic_tools: [declared] } },
      { type: 'response_item', payload: { type: 'message', role: 'user', content: 'hi' } },
      { type: 'response_item', payload: { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'x' } },
      { type: 'response_item', payload: { type: 'function_call', name: 'find_ticket', arguments: '{}', call_id: 'y' } },
      makeTotals(5),
      makeTotals(9),
      { type: 'event_msg', payload: { type: 'token_count', info: null } },
    )
    expect(readDetails(content)).toEqual([
      {
        agent: { name: 'codex', version: '0.66.0' },
        tools: [{ name: 'find_ticket', description: 'Finds a ticket', parameters }, { name: 'shell' }],
        usage: { inputTokens: 100, cacheReadTokens: 80, outputTokens: 9 },
      },
    ])
  })

  test('returns the called tools with their descriptions and the sum of tokens of Gemini CLI', () => {
    const makeAnswer = (id: string) => ({
      id,
      type: 'gemini',
      timestamp: now,
      content: 'Looking.',
      tokens: { input: 100, output: 5, cached: 80, thoughts: 2, tool: 0, total: 107 },
      toolCalls: [{ id: `${id}-1`, name: 'list_directory', description: 'Lists a directory', args: {} }],
    })
    const content = JSON.stringify({ sessionId: 'g1', startTime: now, messages: [makeAnswer('a'), makeAnswer('b')] })
    expect(readDetails(content)).toEqual([
      {
        agent: { name: 'gemini-cli' },
        tools: [{ name: 'list_directory', description: 'Lists a directory' }],
        usage: { inputTokens: 200, outputTokens: 14, cacheReadTokens: 160 },
      },
    ])
  })

  const samples = fileURLToPath(new URL('../../../../../shared/traces/sessions/', import.meta.url))
  test.skipIf(!existsSync(samples)).each([
    ['claude_session.jsonl', { name: 'claude-code', version: '2.0.28' }, 74],
    ['codex_session.jsonl', { name: 'codex', version: '0.66.0' }, 26_740],
    ['gemini_session.json', { name: 'gemini-cli' }, 67_273],
  ])('reads %s of ../shared/traces if the folder exists', (name, agent, inputTokens) => {
    const [trace] = readFile(join(samples, name))!.traces
    expect(trace).toMatchObject({ agent, usage: { inputTokens } })
    expect(trace!.tools!.length).toBeGreaterThan(0)
    expect(fitDetails(trace!)).toEqual({ trace, changes: [] })
  })
})

describe('fitDetails', () => {
  const plain: Trace = { source: 'unknown', sourceId: 's', createdAt: now, messages: [{ role: 'user', content: 'hi' }] }

  test('returns a trace within the limits unchanged', () => {
    const trace: Trace = {
      ...plain,
      agent: { name: '😀'.repeat(64), version: '1' },
      tools: [{ name: 'x'.repeat(128), description: 'x'.repeat(4096), parameters: { type: 'object' } }],
      usage: { inputTokens: 1, costUsd: 0.5 },
      outcome: { status: 'partial', testsPassed: 1, testsFailed: 0, note: 'x'.repeat(500) },
    }
    expect(fitDetails(trace)).toEqual({ trace, changes: [] })
    expect(fitDetails(plain)).toEqual({ trace: plain, changes: [] })
  })

  test('cuts long texts, leaves out tools above the limit, and names both changes', () => {
    const { trace, changes } = fitDetails({
      ...plain,
      agent: { name: '😀'.repeat(65), version: 'v'.repeat(65) },
      tools: Array.from({ length: 200 }, (_, n) => ({
        name: `tool_${n}`,
        description: 'x'.repeat(n === 0 ? 5000 : 1),
      })),
      outcome: { status: 'success', note: 'x'.repeat(501) },
    })
    expect(trace).toMatchObject({ agent: { name: '😀'.repeat(64), version: 'v'.repeat(64) } })
    expect(trace.tools).toHaveLength(128)
    expect(trace.outcome!.note).toHaveLength(500)
    expect(changes).toEqual([
      'agent name cut to 64 characters',
      'agent version cut to 64 characters',
      '72 of 200 tools left out',
      'description of 1 tool cut',
      'note cut to 500 characters',
    ])
  })

  test('keeps the JSON of tools within 256 KiB, and leaves out names and schemas that the service refuses', () => {
    const tools = Array.from({ length: 100 }, (_, n) => ({ name: `t${n}`, description: 'é'.repeat(4096) }))
    const large = fitDetails({ ...plain, tools })
    expect(Buffer.byteLength(JSON.stringify(large.trace.tools))).toBeLessThanOrEqual(256 * 1024)
    expect(large.changes).toEqual(['69 of 100 tools left out'])
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`)
    const refused = fitDetails({
      ...plain,
      tools: [
        { name: 'deep', parameters: deep as Record<string, unknown> },
        { name: 'keys', parameters: JSON.parse('{"properties":{"__proto__":{}}}') as Record<string, unknown> },
        { name: 'x'.repeat(129) },
        { name: '' },
      ],
    })
    expect(refused.trace.tools).toEqual([{ name: 'deep' }, { name: 'keys' }])
    expect(refused.changes).toEqual(['2 of 4 tools left out', 'parameters of 2 tools left out'])
  })

  test('leaves out values of the wrong type', () => {
    const wrong = { agent: 7, tools: 'x', usage: { inputTokens: -1, outputTokens: 1.5, costUsd: 'x' }, outcome: {} }
    expect(fitDetails({ ...plain, ...(wrong as object) }).trace).toEqual(plain)
  })
})
