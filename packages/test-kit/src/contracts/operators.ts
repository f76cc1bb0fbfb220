import type { SessionStore } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byOperator } from './audit.ts'
import { hash, many, minute, start, type SessionsPlace } from './people.ts'

/** Registers the contract tests of operator sessions (`sessions/store.ts` of core). */
export function runOperatorSessionContract(name: string, open: () => Promise<SessionsPlace>): void {
  describe(`operator sessions: ${name}`, () => {
    let place: SessionsPlace
    let store: SessionStore
    let other: SessionStore
    beforeAll(async () => {
      place = await open()
      ;[store, other] = place.stores
    })
    afterAll(async () => place.close?.())

    const session = async (expiresAt = start + minute): Promise<string> => {
      const one = hash()
      await store.startOperatorSession({ hash: one, expiresAt, audit: byOperator(start) })
      return one
    }

    test('findOperatorSession returns the hash of a session that another host started, until it expires', async () => {
      const [one] = [await session(), await session()]
      const hashes = [hash(), one, hash()]
      expect(await other.findOperatorSession({ hashes, now: start + minute - 1 })).toBe(one)
      expect(await other.findOperatorSession({ hashes, now: start + minute })).toBeNull()
      expect(await store.findOperatorSession({ hashes: [hash()], now: start })).toBeNull()
      expect(await store.findOperatorSession({ hashes: [], now: start })).toBeNull()
    })

    test('endOperatorSession ends one session on every host, and no other', async () => {
      const [one, stays] = [await session(), await session()]
      await many(10, (i) => (i % 2 ? other : store).endOperatorSession({ hash: one, audit: byOperator(start) }))
      expect(await store.findOperatorSession({ hashes: [one], now: start })).toBeNull()
      expect(await other.findOperatorSession({ hashes: [stays], now: start })).toBe(stays)
    })

    test('a session is not a credential of a person', async () => {
      expect(await store.find(await session())).toBeNull()
    })
  })
}
