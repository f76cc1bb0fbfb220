import { expect, test } from 'vitest'
import { findDifferences, emptyLedger, type KnownTrace } from './ledger.ts'

const makeKnown = (sourceId: string, more: Partial<KnownTrace> = {}): [string, KnownTrace] => [
  sourceId,
  { sourceId, kept: true, excluded: false, id: null, ...more },
]

/** Compares a ledger of these traces with the stored traces, given as `[name, excluded]`. */
function findViolations(traces: [string, KnownTrace][], stored: [string, boolean][], sent: string[][] = []): string[] {
  const listed = stored.map(([, sellExcluded], i) => ({ id: `id-${i}`, sellExcluded }))
  const ledger = {
    ...emptyLedger(),
    traces: new Map(traces),
    sent: sent.map((sourceIds) => ({ sourceIds, jobId: null })),
  }
  return findDifferences(ledger, listed, new Map(stored.map(([name], i) => [`id-${i}`, name])))
}

test('findDifferences reports no difference when the stored traces match the replies, or when a reply was lost', () => {
  expect(
    findViolations(
      [
        makeKnown('a'),
        makeKnown('b', { excluded: true }),
        makeKnown('c', { kept: false }),
        makeKnown('d', { kept: 'either' }),
        makeKnown('e', { excluded: 'either' }),
      ],
      [
        ['a', false],
        ['b', true],
        ['e', true],
      ],
    ),
  ).toEqual([])
  expect(
    findViolations(
      [makeKnown('a', { kept: 'either' }), makeKnown('b', { kept: 'either' })],
      [
        ['a', false],
        ['b', false],
      ],
      [['a', 'b']],
    ),
  ).toEqual([])
})

test.each<[string, [string, KnownTrace][], [string, boolean][], string[][]?]>([
  [
    'a is stored 2 times',
    [makeKnown('a')],
    [
      ['a', false],
      ['a', false],
    ],
  ],
  ['a was acknowledged and is lost', [makeKnown('a')], []],
  ['a was deleted and is back', [makeKnown('a', { kept: false })], [['a', false]]],
  ['a is not excluded, against what was acknowledged', [makeKnown('a', { excluded: true })], [['a', false]]],
  ['a is excluded, against what was acknowledged', [makeKnown('a')], [['a', true]]],
  [
    'of a batch without an answer 1 of 2 are stored',
    [makeKnown('a', { kept: 'either' }), makeKnown('b', { kept: 'either' })],
    [['a', false]],
    [['a', 'b']],
  ],
])('%s', (says, traces, stored, sent) => {
  expect(findViolations(traces, stored, sent)).toEqual([says])
})

test('findDifferences reports entries that were never sent', () => {
  expect(findDifferences(emptyLedger(), [{ id: 'x', sellExcluded: false }], new Map())).toEqual([
    'x is listed and nobody sent it',
  ])
})
