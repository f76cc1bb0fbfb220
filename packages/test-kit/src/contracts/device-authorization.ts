import type { AuthStore, DeviceTokenResult, ListedCredential } from '@tributary/core/stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  approve,
  createOtherUser,
  minute,
  makeHash,
  makeToken,
  runConcurrently,
  signIn,
  start,
  startDevice,
  type AuthPlace,
} from './auth-fixture.ts'
import { useRealTimes } from './real-times.ts'

const listMachines = async (store: AuthStore, ownerId: string, now = start): Promise<ListedCredential[]> =>
  (await store.listCredentials({ ownerId, now, currentHash: null })).filter(({ kind }) => kind === 'machine')

const poll = (
  store: AuthStore,
  deviceCodeHash: string,
  { now = start, token = makeToken() } = {},
): Promise<DeviceTokenResult> => store.pollDeviceToken({ deviceCodeHash, token, now })

/** Registers the contract tests of device authorization (`auth/store.ts` of core). */
export function runDeviceAuthorizationContract(name: string, open: () => Promise<AuthPlace>): void {
  describe(`device authorization: ${name}`, () => {
    let place: AuthPlace
    let store: AuthStore
    let otherHost: AuthStore
    beforeAll(async () => {
      place = useRealTimes(await open())
      ;[store, otherHost] = place.stores
    })
    afterAll(async () => place.close?.())

    describe('pollDeviceToken', () => {
      test('returns `pending` before the approval, then `approved` and stores the token, then `taken`', async () => {
        const expectUnchanged = await createOtherUser(store)
        const [jane, device, token] = [await signIn(store), await startDevice(store), makeToken()]
        expect(await poll(store, device.deviceCodeHash)).toEqual({ outcome: 'pending' })
        expect(await approve(otherHost, jane.id, device.userCodeHash)).toEqual({
          outcome: 'decided',
          machine: device.machine,
        })
        expect(await poll(store, device.deviceCodeHash, { token })).toEqual({ outcome: 'approved', userId: jane.id })
        expect(await poll(otherHost, device.deviceCodeHash)).toEqual({ outcome: 'taken' })
        expect(await store.findCredential(token)).toEqual({
          kind: 'token',
          user: { id: jane.id, email: jane.email },
          createdAt: start,
          expiresAt: token.expiresAt,
          usedAt: null,
        })
        expect(await listMachines(store, jane.id)).toEqual([
          {
            id: device.id,
            kind: 'machine',
            status: 'signed_in',
            label: device.machine,
            createdAt: start,
            lastUsedAt: null,
            isCurrent: false,
          },
        ])
        await expectUnchanged()
      })

      test('issues one token to fifty concurrent polls on two hosts', async () => {
        const [jane, device] = [await signIn(store), await startDevice(store)]
        await approve(store, jane.id, device.userCodeHash)
        const tokens = Array.from({ length: 50 }, () => makeToken())
        const polls = await runConcurrently(50, (i) =>
          poll(i % 2 ? otherHost : store, device.deviceCodeHash, { token: tokens[i]! }),
        )
        expect(polls.map(({ outcome }) => outcome).sort()).toEqual(['approved', ...Array<string>(49).fill('taken')])
        const issued = tokens[polls.findIndex(({ outcome }) => outcome === 'approved')]!
        expect((await listMachines(store, jane.id)).map(({ id }) => id)).toEqual([device.id])
        const stored = await Promise.all(tokens.map((token) => store.findCredential(token)))
        expect(tokens.filter((_, i) => stored[i] !== null)).toEqual([issued])
      })

      test('returns `slow_down` and adds five seconds for a poll within the interval, but not for the first poll', async () => {
        const { deviceCodeHash } = await startDevice(store)
        const pollAfter = (seconds: number) => poll(store, deviceCodeHash, { now: start + seconds * 1000 })
        expect(await pollAfter(0)).toEqual({ outcome: 'pending' })
        expect(await pollAfter(4.999)).toEqual({ outcome: 'slow_down', interval: 10 })
        expect(await pollAfter(14.998)).toEqual({ outcome: 'slow_down', interval: 15 })
        expect(await pollAfter(29.998)).toEqual({ outcome: 'pending' })
        expect(await pollAfter(44.998)).toEqual({ outcome: 'pending' })
      })

      test('returns `expired` after the end of a pending or approved authorization, and `denied` after a denial', async () => {
        const [jane, pending, approved, denied] = [
          await signIn(store),
          await startDevice(store),
          await startDevice(store),
          await startDevice(store),
        ]
        await approve(store, jane.id, approved.userCodeHash)
        const { userCodeHash } = denied
        await store.decideDeviceAuthorization({
          ownerId: jane.id,
          sessionHash: null,
          userCodeHash,
          decision: 'denied',
          now: start,
        })
        const end = start + 15 * minute
        expect(await approve(store, jane.id, pending.userCodeHash, { now: end })).toEqual({ outcome: 'expired' })
        expect(await approve(store, jane.id, userCodeHash, { now: end })).toEqual({ outcome: 'already_decided' })
        const polls = await Promise.all(
          [pending, approved, denied].map(({ deviceCodeHash }) => poll(store, deviceCodeHash, { now: end })),
        )
        expect(polls.map(({ outcome }) => outcome)).toEqual(['expired', 'expired', 'denied'])
        expect(await listMachines(store, jane.id, end)).toEqual([])
      })

      test('returns `unknown` for an unknown device code', async () => {
        expect(await poll(store, makeHash())).toEqual({ outcome: 'unknown' })
      })
    })

    describe('findPolledAuthorization', () => {
      test('returns the status and the end of the interval, and null for an unknown code', async () => {
        const [jane, { userCodeHash, deviceCodeHash }] = [await signIn(store), await startDevice(store)]
        const find = () => otherHost.findPolledAuthorization({ deviceCodeHash })
        expect(await find()).toEqual({ status: 'pending', nextPollAt: null })
        await poll(store, deviceCodeHash)
        expect(await find()).toEqual({ status: 'pending', nextPollAt: start + 5000 })
        await poll(store, deviceCodeHash, { now: start + 1000 })
        expect(await find()).toEqual({ status: 'pending', nextPollAt: start + 11_000 })
        await approve(store, jane.id, userCodeHash)
        expect(await find()).toMatchObject({ status: 'approved' })
        expect(await otherHost.findPolledAuthorization({ deviceCodeHash: makeHash() })).toBeNull()
      })
    })

    describe('decideDeviceAuthorization', () => {
      test('lets one of twenty concurrent approvals and denials decide', async () => {
        const [jane, john] = [await signIn(store), await signIn(store)]
        for (let round = 0; round < 5; round++) {
          const { userCodeHash, deviceCodeHash } = await startDevice(store)
          const decided = await runConcurrently(20, (i) =>
            (i % 2 ? otherHost : store).decideDeviceAuthorization({
              ownerId: i % 3 ? jane.id : john.id,
              sessionHash: null,
              userCodeHash,
              decision: i % 2 ? 'approved' : 'denied',
              now: start,
            }),
          )
          expect(decided.filter(({ outcome }) => outcome === 'decided')).toHaveLength(1)
          expect(decided.filter(({ outcome }) => outcome === 'already_decided')).toHaveLength(19)
          const isApproved = decided.findIndex(({ outcome }) => outcome === 'decided') % 2 === 1
          expect((await poll(store, deviceCodeHash)).outcome).toBe(isApproved ? 'approved' : 'denied')
        }
      })

      test('returns `unknown` after the session that decides was revoked', async () => {
        const [jane, device] = [await signIn(store), await startDevice(store)]
        const { hash: sessionHash } = jane.session
        await otherHost.revokeCredential({ hash: sessionHash })
        expect(await approve(store, jane.id, device.userCodeHash, { sessionHash })).toEqual({ outcome: 'unknown' })
        const { session } = await signIn(store, jane.email)
        expect(await approve(store, jane.id, device.userCodeHash, { sessionHash: session.hash })).toMatchObject({
          outcome: 'decided',
        })
      })

      test('returns `unknown` for an unknown user code', async () => {
        const jane = await signIn(store)
        expect(await approve(store, jane.id, makeHash())).toEqual({ outcome: 'unknown' })
      })
    })

    describe('startDeviceAuthorization', () => {
      test('returns false for a user code in use, and true again a day after the earlier authorization expired', async () => {
        const device = await startDevice(store)
        const repeated = { ...device, deviceCodeHash: makeHash() }
        expect(await otherHost.startDeviceAuthorization(repeated)).toBe(false)
        const createdAt = device.expiresAt + 24 * 60 * minute
        expect(await otherHost.startDeviceAuthorization({ ...repeated, createdAt })).toBe(true)
        expect(await poll(store, device.deviceCodeHash)).toEqual({ outcome: 'unknown' })
      })
    })

    describe('findDeviceAuthorization', () => {
      test('returns null for an unknown user code', async () => {
        expect(await store.findDeviceAuthorization({ userCodeHash: makeHash() })).toBeNull()
      })

      test('returns the machine, times and status of an authorization, even after its end', async () => {
        const [jane, { userCodeHash, machine, createdAt, expiresAt }] = [await signIn(store), await startDevice(store)]
        const found = { machine, createdAt, expiresAt }
        expect(await otherHost.findDeviceAuthorization({ userCodeHash })).toEqual({ ...found, status: 'pending' })
        await approve(store, jane.id, userCodeHash)
        expect(await otherHost.findDeviceAuthorization({ userCodeHash })).toEqual({ ...found, status: 'approved' })
      })
    })
  })
}
