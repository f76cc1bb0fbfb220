import type { SessionStore } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deviceLaws } from './device.ts'
import { operatorSessionLaws } from './operators.ts'
import { address, hash, id, login, machine, many, minted, minute, person, start, stranger, type SessionsPlace } from './people.ts'

/** Registers the laws of the sessions store (`sessions/store.ts` of core) as tests. */
export function sessionStoreLaws(name: string, open: () => Promise<SessionsPlace>): void {
  deviceLaws(`${name}: device login`, open)
  operatorSessionLaws(name, open)
  describe(`sessions: ${name}`, () => {
    let place: SessionsPlace
    let store: SessionStore
    let other: SessionStore
    beforeAll(async () => {
      place = await open()
      ;[store, other] = place.stores
    })
    afterAll(async () => place.close?.())

    describe('codes by mail', () => {
      test('the right code signs in a new person, and the same person again under the same id', async () => {
        const jane = await person(store)
        expect(await other.find(jane.session.hash)).toEqual({
          kind: 'session', user: { id: jane.id, email: jane.email }, expiresAt: jane.session.expiresAt, usedAt: null,
        })
        expect((await person(store, jane.email)).id).toBe(jane.id)
      })

      test('of fifty calls at once with the right code, on two hosts, one signs in', async () => {
        const intact = await stranger(store)
        const email = address()
        await store.keepCode(email, 'right', start, start + minute)
        const sessions = Array.from({ length: 50 }, () => minted())
        const users = await many(50, (i) => (i % 2 ? other : store).takeCode(email, ['right'], 50, id(), sessions[i]!, start))
        expect(users.filter(Boolean)).toHaveLength(1)
        const held = await Promise.all(sessions.map((session) => store.find(session.hash)))
        expect(held.map((one) => one?.user.id ?? null)).toEqual(users.map((user) => user?.id ?? null))
        await intact()
      })

      test('five wrong codes, and the right one is worth nothing', async () => {
        const email = address()
        await store.keepCode(email, 'right', start, start + minute)
        await many(4, () => store.takeCode(email, ['wrong'], 5, id(), minted(), start))
        const fifth = await store.takeCode(email, ['wrong'], 5, id(), minted(), start)
        expect([fifth, await store.takeCode(email, ['right'], 5, id(), minted(), start)]).toEqual([null, null])
      })

      test('of wrong and right codes at once no more than the tries are compared', async () => {
        const email = address()
        await store.keepCode(email, 'right', start, start + minute)
        await many(40, (i) => (i % 2 ? other : store).takeCode(email, [`wrong ${i}`], 5, id(), minted(), start))
        expect(await store.takeCode(email, ['right'], 5, id(), minted(), start)).toBeNull()
      })

      test('the fifth try may be the right one', async () => {
        const email = address()
        await store.keepCode(email, 'right', start, start + minute)
        await many(4, () => store.takeCode(email, ['wrong'], 5, id(), minted(), start))
        expect(await store.takeCode(email, ['right'], 5, id(), minted(), start)).not.toBeNull()
      })

      test('one hash of several that fits is enough', async () => {
        const email = address()
        await store.keepCode(email, 'old key', start, start + minute)
        expect(await other.takeCode(email, ['new key', 'no key'], 5, id(), minted(), start)).toBeNull()
        expect(await other.takeCode(email, ['new key', 'old key'], 5, id(), minted(), start)).not.toBeNull()
      })

      test('the secret is made once, whichever host asks first', async () => {
        const said = await many(20, (i) => (i % 2 ? other : store).secret(`fresh ${i}`, start))
        expect(new Set(said).size).toBe(1)
        expect(await other.secret('fresher', start + minute)).toBe(said[0])
      })

      test('a code holds to the millisecond before its end, and a new one takes the place of an old one with fresh tries', async () => {
        const email = address()
        await store.keepCode(email, 'old', start, start + minute)
        await many(5, () => store.takeCode(email, ['wrong'], 5, id(), minted(), start))
        await store.keepCode(email, 'new', start, start + minute)
        expect(await store.takeCode(email, ['old'], 5, id(), minted(), start)).toBeNull()
        expect(await store.takeCode(email, ['new'], 5, id(), minted(), start + minute)).toBeNull()
        expect(await store.takeCode(email, ['new'], 5, id(), minted(start + 9 * minute), start + minute - 1)).not.toBeNull()
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

    describe('an app\'s own sign-in', () => {
      test('a person is welcomed once, and a changed address follows', async () => {
        const [who, email] = [id(), address()]
        expect(await store.account(who)).toBeNull()
        await many(10, (i) => (i % 2 ? other : store).welcome({ id: who, email: null }, start))
        expect(await store.account(who)).toEqual({ id: who, email: null })
        await store.welcome({ id: who, email }, start + minute)
        expect(await other.account(who)).toEqual({ id: who, email })
        expect((await store.export(who))!.user.createdAt).toBe(start)
      })

      test('an address that somebody has stays theirs, and accounts are not joined by it', async () => {
        const jane = await person(store)
        const who = id()
        await store.welcome({ id: who, email: jane.email }, start)
        expect(await store.account(who)).toEqual({ id: who, email: null })
        expect(await store.account(jane.id)).toEqual({ id: jane.id, email: jane.email })
      })
    })

    describe('machines, export and erasure', () => {
      test('only the owner revokes a machine, and only once', async () => {
        const intact = await stranger(store)
        const [jane, john] = [await person(store), await person(store)]
        const token = await machine(store, jane.id)
        expect(await store.revoke(john.id, token.id)).toBeNull()
        expect(await store.revoke(jane.id, jane.session.id)).toBeNull()
        const revoked = await many(10, (i) => (i % 2 ? other : store).revoke(jane.id, token.id))
        expect(revoked.filter((one) => one !== null)).toEqual([token.hash])
        expect(await other.find(token.hash)).toBeNull()
        await intact()
      })

      test('machines are listed newest first, without expired ones', async () => {
        const jane = await person(store)
        const tokens = [await machine(store, jane.id), await machine(store, jane.id), await machine(store, jane.id, minted(start + minute))]
        expect((await store.machines(jane.id, start)).map((one) => one.id)).toEqual(tokens.map((token) => token.id).reverse())
        expect((await store.machines(jane.id, start + minute)).map((one) => one.id)).toEqual([tokens[1]!.id, tokens[0]!.id])
      })

      test('the export names everything held, and no secret', async () => {
        const jane = await person(store)
        const token = await machine(store, jane.id)
        const held = await store.export(jane.id)
        expect(held).toMatchObject({
          user: { id: jane.id, email: jane.email, createdAt: start },
          machines: [{ id: token.id, createdAt: start, lastUsedAt: null, expiresAt: token.expiresAt }],
          sessions: [{ createdAt: start, lastUsedAt: null, expiresAt: jane.session.expiresAt }],
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
        await store.keepCode(jane.email, 'waiting', start, start + minute)
        await other.erase(jane.id)
        expect([await store.find(jane.session.hash), await store.find(token.hash), await store.account(jane.id), await store.export(jane.id)]).toEqual([null, null, null, null])
        expect(await store.takeCode(jane.email, ['waiting'], 5, id(), minted(), start)).toBeNull()
        expect(await store.pollDevice(device.deviceHash, minted(), start)).toEqual({ outcome: 'unknown' })
        expect(await store.decideDevice(jane.id, (await login(store)).userHash, 'approved', start)).toEqual({ outcome: 'unknown' })
        expect((await person(store, jane.email)).id).not.toBe(jane.id)
        await intact()
      })
    })
  })
}
