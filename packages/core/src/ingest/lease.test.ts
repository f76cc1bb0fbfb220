import { describe, expect, test } from 'vitest'
import { createLeaseKeeper, LeaseLostError } from './lease.ts'
import { renewMs } from './rules.ts'
import type { Claim, IngestStore } from './store.ts'

describe('createLeaseKeeper', () => {
  test('check throws LeaseLostError when the store does not renew an old lease', async () => {
    let now = 1_900_000_000_000
    const store = { renewLease: async () => false } as Partial<IngestStore> as IngestStore
    const claim = { jobId: 'job', lease: 'lease' } as Partial<Claim> as Claim
    const lease = createLeaseKeeper(
      { store, clock: () => now, yieldToEventLoop: async () => undefined },
      claim,
      undefined,
    )
    await expect(lease.check()).resolves.toBeUndefined()
    now += renewMs
    await expect(lease.check()).rejects.toThrow(LeaseLostError)
  })
})
