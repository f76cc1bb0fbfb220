import type { AuthStore } from '@tributary/core/stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAuditContext } from './audit.ts'
import { minute, makeHash, runConcurrently, start, type AuthPlace } from './auth-fixture.ts'
import { useRealTimes } from './real-times.ts'

/** Registers the contract tests of operator sessions (`auth/store.ts` of core). */
export function runOperatorSessionContract(name: string, open: () => Promise<AuthPlace>): void {
  describe(`operator sessions: ${name}`, () => {
    let place: AuthPlace
    let store: AuthStore
    let otherHost: AuthStore
    beforeAll(async () => {
      place = useRealTimes(await open())
      ;[store, otherHost] = place.stores
    })
    afterAll(async () => place.close?.())

    const startSession = async (expiresAt = start + minute): Promise<string> => {
      const hash = makeHash()
      await store.startOperatorSession({ hash, expiresAt, audit: makeAuditContext(start) })
      return hash
    }

    describe('findOperatorSession', () => {
      test('returns a session that another host started, until it expires', async () => {
        const [hash] = [await startSession(), await startSession()]
        const hashes = [makeHash(), hash, makeHash()]
        expect(await otherHost.findOperatorSession({ hashes, now: start + minute - 1 })).toEqual({
          hash,
          operator: 'jane',
          startedAt: start,
          needsPasskey: false,
        })
        expect(await otherHost.findOperatorSession({ hashes, now: start + minute })).toBeNull()
        expect(await store.findOperatorSession({ hashes: [makeHash()], now: start })).toBeNull()
        expect(await store.findOperatorSession({ hashes: [], now: start })).toBeNull()
      })
    })

    describe('endOperatorSession', () => {
      test('ends one session on every host and keeps the other sessions', async () => {
        const [hash, otherHash] = [await startSession(), await startSession()]
        await runConcurrently(10, (i) =>
          (i % 2 ? otherHost : store).endOperatorSession({ hash, audit: makeAuditContext(start) }),
        )
        expect(await store.findOperatorSession({ hashes: [hash], now: start })).toBeNull()
        expect(await otherHost.findOperatorSession({ hashes: [otherHash], now: start })).toMatchObject({
          hash: otherHash,
        })
      })
    })

    describe('findCredential', () => {
      test('returns null for an operator session', async () => {
        expect(await store.findCredential({ hash: await startSession() })).toBeNull()
      })
    })
  })
}
