import { describe, expect, test } from 'vitest'
import { queueTimes, repeatedDelayMs, retryDelay } from './times.ts'

const sum = (delays: readonly number[]): number => delays.reduce((total, delay) => total + delay, 0)
const hour = 3_600_000

describe('queueTimes', () => {
  test('has the documented times of ingest jobs', () => {
    expect(queueTimes.ingest).toEqual({
      leaseMs: 30_000,
      renewMs: 10_000,
      retryMs: [5_000, 30_000, 120_000, 600_000],
      sweepMs: 600_000,
    })
  })

  test('doubles the delays of account jobs from five seconds up to five minutes', () => {
    const { retryMs, ...times } = queueTimes.account
    expect(retryMs).toEqual([5, 10, 20, 40, 80, 160, 300].map((seconds) => seconds * 1_000))
    expect(times).toEqual({ leaseMs: 30_000, renewMs: 10_000, sweepMs: 60_000 })
  })

  test('retries webhooks for more than three days and the outbox for more than 18 hours', () => {
    expect(sum(queueTimes.webhooks.retryMs)).toBeGreaterThan(72 * hour)
    expect(sum(queueTimes.outbox.retryMs)).toBeGreaterThan(18 * hour)
  })
})

describe('repeatedDelayMs', () => {
  test('returns the last delay for every later attempt', () => {
    expect([1, 6, 7, 8, 50].map((attempt) => repeatedDelayMs(queueTimes.account, attempt))).toEqual([
      5_000, 160_000, 300_000, 300_000, 300_000,
    ])
  })
})

describe.each(Object.entries(queueTimes))('retryDelay of %s', (_, times) => {
  test('returns each delay once, and null after the last attempt', () => {
    const attempts = Array.from({ length: times.retryMs.length + 1 }, (_none, index) => index + 1)
    expect(attempts.map((attempt) => retryDelay(times, attempt))).toEqual([...times.retryMs, null])
  })

  test('never returns a shorter delay than after the previous attempt', () => {
    expect([...times.retryMs].sort((a, b) => a - b)).toEqual(times.retryMs)
  })
})
