import type {
  AdStore,
  AdCandidate,
  RecordImpressionParams,
  ImpressionResult,
  ImpressionCaps,
  NewCampaign,
} from '@tributary/core/stores'
import { describe, expect, test } from 'vitest'
import { makeHash, makeId } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'

/** Stores without a campaign. `ann` and `bob` are users. */
export interface AdsPlace {
  /** Two stores over the same data, as two hosts have them. */
  readonly stores: readonly [AdStore, AdStore]
  /** Claims a device for a person. */
  claim(ownerId: string, deviceId: string): Promise<unknown>
  /** Approves the application of a person. */
  approve(ownerId: string): Promise<unknown>
  /** The impressions in the outbox, with their ids and URLs, ordered by id. */
  queued(): Promise<readonly (readonly [id: string, address: string])[]>
  close(): Promise<void>
}

/** The time of the serves in the tests. The times in the ids of `makeId` are close to it. */
export const start = 1_700_000_000_000
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const ttl = 5 * minute
export const computeDay = (at: number): number => Math.floor(at / day)

export const makeNetworkAd = (number: number, networkUrl: string | null = null): AdCandidate => ({
  source: 'network',
  fingerprint: makeHash('ad', number),
  campaign: null,
  price: 0,
  target: `https://sponsor.example/${number}`,
  networkUrl,
})

export function makeCampaign(number: number, changes: Partial<NewCampaign> = {}): NewCampaign {
  return {
    id: makeId('campaign', number),
    name: `campaign ${number}`,
    brandName: 'Acme',
    title: 'Acme',
    text: `text ${number}`,
    url: `https://acme.example/${number}`,
    favicon: null,
    fingerprint: makeHash('campaign', number),
    topics: [],
    cpmUsd: 20,
    price: 20_000,
    budget: 10_000_000,
    dailyCap: null,
    startsAt: null,
    endsAt: null,
    createdAt: start,
    ...changes,
  }
}

export const toCandidate = ({
  num,
  fingerprint,
  price,
}: {
  num: number
  fingerprint: string
  price: number
}): AdCandidate => ({ source: 'campaign', fingerprint, campaign: num, price, target: null, networkUrl: null })

