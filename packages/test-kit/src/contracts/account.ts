import type { AccountJob, AccountStore, AuthStore } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeId } from '../fixtures/seed.ts'
import { useRealTimes } from './real-times.ts'

export interface AccountPlace {
  /** The stores of two hosts on one database. */
  readonly stores: readonly [
    { readonly account: AccountStore; readonly auth: AuthStore },
    { readonly account: AccountStore; readonly auth: AuthStore },
  ]
  close(): Promise<void>
}

const ann = { id: 'ann', email: 'ann@example.com' }
const makeSecretHash = (number: number): string => `${number}`.repeat(64)

/** Registers the contract tests of the account store (`contributors/account/store.ts` of core). */
export function runAccountStoreContract(name: string, open: () => Promise<AccountPlace>): void {
  describe(`account store: ${name}`, () => {
    let place: AccountPlace
    let account: AccountStore
    let otherHost: AccountStore
    let auth: AuthStore
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[{ account, auth }, { account: otherHost }] = place.stores
      await auth.upsertUser({ ...ann, now: 0 })
    })
    afterEach(() => place.close())

    const start = (number: number, now = 0, credential: string | null = null) =>
      account.startExport({
        ownerId: 'ann',
        id: makeId('export', number),
        now,
        secretHash: makeSecretHash(number),
        credential,
      })
    const claim = (lease: string, now: number, store = account) => store.claimJob({ lease, now, until: now + 100 })

    describe('startErasure', () => {
      test('disables the user immediately and queues one job with the former id', async () => {
        await auth.upsertUser({ id: 'bob', email: 'bob@example.com', now: 0 })
        expect(await account.startErasure({ ownerId: 'ann', id: makeId('erasure', 1), now: 5 })).toBe(true)
        expect([await auth.findUser({ id: 'ann' }), await auth.findUser({ id: 'bob' })]).toEqual([
          null,
          { id: 'bob', email: 'bob@example.com' },
        ])
        expect(await account.startErasure({ ownerId: 'ann', id: makeId('erasure', 2), now: 5 })).toBe(false)
        expect(await claim('a', 5, otherHost)).toMatchObject({
          id: makeId('erasure', 1),
          kind: 'erasure',
          formerId: 'ann',
          attempt: 1,
        })
        expect(await claim('b', 5)).toBeNull()
      })

      test('frees the e-mail address for a new user, whom the job does not affect', async () => {
        await account.startErasure({ ownerId: 'ann', id: makeId('erasure', 1), now: 5 })
        await auth.upsertUser({ id: 'new', email: ann.email, now: 6 })
        expect(await auth.findUser({ id: 'new' })).toEqual({ id: 'new', email: ann.email })
        const job = (await claim('a', 7))!
        while (await auth.erase({ ownerId: job.ownerId }));
        await account.completeErasure({ job })
        expect(await auth.findUser({ id: 'new' })).toEqual({ id: 'new', email: ann.email })
        expect(await claim('b', 1_000)).toBeNull()
      })
    })

    describe('isErasing', () => {
      test('returns true until the erasure is completed, and false for the id of an export', async () => {
        const id = makeId('erasure', 1)
        await start(1)
        const isErasing = (of: string) => otherHost.isErasing({ id: of })
        expect([await isErasing(id), await isErasing(makeId('export', 1))]).toEqual([false, false])
        await account.startErasure({ ownerId: 'ann', id, now: 5 })
        expect(await isErasing(id)).toBe(true)
        const jobs = [(await claim('a', 5))!, (await claim('b', 5))!]
        expect(await isErasing(id)).toBe(true)
        await account.completeErasure({ job: jobs.find(({ kind }) => kind === 'erasure')! })
        expect(await isErasing(id)).toBe(false)
      })
    })

    describe('startExport', () => {
      test('queues one export, and returns that export until it expires', async () => {
        const first = await start(1)
        expect(first).toEqual({
          id: makeId('export', 1),
          status: 'preparing',
          requestedAt: 0,
          bytes: null,
          expiresAt: null,
          url: null,
          secretHash: makeSecretHash(1),
        })
        expect(
          await otherHost.startExport({
            ownerId: 'ann',
            id: makeId('export', 2),
            now: 1,
            secretHash: makeSecretHash(2),
            credential: null,
          }),
        ).toEqual(first)
        const job = (await claim('a', 1))!
        expect(await account.completeExport({ job, bytes: 10, parts: 2, url: null, expiresAt: 50 })).toBe(true)
        const ready = { ...first, status: 'ready', bytes: 10, expiresAt: 50 }
        expect([await start(3, 49), await otherHost.findExport({ ownerId: 'ann', id: first!.id, now: 49 })]).toEqual([
          ready,
          ready,
        ])
        expect((await start(4, 50))!.id).toBe(makeId('export', 4))
        expect(
          await account.startExport({
            ownerId: 'nobody',
            id: makeId('export', 5),
            now: 0,
            secretHash: makeSecretHash(5),
            credential: null,
          }),
        ).toBeNull()
      })

      test('queues another export after a failed export', async () => {
        await start(1)
        await account.failExport({ job: (await claim('a', 0))!, expiresAt: 90 })
        expect(await account.findExport({ ownerId: 'ann', id: null, now: 1 })).toMatchObject({ status: 'failed' })
        expect(await account.findExportFile({ secretHash: makeSecretHash(1), now: 1 })).toBeNull()
        expect(await start(2, 1)).toMatchObject({ id: makeId('export', 2), status: 'preparing' })
      })
    })

    test('findExport and findExportFile return nothing for another user, another secret or after the expiry', async () => {
      await auth.upsertUser({ id: 'bob', email: null, now: 0 })
      const { id } = (await start(1))!
      expect(await account.findExportFile({ secretHash: makeSecretHash(1), now: 0 })).toBeNull()
      await account.completeExport({ job: (await claim('a', 0))!, bytes: 10, parts: 2, url: null, expiresAt: 50 })
      expect(await otherHost.findExportFile({ secretHash: makeSecretHash(1), now: 49 })).toEqual({
        id,
        attempt: 1,
        bytes: 10,
        parts: 2,
        url: null,
      })
      expect(await account.findExportFile({ secretHash: makeSecretHash(1), now: 50 })).toBeNull()
      expect(await account.findExportFile({ secretHash: makeSecretHash(2), now: 1 })).toBeNull()
      expect(await account.findExport({ ownerId: 'bob', id, now: 1 })).toBeNull()
      expect(await account.listExports({ ownerId: 'ann' })).toEqual([
        { id, status: 'ready', requestedAt: 0, expiresAt: 50 },
      ])
      expect(await account.listExports({ ownerId: 'bob' })).toEqual([])
    })

    describe('an export whose token or session has ended', () => {
      /** Signs in ann, in place of another session, and returns the hash of the session. */
      async function signIn(name: string, replacedHash: string | null = null, now = 0): Promise<string> {
        const [challengeHash, codeHash] = [`challenge ${name}`, `code ${name}`]
        const code = { challengeHash, codeHash, address: ann.email, createdAt: now, expiresAt: now + 1_000 }
        await auth.createSignInCode(code)
        const session = { hash: `session ${name}`, id: makeId(name, 1), expiresAt: 1_000 }
        const attempt = {
          address: ann.email,
          challengeHash,
          codeHashes: [codeHash],
          codeGuesses: 5,
          userId: 'ann',
          now,
        }
        await auth.verifySignInCode({ ...attempt, session, label: name, replacedHash })
        return session.hash
      }
      const prepare = async (credential: string, now = 0) => {
        await start(1, now, credential)
        await account.completeExport({ job: (await claim('a', now))!, bytes: 9, parts: 1, url: null, expiresAt: 5_000 })
      }
      const findFile = (now: number) => otherHost.findExportFile({ secretHash: makeSecretHash(1), now })
      const expectEnded = async (now: number) => {
        expect(await findFile(now)).toBeNull()
        expect(await account.findExport({ ownerId: 'ann', id: null, now })).toBeNull()
        expect(await account.findExport({ ownerId: 'ann', id: makeId('export', 1), now })).toBeNull()
        expect(await account.listExpiredExports({ now, limit: 9 })).toMatchObject([{ id: makeId('export', 1) }])
        expect((await start(2, now))!.id).toBe(makeId('export', 2))
      }

      test('is not found after its credential was revoked, and is deleted like an expired export', async () => {
        const hash = await signIn('browser')
        await prepare(hash)
        expect(await findFile(1)).not.toBeNull()
        expect(await account.listExpiredExports({ now: 1, limit: 9 })).toEqual([])
        await auth.revokeCredential({ hash })
        await expectEnded(1)
      })

      test('is not found after its credential expired', async () => {
        await prepare(await signIn('browser'))
        expect(await findFile(999)).not.toBeNull()
        await expectEnded(1_000)
      })

      test('is kept for the session that replaced the first one at a sign-in of the same person, and ends with that session', async () => {
        const first = await signIn('browser')
        await prepare(first)
        const second = await signIn('again', first, 2)
        expect(await findFile(3)).not.toBeNull()
        await auth.revokeCredential({ hash: second })
        await expectEnded(3)
      })
    })

    describe('takeJob', () => {
      test('returns a job to one of two workers, to the same lease again, and to another worker after the lease ended', async () => {
        await start(1)
        const taken = await Promise.all([claim('a', 0), claim('b', 0, otherHost)])
        expect(taken.filter((job) => job !== null)).toHaveLength(1)
        const { lease } = taken.find((job) => job !== null)!
        expect((await claim(lease, 1))!.attempt).toBe(1)
        expect(await claim('c', 101)).toBeNull()
        const second = (await claim('c', 102))!
        expect(second.attempt).toBe(2)
        expect(await account.renewLease({ job: { ...second, lease }, until: 500 })).toBe(false)
        expect(
          await account.completeExport({ job: { ...second, lease }, bytes: 1, parts: 1, url: null, expiresAt: 999 }),
        ).toBe(false)
        expect(await account.renewLease({ job: second, until: 500 })).toBe(true)
        expect(await claim('d', 499)).toBeNull()
      })

      test("leaves a job to a host if that host's clock is ahead by at most the length of a lease", async () => {
        await start(1)
        await claim('ahead', 200)
        expect(await claim('behind', 100, otherHost)).toBeNull()
        expect((await claim('behind', 99, otherHost))!.attempt).toBe(2)
      })

      test('returns a released job immediately with the same attempt, and a postponed job when it is due', async () => {
        await start(1)
        await account.releaseJob({ job: (await claim('a', 0))!, now: 0 })
        const released = (await claim('b', 0))!
        expect(released.attempt).toBe(1)
        await account.postponeJob({ job: released, dueAt: 30 })
        expect(await claim('c', 29)).toBeNull()
        expect((await claim('c', 30))!.attempt).toBe(2)
      })

      test('returns an export job that can no longer be completed once its user was erased', async () => {
        await start(1)
        const job = (await claim('a', 0)) as AccountJob
        await account.startErasure({ ownerId: 'ann', id: makeId('erasure', 1), now: 1 })
        expect(await account.completeExport({ job, bytes: 1, parts: 1, url: null, expiresAt: 50 })).toBe(false)
      })
    })

    test('listExpiredExports and eraseExports return exports with blobs to delete; deleteExports deletes the exports', async () => {
      const { id } = (await start(1))!
      await account.completeExport({ job: (await claim('a', 0))!, bytes: 10, parts: 2, url: null, expiresAt: 50 })
      const stored = { id, attempt: 1, parts: 2, url: null }
      expect(await account.listExpiredExports({ now: 49, limit: 9 })).toEqual([])
      expect(await otherHost.listExpiredExports({ now: 50, limit: 9 })).toEqual([stored])
      await account.deleteExports({ ids: [id] })
      expect(await account.listExpiredExports({ now: 50, limit: 9 })).toEqual([])
      const second = (await start(2, 60))!
      expect(await account.eraseExports({ ownerId: 'ann' })).toEqual({
        exports: [{ id: second.id, attempt: 0, parts: 0, url: null }],
        hasMore: false,
      })
      expect(await account.listExports({ ownerId: 'ann' })).toEqual([])
    })
  })
}
