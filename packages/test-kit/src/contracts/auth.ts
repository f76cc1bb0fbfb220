import type { AuthStore, DeviceTokenResult } from '@tributary/core/stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  approve,
  createCode,
  createOtherUser,
  enterCode,
  issueToken,
  minute,
  makeAddress,
  makeCredential,
  makeHash,
  makeId,
  makeToken,
  runConcurrently,
  signIn,
  start,
  startDevice,
  type AuthPlace,
} from './auth-fixture.ts'
import { runDeviceAuthorizationContract } from './device-authorization.ts'
import { runOperatorSessionContract } from './operator-sessions.ts'
import { runPasskeyContract } from './passkeys.ts'
import { useRealTimes } from './real-times.ts'

const day = 24 * 60 * minute
const wrongGuess = { codeHashes: ['wrong'] }
const poll = (store: AuthStore, { deviceCodeHash }: { readonly deviceCodeHash: string }): Promise<DeviceTokenResult> =>
  store.pollDeviceToken({ deviceCodeHash, token: makeToken(), now: start })

/** Registers the contract tests of the auth store (`auth/store.ts` of core). */
export function runAuthStoreContract(name: string, open: () => Promise<AuthPlace>): void {
  runDeviceAuthorizationContract(name, open)
  runOperatorSessionContract(name, open)
  runPasskeyContract(name, open)
  describe(`auth store: ${name}`, () => {
    let place: AuthPlace
    let store: AuthStore
    let otherHost: AuthStore
    beforeAll(async () => {
      place = useRealTimes(await open())
      ;[store, otherHost] = place.stores
    })
    afterAll(async () => place.close?.())
    const pickHost = (index: number): AuthStore => (index % 2 ? otherHost : store)

    describe('findRevokedCredential', () => {
      test('returns the user of a revoked token or session until it would have expired', async () => {
        const jane = await signIn(store)
        const revoked = await issueToken(store, jane.id, makeToken(start + minute))
        const live = await issueToken(store, jane.id)
        await store.revokeCredentialById({ ownerId: jane.id, id: revoked.id })
        await otherHost.revokeCredential({ hash: jane.session.hash })
        const find = (hash: string, now = start) => otherHost.findRevokedCredential({ hash, now })
        expect([await find(revoked.hash), await find(jane.session.hash)]).toEqual([
          { userId: jane.id },
          { userId: jane.id },
        ])
        expect(await find(live.hash)).toBeNull()
        expect(await find(makeHash())).toBeNull()
        expect(await find(revoked.hash, start + minute)).toBeNull()
        expect(await store.deleteExpiredRevocations({ now: start + minute })).toBe(false)
        expect([await find(revoked.hash), await find(jane.session.hash)]).toEqual([null, { userId: jane.id }])
      })

      test('returns null for a credential of an erased user', async () => {
        const jane = await signIn(store)
        const token = await issueToken(store, jane.id)
        await store.revokeCredential(jane.session)
        await store.erase({ ownerId: jane.id })
        for (const { hash } of [token, jane.session]) {
          expect(await otherHost.findRevokedCredential({ hash, now: start })).toBeNull()
        }
      })
    })

    describe('verifySignInCode', () => {
      test('creates and signs in a user with the right code, and signs the same user in again for the same address', async () => {
        const jane = await signIn(store)
        expect(await otherHost.findCredential(jane.session)).toEqual({
          kind: 'session',
          user: { id: jane.id, email: jane.email },
          createdAt: start,
          expiresAt: jane.session.expiresAt,
          usedAt: start,
        })
        expect((await signIn(store, jane.email)).id).toBe(jane.id)
      })

      test('signs in once for fifty concurrent calls with the right code on two hosts', async () => {
        const expectUnchanged = await createOtherUser(store)
        const code = await createCode(store)
        const sessions = Array.from({ length: 50 }, () => makeCredential())
        const results = await runConcurrently(50, (i) =>
          enterCode(pickHost(i), code, { codeGuesses: 50, session: sessions[i]! }),
        )
        const userIds = results.map((result) => (result.outcome === 'signed_in' ? result.user.id : null))
        expect(userIds.filter(Boolean)).toHaveLength(1)
        const stored = await Promise.all(sessions.map((session) => store.findCredential(session)))
        expect(stored.map((credential) => credential?.user.id ?? null)).toEqual(userIds)
        await expectUnchanged()
      })

      test('returns wrong for the code of another challenge or address', async () => {
        const email = makeAddress()
        const code = await createCode(store, email)
        const later = await createCode(store, email, { codeHash: 'later' })
        expect(await enterCode(store, { ...code, challengeHash: later.challengeHash })).toEqual({ outcome: 'wrong' })
        expect(await enterCode(store, { ...code, challengeHash: makeHash() })).toEqual({ outcome: 'wrong' })
        expect(await enterCode(store, { ...code, address: makeAddress() })).toEqual({ outcome: 'wrong' })
        expect(await enterCode(otherHost, code)).toMatchObject({ outcome: 'signed_in', user: { email } })
        expect(await enterCode(otherHost, later)).toMatchObject({ outcome: 'signed_in', user: { email } })
      })

      test('returns wrong for the right code after five wrong guesses, but not for the code of another challenge', async () => {
        const email = makeAddress()
        const [code, later] = [await createCode(store, email), await createCode(store, email)]
        await runConcurrently(5, () => enterCode(store, code, wrongGuess))
        expect(await enterCode(store, code)).toEqual({ outcome: 'wrong' })
        expect(await enterCode(store, later)).toMatchObject({ outcome: 'signed_in' })
      })

      test('compares at most five of forty concurrent guesses', async () => {
        const code = await createCode(store)
        await runConcurrently(40, (i) => enterCode(pickHost(i), code, wrongGuess))
        expect(await enterCode(store, code)).toEqual({ outcome: 'wrong' })
      })

      test('accepts the right code as the fifth guess', async () => {
        const code = await createCode(store)
        await runConcurrently(4, () => enterCode(store, code, wrongGuess))
        expect(await enterCode(store, code)).toMatchObject({ outcome: 'signed_in' })
      })

      test('accepts a code that matches one of several hashes', async () => {
        const code = await createCode(store, makeAddress(), { codeHash: 'old key' })
        expect(await enterCode(otherHost, code, { codeHashes: ['new key', 'no key'] })).toEqual({ outcome: 'wrong' })
        expect(await enterCode(otherHost, code, { codeHashes: ['new key', 'old key'] })).toMatchObject({
          outcome: 'signed_in',
        })
      })

      test('accepts a code until a millisecond before its expiry', async () => {
        const code = await createCode(store, makeAddress(), { expiresAt: start + minute })
        const session = makeCredential(start + 9 * minute)
        expect(await enterCode(store, code, { now: start + minute })).toEqual({ outcome: 'wrong' })
        expect(await enterCode(store, code, { now: start + minute - 1, session })).toMatchObject({
          outcome: 'signed_in',
        })
      })

      test('revokes the session that it replaces only if the code is right, and never revokes a token', async () => {
        const expectUnchanged = await createOtherUser(store)
        const [jane, john] = [await signIn(store), await signIn(store)]
        const token = await issueToken(store, jane.id)
        const [replacedHash, label] = [jane.session.hash, 'Firefox on Linux']
        await enterCode(store, await createCode(store, jane.email), { ...wrongGuess, replacedHash })
        expect(await otherHost.findCredential(jane.session)).not.toBeNull()
        await enterCode(store, await createCode(store, jane.email), { label, replacedHash })
        expect(await otherHost.findCredential(jane.session)).toBeNull()
        const listed = await otherHost.listCredentials({ ownerId: jane.id, now: start, currentHash: null })
        expect(listed.map((credential) => credential.label)).toContain(label)
        await enterCode(store, await createCode(store, john.email), { replacedHash: token.hash })
        expect(await otherHost.findCredential(token)).not.toBeNull()
        await expectUnchanged()
      })
    })

    describe('countWrongGuesses', () => {
      test('returns the number of wrong guesses at the codes of an address within a day, and does not count right guesses', async () => {
        const expectUnchanged = await createOtherUser(store)
        const email = makeAddress()
        const count = (now = start) => otherHost.countWrongGuesses({ address: email, now })
        expect(await count()).toBe(0)
        const codes = [await createCode(store, email, { createdAt: start - 1 }), await createCode(store, email)]
        await runConcurrently(10, (i) => enterCode(pickHost(i), codes[i % 2]!, wrongGuess))
        expect(await count()).toBe(10)
        const right = await createCode(store, email)
        await enterCode(store, right, wrongGuess)
        expect(await enterCode(store, right)).toMatchObject({ outcome: 'signed_in' })
        await enterCode(store, right, wrongGuess)
        expect(await count()).toBe(11)
        expect([await count(start + day - 2), await count(start + day - 1), await count(start + day)]).toEqual([
          11, 6, 0,
        ])
        await expectUnchanged()
      })
    })

    describe('ensureSecret', () => {
      test('returns the first candidate to every host', async () => {
        const secrets = await runConcurrently(20, (i) =>
          pickHost(i).ensureSecret({ candidate: `candidate ${i}`, now: start }),
        )
        expect(new Set(secrets).size).toBe(1)
        expect(await otherHost.ensureSecret({ candidate: 'later', now: start + minute })).toBe(secrets[0])
      })
    })

    describe('renewCredential', () => {
      test('stores the use and expiry of a live credential, and stores nothing after its expiry', async () => {
        const { hash } = (await signIn(store)).session
        const [used, renewed] = [start + minute, start + 90 * minute]
        await store.renewCredential({ hash, now: used, expiresAt: renewed })
        expect(await otherHost.findCredential({ hash })).toMatchObject({ usedAt: used, expiresAt: renewed })
        await store.renewCredential({ hash, now: renewed, expiresAt: start + 200 * minute })
        expect(await otherHost.findCredential({ hash })).toMatchObject({ usedAt: used, expiresAt: renewed })
      })

      test('does not restore a revoked credential', async () => {
        const expectUnchanged = await createOtherUser(store)
        const { hash } = (await signIn(store)).session
        await otherHost.revokeCredential({ hash })
        await store.renewCredential({ hash, now: start, expiresAt: start + 90 * minute })
        expect(await store.findCredential({ hash })).toBeNull()
        await store.revokeCredential({ hash })
        await expectUnchanged()
      })
    })

    describe('findCredential', () => {
      test('returns null for an unknown hash', async () => {
        expect(await store.findCredential({ hash: makeHash() })).toBeNull()
      })
    })

    describe('upsertUser', () => {
      test('inserts a user once and updates the address', async () => {
        const [id, email] = [makeId(), makeAddress()]
        expect(await store.findUser({ id })).toBeNull()
        await runConcurrently(10, (i) => pickHost(i).upsertUser({ id, email: null, now: start }))
        expect(await store.findUser({ id })).toEqual({ id, email: null })
        await store.upsertUser({ id, email, now: start + minute })
        expect(await otherHost.findUser({ id })).toEqual({ id, email })
        expect((await store.export({ ownerId: id }))!.user.createdAt).toBe(start)
      })

      test('leaves out an address that another user has, and keeps the two accounts separate', async () => {
        const jane = await signIn(store)
        const id = makeId()
        await store.upsertUser({ id, email: jane.email, now: start })
        expect(await store.findUser({ id })).toEqual({ id, email: null })
        expect(await store.findUser({ id: jane.id })).toEqual({ id: jane.id, email: jane.email })
      })
    })

    describe('revokeCredentialById', () => {
      test('revokes a credential of the owner, and does nothing when it is repeated', async () => {
        const expectUnchanged = await createOtherUser(store)
        const [jane, john] = [await signIn(store), await signIn(store)]
        const token = await issueToken(store, jane.id)
        for (const { id } of [token, jane.session]) {
          expect(await store.revokeCredentialById({ ownerId: john.id, id })).toBeNull()
        }
        const revoked = await runConcurrently(10, (i) =>
          pickHost(i).revokeCredentialById({ ownerId: jane.id, id: token.id }),
        )
        expect(revoked.filter((one) => one !== null)).toEqual([{ hash: token.hash }])
        const { id, hash } = jane.session
        expect(await store.revokeCredentialById({ ownerId: jane.id, id })).toEqual({ hash })
        expect([await otherHost.findCredential(token), await otherHost.findCredential({ hash })]).toEqual([null, null])
        await expectUnchanged()
      })

      test('ends an approved device authorization of the owner, and its poll then returns `denied`', async () => {
        const expectUnchanged = await createOtherUser(store)
        const [jane, john] = [await signIn(store), await signIn(store)]
        const [ended, kept] = [await startDevice(store), await startDevice(store)]
        for (const { userCodeHash } of [ended, kept]) await approve(store, jane.id, userCodeHash)
        const { id } = ended
        expect(await store.revokeCredentialById({ ownerId: john.id, id })).toBeNull()
        expect(await otherHost.revokeCredentialById({ ownerId: jane.id, id })).toEqual({ hash: null })
        expect(await store.revokeCredentialById({ ownerId: jane.id, id })).toBeNull()
        expect(await poll(store, ended)).toEqual({ outcome: 'denied' })
        expect(await poll(store, kept)).toEqual({ outcome: 'approved', userId: jane.id })
        await expectUnchanged()
      })
    })

    describe('revokeCredentials', () => {
      test('revokes all credentials and approved device authorizations of the owner, except the kept one', async () => {
        const expectUnchanged = await createOtherUser(store)
        const jane = await signIn(store)
        const { session } = await signIn(store, jane.email)
        const [token, device, waiting] = [
          await issueToken(store, jane.id),
          await startDevice(store),
          await startDevice(store),
        ]
        await approve(store, jane.id, device.userCodeHash)
        const revoke = (kinds: 'all' | 'browsers', keptHash: string | null) =>
          otherHost.revokeCredentials({ ownerId: jane.id, kinds, keptHash })
        const sortHashes = (items: readonly { readonly hash: string | null }[]) => items.map(({ hash }) => hash).sort()
        expect(sortHashes(await revoke('browsers', session.hash))).toEqual(sortHashes([jane.session, { hash: null }]))
        expect(await poll(store, device)).toEqual({ outcome: 'denied' })
        expect(await poll(store, waiting)).toEqual({ outcome: 'pending' })
        expect([await store.findCredential(jane.session), await store.findCredential(session)]).toEqual([
          null,
          expect.objectContaining({ kind: 'session' }),
        ])
        expect(sortHashes(await revoke('all', null))).toEqual(sortHashes([session, token]))
        expect(await store.findRevokedCredential({ hash: token.hash, now: start })).toEqual({ userId: jane.id })
        expect(await revoke('all', null)).toEqual([])
        await expectUnchanged()
      })

      test('leaves no working token, whatever the order of fifty concurrent polls and revocations', async () => {
        const jane = await signIn(store)
        const devices = await runConcurrently(25, () => startDevice(store))
        for (const { userCodeHash } of devices) await approve(store, jane.id, userCodeHash)
        const tokens = devices.map(() => makeToken())
        await Promise.all([
          ...devices.map(({ deviceCodeHash }, i) =>
            pickHost(i).pollDeviceToken({ deviceCodeHash, token: tokens[i]!, now: start }),
          ),
          otherHost.revokeCredentials({ ownerId: jane.id, kinds: 'all', keptHash: null }),
        ])
        await otherHost.revokeCredentials({ ownerId: jane.id, kinds: 'all', keptHash: null })
        const polls = await Promise.all(devices.map((device) => poll(store, device)))
        expect(new Set(polls.map(({ outcome }) => outcome))).not.toContain('approved')
        expect(await store.listCredentials({ ownerId: jane.id, now: start, currentHash: null })).toEqual([])
      })
    })

    describe('listCredentials', () => {
      test('returns live machines and browsers, newest first, and marks the current one', async () => {
        const jane = await signIn(store, makeAddress(), makeCredential(start + 2 * minute))
        const tokens = [
          await issueToken(store, jane.id),
          await issueToken(store, jane.id),
          await issueToken(store, jane.id, makeToken(start + minute)),
        ]
        const list = (now: number, currentHash: string | null = null) =>
          otherHost.listCredentials({ ownerId: jane.id, now, currentHash })
        const listIds = async (now: number) => (await list(now)).map(({ id }) => id)
        const newestFirst = [...tokens.map(({ id }) => id).reverse(), jane.session.id]
        expect(await listIds(start)).toEqual(newestFirst)
        expect(await listIds(start + minute)).toEqual(newestFirst.slice(1))
        expect(await listIds(start + 2 * minute)).toEqual(newestFirst.slice(1, 3))
        const listed = await list(start, jane.session.hash)
        expect(listed.map(({ kind, isCurrent }) => [kind, isCurrent])).toEqual([
          ['machine', false],
          ['machine', false],
          ['machine', false],
          ['browser', true],
        ])
      })

      test('returns an approved device authorization until its token is fetched or it expires', async () => {
        const [jane, device] = [await signIn(store), await startDevice(store)]
        const list = async (now = start) =>
          (await otherHost.listCredentials({ ownerId: jane.id, now, currentHash: null })).filter(
            ({ kind }) => kind === 'machine',
          )
        expect(await list()).toEqual([])
        await approve(store, jane.id, device.userCodeHash)
        const listed = {
          id: device.id,
          kind: 'machine',
          status: 'approved',
          label: device.machine,
          createdAt: start,
          lastUsedAt: null,
          isCurrent: false,
        }
        expect([await list(), await list(device.expiresAt)]).toEqual([[listed], []])
        await poll(store, device)
        expect(await list()).toEqual([{ ...listed, status: 'signed_in' }])
      })
    })

    describe('export', () => {
      test('returns everything stored about the user without a hash, and null for an unknown user', async () => {
        const jane = await signIn(store)
        const token = await issueToken(store, jane.id)
        const exported = await store.export({ ownerId: jane.id })
        expect(exported).toMatchObject({
          user: { id: jane.id, email: jane.email, createdAt: start },
          machines: [{ id: token.id, createdAt: start, lastUsedAt: null, expiresAt: token.expiresAt }],
          sessions: [{ label: '', createdAt: start, lastUsedAt: start, expiresAt: jane.session.expiresAt }],
          deviceLogins: [{ status: 'taken', createdAt: start }],
        })
        expect(JSON.stringify(exported)).not.toMatch(/[0-9a-f]{64}/)
        expect(await store.export({ ownerId: makeId() })).toBeNull()
      })
    })

    describe('erase', () => {
      test('deletes all data of the user; the same address then signs in a new user', async () => {
        const expectUnchanged = await createOtherUser(store)
        const jane = await signIn(store)
        const token = await issueToken(store, jane.id)
        const approved = await startDevice(store)
        await approve(store, jane.id, approved.userCodeHash)
        const code = await createCode(store, jane.email)
        await otherHost.erase({ ownerId: jane.id })
        expect([
          await store.findCredential(jane.session),
          await store.findCredential(token),
          await store.findUser({ id: jane.id }),
          await store.export({ ownerId: jane.id }),
        ]).toEqual([null, null, null, null])
        expect(await enterCode(store, code)).toEqual({ outcome: 'wrong' })
        expect(await poll(store, approved)).toEqual({ outcome: 'unknown' })
        const { userCodeHash } = await startDevice(store)
        expect(await approve(store, jane.id, userCodeHash)).toEqual({ outcome: 'unknown' })
        expect((await signIn(store, jane.email)).id).not.toBe(jane.id)
        await expectUnchanged()
      })
    })
  })
}
