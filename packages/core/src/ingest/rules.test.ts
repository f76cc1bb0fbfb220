import { describe, expect, test } from 'vitest'
import {
  decideOutcome,
  defaultIngestLimit,
  estimate,
  failedKeptMs,
  orphanMs,
  partKey,
  putKey,
  uploadMs,
  uploadPrefix,
  type DecisionInput,
} from './rules.ts'

test('uploads and failed jobs have the documented times and sizes', () => {
  expect({ defaultIngestLimit, failedKeptMs, orphanMs, uploadMs }).toEqual({
    defaultIngestLimit: 67_108_864,
    failedKeptMs: 86_400_000,
    orphanMs: 7_200_000,
    uploadMs: 3_600_000,
  })
})

test('the keys of a waiting upload begin with its prefix, and differ from the key of a body sent to an upload URL', () => {
  expect(partKey('j', 2)).toBe(`${uploadPrefix('j')}/2`)
  expect([uploadPrefix('j'), putKey('j')]).toEqual(['upload/j', 'put/j'])
})

test('estimate returns dollars for tokens, rounded to millionths', () => {
  expect([estimate(0, 3), estimate(1_000_000, 3), estimate(1, 0.4), estimate(1, 0.5)]).toEqual([0, 3, 0, 0.000_001])
})

describe('decideOutcome', () => {
  const fresh: DecisionInput = {
    kind: 'scrubbed',
    isRepeated: false,
    content: 'unknown',
    isNameDeleted: false,
    named: 'none',
    isSuperseded: false,
  }
  test.each<[Partial<DecisionInput>, ReturnType<typeof decideOutcome>]>([
    [{}, 'stored'],
    [{ named: 'unsold' }, 'updated'],
    [{ named: 'sold' }, 'already_sold'],
    [{ named: 'unsold', isSuperseded: true }, 'duplicate'],
    [{ named: 'sold', isSuperseded: true }, 'already_sold'],
    [{ isNameDeleted: true, named: 'sold' }, 'deleted_before'],
    [{ kind: 'refused' }, 'rejected'],
    [{ kind: 'refused', isNameDeleted: true }, 'rejected'],
    [{ kind: 'known' }, null],
    [{ kind: 'known', content: 'stored' }, 'duplicate'],
    [{ kind: 'known', content: 'deleted' }, 'deleted_before'],
    [{ kind: 'refused', content: 'stored' }, 'duplicate'],
    [{ content: 'stored', isNameDeleted: true, named: 'sold' }, 'duplicate'],
    [{ content: 'stored', isRepeated: true }, 'duplicate_in_batch'],
    [{ content: 'deleted', isRepeated: true }, 'deleted_before'],
    [{ isRepeated: true }, 'stored'],
  ])('decides that %j is %s', (changes, outcome) => {
    expect(decideOutcome({ ...fresh, ...changes })).toBe(outcome)
  })
})
