import type { ClaimKeyParams, IdempotencyStore } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/** Two hosts on one fresh place, and how a person comes to be. */
export interface IdempotencyPlace {
  readonly stores: readonly [IdempotencyStore, IdempotencyStore]
  person(id: string): Promise<void>
  close?(): Promise<void>
}

const first: ClaimKeyParams = {
  actor: 'user:ann',
  ownerId: 'ann',
  key: 'k',
  lease: 'first',
  fingerprint: 'print',
  effectId: 'effect',
  now: 1000,
  leaseUntil: 2000,
  since: 0,
}
const second: ClaimKeyParams = { ...first, lease: 'second', effectId: 'another effect' }

/** The contract tests of `IdempotencyStore`: call it in a test file with what opens a fresh place. Beside each key stands a stranger's. */
export function runIdempotencyStoreContract(name: string, open: () => Promise<IdempotencyPlace>): void {
  describe(`idempotency keys in ${name}`, () => {
    let place: IdempotencyPlace
    let store: IdempotencyStore
    let other: IdempotencyStore
    const stranger: ClaimKeyParams = { ...first, actor: 'user:bob', ownerId: 'bob', now: 900_000, leaseUntil: 901_000 }
    beforeEach(async () => {
      place = await open()
      ;[store, other] = place.stores
      for (const id of ['ann', 'bob']) await place.person(id)
      await store.claimKey(stranger)
      await store.keepReply({ ...stranger, reply: 'of bob' })
    })
    afterEach(async () => {
      expect(await other.claimKey(stranger)).toEqual({ state: 'replied', reply: 'of bob' })
      await place.close?.()
    })

    test('claimKey gives the key to one of many at once, and the kept reply to all who come later', async () => {
      const claims = Array.from({ length: 40 }, (_, at): ClaimKeyParams => ({
        ...first,
        lease: `lease ${at}`,
        effectId: `effect ${at}`,
      }))
      const states = await Promise.all(claims.map((claim, at) => (at % 2 ? store : other).claimKey(claim)))
      const winners = claims.filter((_, at) => states[at]!.state === 'claimed')
      expect([winners.length, states.filter(({ state }) => state === 'in_progress').length]).toEqual([1, 39])
      const [winner] = winners as [ClaimKeyParams]
      expect(states[claims.indexOf(winner)]).toEqual({ state: 'claimed', effectId: winner.effectId })
      await store.keepReply({ ...winner, reply: '{"å":1}' })
      for (const claim of claims) expect(await other.claimKey(claim)).toEqual({ state: 'replied', reply: '{"å":1}' })
    })

    test('claimKey with another fingerprint is `reused`, before the reply and after, and changes nothing', async () => {
      await store.claimKey(first)
      expect(await other.claimKey({ ...second, fingerprint: 'another', now: 9000, leaseUntil: 9500 })).toEqual({
        state: 'reused',
      })
      await store.keepReply({ ...first, reply: 'r' })
      expect(await other.claimKey({ ...second, fingerprint: 'another' })).toEqual({ state: 'reused' })
      expect(await other.claimKey(second)).toEqual({ state: 'replied', reply: 'r' })
    })

    test('claimKey after the lease, or with one too far ahead, goes on under the first effect id; the late first keeps nothing', async () => {
      await store.claimKey(first)
      expect(await other.claimKey({ ...second, now: 1999, leaseUntil: 2999 })).toEqual({ state: 'in_progress' })
      expect(await other.claimKey({ ...second, now: 2000, leaseUntil: 3000 })).toEqual({
        state: 'claimed',
        effectId: 'effect',
      })
      await store.keepReply({ ...first, reply: 'late' })
      // The clock was set back.
      expect(await store.claimKey({ ...first, lease: 'third', now: 10, leaseUntil: 1010 })).toEqual({
        state: 'claimed',
        effectId: 'effect',
      })
      await other.keepReply({ ...first, lease: 'third', reply: 'r' })
      expect(await store.claimKey(first)).toEqual({ state: 'replied', reply: 'r' })
    })

    test('claimKey after releaseKey goes on at once under the first effect id, for the holder of the lease alone', async () => {
      await store.claimKey(first)
      await other.releaseKey(second)
      expect(await other.claimKey(second)).toEqual({ state: 'in_progress' })
      await other.releaseKey(first)
      expect(await other.claimKey(second)).toEqual({ state: 'claimed', effectId: 'effect' })
    })

    test('claimKey of a key that is older than `since` starts anew, with or without a reply', async () => {
      const later = { ...second, fingerprint: 'another', now: 5000, leaseUntil: 6000 }
      await store.claimKey(first)
      await store.keepReply({ ...first, reply: 'r' })
      expect(await other.claimKey({ ...later, since: 1000 })).toEqual({ state: 'reused' })
      expect(await other.claimKey({ ...later, since: 1001 })).toEqual({ state: 'claimed', effectId: 'another effect' })
      expect(await store.claimKey({ ...later, lease: 'third', since: 5000 })).toEqual({ state: 'in_progress' })
    })

    test('the keys of two actors do not meet, nor do two keys of one', async () => {
      await store.claimKey(first)
      expect(await other.claimKey({ ...second, actor: 'operator', ownerId: null })).toEqual({
        state: 'claimed',
        effectId: 'another effect',
      })
      expect(await other.claimKey({ ...second, key: 'K' })).toEqual({ state: 'claimed', effectId: 'another effect' })
    })

    test('claimKey for somebody who is not there writes nothing', async () => {
      const nobody = { ...first, actor: 'user:nobody', ownerId: 'nobody' }
      expect(await store.claimKey(nobody)).toEqual({ state: 'no_owner' })
      expect(await store.export('nobody')).toEqual([])
    })

    test('forgetKeys forgets keys that were first sent before a time', async () => {
      await store.claimKey(first)
      await store.claimKey({ ...first, key: 'l', now: 1001 })
      expect(await other.forgetKeys(1001)).toBe(false)
      expect(await store.export('ann')).toEqual([{ key: 'l', createdAt: 1001 }])
    })

    test('erase leaves no key of the person, and may be asked again', async () => {
      for (const key of ['b', 'a']) await store.claimKey({ ...first, key })
      expect(await other.export('ann')).toEqual([
        { key: 'a', createdAt: 1000 },
        { key: 'b', createdAt: 1000 },
      ])
      for (const one of [store, other]) await one.erase('ann')
      expect(await store.export('ann')).toEqual([])
    })
  })
}
