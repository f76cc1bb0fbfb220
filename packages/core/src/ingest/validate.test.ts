import { isDeepStrictEqual } from 'node:util'
import { isFullRun } from '@tributary/test-kit'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../http/parse.ts'
import { TraceInput } from './contract.ts'
import { parseSpan, validateTrace, walk } from './validate.ts'

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

describe('walk', () => {
  // A small random generator with a seed, so that a failure can be reproduced.
  function createRandom(seed: number): (below: number) => number {
    let state = seed
    return (below) => {
      state = (state * 1664525 + 1013904223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
  }
  const grains = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    ' ',
    '\n',
    'a',
    '0',
    '-1.5e3',
    'true',
    'null',
    '"traces"',
    '"x"',
    '\\"',
    '\\u00e9',
    'é',
    '{"traces":[',
    '{"a":1}',
    ']}',
    '\u2028',
    '"\\\\"',
  ]

  function makeDocument(roll: (below: number) => number): string {
    const makeValue = (depth: number): string => {
      const kind = roll(depth > 3 ? 4 : 6)
      if (kind === 0) return JSON.stringify(['', 'é"\\', '}{][', 'a,b:c', '\u2028'][roll(5)])
      if (kind === 1) return ['0', '-1', '1e9', '2.50'][roll(4)]!
      if (kind === 2) return ['true', 'false', 'null'][roll(3)]!
      if (kind === 3) return '"\\u005d\\/"'
      const items = Array.from({ length: roll(4) }, () => makeValue(depth + 1))
      return kind === 4 ? `[${items.join(' , ')}]` : `{${items.map((item, i) => `"k${i}":${item}`).join(',')}}`
    }
    return `{"y" :${makeValue(0)},"traces":[${Array.from({ length: roll(4) }, () => makeValue(1)).join(',\n')}]}`
  }

  /** Splits a body and joins the pieces. Returns the value of the body, or undefined if it is not JSON. */
  function joinPieces(bytes: Uint8Array): unknown {
    const rest = Object.create(null) as Record<string, unknown>
    const traces: unknown[] = []
    try {
      const steps = walk(bytes)
      let step = steps.next()
      for (; !step.done; step = steps.next()) {
        if (step.value.key === null) traces.push(parseSpan(bytes, step.value))
        else rest[step.value.key] = parseSpan(bytes, step.value)
      }
      if (step.value === 'broken') return undefined
      if (step.value === 'other') return 'other'
    } catch {
      return undefined
    }
    return traces.length > 0 ? { ...rest, traces } : { ...rest }
  }

  it('accepts and refuses the same bodies as JSON.parse and returns the same values, for whole, cut and damaged bodies', () => {
    let [right, wrong] = [0, 0]
    const differing: number[] = []
    const bodies = isFullRun ? 60_000 : 5_000
    for (let seed = 1; seed <= bodies; seed++) {
      const roll = createRandom(seed)
      let text =
        seed % 5 === 0
          ? Array.from({ length: roll(9) + 1 }, () => grains[roll(grains.length)]).join('')
          : makeDocument(roll)
      for (let changes = seed % 3; changes > 0; changes--) {
        const at = roll(text.length + 1)
        text = text.slice(0, at) + (roll(2) ? grains[roll(grains.length)] : '') + text.slice(at + roll(2))
      }
      const bytes = new TextEncoder().encode(text)
      if (seed % 7 === 0 && bytes.length > 0) bytes[roll(bytes.length)] = roll(256)
      const whole = parseJson(bytes)
      const joined = joinPieces(bytes)
      if (joined === 'other') continue
      // Only the splitter refuses a second `traces`; all other bodies must have the same result.
      if ('value' in whole && joined === undefined && hasTracesTwice(bytes)) continue
      if ('value' in whole) right++
      else wrong++
      if (!isDeepStrictEqual(joined, 'value' in whole ? whole.value : undefined)) differing.push(seed)
    }
    expect(differing).toEqual([])
    expect(Math.min(right, wrong)).toBeGreaterThan(bodies / 6)
  })

  function hasTracesTwice(bytes: Uint8Array): boolean {
    const keys: string[] = []
    let depth = 0
    const text = new TextDecoder().decode(bytes)
    for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[[{}\]]/g)) {
      if (token === '{' || token === '[') depth++
      else if (token === '}' || token === ']') depth--
      else if (depth === 1 && token.endsWith(':')) keys.push(JSON.parse(token.slice(0, -1).trim()) as string)
    }
    return keys.filter((key) => key === 'traces').length > 1
  }
})
