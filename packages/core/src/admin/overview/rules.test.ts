import { expect, test } from 'vitest'
import { describeDays } from './rules.ts'

test('describeDays lists each day from the first to the last, with zeros for a day on which nothing was counted', () => {
  const nothing = {
    uploads: 0,
    tracesStored: 0,
    tracesRejected: 0,
    tokens: 0,
    redactions: {},
    wrongReplacements: {},
    salesUsd: 0,
    impressions: 0,
    spendUsd: 0,
    reports: 0,
  }
  const counts = [
    { day: 20_000, name: 'uploads', count: 2 },
    { day: 20_002, name: 'salesMicros', count: 2_500_000 },
    { day: 20_002, name: 'spendMicros', count: 1 },
    { day: 20_002, name: 'redactions.email', count: 3 },
    { day: 20_002, name: 'wrongReplacements.done-by', count: 2 },
    { day: 20_002, name: 'tokens', count: 7 },
    { day: 20_003, name: 'uploads', count: 9 },
  ] as const
  expect(describeDays(counts, 20_000, 20_002)).toEqual([
    { day: '2024-10-04', ...nothing, uploads: 2 },
    { day: '2024-10-05', ...nothing },
    {
      day: '2024-10-06',
      ...nothing,
      tokens: 7,
      redactions: { email: 3 },
      wrongReplacements: { 'done-by': 2 },
      salesUsd: 2.5,
      spendUsd: 0.000_001,
    },
  ])
})
