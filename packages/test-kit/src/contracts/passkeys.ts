import type { AuthStore } from '@tributary/core/stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAuditContext } from './audit.ts'
import { makeHash, makeId, minute, runConcurrently, start, type AuthPlace } from './auth-fixture.ts'
import { useRealTimes } from './real-times.ts'

type NewPasskey = Parameters<AuthStore['addPasskey']>[0]['passkey']

let count = 0
const makeOperator = (): string => `operator-${++count}`
const makePasskey = (operator: string, changes: Partial<NewPasskey> = {}): NewPasskey => ({
  id: makeId(),
  operator,
  credentialId: `credential-${++count}`,
  publicKey: 'cose-key',
  counter: 0,
  transports: ['internal', 'hybrid'],
  rpId: 'example.com',
  label: 'Work laptop',
  ...changes,
})

/** Registers the contract tests of passkeys of operators (`auth/passkeys/store.ts` of core). */
export function runPasskeyContract(name: string, open: () => Promise<AuthPlace>): void {
  describe(`passkeys: ${name}`, () => {
    let place: AuthPlace
    let store: AuthStore
    let otherHost: AuthStore
    beforeAll(async () => {
      place = useRealTimes(await open())
      ;[store, otherHost] = place.stores
    })
    afterAll(async () => place.close?.())
    const pickHost = (index: number): AuthStore => (index % 2 ? otherHost : store)

    const startSession = async (operator: string, expiresAt = start + 60 * minute): Promise<string> => {
      const hash = makeHash()
      await store.startOperatorSession({ hash, expiresAt, audit: makeAuditContext(start, { actor: operator }) })
      return hash
    }
    const needsPasskey = async (hash: string): Promise<boolean | undefined> =>
      (await otherHost.findOperatorSession({ hashes: [hash], now: start }))?.needsPasskey
    const add = (passkey: NewPasskey, sessionHash: string, limit = 10, at = start) =>
      store.addPasskey({ passkey, sessionHash, limit, audit: makeAuditContext(at, { actor: passkey.operator }) })
    const use = (id: string, counter: number, sessionHash: string, nextSessionHash = makeHash()) =>
      store.usePasskey({ id, counter, sessionHash, nextSessionHash, audit: makeAuditContext(start + minute) })

    /** Creates an operator with a passkey, and the session that registered the passkey. */
    async function register(changes: Partial<NewPasskey> = {}) {
      const operator = makeOperator()
      const [passkey, session] = [makePasskey(operator, changes), await startSession(operator)]
      expect(await add(passkey, session)).toBe('added')
      return { operator, passkey, session }
    }

    describe('setChallenge and takeChallenge', () => {
      const taken = (sessionHash: string, changes: Partial<Parameters<AuthStore['takeChallenge']>[0]> = {}) =>
        otherHost.takeChallenge({ sessionHash, purpose: 'sign_in', now: start, ...changes })
      const set = (sessionHash: string, challenge = 'challenge', purpose: 'sign_in' | 'registration' = 'sign_in') =>
        store.setChallenge({ sessionHash, purpose, challenge, expiresAt: start + minute, now: start })

      test('return the challenge to one of several concurrent callers', async () => {
        const session = await startSession(makeOperator())
        expect(await set(session)).toBe(true)
        const answers = await runConcurrently(10, (i) =>
          pickHost(i).takeChallenge({ sessionHash: session, purpose: 'sign_in', now: start }),
        )
        expect(answers.filter((answer) => answer !== null)).toEqual(['challenge'])
        expect(await taken(session)).toBeNull()
      })

      test('return the challenge only to its session, for its purpose, until it expires', async () => {
        const [session, other] = [await startSession(makeOperator()), await startSession(makeOperator())]
        await set(session)
        expect(await taken(other)).toBeNull()
        expect(await taken(session, { purpose: 'registration' })).toBeNull()
        expect(await taken(session, { now: start + minute })).toBeNull()
        expect(await taken(session, { now: start + minute - 1 })).toBe('challenge')
      })

      test('replace an earlier challenge for either purpose', async () => {
        const session = await startSession(makeOperator())
        await set(session, 'first')
        await set(session, 'second', 'registration')
        expect(await taken(session)).toBeNull()
        expect(await taken(session, { purpose: 'registration' })).toBe('second')
      })

      test('do nothing without a live session', async () => {
        const ended = await startSession(makeOperator(), start + 1)
        expect(await set(makeHash())).toBe(false)
        await set(ended)
        expect(await taken(ended, { now: start + 1 })).toBeNull()
        expect(
          await store.setChallenge({
            sessionHash: ended,
            purpose: 'sign_in',
            challenge: 'late',
            expiresAt: start + minute,
            now: start + 1,
          }),
        ).toBe(false)
      })
    })

    describe('addPasskey', () => {
      test('stores a passkey, confirms the session that registered it, and requires the passkey from the other sessions', async () => {
        const operator = makeOperator()
        const [session, other, foreign] = [
          await startSession(operator),
          await startSession(operator),
          await startSession(makeOperator()),
        ]
        expect([await needsPasskey(session), await needsPasskey(other)]).toEqual([false, false])
        const passkey = makePasskey(operator)
        expect(await add(passkey, session)).toBe('added')
        expect(await otherHost.listPasskeys({ operator })).toEqual([{ ...passkey, createdAt: start, usedAt: null }])
        expect([await needsPasskey(session), await needsPasskey(other), await needsPasskey(foreign)]).toEqual([
          false,
          true,
          false,
        ])
        expect(await needsPasskey(await startSession(operator))).toBe(true)
      })

      test('adds nothing for a session that has ended or belongs to another operator', async () => {
        const operator = makeOperator()
        expect(await add(makePasskey(operator), makeHash())).toBe('no_session')
        expect(await add(makePasskey(operator), await startSession(makeOperator()))).toBe('no_session')
        const ended = await startSession(operator, start + 1)
        expect(await add(makePasskey(operator), ended, 10, start + 1)).toBe('no_session')
        expect(await store.listPasskeys({ operator })).toEqual([])
      })

      test('adds a credential once, even if another operator registers it again', async () => {
        const { passkey } = await register()
        const operator = makeOperator()
        const session = await startSession(operator)
        const copy = makePasskey(operator, { credentialId: passkey.credentialId })
        expect(await add(copy, session)).toBe('exists')
        expect([await store.listPasskeys({ operator }), await needsPasskey(session)]).toEqual([[], false])
      })

      test('does not exceed the limit of an operator in concurrent calls', async () => {
        const operator = makeOperator()
        const session = await startSession(operator)
        const audit = () => makeAuditContext(start, { actor: operator })
        const results = await runConcurrently(6, (i) =>
          pickHost(i).addPasskey({
            passkey: makePasskey(operator),
            sessionHash: session,
            limit: 2,
            audit: audit(),
          }),
        )
        expect(results.toSorted()).toEqual(['added', 'added', 'too_many', 'too_many', 'too_many', 'too_many'])
      })
    })

    describe('listPasskeys', () => {
      test('lists the passkeys of an operator, or of all operators, oldest first', async () => {
        const { operator, passkey, session } = await register()
        const second = makePasskey(operator)
        await add(second, session, 10, start + 1)
        const { passkey: foreign } = await register()
        const idsOf = async (who: string | null) => (await store.listPasskeys({ operator: who })).map(({ id }) => id)
        expect(await idsOf(operator)).toEqual([passkey.id, second.id])
        expect(await idsOf(null)).toEqual(expect.arrayContaining([passkey.id, second.id, foreign.id]))
      })
    })

    describe('usePasskey', () => {
      test('confirms a session under a new hash and stores the counter and the time', async () => {
        const { operator, passkey } = await register({ counter: 4 })
        const [session, next] = [await startSession(operator), makeHash()]
        expect(await use(passkey.id, 5, session, next)).toBe(true)
        expect([await needsPasskey(session), await needsPasskey(next)]).toEqual([undefined, false])
        expect(await store.listPasskeys({ operator })).toMatchObject([{ counter: 5, usedAt: start + minute }])
      })

      test('refuses a counter that did not grow, and accepts 0 from an authenticator that does not count', async () => {
        const counting = await register({ counter: 4 })
        const session = await startSession(counting.operator)
        for (const counter of [0, 3, 4]) expect(await use(counting.passkey.id, counter, session)).toBe(false)
        expect([await needsPasskey(session), await store.listPasskeys({ operator: counting.operator })]).toMatchObject([
          true,
          [{ counter: 4, usedAt: null }],
        ])
        const silent = await register()
        expect(await use(silent.passkey.id, 0, await startSession(silent.operator))).toBe(true)
        expect(await use(silent.passkey.id, 0, await startSession(silent.operator))).toBe(true)
      })

      test('confirms only one of several sessions that use the same counter', async () => {
        const { operator, passkey } = await register()
        const sessions = await runConcurrently(6, () => startSession(operator))
        const results = await runConcurrently(6, (i) =>
          pickHost(i).usePasskey({
            id: passkey.id,
            counter: 1,
            sessionHash: sessions[i]!,
            nextSessionHash: makeHash(),
            audit: makeAuditContext(start),
          }),
        )
        expect(results.filter(Boolean)).toHaveLength(1)
      })

      test("refuses another operator's passkey and a session that has ended", async () => {
        const [{ operator }, foreign] = [await register(), await register()]
        const session = await startSession(operator)
        expect(await use(foreign.passkey.id, 1, session)).toBe(false)
        expect(await use(makeId(), 1, session)).toBe(false)
        expect(await needsPasskey(session)).toBe(true)
        expect(await use(foreign.passkey.id, 1, makeHash())).toBe(false)
        const ended = await startSession(foreign.operator, start + minute)
        expect(await use(foreign.passkey.id, 1, ended)).toBe(false)
        expect(await store.listPasskeys({ operator: foreign.operator })).toMatchObject([{ counter: 0, usedAt: null }])
      })
    })

    describe('removePasskey', () => {
      const remove = (id: string, sessionHash: string, operator: string | null) =>
        otherHost.removePasskey({ id, operator, sessionHash, audit: makeAuditContext(start) })

      test('removes the passkey, and ends the other sessions that this passkey confirmed', async () => {
        const { operator, passkey, session } = await register()
        const [confirmed, second] = [makeHash(), makePasskey(operator)]
        await use(passkey.id, 1, await startSession(operator), confirmed)
        await add(second, session)
        await use(passkey.id, 2, session, session)
        expect(await remove(passkey.id, session, operator)).toBe(true)
        expect(await remove(passkey.id, session, operator)).toBe(false)
        expect([await needsPasskey(confirmed), await needsPasskey(session)]).toEqual([undefined, false])
        expect(await needsPasskey(await startSession(operator))).toBe(true)
        expect(await store.listPasskeys({ operator })).toMatchObject([{ id: second.id }])
      })

      test('lets the operator sign in with only the token after the last passkey was removed', async () => {
        const { operator, passkey, session } = await register()
        const waiting = await startSession(operator)
        expect(await needsPasskey(waiting)).toBe(true)
        await remove(passkey.id, session, null)
        expect([await needsPasskey(waiting), await needsPasskey(session)]).toEqual([false, false])
      })

      test('removes a passkey of another operator only if `operator` is null', async () => {
        const { operator, passkey, session } = await register()
        const other = await startSession(makeOperator())
        expect(await remove(passkey.id, other, makeOperator())).toBe(false)
        expect([await needsPasskey(session), (await store.listPasskeys({ operator })).length]).toEqual([false, 1])
        expect(await remove(passkey.id, other, null)).toBe(true)
        expect(await needsPasskey(session)).toBeUndefined()
      })
    })
  })
}
