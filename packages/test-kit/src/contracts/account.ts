import type { AccountJob, AccountStore, AuthStore } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { madeId } from '../fixtures/seed.ts'

export interface AccountPlace {
  /** Two stores over the same data, as two hosts have them; one that lives in one process gives itself twice. */
  readonly stores: readonly [
    { readonly account: AccountStore; readonly auth: AuthStore },
    { readonly account: AccountStore; readonly auth: AuthStore },
  ]
  close(): Promise<void>
}

const ann = { id: 'ann', email: 'ann@example.com' }
const secret = (number: number): string => `${number}`.repeat(64)

/** The contract tests of `AccountStore`: call it in a test file with what opens an empty place. */
export function runAccountStoreContract(name: string, open: () => Promise<AccountPlace>): void {
  describe(`AccountStore in ${name}`, () => {
    let place: AccountPlace
    let account: AccountStore
    let other: AccountStore
    let auth: AuthStore
    beforeEach(async () => {
      place = await open()
      ;[{ account, auth }, { account: other }] = place.stores
      await auth.upsertUser({ ...ann, now: 0 })
    })
    afterEach(() => place.close())

    const start = (number: number, now = 0) =>
      account.startExport({ ownerId: 'ann', id: madeId('export', number), now, secret: secret(number) })
    const take = (lease: string, now: number, store = account) => store.takeJob({ lease, now, until: now + 100 })

    describe('startErasure', () => {
      test('ends the person at once and queues one job that knows the former id', async () => {
        await auth.upsertUser({ id: 'bob', email: 'bob@example.com', now: 0 })
        expect(await account.startErasure({ ownerId: 'ann', id: madeId('erasure', 1), now: 5 })).toBe(true)
        expect([await auth.findUser({ id: 'ann' }), await auth.findUser({ id: 'bob' })]).toEqual([
          null,
          { id: 'bob', email: 'bob@example.com' },
        ])
        expect(await account.startErasure({ ownerId: 'ann', id: madeId('erasure', 2), now: 5 })).toBe(false)
        expect(await take('a', 5, other)).toMatchObject({
          id: madeId('erasure', 1),
          kind: 'erasure',
          formerId: 'ann',
          attempt: 1,
        })
        expect(await take('b', 5)).toBeNull()
      })

      test('frees the mail address and the id for somebody new, whom the job does not touch', async () => {
        await account.startErasure({ ownerId: 'ann', id: madeId('erasure', 1), now: 5 })
        await auth.upsertUser({ id: 'new', email: ann.email, now: 6 })
        expect(await auth.findUser({ id: 'new' })).toEqual({ id: 'new', email: ann.email })
        const job = (await take('a', 7))!
        while (await auth.erase({ ownerId: job.ownerId }));
        await account.completeErasure({ job })
        expect(await auth.findUser({ id: 'new' })).toEqual({ id: 'new', email: ann.email })
        expect(await take('b', 1_000)).toBeNull()
      })
    })

    describe('startExport', () => {
      test('queues one export, and answers it again while it is prepared and until it expires', async () => {
        const first = await start(1)
        expect(first).toEqual({
          id: madeId('export', 1),
          status: 'preparing',
          requestedAt: 0,
          bytes: null,
          expiresAt: null,
          url: null,
          secret: secret(1),
        })
        expect(await other.startExport({ ownerId: 'ann', id: madeId('export', 2), now: 1, secret: secret(2) })).toEqual(
          first,
        )
        const job = (await take('a', 1))!
        expect(await account.completeExport({ job, bytes: 10, parts: 2, url: null, expiresAt: 50 })).toBe(true)
        const ready = { ...first, status: 'ready', bytes: 10, expiresAt: 50 }
        expect([await start(3, 49), await other.findExport({ ownerId: 'ann', id: first!.id, now: 49 })]).toEqual([
          ready,
          ready,
        ])
        expect((await start(4, 50))!.id).toBe(madeId('export', 4))
        expect(
          await account.startExport({ ownerId: 'nobody', id: madeId('export', 5), now: 0, secret: secret(5) }),
        ).toBeNull()
      })

      test('may be asked for again after one that failed', async () => {
        await start(1)
        await account.failExport({ job: (await take('a', 0))!, expiresAt: 90 })
        expect(await account.findExport({ ownerId: 'ann', id: null, now: 1 })).toMatchObject({ status: 'failed' })
        expect(await start(2, 1)).toMatchObject({ id: madeId('export', 2), status: 'preparing' })
      })
    })

    test('findExport and findFile answer for the person, the secret and the time alone', async () => {
      await auth.upsertUser({ id: 'bob', email: null, now: 0 })
      const { id } = (await start(1))!
      expect(await account.findFile({ secret: secret(1), now: 0 })).toBeNull()
      await account.completeExport({ job: (await take('a', 0))!, bytes: 10, parts: 2, url: null, expiresAt: 50 })
      expect(await other.findFile({ secret: secret(1), now: 49 })).toEqual({
        id,
        attempt: 1,
        bytes: 10,
        parts: 2,
        url: null,
      })
      expect(await account.findFile({ secret: secret(1), now: 50 })).toBeNull()
      expect(await account.findFile({ secret: secret(2), now: 1 })).toBeNull()
      expect(await account.findExport({ ownerId: 'bob', id, now: 1 })).toBeNull()
      expect(await account.exports('ann')).toEqual([{ id, status: 'ready', requestedAt: 0, expiresAt: 50 }])
      expect(await account.exports('bob')).toEqual([])
    })

    describe('takeJob', () => {
      test('gives a job to one of two workers, to the same lease again, and to another once the lease ran out', async () => {
        await start(1)
        const taken = await Promise.all([take('a', 0), take('b', 0, other)])
        expect(taken.filter((job) => job !== null)).toHaveLength(1)
        const { lease } = taken.find((job) => job !== null)!
        expect((await take(lease, 1))!.attempt).toBe(1)
        expect(await take('c', 100)).toBeNull()
        const second = (await take('c', 102))!
        expect(second.attempt).toBe(2)
        expect(await account.renewLease({ job: { ...second, lease }, until: 500 })).toBe(false)
        expect(
          await account.completeExport({ job: { ...second, lease }, bytes: 1, parts: 1, url: null, expiresAt: 999 }),
        ).toBe(false)
        expect(await account.renewLease({ job: second, until: 500 })).toBe(true)
        expect(await take('d', 499)).toBeNull()
      })

      test('gives back a released job at once with the same attempt, and a postponed one when it is due', async () => {
        await start(1)
        await account.releaseJob({ job: (await take('a', 0))!, now: 0 })
        const again = (await take('b', 0))!
        expect(again.attempt).toBe(1)
        await account.postponeJob({ job: again, dueAt: 30 })
        expect(await take('c', 29)).toBeNull()
        expect((await take('c', 30))!.attempt).toBe(2)
      })

      test('lets no export be completed whose person was erased meanwhile', async () => {
        await start(1)
        const job = (await take('a', 0)) as AccountJob
        await account.startErasure({ ownerId: 'ann', id: madeId('erasure', 1), now: 1 })
        expect(await account.completeExport({ job, bytes: 1, parts: 1, url: null, expiresAt: 50 })).toBe(false)
      })
    })

    test('expiredExports and eraseExports say which blobs go, and deleteExports forgets', async () => {
      const { id } = (await start(1))!
      await account.completeExport({ job: (await take('a', 0))!, bytes: 10, parts: 2, url: null, expiresAt: 50 })
      const stored = { id, attempt: 1, parts: 2, url: null }
      expect(await account.expiredExports({ now: 49, limit: 9 })).toEqual([])
      expect(await other.expiredExports({ now: 50, limit: 9 })).toEqual([stored])
      await account.deleteExports({ ids: [id] })
      expect(await account.expiredExports({ now: 50, limit: 9 })).toEqual([])
      const second = (await start(2, 60))!
      expect(await account.eraseExports('ann')).toEqual({
        exports: [{ id: second.id, attempt: 0, parts: 0, url: null }],
        hasMore: false,
      })
      expect(await account.exports('ann')).toEqual([])
    })
  })
}
