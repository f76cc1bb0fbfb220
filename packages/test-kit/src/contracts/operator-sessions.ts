import type { AuthStore } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byOperator } from './audit.ts'
import { minute, newHash, runConcurrently, start, type AuthPlace } from './auth-fixture.ts'

/** Registers the contract tests of operator sessions (`auth/store.ts` of core). */
export function runOperatorSessionContract(name: string, open: () => Promise<AuthPlace>): void {
  describe(`operator sessions: ${name}`, () => {
    let place: AuthPlace
    let store: AuthStore
    let otherHost: AuthStore
    beforeAll(async () => {
      place = await open()
      ;[store, otherHost] = place.stores
    })
    afterAll(async () => place.close?.())

    const startSession = async (expiresAt = start + minute): Promise<string> => {
      const hash = newHash()
      await store.startOperatorSession({ hash, expiresAt, audit: byOperator(start) })
      return hash
    }

    describe('findOperatorSession', () => {
      test('returns the hash of a session that another host started, until it expires', async () => {
        const [hash] = [await startSession(), await startSession()]
        const hashes = [newHash(), hash, newHash()]
        expect(await otherHost.findOperatorSession({ hashes, now: start + minute - 1 })).toBe(hash)
        expect(await otherHost.findOperatorSession({ hashes, now: start + minute })).toBeNull()
        expect(await store.findOperatorSession({ hashes: [newHash()], now: start })).toBeNull()
        expect(await store.findOperatorSession({ hashes: [], now: start })).toBeNull()
      })
    })

    describe('endOperatorSession', () => {
      test('ends one session on every host and keeps the others', async () => {
        const [hash, otherHash] = [await startSession(), await startSession()]
        await runConcurrently(10, (i) =>
          (i % 2 ? otherHost : store).endOperatorSession({ hash, audit: byOperator(start) }),
        )
        expect(await store.findOperatorSession({ hashes: [hash], now: start })).toBeNull()
        expect(await otherHost.findOperatorSession({ hashes: [otherHash], now: start })).toBe(otherHash)
      })
    })

    describe('findCredential', () => {
      test('returns null for an operator session', async () => {
        expect(await store.findCredential({ hash: await startSession() })).toBeNull()
      })
    })
  })
}
