import type { AdStore, ActiveCampaign } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { madeId } from '../fixtures/seed.ts'
import {
  campaign,
  candidate,
  count,
  day,
  dayOf,
  hour,
  runImpressionContract,
  minute,
  network,
  served,
  serveId,
  start,
  ttl,
  type AdsPlace,
} from './impressions.ts'
import { byOperator } from './audit.ts'

export type { AdsPlace }

/** Runs the contract tests of `AdStore`; another user's records stay untouched by each test. */
export function runAdStoreContract(name: string, open: () => Promise<AdsPlace>): void {
  describe(`AdStore in ${name}`, () => {
    let place: AdsPlace
    let store: AdStore
    let other: AdStore
    beforeEach(async () => {
      place = await open()
      ;[store, other] = place.stores
      for (const device of ['device-1', 'device-2', 'device-9']) await place.claim('ann', device)
      await place.claim('bob', 'bobs-device')
      const strange = await served(store, 999, start, network(999), 'bobs-device', 'bob')
      await count(store, strange, start + 1000)
    })
    afterEach(() => place.close())

    runImpressionContract(() => place)

    const offer = (number: number, device: string, owner = 'ann', ads = [network(1), network(2)]) =>
      store.serveAd({
        ownerId: owner,
        id: serveId(number, start),
        device,
        servedAt: start,
        expiresAt: start + ttl,
        candidates: ads,
      })

    test("serveAd serves the first candidate, but not on another user's device or to an unknown user", async () => {
      expect(await offer(1, 'device-1')).toEqual({ outcome: 'served', index: 0 })
      expect(await offer(2, 'bobs-device')).toEqual({ outcome: 'device_not_owned' })
      expect(await offer(3, 'bobs-device', 'bob')).toEqual({ outcome: 'served', index: 0 })
      expect(await offer(4, 'device-8', 'nobody')).toEqual({ outcome: 'none' })
      expect(await offer(5, 'device-1', 'ann', [])).toEqual({ outcome: 'none' })
      for (const number of [2, 4, 5]) expect(await store.findTarget({ serveId: serveId(number, start) })).toBeNull()
    })

    test('serveAd stores each of many serves at once', async () => {
      const said = await Promise.all(Array.from({ length: 300 }, (_, n) => offer(n, `device-${n % 7}`)))
      expect(said).toEqual(Array.from({ length: 300 }, () => ({ outcome: 'served', index: 0 })))
      for (let n = 0; n < 300; n += 37)
        expect(await store.findTarget({ serveId: serveId(n, start) })).toBe('https://sponsor.example/1')
    })

    const vote = (id: string, vote: 'up' | 'down', options: { device?: string; owner?: string; now?: number } = {}) =>
      store.recordVote({
        ownerId: options.owner ?? 'ann',
        serveId: id,
        device: options.device ?? 'device-1',
        vote,
        reason: null,
        now: options.now ?? start + minute,
      })

    test("recordVote accepts a vote on a counted impression of the user's device for a day, until a later one counts", async () => {
      const first = await served(store, 1)
      expect(await vote(first, 'up')).toBe('not_found')
      await count(store, first, start + 1000)
      expect(await vote(first, 'up')).toBe('recorded')
      expect(await vote(first, 'up')).toBe('recorded')
      expect(await vote(first, 'up', { device: 'device-2' })).toBe('not_found')
      expect(await vote(first, 'up', { device: 'bobs-device' })).toBe('device_not_owned')
      expect(await vote(first, 'up', { owner: 'bob' })).toBe('device_not_owned')
      expect(await vote(first, 'up', { owner: 'bob', device: 'bobs-device' })).toBe('not_found')
      expect(await vote(madeId('never', 1), 'up')).toBe('not_found')
      expect(await vote(first, 'up', { now: start + day - 1 })).toBe('recorded')
      expect(await vote(first, 'up', { now: start + day })).toBe('expired')
      // Another device's, and one that was only served, come after nothing.
      await count(store, await served(store, 2, start, network(2), 'device-2'), start + 2000)
      const second = await served(store, 3)
      expect(await vote(first, 'up')).toBe('recorded')
      // The clock stepped back in between: what counted later is later.
      await count(store, second, start + 1000)
      expect(await vote(first, 'up')).toBe('superseded')
      expect(await vote(second, 'down')).toBe('recorded')
    })

    test('serveAd skips a creative that the user voted down, on every device, until they vote it up', async () => {
      const id = await served(store, 1, start, network(1))
      await count(store, id, start + 1000)
      await vote(id, 'down')
      expect(await offer(2, 'device-1')).toEqual({ outcome: 'served', index: 1 })
      expect(await offer(3, 'device-9')).toEqual({ outcome: 'served', index: 1 })
      expect(await offer(4, 'device-9', 'ann', [network(1)])).toEqual({ outcome: 'none' })
      expect(await offer(5, 'bobs-device', 'bob')).toEqual({ outcome: 'served', index: 0 })
      await vote(id, 'up')
      expect(await offer(6, 'device-1')).toEqual({ outcome: 'served', index: 0 })
    })

    test('createCampaign, listCampaigns and setCampaignStatus store, list newest first, pause and resume campaigns', async () => {
      const given = campaign(1, {
        favicon: 'https://acme.example/f.png',
        topics: ['ai', 'testing'],
        dailyCap: 7,
        startsAt: start,
        endsAt: start + day,
        cpmUsd: 0.125,
      })
      const one = await store.createCampaign({ campaign: given, audit: byOperator() })
      expect(one).toEqual({ ...given, num: one.num, status: 'active', spent: 0, impressions: 0, clicks: 0 })
      expect(await other.createCampaign({ campaign: { ...given, name: 'another' }, audit: byOperator() })).toEqual(one)
      const more = [
        await store.createCampaign({ campaign: campaign(2), audit: byOperator() }),
        await store.createCampaign({ campaign: campaign(3), audit: byOperator() }),
      ]
      const first = await store.listCampaigns({ cursor: null, limit: 2 })
      expect(first.items).toEqual(more.toReversed())
      expect(await store.listCampaigns({ cursor: first.next, limit: 2 })).toEqual({ items: [one], next: null })
      expect(await store.setCampaignStatus({ id: one.id, status: 'paused', audit: byOperator() })).toMatchObject({
        id: one.id,
        status: 'paused',
      })
      expect((await other.listActiveCampaigns({ day: 0 })).map(({ num }) => num)).toEqual(more.map(({ num }) => num))
      expect(await store.setCampaignStatus({ id: one.id, status: 'active', audit: byOperator() })).toMatchObject({
        status: 'active',
      })
      expect(
        await store.setCampaignStatus({ id: madeId('never', 1), status: 'paused', audit: byOperator() }),
      ).toBeNull()
    })

    test('findCampaign returns the latest days with counts, oldest first, and null for an unknown campaign', async () => {
      const one = await store.createCampaign({ campaign: campaign(1, { price: 30 }), audit: byOperator() })
      expect(await store.findCampaign({ id: one.id, maxDays: 9 })).toEqual({ campaign: one, days: [] })
      for (const [number, at] of [start, start + day, start + day + hour, start + 3 * day].entries()) {
        const id = await served(store, number, at, candidate(one))
        await count(store, id, at + 1000)
        if (number === 2) await store.recordClick({ serveId: id, now: at + 2000 })
      }
      const days = [
        { day: dayOf(start), impressions: 1, clicks: 0, micros: 30 },
        { day: dayOf(start) + 1, impressions: 2, clicks: 1, micros: 60 },
        { day: dayOf(start) + 3, impressions: 1, clicks: 0, micros: 30 },
      ]
      expect(await other.findCampaign({ id: one.id, maxDays: 9 })).toEqual({
        campaign: { ...one, spent: 120, impressions: 4, clicks: 1 },
        days,
      })
      expect((await store.findCampaign({ id: one.id, maxDays: 2 }))!.days).toEqual(days.slice(1))
      expect(await store.findCampaign({ id: madeId('never', 1), maxDays: 9 })).toBeNull()
    })

    test('replaceCampaign replaces the details and keeps status and counts; a served ad keeps its price', async () => {
      const one = await store.createCampaign({ campaign: campaign(1, { price: 30 }), audit: byOperator() })
      await store.setCampaignStatus({ id: one.id, status: 'paused', audit: byOperator() })
      const id = await served(store, 1, start, candidate(one))
      const {
        id: _,
        createdAt: __,
        ...details
      } = campaign(2, {
        favicon: 'https://acme.example/f.png',
        topics: ['ai'],
        dailyCap: 7,
        startsAt: start,
        endsAt: start + day,
        cpmUsd: 0.125,
        price: 125,
      })
      const changed = { ...one, ...details, status: 'paused' }
      expect(await other.replaceCampaign({ id: one.id, details, audit: byOperator() })).toEqual(changed)
      expect(await count(store, id, start + 1000)).toEqual({ outcome: 'counted', campaign: one.num })
      const found = await store.findCampaign({ id: one.id, maxDays: 9 })
      expect(found).toEqual({
        campaign: { ...changed, spent: 30, impressions: 1 },
        days: [{ day: dayOf(start), impressions: 1, clicks: 0, micros: 30 }],
      })
      expect(await store.replaceCampaign({ id: madeId('never', 1), details, audit: byOperator() })).toBeNull()
    })

    const running = async (at: number): Promise<ActiveCampaign> =>
      (await store.listActiveCampaigns({ day: dayOf(at) }))[0]!

    test('recordImpression charges the price of each counted impression and never more than the budget', async () => {
      const one = await store.createCampaign({ campaign: campaign(1, { price: 30, budget: 310 }), audit: byOperator() })
      for (let n = 0; n < 30; n++) await place.claim('ann', `device-${n}`)
      const ids = await Promise.all(
        Array.from({ length: 30 }, (_, n) => served(store, n, start, candidate(one), `device-${n}`)),
      )
      const said = await Promise.all(ids.map((id, n) => count(place.stores[n % 2]!, id, start + 1000)))
      expect(said.filter((one) => one.outcome === 'counted')).toHaveLength(10)
      expect(said.filter((one) => one.outcome === 'capped')).toHaveLength(20)
      expect(await running(start)).toMatchObject({
        spent: 300,
        impressions: 10,
        impressionsToday: 10,
        day: dayOf(start),
      })
    })

    test('recordImpression applies the daily cap to the UTC day in which the impression counts', async () => {
      const one = await store.createCampaign({ campaign: campaign(1, { dailyCap: 2 }), audit: byOperator() })
      const on = async (number: number, at: number) =>
        (await count(store, await served(store, number, at - 1000, candidate(one)), at)).outcome
      const midnight = (dayOf(start) + 1) * day
      expect([await on(1, midnight - 5000), await on(2, midnight - 4000), await on(3, midnight - 1)]).toEqual([
        'counted',
        'counted',
        'capped',
      ])
      expect([await on(4, midnight), await on(5, midnight), await on(6, midnight + hour)]).toEqual([
        'counted',
        'counted',
        'capped',
      ])
      expect(await running(midnight)).toMatchObject({ impressions: 4, impressionsToday: 2 })
      expect(await running(midnight - 1)).toMatchObject({ impressionsToday: 2 })
      expect(await running(midnight + day)).toMatchObject({ impressionsToday: 0 })
    })

    test('recordImpression counts serves of a campaign that was paused meanwhile', async () => {
      const one = await store.createCampaign({ campaign: campaign(1), audit: byOperator() })
      const id = await served(store, 1, start, candidate(one))
      await store.setCampaignStatus({ id: one.id, status: 'paused', audit: byOperator() })
      expect(await count(store, id, start + 1000)).toEqual({ outcome: 'counted', campaign: one.num })
    })

    test('rotateSecrets adds one secret for all hosts, and replaces an old one but keeps the one before', async () => {
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          place.stores[n % 2]!.rotateSecrets({ fresh: `fresh-${n}`, now: start, since: start - day }),
        ),
      )
      const [secret] = made[0]!
      for (const list of made) expect(list).toEqual([secret])
      expect(await store.rotateSecrets({ fresh: 'second', now: start + 2 * day, since: start + day })).toEqual([
        'second',
        secret,
      ])
      expect(await other.rotateSecrets({ fresh: 'third', now: start + 4 * day, since: start + 3 * day })).toEqual([
        'third',
        'second',
      ])
      expect(await other.rotateSecrets({ fresh: 'fourth', now: start + 4 * day, since: start + 3 * day })).toEqual([
        'third',
        'second',
      ])
    })

    test('export returns all data of a user; erase deletes it and keeps the ledger', async () => {
      const one = await store.createCampaign({ campaign: campaign(1), audit: byOperator() })
      const id = await served(store, 1, start, candidate(one))
      const told = await served(store, 2, start, network(2, 'https://network.example/2'))
      for (const each of [id, told]) await count(store, each, start + 1000)
      await vote(told, 'down')
      await store.recordClick({ serveId: told, now: start + 2000 })
      const exported = await store.export('ann')
      const days = exported.days.toSorted((one, another) => (one.outcome < another.outcome ? -1 : 1))
      expect({ ...exported, days }).toEqual({
        days: [
          ['clicked', 1],
          ['counted', 2],
        ].map(([outcome, times]) => ({
          device: 'device-1',
          day: dayOf(start),
          outcome,
          count: times,
          micros: outcome === 'counted' ? 20_000 : 0,
        })),
        votes: [
          {
            device: 'device-1',
            fingerprint: network(2).fingerprint,
            vote: 'down',
            reason: null,
            votedAt: start + minute,
          },
        ],
        serves: [id, told].toSorted().map((each) => ({
          id: each,
          device: 'device-1',
          source: each === id ? 'campaign' : 'network',
          servedAt: start,
          outcome: 'counted',
          countedAt: start + 1000,
          clickedAt: each === id ? null : start + 2000,
        })),
      })
      await store.erase('ann')
      expect(await store.export('ann')).toEqual({ days: [], votes: [], serves: [] })
      expect(await place.queued()).toEqual([])
      expect(await count(store, id, start + 2000)).toEqual({ outcome: 'unknown' })
      expect(await running(start)).toMatchObject({ spent: 20_000, impressions: 1 })
      expect(await store.export('bob')).toMatchObject({
        days: [{ device: 'bobs-device', count: 1 }],
        serves: [{ device: 'bobs-device' }],
      })
    })

    test('serveAd deletes old serves from time to time', async () => {
      const old = await served(store, 1)
      for (let n = 0; n < 300; n += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, at) => served(store, 1000 + n + at, start + 8 * day)))
      }
      expect(await store.findTarget({ serveId: old })).toBeNull()
      expect(await store.findTarget({ serveId: serveId(1000, start + 8 * day) })).not.toBeNull()
    })
  })
}
