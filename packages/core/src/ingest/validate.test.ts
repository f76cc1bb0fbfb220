import { isFullRun } from '@tributary/test-kit'
import { describe, expect, it } from 'vitest'
import { TraceInput } from './contract.ts'
import { validateTrace } from './validate.ts'

const makeText = (length: number): string => 'x'.repeat(length)
const base = { sourceId: 'a', createdAt: '2026-01-02T03:04:05Z', messages: [{ content: 'x' }] }

/** Values to put in the place of any field: right ones for some field, wrong for others, and the edges. */
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
  [1, 2],
  'text',
]
const traceKeys = ['source', 'sourceId', 'model', 'createdAt', 'messages', 'parentTraceId', 'segmentIndex', 'extra']
const messageKeys = ['role', 'content', 'position', 'tokenCount', 'createdAt', 'truncated', 'extra']

/**
 * Returns a value on which validator and schema disagree, or whose issues have another path than the trace's; else
 * null.
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

  it('agrees with the schema on random mixtures', () => {
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

  it('accepts unknown keys with nesting up to 64, and refuses deeper ones', () => {
    const makeNested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    // Above it lie the body's object, the list and the trace itself.
    expect(validateTrace({ ...base, extra: makeNested(62) }, 0)).toHaveProperty('keep')
    expect(validateTrace({ ...base, extra: makeNested(63) }, 0)).toMatchObject({ issues: [{ code: 'too_deep' }] })
  })
})
