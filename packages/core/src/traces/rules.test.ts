import { describe, expect, test } from 'vitest'
import {
  listRemainingIds,
  isNewerVersion,
  toReadable,
  redactionCounts,
  remainingRescrub,
  saleState,
  toFilter,
  totalRedactions,
  traceState,
} from './rules.ts'
import type { StoredTrace } from './store.ts'

describe('isNewerVersion', () => {
  test.each([
    ['2026-11-23.2', '2026-11-23.1', true],
    ['2026-11-23.10', '2026-11-23.9', true],
    ['2026-11-24.1', '2026-11-23.9', true],
    ['2026-11-23.1', '2026-11-23.1', false],
    ['2026-11-23.9', '2026-11-23.10', false],
    ['2026-11-22.9', '2026-11-23.1', false],
  ])('compares %s with %s and returns %s', (version, than, expected) => {
    expect(isNewerVersion(version, than)).toBe(expected)
  })

  test('returns false when one of the versions does not have the form of date and number', () => {
    expect([isNewerVersion('own-2', '2026-11-23.1'), isNewerVersion('2026-11-23.1', 'own-1')]).toEqual([false, false])
    expect(isNewerVersion('own-2', 'own-1')).toBe(false)
  })
})

test('saleState locks a sold trace and traceState returns sold, whether or not the trace was excluded', () => {
  const states = [0, 1].flatMap((saleCount) =>
    [false, true].map((sellExcluded) => ({ id: 'a', sellExcluded, saleCount })),
  )
  expect(states.map((state) => saleState(state).locked)).toEqual([false, false, true, true])
  expect(states.map(traceState)).toEqual(['for_sale', 'excluded', 'sold', 'sold'])
})

test.each([
  ['{}', {}, 0],
  ['{"email":2,"name":1}', { email: 2, name: 1 }, 3],
  ['{"email":2,"name":"1"}', { email: 2 }, 2],
  ['{"email":', {}, 0],
])('redactionCounts and totalRedactions count the redactions of %s', (redactions, counts, total) => {
  expect([redactionCounts({ redactions }), totalRedactions({ redactions })]).toEqual([counts, total])
})

test.each([
  ['[]', '{}', true],
  [null, '{}', false],
  ['{}', '{}', false],
  ['[', '{}', false],
  ['[]', 'null', false],
  ['[]', '7', false],
  ['[]', '{', false],
])('toReadable of messages %s and redactions %s returns the trace: %s', async (messages, redactions, isExpected) => {
  const trace = { messages, redactions, details: '{}', tools: null } as StoredTrace
  expect(await toReadable(trace, async () => {})).toBe(isExpected ? trace : null)
})

test.each([
  [{ details: '{"agent":' }],
  [{ details: 'null' }],
  [{ details: '[]' }],
  [{ tools: '[{' }],
  [{ tools: '{}' }],
])('toReadable of damaged details %j returns null', async (damaged) => {
  const trace = { messages: '[]', redactions: '{}', details: '{}', tools: null, ...damaged } as StoredTrace
  expect(await toReadable(trace, async () => {})).toBeNull()
})

test('toReadable parses long messages in parts, and finds damage in each part', async () => {
  const content = `},{"position": \\" ${'long text '.repeat(2_000)}},{`
  const messages = JSON.stringify(Array.from({ length: 100 }, (_, position) => ({ position, content })))
  let turns = 0
  const read = (text: string) =>
    toReadable(
      { messages: text, redactions: '{}', details: '{}', tools: null } as StoredTrace,
      async () => void turns++,
    )
  expect(await read(messages)).not.toBeNull()
  expect(turns).toBeGreaterThan(5)
  for (const at of [0, 1, messages.length / 2, messages.length - 1])
    expect(await read(`${messages.slice(0, at)}\u0001${messages.slice(at + 1)}`), String(at)).toBeNull()
  expect(await read(messages.slice(0, -1))).toBeNull()
})

test('toFilter splits the query into words', () => {
  expect(toFilter({ q: '  two words ', source: 's' })).toEqual({ source: 's', words: ['two', 'words'] })
  expect(toFilter({})).toEqual({ words: undefined })
})

test('listRemainingIds returns each remaining id once', () => {
  expect(listRemainingIds(['a', 'b', 'a', 'c'], ['b'])).toEqual(['a', 'c'])
})

test('remainingRescrub counts all traces again for another version, and never returns less than zero', () => {
  const progress = { version: 'v1', cursor: 4, last: 10, people: 2 }
  const count = (changes: object, version = 'v1') => remainingRescrub({ ...progress, ...changes }, version)
  expect([count({}), count({}, 'v2'), count({ cursor: 12 }), count({ cursor: 10 })]).toEqual([
    { people: 2, traces: 6 },
    { people: 2, traces: 10 },
    { people: 2, traces: 0 },
    { people: 2, traces: 0 },
  ])
})
