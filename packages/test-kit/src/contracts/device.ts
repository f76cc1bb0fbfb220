import type { SessionStore, SignedIn } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hash, login, many, minted, minute, person, start, stranger, type SessionsPlace } from './people.ts'

/** The machines, without browsers. */
const machinesOf = async (store: SessionStore, ownerId: string): Promise<SignedIn[]> =>
  (await store.listSignedIn({ ownerId, now: start, currentHash: null })).filter(({ kind }) => kind === 'machine')

/** The laws of device login, a part of the sessions store's. */
export function runDeviceLoginContract(name: string, open: () => Promise<SessionsPlace>): void {
  describe(`sessions: ${name}`, () => {
    let place: SessionsPlace
    let store: SessionStore
    let other: SessionStore
    beforeAll(async () => {
      place = await open()
      ;[store, other] = place.stores
    })
    afterAll(async () => place.close?.())

    test('pending, approved once with the token, then taken', async () => {
      const intact = await stranger(store)
      const [jane, device, token] = [await person(store), await login(store), minted()]
      expect(await store.pollDevice(device.deviceHash, minted(), start)).toEqual({ outcome: 'pending' })
      expect(await other.decideDevice(jane.id, device.userHash, 'approved', start)).toEqual({
        outcome: 'decided',
        machine: device.machine,
      })
      expect(await store.pollDevice(device.deviceHash, token, start)).toEqual({ outcome: 'approved', userId: jane.id })
      expect(await other.pollDevice(device.deviceHash, minted(), start)).toEqual({ outcome: 'taken' })
      expect(await store.find(token.hash)).toEqual({
        kind: 'token',
        user: { id: jane.id, email: jane.email },
        createdAt: start,
        expiresAt: token.expiresAt,
        usedAt: null,
      })
      expect(await machinesOf(store, jane.id)).toEqual([
        { id: token.id, kind: 'machine', label: device.machine, createdAt: start, lastUsedAt: null, isCurrent: false },
      ])
      await intact()
    })

    test('of fifty polls at once, on two hosts, one gets the token and no other token is there', async () => {
      const [jane, device] = [await person(store), await login(store)]
      await store.decideDevice(jane.id, device.userHash, 'approved', start)
      const tokens = Array.from({ length: 50 }, () => minted())
      const polls = await many(50, (i) => (i % 2 ? other : store).pollDevice(device.deviceHash, tokens[i]!, start))
      expect(polls.map(({ outcome }) => outcome).sort()).toEqual(['approved', ...Array<string>(49).fill('taken')])
      const winner = tokens[polls.findIndex(({ outcome }) => outcome === 'approved')]!
      expect((await machinesOf(store, jane.id)).map((machine) => machine.id)).toEqual([winner.id])
    })

    test('of approvals and denials at once one decides', async () => {
      const [jane, john] = [await person(store), await person(store)]
      for (let round = 0; round < 5; round++) {
        const device = await login(store)
        const decided = await many(20, (i) =>
          (i % 2 ? other : store).decideDevice(
            i % 3 ? jane.id : john.id,
            device.userHash,
            i % 2 ? 'approved' : 'denied',
            start,
          ),
        )
        expect(decided.filter(({ outcome }) => outcome === 'decided')).toHaveLength(1)
        expect(decided.filter(({ outcome }) => outcome === 'already_decided')).toHaveLength(19)
        const approved = decided.findIndex(({ outcome }) => outcome === 'decided') % 2 === 1
        expect((await store.pollDevice(device.deviceHash, minted(), start)).outcome).toBe(
          approved ? 'approved' : 'denied',
        )
      }
    })

    test('faster than the interval adds five seconds for good; the first poll may come at once', async () => {
      const { deviceHash } = await login(store)
      const poll = (seconds: number) => store.pollDevice(deviceHash, minted(), start + seconds * 1000)
      expect(await poll(0)).toEqual({ outcome: 'pending' })
      expect(await poll(4.999)).toEqual({ outcome: 'slow_down', interval: 10 })
      expect(await poll(14.998)).toEqual({ outcome: 'slow_down', interval: 15 })
      expect(await poll(29.998)).toEqual({ outcome: 'pending' })
      expect(await poll(44.998)).toEqual({ outcome: 'pending' })
    })

    test('after its end it is expired for whoever decides or polls, but a decision that was made stays', async () => {
      const [jane, pending, approved, denied] = [
        await person(store),
        await login(store),
        await login(store),
        await login(store),
      ]
      await store.decideDevice(jane.id, approved.userHash, 'approved', start)
      await store.decideDevice(jane.id, denied.userHash, 'denied', start)
      const end = start + 15 * minute
      expect(await store.decideDevice(jane.id, pending.userHash, 'approved', end)).toEqual({ outcome: 'expired' })
      expect(await store.decideDevice(jane.id, denied.userHash, 'approved', end)).toEqual({
        outcome: 'already_decided',
      })
      const polls = await Promise.all(
        [pending, approved, denied].map(({ deviceHash }) => store.pollDevice(deviceHash, minted(), end)),
      )
      expect(polls.map(({ outcome }) => outcome)).toEqual(['expired', 'expired', 'denied'])
      expect(await machinesOf(store, jane.id)).toEqual([])
    })

    test('a user code is not given out twice while its login is known, and is free again after', async () => {
      const device = await login(store)
      const again = { ...device, deviceHash: hash() }
      expect(await other.startDevice(again)).toBe(false)
      expect(await other.startDevice({ ...again, createdAt: device.expiresAt + 24 * 60 * minute })).toBe(true)
      expect(await store.pollDevice(device.deviceHash, minted(), start)).toEqual({ outcome: 'unknown' })
    })

    test('codes that nobody was given are unknown', async () => {
      const jane = await person(store)
      expect(await store.findDevice(hash())).toBeNull()
      expect(await store.decideDevice(jane.id, hash(), 'approved', start)).toEqual({ outcome: 'unknown' })
      expect(await store.pollDevice(hash(), minted(), start)).toEqual({ outcome: 'unknown' })
    })
  })
}
