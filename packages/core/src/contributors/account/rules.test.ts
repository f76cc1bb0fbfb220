import { describe, expect, test } from 'vitest'
import { exportMs, leaseMs, maxAttempts, renewMs, sweepMs, waitAfter } from './rules.ts'

test('an export can be downloaded for an hour, and its lease is renewed three times before it ends', () => {
  expect({ leaseMs, renewMs, exportMs, sweepMs }).toEqual({
    leaseMs: 30_000,
    renewMs: 10_000,
    exportMs: 3_600_000,
    sweepMs: 60_000,
  })
})

describe('waitAfter', () => {
  test('doubles from five seconds for each attempt at an export', () => {
    const attempts = Array.from({ length: maxAttempts }, (_, index) => index + 1)
    expect(attempts.map(waitAfter)).toEqual([5_000, 10_000, 20_000, 40_000, 80_000])
  })

  test('is five minutes at most, since an erasure is tried until it is done', () => {
    expect([6, 7, 8, 50].map(waitAfter)).toEqual([160_000, 300_000, 300_000, 300_000])
  })
})
