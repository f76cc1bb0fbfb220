import type { IngestStore, NotAdded, ClaimJobParams } from '@tributary/core/stores'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeHash, makeId } from '../fixtures/seed.ts'
import type { IngestPlace } from './ingest-place.ts'

/** The length of a lease, in milliseconds. */
const until = 30_000

/**
 * Runs the contract tests of the order in which jobs are claimed and of the limit for waiting bytes. The tests are part
 * of the contract tests of `IngestStore`.
 */
export function runIngestOrderContract(opened: () => IngestPlace): void {
  let place: IngestPlace
  let store: IngestStore
  beforeEach(() => {
    place = opened()
    store = place.stores[0]
  })
  const enqueue = (owner: string, n: number): Promise<NotAdded | null> =>
    store.enqueueJob({
      ownerId: owner,
      id: makeId(owner, n),
      source: 'mixed',
      total: 2,
      parts: 1,
      bytes: 100,
      enqueuedAt: n,
    })

  describe('claimJob', () => {
    let now: number
    beforeEach(() => {
      now = 100
    })
    /** Calls `claimJob` the given number of times, a millisecond apart, each time with a different lease. */
    const claimInOrder = async (times: number, more: Partial<ClaimJobParams> = {}): Promise<(string | null)[]> => {
      const found: (string | null)[] = []
      for (let left = times; left > 0; left--, now++) {
        found.push(
          (await place.stores[now % 2]!.claimJob({ lease: `w${now}`, now, leaseUntil: now + until, ...more }))?.jobId ??
            null,
        )
      }
      return found
    }
    const listIds = (...jobs: [string, number][]): string[] => jobs.map(([who, n]) => makeId(who, n))

    test('claims jobs round-robin by owner, and for each owner the job that has been due longest', async () => {
      for (const n of [4, 3, 2, 1]) await enqueue('ann', n)
      for (const n of [22, 21]) await enqueue('bob', n)
      expect(await claimInOrder(7)).toEqual([
        ...listIds(['ann', 1], ['bob', 21], ['ann', 2], ['bob', 22], ['ann', 3], ['ann', 4]),
        null,
      ])
    })

    test('claims a job of a new owner before the next job of an owner whose job was claimed before', async () => {
      await place.person('cat')
      for (const n of [1, 2, 3]) await enqueue('ann', n)
      await enqueue('bob', 5)
      expect(await claimInOrder(2)).toEqual(listIds(['ann', 1], ['bob', 5]))
      await enqueue('cat', 90)
      await enqueue('bob', 91)
      expect(await claimInOrder(4)).toEqual(listIds(['cat', 90], ['ann', 2], ['bob', 91], ['ann', 3]))
    })

    test('claims no job of the excluded owners, and hasDueJob also ignores these owners', async () => {
      await enqueue('ann', 1)
      await enqueue('bob', 2)
      const which = { lease: 'x', now, leaseUntil: now + until }
      expect(await store.hasDueJob({ ...which, exceptOwnerIds: ['ann', 'bob'] })).toBe(false)
      expect(await store.hasDueJob({ ...which, exceptOwnerIds: ['bob', 'nobody'] })).toBe(true)
      expect(await store.hasDueJob({ ...which, now: 0 })).toBe(false)
      expect(await claimInOrder(2, { exceptOwnerIds: ['ann'] })).toEqual([makeId('bob', 2), null])
      expect(await store.hasDueJob(which)).toBe(true)
      expect(await claimInOrder(2)).toEqual([makeId('ann', 1), null])
      expect(await store.hasDueJob(which)).toBe(false)
    })

    test('claims a released job before other jobs of its owner that have the same due time', async () => {
      for (const n of [1, 2]) await enqueue('ann', n)
      const claim = (await store.claimJob({ lease: 'one', now, leaseUntil: now + until }))!
      await store.releaseJob({ claim, dueAt: claim.dueAt, end: 'stopped' })
      expect(await claimInOrder(2)).toEqual(listIds(['ann', 1], ['ann', 2]))
    })
  })

  describe('countWaitingBytes', () => {
    const makeJob = (n: number, bytes: number) => ({
      id: makeId('ann', n),
      source: 'mixed',
      total: 1,
      parts: 1,
      bytes,
      enqueuedAt: 10,
    })
    const makeUpload = (n: number, bytes: number) => ({
      id: makeId('up', n),
      secretHash: makeHash('up', n),
      bytes,
      now: 10,
      expiresAt: 500,
    })

    test("counts the owner's open jobs and open upload URLs, but not the ended ones", async () => {
      expect(await store.countWaitingBytes({ ownerId: 'ann', now: 10 })).toBe(0)
      await store.enqueueJob({ ownerId: 'ann', ...makeJob(1, 100) })
      await store.enqueueJob({ ownerId: 'ann', ...makeJob(2, 200) })
      await enqueue('bob', 9)
      await store.createUpload({ ownerId: 'ann', ...makeUpload(1, 1_000) })
      await store.createUpload({ ownerId: 'ann', ...makeUpload(2, 2_000) })
      expect(await store.countWaitingBytes({ ownerId: 'ann', now: 10 })).toBe(3_300)
      expect(await store.countWaitingBytes({ ownerId: 'ann', now: 500 })).toBe(300)
      await store.claimUpload({ ownerId: 'ann', uploadId: makeId('up', 2), jobId: makeId('ann', 3), now: 20 })
      expect(await store.countWaitingBytes({ ownerId: 'ann', now: 20 })).toBe(1_300)
      await store.failJob({
        claim: (await store.claimJob({ lease: 'one', now: 100, leaseUntil: 100 + until, jobId: makeId('ann', 1) }))!,
        message: 'broken',
        usdPerMillionTokens: 1,
        now: 200,
      })
      expect(await store.countWaitingBytes({ ownerId: 'ann', now: 20 })).toBe(1_200)
      expect(await store.countWaitingBytes({ ownerId: 'nobody', now: 20 })).toBe(0)
    })

    test('stays within maxWaitingBytes when many hosts call enqueueJob and createUpload concurrently', async () => {
      const added = await Promise.all(
        Array.from({ length: 12 }, (_, n) => {
          const host = place.stores[n % 2]!
          return n % 3 === 0
            ? host.createUpload({ ownerId: 'ann', ...makeUpload(n, 100), maxWaitingBytes: 450 })
            : host.enqueueJob({ ownerId: 'ann', ...makeJob(n, 100), maxWaitingBytes: 450 })
        }),
      )
      expect(added.filter((one) => one === null)).toHaveLength(4)
      expect(added.filter((one) => one === 'over_quota')).toHaveLength(8)
      expect(await store.countWaitingBytes({ ownerId: 'ann', now: 10 })).toBe(400)
      expect(await store.enqueueJob({ ownerId: 'ann', ...makeJob(90, 50), maxWaitingBytes: 450 })).toBeNull()
      expect(await store.enqueueJob({ ownerId: 'ann', ...makeJob(91, 1), maxWaitingBytes: 450 })).toBe('over_quota')
      expect(await store.enqueueJob({ ownerId: 'ann', ...makeJob(92, 1) })).toBeNull()
    })
  })
}
