import type { SessionStore } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runDeviceLoginContract } from './device.ts'
import { runOperatorSessionContract } from './operators.ts'
import {
  address,
  hash,
  id,
  login,
  machine,
  mailedCode,
  many,
  minted,
  minute,
  person,
  start,
  stranger,
  verify,
  type SessionsPlace,
} from './people.ts'

const day = 24 * 60 * minute
const wrongGuess = { codeHashes: ['wrong'] }

/** Registers the laws of the sessions store (`sessions/store.ts` of core) as tests. */
export function runSessionStoreContract(name: string, open: () => Promise<SessionsPlace>): void {
  runDeviceLoginContract(`${name}: device login`, open)
  runOperatorSessionContract(name, open)
  describe(`sessions: ${name}`, () => {
    let place: SessionsPlace
    let store: SessionStore
    let other: SessionStore
    beforeAll(async () => {
      place = await open()
      ;[store, other] = place.stores
    })
    afterAll(async () => place.close?.())

    describe('findEnded', () => {
      test('returns whose a token was that was revoked or ended, until it would have expired', async () => {
        const jane = await person(store)
        const [revoked, stays] = [await machine(store, jane.id, minted(start + minute)), await machine(store, jane.id)]
        await store.revoke(jane.id, revoked.id)
        await other.end(jane.session.hash)
        const ended = (one: string, now = start) => other.findEnded({ hash: one, now })
        expect([await ended(revoked.hash), await ended(jane.session.hash)]).toEqual([
          { userId: jane.id },
          { userId: jane.id },
        ])
        expect([await ended(stays.hash), await ended(hash()), await ended(revoked.hash, start + minute)]).toEqual([
          null,
          null,
          null,
        ])
        expect(await store.forgetEnded(start + minute)).toBe(false)
        expect([await ended(revoked.hash), await ended(jane.session.hash)]).toEqual([null, { userId: jane.id }])
      })

      test('returns nothing of a person who was erased', async () => {
        const jane = await person(store)
        const token = await machine(store, jane.id)
        await store.end(jane.session.hash)
        await store.erase(jane.id)
        expect([
          await other.findEnded({ hash: token.hash, now: start }),
          await other.findEnded({ hash: jane.session.hash, now: start }),
        ]).toEqual([null, null])
      })
    })

    describe('codes by mail', () => {
      test('the right code signs in a new person, and the same person again under the same id', async () => {
        const jane = await person(store)
        expect(await other.find(jane.session.hash)).toEqual({
          kind: 'session',
          user: { id: jane.id, email: jane.email },
          createdAt: start,
          expiresAt: jane.session.expiresAt,
          usedAt: null,
        })
        expect((await person(store, jane.email)).id).toBe(jane.id)
      })

      test('of fifty calls at once with the right code, on two hosts, one signs in', async () => {
        const intact = await stranger(store)
        const code = await mailedCode(store)
        const sessions = Array.from({ length: 50 }, () => minted())
        const results = await many(50, (i) =>
          verify(i % 2 ? other : store, code, { codeGuesses: 50, dailyGuesses: 50, session: sessions[i]! }),
        )
        const users = results.map((result) => (result.outcome === 'signed_in' ? result.user.id : null))
        expect(users.filter(Boolean)).toHaveLength(1)
        const held = await Promise.all(sessions.map((session) => store.find(session.hash)))
        expect(held.map((one) => one?.user.id ?? null)).toEqual(users)
        await intact()
      })

      test('a code is wrong with another challenge and for another address', async () => {
        const email = address()
        const [code, later] = [await mailedCode(store, email), await mailedCode(store, email, { codeHash: 'later' })]
        expect(await verify(store, { ...code, challengeHash: later.challengeHash })).toEqual({ outcome: 'wrong' })
        expect(await verify(store, { ...code, challengeHash: hash() })).toEqual({ outcome: 'wrong' })
        expect(await verify(store, { ...code, address: address() })).toEqual({ outcome: 'wrong' })
        expect(await verify(other, code)).toMatchObject({ outcome: 'signed_in', user: { email } })
        expect(await verify(other, later)).toMatchObject({ outcome: 'signed_in', user: { email } })
      })

      test('the right code is refused after five wrong guesses, and codes of other challenges are not', async () => {
        const email = address()
        const [code, later] = [await mailedCode(store, email), await mailedCode(store, email)]
        await many(5, () => verify(store, code, wrongGuess))
        expect(await verify(store, code)).toEqual({ outcome: 'wrong' })
        expect(await verify(store, later)).toMatchObject({ outcome: 'signed_in' })
      })

      test('of wrong and right guesses at once no more than five are compared', async () => {
        const code = await mailedCode(store)
        await many(40, (i) => verify(i % 2 ? other : store, code, wrongGuess))
        expect(await verify(store, code)).toEqual({ outcome: 'wrong' })
      })

      test('the fifth guess may be the right one', async () => {
        const code = await mailedCode(store)
        await many(4, () => verify(store, code, wrongGuess))
        expect(await verify(store, code)).toMatchObject({ outcome: 'signed_in' })
      })

      test('after twenty wrong guesses at all codes of an address the right one is refused for a day', async () => {
        const intact = await stranger(store)
        const email = address()
        const yesterday = start - day
        const codes = await many(6, () =>
          mailedCode(store, email, { createdAt: yesterday, expiresAt: yesterday + minute }),
        )
        await many(30, (i) =>
          verify(i % 2 ? other : store, codes[Math.floor(i / 6)]!, { ...wrongGuess, now: yesterday }),
        )
        const refused = { outcome: 'too_many_guesses', until: start }
        expect(await verify(store, codes[5]!, { now: yesterday })).toEqual(refused)
        const early = await mailedCode(store, email, { createdAt: start - 1 })
        expect(await verify(store, early, { now: start - 1 })).toEqual(refused)
        expect(await verify(other, await mailedCode(store, email))).toMatchObject({ outcome: 'signed_in' })
        await intact()
      })

      test('right guesses are not counted as wrong ones', async () => {
        const email = address()
        for (let i = 0; i < 3; i++) {
          const code = await mailedCode(store, email)
          expect(await verify(store, code, { dailyGuesses: 1 })).toMatchObject({ outcome: 'signed_in' })
        }
      })

      test('guesses of others do not hold up a browser that signed in before, nor its guesses them', async () => {
        const email = address()
        const code = await mailedCode(store, email)
        await many(5, () => verify(store, code, wrongGuess))
        const own = await mailedCode(store, email, { browserHash: hash() })
        await many(4, () => verify(store, own, { ...wrongGuess, dailyGuesses: 5 }))
        expect(await verify(store, await mailedCode(store, email), { dailyGuesses: 5 })).toMatchObject({
          outcome: 'too_many_guesses',
        })
        expect(await verify(store, own, { dailyGuesses: 5 })).toMatchObject({ outcome: 'signed_in' })
        expect(await verify(store, await mailedCode(store, email), { dailyGuesses: 6 })).toMatchObject({
          outcome: 'signed_in',
        })
      })

      test('one hash of several that fits is enough', async () => {
        const code = await mailedCode(store, address(), { codeHash: 'old key' })
        expect(await verify(other, code, { codeHashes: ['new key', 'no key'] })).toEqual({ outcome: 'wrong' })
        expect(await verify(other, code, { codeHashes: ['new key', 'old key'] })).toMatchObject({
          outcome: 'signed_in',
        })
      })

      test('the secret is made once, whichever host asks first', async () => {
        const said = await many(20, (i) => (i % 2 ? other : store).secret(`fresh ${i}`, start))
        expect(new Set(said).size).toBe(1)
        expect(await other.secret('fresher', start + minute)).toBe(said[0])
      })

      test('a code is accepted until a millisecond before its end', async () => {
        const code = await mailedCode(store, address(), { expiresAt: start + minute })
        expect(await verify(store, code, { now: start + minute })).toEqual({ outcome: 'wrong' })
        expect(
          await verify(store, code, { now: start + minute - 1, session: minted(start + 9 * minute) }),
        ).toMatchObject({ outcome: 'signed_in' })
      })
    })

    describe('credentials', () => {
      test('a use is written down while it holds, and not after its end', async () => {
        const { session } = await person(store)
        await store.touch(session.hash, start + minute, start + 90 * minute)
        expect(await other.find(session.hash)).toMatchObject({ usedAt: start + minute, expiresAt: start + 90 * minute })
        await store.touch(session.hash, start + 90 * minute, start + 200 * minute)
        expect(await other.find(session.hash)).toMatchObject({ expiresAt: start + 90 * minute })
      })

      test('an ended one stays ended, whoever still uses it', async () => {
        const intact = await stranger(store)
        const { session } = await person(store)
        await other.end(session.hash)
        await store.touch(session.hash, start, start + 90 * minute)
        expect(await store.find(session.hash)).toBeNull()
        await store.end(session.hash)
        await intact()
      })

      test('an unknown hash is nobody', async () => {
        expect(await store.find(hash())).toBeNull()
      })
    })

    describe("an app's own sign-in", () => {
      test('a person is welcomed once, and a changed address follows', async () => {
        const [who, email] = [id(), address()]
        expect(await store.account(who)).toBeNull()
        await many(10, (i) => (i % 2 ? other : store).upsertUser({ id: who, email: null }, start))
        expect(await store.account(who)).toEqual({ id: who, email: null })
        await store.upsertUser({ id: who, email }, start + minute)
        expect(await other.account(who)).toEqual({ id: who, email })
        expect((await store.export(who))!.user.createdAt).toBe(start)
      })

      test('an address that somebody has stays theirs, and accounts are not joined by it', async () => {
        const jane = await person(store)
        const who = id()
        await store.upsertUser({ id: who, email: jane.email }, start)
        expect(await store.account(who)).toEqual({ id: who, email: null })
        expect(await store.account(jane.id)).toEqual({ id: jane.id, email: jane.email })
      })
    })

    describe('machines, export and erasure', () => {
      test('only the owner revokes a machine or browser, and only once', async () => {
        const intact = await stranger(store)
        const [jane, john] = [await person(store), await person(store)]
        const token = await machine(store, jane.id)
        expect(await store.revoke(john.id, token.id)).toBeNull()
        expect(await store.revoke(john.id, jane.session.id)).toBeNull()
        const revoked = await many(10, (i) => (i % 2 ? other : store).revoke(jane.id, token.id))
        expect(revoked.filter((one) => one !== null)).toEqual([token.hash])
        expect(await store.revoke(jane.id, jane.session.id)).toBe(jane.session.hash)
        expect([await other.find(token.hash), await other.find(jane.session.hash)]).toEqual([null, null])
        await intact()
      })

      test('machines and browsers are listed newest first, without expired ones, and the one that asks is marked', async () => {
        const jane = await person(store, address(), minted(start + 2 * minute))
        const tokens = [
          await machine(store, jane.id),
          await machine(store, jane.id),
          await machine(store, jane.id, minted(start + minute)),
        ]
        const list = (now: number, currentHash: string | null = null) =>
          other.listSignedIn({ ownerId: jane.id, now, currentHash })
        const ids = async (now: number) => (await list(now)).map((one) => one.id)
        const newestFirst = [...tokens.map((token) => token.id).reverse(), jane.session.id]
        expect(await ids(start)).toEqual(newestFirst)
        expect(await ids(start + minute)).toEqual(newestFirst.slice(1))
        expect(await ids(start + 2 * minute)).toEqual(newestFirst.slice(1, 3))
        const current = await list(start, jane.session.hash)
        expect(current.map(({ kind, isCurrent }) => [kind, isCurrent])).toEqual([
          ['machine', false],
          ['machine', false],
          ['machine', false],
          ['browser', true],
        ])
      })

      test('a sign-in ends the session that the browser had, and no token', async () => {
        const intact = await stranger(store)
        const [jane, john] = [await person(store), await person(store)]
        const token = await machine(store, jane.id)
        const session = minted()
        await verify(store, await mailedCode(store, jane.email), { ...wrongGuess, replacedHash: jane.session.hash })
        expect(await other.find(jane.session.hash)).not.toBeNull()
        await verify(store, await mailedCode(store, jane.email), {
          session,
          label: 'Firefox on Linux',
          replacedHash: jane.session.hash,
        })
        expect(await other.find(jane.session.hash)).toBeNull()
        expect(
          (await other.listSignedIn({ ownerId: jane.id, now: start, currentHash: null })).map(({ label }) => label),
        ).toContain('Firefox on Linux')
        await verify(store, await mailedCode(store, john.email), { replacedHash: token.hash })
        expect(await other.find(token.hash)).not.toBeNull()
        await intact()
      })

      test('the export names everything held, and no secret', async () => {
        const jane = await person(store)
        const token = await machine(store, jane.id)
        const held = await store.export(jane.id)
        expect(held).toMatchObject({
          user: { id: jane.id, email: jane.email, createdAt: start },
          machines: [{ id: token.id, createdAt: start, lastUsedAt: null, expiresAt: token.expiresAt }],
          sessions: [{ label: '', createdAt: start, lastUsedAt: null, expiresAt: jane.session.expiresAt }],
          deviceLogins: [{ status: 'taken', createdAt: start }],
        })
        expect(JSON.stringify(held)).not.toMatch(/[0-9a-f]{64}/)
        expect(await store.export(id())).toBeNull()
      })

      test('erasing leaves nothing, and the same address is a new person after', async () => {
        const intact = await stranger(store)
        const jane = await person(store)
        const token = await machine(store, jane.id)
        const device = await login(store)
        await store.decideDevice(jane.id, device.userHash, 'approved', start)
        const code = await mailedCode(store, jane.email)
        await other.erase(jane.id)
        expect([
          await store.find(jane.session.hash),
          await store.find(token.hash),
          await store.account(jane.id),
          await store.export(jane.id),
        ]).toEqual([null, null, null, null])
        expect(await verify(store, code)).toEqual({ outcome: 'wrong' })
        expect(await store.pollDevice(device.deviceHash, minted(), start)).toEqual({ outcome: 'unknown' })
        expect(await store.decideDevice(jane.id, (await login(store)).userHash, 'approved', start)).toEqual({
          outcome: 'unknown',
        })
        expect((await person(store, jane.email)).id).not.toBe(jane.id)
        await intact()
      })
    })
  })
}