/** Returns the id of serve `number`: a UUID version 7 that contains the time `at`, like the ids of the service. */
export const serveId = (number: number, at: number): string => {
  const made = makeId('serve', number)
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${made.slice(13)}`
}

/** Serves one ad and returns the id of the serve. */
export async function serveAd(
  store: AdStore,
  number: number,
  at = start,
  ad: AdCandidate = makeNetworkAd(number),
  device = 'device-1',
  owner = 'ann',
): Promise<string> {
  const id = serveId(number, at)
  expect(
    await store.serveAd({ ownerId: owner, id, device, servedAt: at, expiresAt: at + ttl, candidates: [ad] }),
  ).toEqual({
    outcome: 'served',
    index: 0,
  })
  return id
}

/** Counts an impression. Without values in `more`, there are no caps and no address. */
export function count(
  store: AdStore,
  id: string,
  now: number,
  more: Partial<RecordImpressionParams> = {},
): Promise<ImpressionResult> {
  return store.recordImpression({ serveId: id, now, addressHash: null, isFromDatacenter: false, caps: null, ...more })
}

const unlimited: ImpressionCaps = {
  devicePerHour: 1e6,
  devicePerDay: 1e6,
  personPerHour: 1e6,
  personPerDay: 1e6,
  newPersonPerDay: 1e6,
  addressPerHour: 1e6,
}
const [home, office] = [makeHash('address', 1), makeHash('address', 2)]

/** Runs the contract tests of `AdStore` on impressions and clicks; part of `runAdStoreContract`. */
export function runImpressionContract(place: () => AdsPlace): void {
  const getStore = (): AdStore => place().stores[0]
  const readOutcome = async (id: string, now: number, more: Partial<RecordImpressionParams> = {}) =>
    (await count(getStore(), id, now, more)).outcome
  /** Serves an ad a second before `now` and counts its impression. */
  const recordSeen = async (
    number: number,
    now: number,
    more: Partial<RecordImpressionParams> & { device?: string; owner?: string } = {},
  ) =>
    readOutcome(
      await serveAd(getStore(), number, now - 1000, makeNetworkAd(number), more.device, more.owner),
      now,
      more,
    )
  const countDays = async (owner = 'ann', device = 'device-1') =>
    Object.fromEntries(
      (await getStore().listDays({ ownerId: owner, device, fromDay: 0 })).map((one) => [one.outcome, one.count]),
    )

  test('recordImpression counts once, from one second after the serve until it expires', async () => {
    const id = await serveAd(getStore(), 1)
    expect(await readOutcome(id, start + 999)).toBe('too_soon')
    expect(await readOutcome(id, start - 5 * minute)).toBe('too_soon')
    expect(await count(getStore(), id, start + 1000)).toEqual({ outcome: 'counted', campaign: null })
    expect(await readOutcome(id, start + 1001)).toBe('replayed')
    const late = await serveAd(getStore(), 2)
    expect(await readOutcome(late, start + ttl)).toBe('expired')
    expect(await readOutcome(late, start + ttl - 1)).toBe('replayed')
    expect(await readOutcome(await serveAd(getStore(), 3), start + ttl - 1)).toBe('counted')
    expect(await readOutcome(makeId('never', 1), start)).toBe('unknown')
    await getStore().recordUnknownImpression({ now: start })
    expect(await countDays()).toEqual({ counted: 2, too_soon: 2, replayed: 2, expired: 1 })
    expect(await countDays('bob')).toEqual({})
  })

  test('recordImpression counts one impression for 200 concurrent calls of two clients', async () => {
    const id = await serveAd(getStore(), 1)
    const said = await Promise.all(
      Array.from({ length: 200 }, (_, n) => count(place().stores[n % 2]!, id, start + 1000 + n)),
    )
    expect(said.filter((one) => one.outcome === 'counted')).toHaveLength(1)
    expect(said.filter((one) => one.outcome === 'replayed')).toHaveLength(199)
    expect(await countDays()).toEqual({ counted: 1, replayed: 199 })
    // The test runs 200 transactions one after the other, so on a slow disk it takes longer than other tests may.
  }, 60_000)

  describe('recordImpression with caps', () => {
    test.each([
      ['devicePerHour', hour, 'capped'],
      ['devicePerDay', day, 'capped'],
      ['personPerHour', hour, 'capped_person'],
      ['personPerDay', day, 'capped_person'],
      ['newPersonPerDay', day, 'capped_new'],
      ['addressPerHour', hour, 'capped_address'],
    ] as const)(
      '%s allows exactly its number of impressions within %i ms, and returns %s for the next',
      async (cap, window, reason) => {
        const caps = { ...unlimited, [cap]: 3 }
        const countAt = (number: number, now: number, more: object = {}) =>
          recordSeen(number, now, {
            caps,
            addressHash: home,
            device: cap.startsWith('device') ? 'device-1' : `device-${1 + (number % 2)}`,
            ...more,
          })
        for (let n = 0; n < 3; n++) expect(await countAt(n, start + n * 1000)).toBe('counted')
        expect(await countAt(3, start + 3000)).toBe(reason)
        expect(await countAt(4, start + window - 1)).toBe(reason)
        // The cap still applies after the clock was set back.
        expect(await countAt(5, start - 2 * hour)).toBe(reason)
        expect(await countAt(6, start + window)).toBe('counted')
        expect(await countAt(7, start + window)).toBe(reason)
        expect(await countAt(8, start + window + 1000)).toBe('counted')
        // Impressions outside of the cap are not affected.
        const other = { owner: 'bob', device: 'bobs-device', addressHash: office }
        for (let n = 10; n < 13; n++) expect(await countAt(n, start + window + 1000, other)).toBe('counted')
        const free = cap.startsWith('device')
          ? { device: 'device-2' }
          : cap === 'addressPerHour'
            ? { addressHash: null }
            : { caps: { ...caps, [cap]: 6 } }
        expect(await countAt(20, start + window + 1000, free)).toBe('counted')
        expect(await countAt(30, start + window + 1000, { caps: null })).toBe('counted')
      },
    )

    test('counts exactly as many of 20 concurrent impressions of two clients as a cap allows', async () => {
      for (const [reason, caps] of [
        ['capped_person', { personPerHour: 7 }],
        ['capped_address', { addressPerHour: 9 }],
      ] as const) {
        const at = reason === 'capped_person' ? start : start + 2 * day
        const ids = await Promise.all(
          Array.from({ length: 20 }, (_, n) => serveAd(getStore(), n, at, makeNetworkAd(n), `device-${1 + (n % 2)}`)),
        )
        const results = await Promise.all(
          ids.map((id, n) =>
            count(place().stores[n % 2]!, id, at + 1000, { caps: { ...unlimited, ...caps }, addressHash: home }),
          ),
        )
        expect(results.filter((one) => one.outcome === 'counted')).toHaveLength(Object.values(caps)[0]!)
        expect(results.filter((one) => one.outcome === reason)).toHaveLength(20 - Object.values(caps)[0]!)
      }
    })

    test('returns unclaimed for a device that the user has not claimed, uses up the serve and charges nothing', async () => {
      const one = await getStore().createCampaign({ campaign: makeCampaign(1), audit: makeAuditContext() })
      const id = await serveAd(getStore(), 1, start, toCandidate(one), 'nobodys-device')
      expect(await readOutcome(id, start)).toBe('too_soon')
      expect(await readOutcome(id, start + 1000)).toBe('unclaimed')
      await place().claim('ann', 'nobodys-device')
      expect(await readOutcome(id, start + 1000)).toBe('replayed')
      expect(await countDays('ann', 'nobodys-device')).toEqual({ too_soon: 1, unclaimed: 1, replayed: 1 })
      expect((await getStore().listCampaigns({ cursor: null, limit: 1 })).items[0]).toMatchObject({
        spent: 0,
        impressions: 0,
      })
    })

    test('does not count an impression towards the caps of a device if another user claimed the device after the serve', async () => {
      const caps = { ...unlimited, devicePerHour: 2 }
      const ids = []
      for (let n = 0; n < 5; n++)
        ids.push(await serveAd(getStore(), n, start, makeNetworkAd(n), 'contested-device', 'bob'))
      await place().claim('ann', 'contested-device')
      for (const id of ids) expect(await readOutcome(id, start + 1000, { caps })).toBe('unclaimed')
      const results = []
      for (let n = 10; n < 13; n++)
        results.push(await recordSeen(n, start + 2000, { device: 'contested-device', caps }))
      expect(results).toEqual(['counted', 'counted', 'capped'])
    })

    test('returns the first reason if several reasons apply', async () => {
      const caps: ImpressionCaps = {
        devicePerHour: 1,
        devicePerDay: 1,
        personPerHour: 1,
        personPerDay: 1,
        newPersonPerDay: 1,
        addressPerHour: 1,
      }
      const countNext = async (number: number, changes: Partial<ImpressionCaps>, device = 'device-1') =>
        recordSeen(number, start + 2000, { caps: { ...caps, ...changes }, addressHash: home, device })
      const late = await serveAd(getStore(), 1, start, makeNetworkAd(1), 'nobodys-device')
      expect(await readOutcome(late, start + ttl, { caps })).toBe('expired')
      expect(await countNext(2, {})).toBe('counted')
      expect(await countNext(3, {}, 'nobodys-device')).toBe('unclaimed')
      expect(await countNext(4, {})).toBe('capped')
      expect(await recordSeen(9, start + 2000, { caps, isFromDatacenter: true })).toBe('datacenter')
      expect(await recordSeen(10, start + 2000, { isFromDatacenter: true, device: 'nobodys-device' })).toBe('unclaimed')
      const broke = await serveAd(
        getStore(),
        5,
        start,
        toCandidate(
          await getStore().createCampaign({ campaign: makeCampaign(1, { budget: 0 }), audit: makeAuditContext() }),
        ),
        'device-2',
      )
      expect(await readOutcome(broke, start + 2000, { caps, addressHash: home })).toBe('capped')
      expect(await countNext(6, { devicePerHour: 2, devicePerDay: 2 })).toBe('capped_person')
      const ofPerson = { devicePerHour: 2, devicePerDay: 2, personPerHour: 2, personPerDay: 2 }
      expect(await countNext(7, ofPerson)).toBe('capped_new')
      expect(await countNext(8, { ...ofPerson, newPersonPerDay: 2 })).toBe('capped_address')
    })

    test('lifts the newPersonPerDay cap only for a person whose application is approved', async () => {
      const caps = { ...unlimited, newPersonPerDay: 1 }
      const bob = { caps, owner: 'bob', device: 'bobs-device' }
      expect(await recordSeen(1, start + 3000, { caps })).toBe('counted')
      expect(await recordSeen(2, start + 3000, { caps, device: 'device-2' })).toBe('capped_new')
      expect(await recordSeen(3, start + 3000, bob)).toBe('capped_new')
      await place().approve('ann')
      expect(await recordSeen(4, start + 3000, { caps })).toBe('counted')
      expect(await recordSeen(5, start + 3000, { caps, device: 'device-2' })).toBe('counted')
      expect(await recordSeen(6, start + 3000, bob)).toBe('capped_new')
    })
  })

  test('recordImpression charges nothing for an impression from a data center and uses up the serve', async () => {
    const one = await getStore().createCampaign({ campaign: makeCampaign(1), audit: makeAuditContext() })
    const id = await serveAd(getStore(), 1, start, toCandidate(one))
    expect(await readOutcome(id, start + 1000, { isFromDatacenter: true })).toBe('datacenter')
    expect(await readOutcome(id, start + 1000)).toBe('replayed')
    expect(await countDays()).toEqual({ datacenter: 1, replayed: 1 })
    expect((await getStore().listCampaigns({ cursor: null, limit: 1 })).items[0]).toMatchObject({ spent: 0 })
  })

  test('recordImpression uses up the serve when a cap applies', async () => {
    const one = await getStore().createCampaign({ campaign: makeCampaign(1, { budget: 0 }), audit: makeAuditContext() })
    const id = await serveAd(getStore(), 1, start, toCandidate(one))
    expect(await readOutcome(id, start + 1000)).toBe('capped')
    expect(await readOutcome(id, start + 1000)).toBe('replayed')
  })

  test("recordImpression enqueues the network's URL once, with the counted impression", async () => {
    const [early, counts, without] = [
      await serveAd(getStore(), 1, start, makeNetworkAd(1, 'https://network.example/1')),
      await serveAd(getStore(), 2, start, makeNetworkAd(2, 'https://network.example/2')),
      await serveAd(getStore(), 3),
    ]
    await readOutcome(early, start)
    await Promise.all([
      ...Array.from({ length: 20 }, () => readOutcome(counts, start + 1000)),
      readOutcome(without, start + 1000),
    ])
    expect(await place().queued()).toEqual([[counts, 'https://network.example/2']])
  })

  test('recordClick returns the target and counts once, after a counted impression', async () => {
    const one = await getStore().createCampaign({ campaign: makeCampaign(1), audit: makeAuditContext() })
    const id = await serveAd(getStore(), 1, start, toCandidate(one))
    expect(await getStore().recordClick({ serveId: id, now: start })).toBe('https://acme.example/1')
    await readOutcome(id, start + 1000)
    expect(await getStore().findTarget({ serveId: id })).toBe('https://acme.example/1')
    expect(
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => place().stores[n % 2]!.recordClick({ serveId: id, now: start + day })),
      ),
    ).toEqual(Array.from({ length: 10 }, () => 'https://acme.example/1'))
    expect((await getStore().listCampaigns({ cursor: null, limit: 1 })).items[0]).toMatchObject({
      clicks: 1,
      impressions: 1,
    })
    expect(await countDays()).toEqual({ counted: 1, click_early: 1, clicked: 1, click_replayed: 9 })
    expect(await getStore().recordClick({ serveId: await serveAd(getStore(), 2), now: start })).toBe(
      'https://sponsor.example/2',
    )
    expect([
      await getStore().recordClick({ serveId: makeId('never', 1), now: start }),
      await getStore().findTarget({ serveId: makeId('never', 1) }),
    ]).toEqual([null, null])
  })

  test('recordClick returns the target of a promotion and counts nothing', async () => {
    const id = await serveAd(getStore(), 1, start, { ...makeNetworkAd(1), source: 'promotional' })
    expect(await getStore().recordClick({ serveId: id, now: start })).toBe('https://sponsor.example/1')
    expect(await countDays()).toEqual({})
  })
}
