import { isFullRun } from '@tributary/test-kit'
import { describe, expect, it } from 'vitest'
import { TraceInput } from './contract.ts'
import { validateTrace } from './validate.ts'

const makeText = (length: number): string => 'x'.repeat(length)
const base = { sourceId: 'a', createdAt: '2026-01-02T03:04:05Z', messages: [{ content: 'x' }] }

/** Values for any field. Some are valid for one field and invalid for other fields, and some are edge cases. */
const pool: unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  2 ** 53 - 1,
  2 ** 53,
  1e300,
  '',
  'user',
  'assistant',
  'tool',
  'system',
  'User',
  'unknown',
  'codex_jsonl',
  'Codex',
  makeText(128),
  makeText(129),
  makeText(256),
  makeText(257),
  '\ud800',
  '😀'.repeat(128),
  '😀'.repeat(129),
  '😀'.repeat(256),
  '😀'.repeat(257),
  `${'😀'.repeat(255)}\ud800x`,
  '2026-01-02T03:04:05Z',
  '2026-01-02T03:04:05.123456789+05:30',
  '2026-01-02T03:04Z',
  '0000-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-23:59',
  '9999-12-31T23:59:59Z',
  '2026-02-29T00:00:00Z',
  '2024-02-29T23:59:59-23:59',
  '2026-01-02T24:00:00Z',
  '2026-01-02 03:04:05Z',
  '2026-01-02',
  '2026-01-02T03:04:05',
  '2026-01-02T03:04:05+0530',
  '2026-01-02T03:04+05',
  '2026-01-02T03:04:05+053',
  '2026-01-02T03Z',
  '2026-13-02T03:04Z',
  '0000-01-01T00:00+14',
  '9999-12-31T23:59:59-2359',
  [],
  {},
  [[]],
  [{}],
  [null],
  [{ content: 'a' }],
  [{ content: '' }, { content: 'b', position: 0 }],
  [
    { content: 'a', position: 5 },
    { content: 'b', position: 3 },
  ],
  [{ content: 'a', position: 1 }, { content: 'b' }],
  [{ content: 'a', extra: 1 }],
  { content: 'a' },
  { name: 'codex' },
  { name: makeText(65), version: '1' },
  { inputTokens: 1, costUsd: 0.5 },
  { inputTokens: -1 },
  { status: 'success', testsPassed: 2, note: '' },
  { status: 'solved' },
  [{ name: 'Bash', parameters: { type: 'object' } }],
  [{ name: 'Bash', parameters: true }],
  [1, 2],
  'text',
]
const traceKeys = [
  'source',
  'sourceId',
  'model',
  'createdAt',
  'messages',
  'parentTraceId',
  'segmentIndex',
  'agent',
  'tools',
  'usage',
  'outcome',
  'extra',
]
const messageKeys = ['role', 'content', 'position', 'tokenCount', 'createdAt', 'truncated', 'extra']

/**
 * Describes how validator and schema disagree on a value. Returns null if they agree and the path of each issue is
 * right.
 */
function findDisagreement(value: unknown): string | null {
  const sent = JSON.parse(JSON.stringify(value) ?? 'null') as unknown
  const schema = TraceInput.safeParse(sent).success
  const found = validateTrace(sent, 7)
  const right = found === null || 'keep' in found
  const issues = found && 'issues' in found ? found.issues : []
  const isRight = right === schema && issues.every(({ path }) => path[0] === 'traces' && path[1] === 7)
  return isRight ? null : `${JSON.stringify(sent)?.slice(0, 300)}: ${right}, by the schema ${schema}`
}

