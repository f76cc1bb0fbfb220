import type { ProgramStore } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useRealTimes } from './real-times.ts'

/** Stores without a device. `ann`, `bob` and `cat` are users. */
export interface ProgramPlace {
  /** Two stores over the same data, as two hosts have them. */
  readonly stores: readonly [ProgramStore, ProgramStore]
  close(): Promise<void>
}

/** Runs the contract tests of `ProgramStore`. */
export function runProgramStoreContract(name: string, open: () => Promise<ProgramPlace>): void {
  describe(`ProgramStore in ${name}`, () => {
    let place: ProgramPlace
    let store: ProgramStore
    beforeEach(async () => {
      place = useRealTimes(await open())
      store = place.stores[0]
      await claim(store, 'bob', 'bobs-device', 5)
    })
    afterEach(() => place.close())
    const claim = (one: ProgramStore, ownerId: string, deviceId: string, now: number, max: number | null = null) =>
      one.claimDevice({ ownerId, deviceId, now, maxDevices: max })

    test('claimDevice gives a device to the first user, who can claim it again', async () => {
      expect(await claim(store, 'ann', 'device-1', 10)).toBe('claimed')
      expect(await claim(place.stores[1], 'bob', 'device-1', 11)).toBe('already_claimed')
      expect(await claim(store, 'ann', 'device-1', 12)).toBe('claimed')
      expect(await store.listDevices({ ownerId: 'ann' })).toEqual([{ id: 'device-1', claimedAt: 10 }])
    })

    test('findOwnership depends on the user and distinguishes upper and lower case', async () => {
      await claim(store, 'ann', 'device-1', 10)
      expect(await store.findOwnership({ ownerId: 'ann', deviceId: 'device-1' })).toBe('mine')
      expect(await store.findOwnership({ ownerId: 'bob', deviceId: 'device-1' })).toBe('other')
      expect(await store.findOwnership({ ownerId: 'nobody', deviceId: 'device-1' })).toBe('other')
      expect(await store.findOwnership({ ownerId: 'ann', deviceId: 'Device-1' })).toBe('nobody')
      expect(await store.findOwnership({ ownerId: 'ann', deviceId: 'bobs-device' })).toBe('other')
    })

    test('claimDevice succeeds for only one of many concurrent users', async () => {
      const people = ['ann', 'bob', 'cat']
      const said = await Promise.all(
        Array.from({ length: 60 }, (_, n) => claim(place.stores[n % 2]!, people[n % 3]!, 'device-1', n)),
      )
      const winners = people.filter((_, which) => said.some((one, n) => n % 3 === which && one === 'claimed'))
      expect(winners).toHaveLength(1)
      for (const [n, one] of said.entries())
        expect(one).toBe(people[n % 3] === winners[0] ? 'claimed' : 'already_claimed')
    })

    test('erase releases all devices of a user, which other users can then claim', async () => {
      await claim(store, 'ann', 'device-2', 20)
      await claim(store, 'ann', 'device-1', 10)
      expect((await store.listDevices({ ownerId: 'ann' })).map(({ id }) => id)).toEqual(['device-1', 'device-2'])
      await store.erase({ ownerId: 'ann' })
      await store.erase({ ownerId: 'nobody' })
      expect(await store.listDevices({ ownerId: 'ann' })).toEqual([])
      expect(await store.findOwnership({ ownerId: 'bob', deviceId: 'bobs-device' })).toBe('mine')
      expect(await claim(store, 'bob', 'device-1', 30)).toBe('claimed')
    })

    test('claimDevice succeeds exactly maxDevices times for 20 concurrent calls by two clients', async () => {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) => claim(place.stores[n % 2]!, 'ann', `device-${n}`, n, 10)),
      )
      expect(results.filter((one) => one === 'claimed')).toHaveLength(10)
      expect(results.filter((one) => one === 'too_many_devices')).toHaveLength(10)
      const held = (await store.listDevices({ ownerId: 'ann' })).map(({ id }) => id)
      expect(held).toHaveLength(10)
      expect(await claim(store, 'ann', held[0]!, 30, 10)).toBe('claimed')
      expect(await claim(store, 'ann', 'bobs-device', 30, 10)).toBe('already_claimed')
      expect(await claim(store, 'ann', 'device-20', 30, 11)).toBe('claimed')
      expect(await claim(store, 'ann', 'device-21', 30, 11)).toBe('too_many_devices')
      expect(await claim(store, 'ann', 'device-21', 30)).toBe('claimed')
      expect(await claim(store, 'bob', 'device-22', 30, 2)).toBe('claimed')
    })
  })
}
