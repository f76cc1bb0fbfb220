import { describe, expect, test } from 'vitest'
import { createFailureLimiter } from './authenticate.ts'
import { fail } from './failures.ts'
import type { ConsumeRate } from './rate-limit.ts'

const refuseFor = (seconds: number): ConsumeRate =>
  (async () => {
    const failure = fail('rate_limited')
    return { ...failure, headers: [['retry-after', String(seconds)]] }
  }) as unknown as ConsumeRate

describe('createFailureLimiter', () => {
  test('blocks an address until the last millisecond before retry-after, and no longer', async () => {
    const limiter = createFailureLimiter('operator', refuseFor(30))
    await limiter.recordFailure('192.0.2.1', 1_000)
    expect(limiter.blocked('192.0.2.1', 30_999)).toMatchObject({ code: 'rate_limited' })
    expect(limiter.blocked('192.0.2.1', 31_000)).toBeNull()
    expect(limiter.blocked('192.0.2.1', 30_999)).toBeNull()
  })

  test('does not block other addresses', async () => {
    const limiter = createFailureLimiter('operator', refuseFor(30))
    await limiter.recordFailure('192.0.2.1', 0)
    expect(limiter.blocked('192.0.2.2', 1)).toBeNull()
    expect(limiter.blocked(null, 1)).toBeNull()
  })

  test('does not block an address while the limit is not exceeded', async () => {
    const limiter = createFailureLimiter('operator', (async () => null) as unknown as ConsumeRate)
    expect(await limiter.recordFailure('192.0.2.1', 0)).toBeNull()
    expect(limiter.blocked('192.0.2.1', 0)).toBeNull()
  })
})