describe('validateTrace', () => {
  it('agrees with the schema on every value in every field', () => {
    const values = pool.flatMap((value) => [
      value,
      ...traceKeys.map((key) => ({ ...base, [key]: value })),
      ...messageKeys.map((key) => ({
        ...base,
        messages: [
          { content: 'x', [key]: value },
          { content: 'y', position: 9 },
        ],
      })),
    ])
    expect(values.map(findDisagreement).filter((one) => one !== null)).toEqual([])
  })

  it('agrees with the schema on random mixtures of these values', () => {
    let state = 42
    const drawNumber = (below: number): number => {
      state = (state * 1664525 + 1013904223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    let right = 0
    const disagreements: string[] = []
    const mixtures = isFullRun ? 20_000 : 5_000
    for (let i = 0; i < mixtures; i++) {
      const value: Record<string, unknown> = { ...base, messages: [] }
      const messages = Array.from({ length: 1 + drawNumber(3) }, () => {
        const message: Record<string, unknown> = { content: 'x' }
        for (let n = drawNumber(2); n > 0; n--)
          message[messageKeys[drawNumber(messageKeys.length)]!] = pool[drawNumber(pool.length)]
        return message
      })
      value['messages'] = messages
      for (let n = drawNumber(2); n > 0; n--)
        value[traceKeys[drawNumber(traceKeys.length)]!] = pool[drawNumber(pool.length)]
      if (TraceInput.safeParse(JSON.parse(JSON.stringify(value))).success) right++
      const wrong = findDisagreement(value)
      if (wrong !== null) disagreements.push(wrong)
    }
    expect(disagreements).toEqual([])
    expect(right).toBeGreaterThan(mixtures / 10)
    expect(right).toBeLessThan(mixtures * 0.9)
  })

  it('keeps exactly the keys of the contract', () => {
    const found = validateTrace({ ...base, extra: { a: 1 }, messages: [{ content: 'x', role: 'user', more: 2 }] }, 0)
    expect(JSON.parse(JSON.stringify(found))).toEqual({ keep: { ...base, messages: [{ content: 'x', role: 'user' }] } })
  })

  const tool = { name: 'Bash', description: 'Runs a command', parameters: { type: 'object' } }
  const validate = (changes: Record<string, unknown>) => validateTrace({ ...base, ...changes }, 0)

  it('keeps the details of a trace without unknown keys, and every key of a JSON Schema', () => {
    const details = {
      agent: { name: 'codex', version: '0.5' },
      tools: [{ ...tool, parameters: { '$ref': '#', 'x-more': { $defs: [1, null] } } }],
      usage: { inputTokens: 1, outputTokens: 0, cacheReadTokens: 2, cacheWriteTokens: 3, costUsd: 0.25 },
      outcome: { status: 'partial', testsPassed: 3, testsFailed: 1, note: 'flaky' },
    }
    expect(validate({ ...details, agent: { ...details.agent, extra: 1 } })).toEqual({ keep: { ...base, ...details } })
  })

  it.each([
    ['agent', { name: '' }, ['name']],
    ['agent', { name: makeText(65) }, ['name']],
    ['agent', { name: 'a', version: makeText(65) }, ['version']],
    ['tools', Array.from({ length: 129 }, () => tool), []],
    ['tools', [{ ...tool, name: makeText(129) }], [0, 'name']],
    ['tools', [{ ...tool, description: makeText(4097) }], [0, 'description']],
    ['tools', [{ ...tool, parameters: [] }], [0, 'parameters']],
    ['tools', [{ ...tool, parameters: { a: makeText(256 * 1024) } }], []],
    ['tools', [{ ...tool, parameters: { a: 'é'.repeat(128 * 1024) } }], []],
    ['usage', { costUsd: -1 }, ['costUsd']],
    ['usage', { inputTokens: 1.5 }, ['inputTokens']],
    ['outcome', {}, ['status']],
    ['outcome', { status: 'success', note: makeText(501) }, ['note']],
  ])('refuses %s when it is wrong', (name, value, path) => {
    expect(validate({ [name]: value })).toMatchObject({ issues: [{ path: ['traces', 0, name, ...path] }] })
  })

  it('accepts 128 tools of 256 KiB, and names, descriptions and notes at their limits', () => {
    const [{ length }] = [JSON.stringify([{ name: '', parameters: { a: '' } }])]
    const large = [{ name: 'a', parameters: { a: makeText(256 * 1024 - length - 1) } }]
    expect(validate({ tools: large })).toHaveProperty('keep')
    expect(validate({ tools: Array.from({ length: 128 }, () => tool) })).toHaveProperty('keep')
    const longest = { name: makeText(128), description: '😀'.repeat(4096) }
    expect(validate({ tools: [longest], outcome: { status: 'unknown', note: makeText(500) } })).toHaveProperty('keep')
  })

  it('refuses a JSON Schema that is nested too deep to be measured, or has a forbidden key', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as unknown
    expect(validate({ tools: [{ name: 'a', parameters: deep }] })).toMatchObject({ issues: [{ code: 'too_deep' }] })
    const hostile = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as unknown
    expect(validate({ tools: [{ name: 'a', parameters: hostile }] })).toMatchObject({
      issues: [{ code: 'forbidden_key' }],
    })
  })

  it('accepts unknown keys with nesting up to 64, and refuses deeper nesting', () => {
    const makeNested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    // The nesting also counts the body's object, the list and the trace itself.
    expect(validateTrace({ ...base, extra: makeNested(62) }, 0)).toHaveProperty('keep')
    expect(validateTrace({ ...base, extra: makeNested(63) }, 0)).toMatchObject({ issues: [{ code: 'too_deep' }] })
  })
})
