import type { ClaimKeyParams, IdempotencyStore } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useRealTimes } from './real-times.ts'

/** The stores of two hosts on one empty database. */
export interface IdempotencyPlace {
  readonly stores: readonly [IdempotencyStore, IdempotencyStore]
  /** Creates a user. */
  person(id: string): Promise<void>
  close?(): Promise<void>
}

const first: ClaimKeyParams = {
  actor: 'user:ann',
  ownerId: 'ann',
  subject: null,
  key: 'k',
  lease: 'first',
  fingerprint: 'print',
  effectId: 'effect',
  now: 1000,
  leaseUntil: 2000,
  since: 0,
}
const second: ClaimKeyParams = { ...first, lease: 'second', effectId: 'another effect' }

/**
 * Registers the contract tests of the idempotency store (`http/idempotency-store.ts` of core). Each test checks that
 * the key of another user is unchanged.
 */
export function runIdempotencyStoreContract(name: string, open: () => Promise<IdempotencyPlace>): void {
  describe(`idempotency store: ${name}`, () => {
    let place: IdempotencyPlace
    let store: IdempotencyStore
    let otherHost: IdempotencyStore
    const keyOfBob: ClaimKeyParams = { ...first, actor: 'user:bob', ownerId: 'bob', now: 900_000, leaseUntil: 901_000 }
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[store, otherHost] = place.stores
      for (const id of ['ann', 'bob']) await place.person(id)
      await store.claimKey(keyOfBob)
      await store.storeReply({ ...keyOfBob, reply: 'of bob' })
    })
    afterEach(async () => {
      expect(await otherHost.claimKey(keyOfBob)).toEqual({ state: 'replied', reply: 'of bob' })
      await place.close?.()
    })

    test('claimKey gives the key to one of forty concurrent requests, and returns the stored reply to later requests', async () => {
      const claims = Array.from({ length: 40 }, (_, index): ClaimKeyParams => ({
        ...first,
        lease: `lease ${index}`,
        effectId: `effect ${index}`,
      }))
      const states = await Promise.all(claims.map((claim, index) => (index % 2 ? store : otherHost).claimKey(claim)))
      const winners = claims.filter((_, index) => states[index]!.state === 'claimed')
      expect([winners.length, states.filter(({ state }) => state === 'in_progress').length]).toEqual([1, 39])
      const [winner] = winners as [ClaimKeyParams]
      expect(states[claims.indexOf(winner)]).toEqual({ state: 'claimed', effectId: winner.effectId })
      await store.storeReply({ ...winner, reply: '{"å":1}' })
      for (const claim of claims)
        expect(await otherHost.claimKey(claim)).toEqual({ state: 'replied', reply: '{"å":1}' })
    })

    test('claimKey returns reused for a different fingerprint, before and after the reply, and changes nothing', async () => {
      await store.claimKey(first)
      expect(await otherHost.claimKey({ ...second, fingerprint: 'another', now: 9000, leaseUntil: 9500 })).toEqual({
        state: 'reused',
      })
      await store.storeReply({ ...first, reply: 'r' })
      expect(await otherHost.claimKey({ ...second, fingerprint: 'another' })).toEqual({ state: 'reused' })
      expect(await otherHost.claimKey(second)).toEqual({ state: 'replied', reply: 'r' })
    })

    test('claimKey returns the first effect id if the lease has ended or ends too late; a late reply is not stored', async () => {
      await store.claimKey(first)
      expect(await otherHost.claimKey({ ...second, now: 1999, leaseUntil: 2999 })).toEqual({ state: 'in_progress' })
      expect(await otherHost.claimKey({ ...second, now: 2000, leaseUntil: 3000 })).toEqual({
        state: 'claimed',
        effectId: 'effect',
      })
      await store.storeReply({ ...first, reply: 'late' })
      // The clock was set back before this call.
      expect(await store.claimKey({ ...first, lease: 'third', now: 10, leaseUntil: 1010 })).toEqual({
        state: 'claimed',
        effectId: 'effect',
      })
      await otherHost.storeReply({ ...first, lease: 'third', reply: 'r' })
      expect(await store.claimKey(first)).toEqual({ state: 'replied', reply: 'r' })
    })

    test("claimKey leaves a lease to a host if that host's clock is ahead by at most the length of a lease", async () => {
      await store.claimKey(first)
      expect(await otherHost.claimKey({ ...second, now: 1000, leaseUntil: 1500 })).toEqual({ state: 'in_progress' })
      expect(await otherHost.claimKey({ ...second, now: 999, leaseUntil: 1499 })).toMatchObject({ state: 'claimed' })
    })

    test('claimKey returns the first effect id immediately after releaseKey with the same lease', async () => {
      await store.claimKey(first)
      await otherHost.releaseKey({ ...second, forAnyRequest: false })
      expect(await otherHost.claimKey(second)).toEqual({ state: 'in_progress' })
      await otherHost.releaseKey({ ...first, forAnyRequest: false })
      expect(await otherHost.claimKey({ ...second, fingerprint: 'another' })).toEqual({ state: 'reused' })
      expect(await otherHost.claimKey(second)).toEqual({ state: 'claimed', effectId: 'effect' })
    })

    test('claimKey gives a key that was released for any request to one other request, with the first effect id', async () => {
      const another = { ...second, fingerprint: 'another' }
      await store.claimKey(first)
      await otherHost.releaseKey({ ...second, forAnyRequest: true })
      expect(await otherHost.claimKey(another)).toEqual({ state: 'reused' })
      await otherHost.releaseKey({ ...first, forAnyRequest: true })
      expect(await otherHost.claimKey(another)).toEqual({ state: 'claimed', effectId: 'effect' })
      expect(await store.claimKey(first)).toEqual({ state: 'reused' })
      await otherHost.storeReply({ ...another, reply: 'r' })
      expect(await store.claimKey({ ...another, lease: 'third' })).toEqual({ state: 'replied', reply: 'r' })
    })

    test('claimKey treats a key that is older than `since` as new, with or without a reply', async () => {
      const later = { ...second, fingerprint: 'another', now: 5000, leaseUntil: 6000 }
      await store.claimKey(first)
      await store.storeReply({ ...first, reply: 'r' })
      expect(await otherHost.claimKey({ ...later, since: 1000 })).toEqual({ state: 'reused' })
      expect(await otherHost.claimKey({ ...later, since: 1001 })).toEqual({
        state: 'claimed',
        effectId: 'another effect',
      })
      expect(await store.claimKey({ ...later, lease: 'third', since: 5000 })).toEqual({ state: 'in_progress' })
    })

    test('claimKey keeps the keys of two actors separate, and also two keys of one actor', async () => {
      await store.claimKey(first)
      expect(await otherHost.claimKey({ ...second, actor: 'operator', ownerId: null })).toEqual({
        state: 'claimed',
        effectId: 'another effect',
      })
      expect(await otherHost.claimKey({ ...second, key: 'K' })).toEqual({
        state: 'claimed',
        effectId: 'another effect',
      })
    })

    test('claimKey writes nothing for a user who does not exist', async () => {
      const nobody = { ...first, actor: 'user:nobody', ownerId: 'nobody' }
      expect(await store.claimKey(nobody)).toEqual({ state: 'no_owner' })
      expect(await store.export({ ownerId: 'nobody' })).toEqual([])
    })

    test('deleteKeys deletes keys that were first sent before a time', async () => {
      await store.claimKey(first)
      await store.claimKey({ ...first, key: 'l', now: 1001 })
      expect(await otherHost.deleteKeys({ before: 1001 })).toBe(false)
      expect(await store.export({ ownerId: 'ann' })).toEqual([{ key: 'l', createdAt: 1001 }])
    })

    test('erase deletes every key of the user and can be repeated', async () => {
      for (const key of ['c', 'b']) await store.claimKey({ ...first, key })
      await store.claimKey({ ...first, key: 'a', now: 1001 })
      expect(await otherHost.export({ ownerId: 'ann' })).toEqual([
        { key: 'b', createdAt: 1000 },
        { key: 'c', createdAt: 1000 },
        { key: 'a', createdAt: 1001 },
      ])
      for (const host of [store, otherHost]) await host.erase({ ownerId: 'ann' })
      expect(await store.export({ ownerId: 'ann' })).toEqual([])
    })

    test("erase removes the replies to operators' calls about the user, also of a call that is running, and keeps their keys", async () => {
      const makeCall = (key: string, subject: string | null): ClaimKeyParams => ({
        ...first,
        actor: 'operator:jo POST /',
        ownerId: null,
        key,
        subject,
      })
      const replied = makeCall('replied', 'ann')
      const running = makeCall('running', 'ann')
      const others = [makeCall('of bob', 'bob'), makeCall('of nobody', null), makeCall('of a stranger', 'stranger')]
      for (const call of [replied, running, ...others]) await store.claimKey(call)
      for (const call of [replied, ...others]) await store.storeReply({ ...call, reply: 'r' })
      for (const ownerId of ['ann', 'ann', 'stranger']) await otherHost.erase({ ownerId })
      await store.storeReply({ ...running, reply: 'late' })
      await store.releaseKey({ ...running, forAnyRequest: true })
      for (const call of [replied, running]) {
        const again = { ...call, lease: 'again', now: 100_000, leaseUntil: 101_000 }
        expect(await otherHost.claimKey(again)).toEqual({ state: 'erased' })
        expect(await otherHost.claimKey({ ...again, fingerprint: 'another' })).toEqual({ state: 'reused' })
        expect(await otherHost.claimKey({ ...again, since: 1001 })).toMatchObject({ state: 'claimed' })
      }
      for (const call of others) expect(await store.claimKey(call)).toEqual({ state: 'replied', reply: 'r' })
    })
  })
}
