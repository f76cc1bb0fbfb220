import type { AdStore, ActiveCampaign } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectExactList, newerRows } from './lists.ts'
import { makeHash, makeId } from '../fixtures/seed.ts'
import {
  makeCampaign,
  toCandidate,
  count,
  day,
  computeDay,
  hour,
  runImpressionContract,
  minute,
  makeNetworkAd,
  serveAd,
  serveId,
  start,
  ttl,
  type AdsPlace,
} from './impressions.ts'
import { makeAuditContext } from './audit.ts'
import { useRealTimes } from './real-times.ts'

export type { AdsPlace }

/** Runs the contract tests of `AdStore`; another user's records stay untouched by each test. */
export function runAdStoreContract(name: string, open: () => Promise<AdsPlace>): void {
  describe(`AdStore in ${name}`, () => {
    let place: AdsPlace
    let store: AdStore
    let other: AdStore
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[store, other] = place.stores
      for (const device of ['device-1', 'device-2', 'device-9']) await place.claim('ann', device)
      await place.claim('bob', 'bobs-device')
      const strange = await serveAd(store, 999, start, makeNetworkAd(999), 'bobs-device', 'bob')
      await count(store, strange, start + 1000)
    })
    afterEach(() => place.close())

    runImpressionContract(() => place)

    const offerAds = (number: number, device: string, owner = 'ann', ads = [makeNetworkAd(1), makeNetworkAd(2)]) =>
      store.serveAd({
        ownerId: owner,
        id: serveId(number, start),
        device,
        servedAt: start,
        expiresAt: start + ttl,
        candidates: ads,
      })

    test("serveAd serves the first candidate, but not on another user's device or to an unknown user", async () => {
      expect(await offerAds(1, 'device-1')).toEqual({ outcome: 'served', index: 0 })
      expect(await offerAds(2, 'bobs-device')).toEqual({ outcome: 'device_not_owned' })
      expect(await offerAds(3, 'bobs-device', 'bob')).toEqual({ outcome: 'served', index: 0 })
      expect(await offerAds(4, 'device-8', 'nobody')).toEqual({ outcome: 'none' })
      expect(await offerAds(5, 'device-1', 'ann', [])).toEqual({ outcome: 'none' })
      for (const number of [2, 4, 5]) expect(await store.findTarget({ serveId: serveId(number, start) })).toBeNull()
    })

    test('serveAd stores each of many concurrent serves', async () => {
      const said = await Promise.all(Array.from({ length: 300 }, (_, n) => offerAds(n, `device-${n % 7}`)))
      expect(said).toEqual(Array.from({ length: 300 }, () => ({ outcome: 'served', index: 0 })))
      for (let n = 0; n < 300; n += 37)
        expect(await store.findTarget({ serveId: serveId(n, start) })).toBe('https://sponsor.example/1')
    })

    const recordVote = (
      id: string,
      vote: 'up' | 'down',
      options: { device?: string; owner?: string; now?: number } = {},
    ) =>
      store.recordVote({
        ownerId: options.owner ?? 'ann',
        serveId: id,
        device: options.device ?? 'device-1',
        vote,
        reason: null,
        now: options.now ?? start + minute,
      })

    test("recordVote accepts a vote on a counted impression of the user's device for a day, until a later impression counts", async () => {
      const first = await serveAd(store, 1)
      expect(await recordVote(first, 'up')).toBe('not_found')
      await count(store, first, start + 1000)
      expect(await recordVote(first, 'up')).toBe('recorded')
      expect(await recordVote(first, 'up')).toBe('recorded')
      expect(await recordVote(first, 'up', { device: 'device-2' })).toBe('not_found')
      expect(await recordVote(first, 'up', { device: 'bobs-device' })).toBe('device_not_owned')
      expect(await recordVote(first, 'up', { owner: 'bob' })).toBe('device_not_owned')
      expect(await recordVote(first, 'up', { owner: 'bob', device: 'bobs-device' })).toBe('not_found')
      expect(await recordVote(makeId('never', 1), 'up')).toBe('not_found')
      expect(await recordVote(first, 'up', { now: start + day - 1 })).toBe('recorded')
      expect(await recordVote(first, 'up', { now: start + day })).toBe('expired')
      // An impression on another device, and an ad that was served but not counted, change nothing.
      await count(store, await serveAd(store, 2, start, makeNetworkAd(2), 'device-2'), start + 2000)
      const second = await serveAd(store, 3)
      expect(await recordVote(first, 'up')).toBe('recorded')
      // The clock was set back between the two impressions. The order in which they were recorded decides, not their
      // times.
      await count(store, second, start + 1000)
      expect(await recordVote(first, 'up')).toBe('superseded')
      expect(await recordVote(second, 'down')).toBe('recorded')
    })

    test('serveAd skips a creative that the user voted down, on every device, until they vote it up', async () => {
      const id = await serveAd(store, 1, start, makeNetworkAd(1))
      await count(store, id, start + 1000)
      await recordVote(id, 'down')
      expect(await offerAds(2, 'device-1')).toEqual({ outcome: 'served', index: 1 })
      expect(await offerAds(3, 'device-9')).toEqual({ outcome: 'served', index: 1 })
      expect(await offerAds(4, 'device-9', 'ann', [makeNetworkAd(1)])).toEqual({ outcome: 'none' })
      expect(await offerAds(5, 'bobs-device', 'bob')).toEqual({ outcome: 'served', index: 0 })
      await recordVote(id, 'up')
      expect(await offerAds(6, 'device-1')).toEqual({ outcome: 'served', index: 0 })
    })

    test('endCampaign ends a campaign once, with an audit entry', async () => {
      const { id } = await store.createCampaign({ campaign: makeCampaign(1), audit: makeAuditContext() })
      expect(await store.endCampaign({ id, audit: makeAuditContext(start + 5) })).toMatchObject({ endsAt: start + 5 })
      expect(await other.endCampaign({ id, audit: makeAuditContext(start + 9) })).toMatchObject({ endsAt: start + 5 })
      const unknown = '00000000-0000-7000-8000-000000000000'
      expect(await store.endCampaign({ id: unknown, audit: makeAuditContext() })).toBeNull()
    })

    test('listCampaigns and listCampaignNames find and sort a campaign among 300 newer ones', async () => {
      const given = [
        makeCampaign(1, { name: 'Zig Spring', brandName: 'Zag' }),
        // Names are compared by bytes, in every locale of the database.
        ...Array.from({ length: newerRows }, (_, n) =>
          makeCampaign(n + 2, { name: `${n % 2 ? 'Summer' : 'summer'} ${n % 9}` }),
        ),
      ]
      for (const campaign of given) await store.createCampaign({ campaign, audit: makeAuditContext() })
      const { id, name } = given[0]!
      expect(await other.listCampaignNames({ ids: [id, '00000000-0000-7000-8000-000000000000'] })).toEqual([
        { id, name },
      ])
      await expectExactList({
        list: (params) => other.listCampaigns(params),
        idOf: (one) => one.id,
        ids: given.map((one) => one.id),
        sorts: { createdAt: null, name: (one) => one.name, spentUsd: ({ spent }) => spent },
        found: [
          [id, [id]],
          ['spring ZAG', [id]],
          ['spring elsewhere', []],
        ],
      })
    })

    test('createCampaign, listCampaigns and setCampaignStatus store, list newest first, pause and resume campaigns', async () => {
      const given = makeCampaign(1, {
        favicon: 'https://acme.example/f.png',
        topics: ['ai', 'testing'],
        dailyCap: 7,
        startsAt: start,
        endsAt: start + day,
        cpmUsd: 0.125,
      })
      const one = await store.createCampaign({ campaign: given, audit: makeAuditContext() })
      expect(one).toEqual({ ...given, num: one.num, status: 'active', spent: 0, impressions: 0, clicks: 0 })
      expect(
        await other.createCampaign({ campaign: { ...given, name: 'another' }, audit: makeAuditContext() }),
      ).toEqual(one)
      const more = [
        await store.createCampaign({ campaign: makeCampaign(2), audit: makeAuditContext() }),
        await store.createCampaign({ campaign: makeCampaign(3), audit: makeAuditContext() }),
      ]
      const first = await store.listCampaigns({ cursor: null, limit: 2 })
      expect(first.items).toEqual(more.toReversed())
      expect(await store.listCampaigns({ cursor: first.next, limit: 2 })).toEqual({ items: [one], next: null })
      expect((await store.listCampaigns({ cursor: null, limit: 3 })).next).toBeNull()
      const listIn = async (is: 'scheduled' | 'active' | 'ended' | 'exhausted' | 'paused', at: number) =>
        (await other.listCampaigns({ status: { is, at }, cursor: null, limit: 9 })).items.map(({ id }) => id)
      expect(await listIn('scheduled', start - 1)).toEqual([one.id])
      expect(await listIn('ended', start + day)).toEqual([one.id])
      expect([await listIn('exhausted', start), await listIn('paused', start)]).toEqual([[], []])
      expect(await listIn('active', start)).toEqual([...more.toReversed(), one].map(({ id }) => id))
      expect(await store.setCampaignStatus({ id: one.id, status: 'paused', audit: makeAuditContext() })).toMatchObject({
        id: one.id,
        status: 'paused',
      })
      expect((await other.listActiveCampaigns({ day: 0 })).map(({ num }) => num)).toEqual(more.map(({ num }) => num))
      expect(await store.setCampaignStatus({ id: one.id, status: 'active', audit: makeAuditContext() })).toMatchObject({
        status: 'active',
      })
      expect(
        await store.setCampaignStatus({ id: makeId('never', 1), status: 'paused', audit: makeAuditContext() }),
      ).toBeNull()
    })

    test('findCampaign returns the latest days with counts, oldest first, and null for an unknown campaign', async () => {
      const one = await store.createCampaign({ campaign: makeCampaign(1, { price: 30 }), audit: makeAuditContext() })
      expect(await store.findCampaign({ id: one.id, maxDays: 9 })).toEqual({
        campaign: one,
        days: [],
        sponsorLinkAt: null,
      })
      for (const [number, at] of [start, start + day, start + day + hour, start + 3 * day].entries()) {
        const id = await serveAd(store, number, at, toCandidate(one))
        await count(store, id, at + 1000)
        if (number === 2) await store.recordClick({ serveId: id, now: at + 2000 })
      }
      const days = [
        { day: computeDay(start), impressions: 1, clicks: 0, micros: 30 },
        { day: computeDay(start) + 1, impressions: 2, clicks: 1, micros: 60 },
        { day: computeDay(start) + 3, impressions: 1, clicks: 0, micros: 30 },
      ]
      expect(await other.findCampaign({ id: one.id, maxDays: 9 })).toEqual({
        campaign: { ...one, spent: 120, impressions: 4, clicks: 1 },
        days,
        sponsorLinkAt: null,
      })
      expect((await store.findCampaign({ id: one.id, maxDays: 2 }))!.days).toEqual(days.slice(1))
      expect(await store.findCampaign({ id: makeId('never', 1), maxDays: 9 })).toBeNull()
    })

    test('replaceCampaign replaces the details and keeps status and counts; a served ad keeps its price', async () => {
      const one = await store.createCampaign({ campaign: makeCampaign(1, { price: 30 }), audit: makeAuditContext() })
      await store.setCampaignStatus({ id: one.id, status: 'paused', audit: makeAuditContext() })
      const id = await serveAd(store, 1, start, toCandidate(one))
      const {
        id: _,
        createdAt: __,
        ...details
      } = makeCampaign(2, {
        favicon: 'https://acme.example/f.png',
        topics: ['ai'],
        dailyCap: 7,
        startsAt: start,
        endsAt: start + day,
        cpmUsd: 0.125,
        price: 125,
      })
      const changed = { ...one, ...details, status: 'paused' }
      expect(await other.replaceCampaign({ id: one.id, details, audit: makeAuditContext() })).toEqual(changed)
      expect(await count(store, id, start + 1000)).toEqual({ outcome: 'counted', campaign: one.num })
      const found = await store.findCampaign({ id: one.id, maxDays: 9 })
      expect(found).toEqual({
        campaign: { ...changed, spent: 30, impressions: 1 },
        days: [{ day: computeDay(start), impressions: 1, clicks: 0, micros: 30 }],
        sponsorLinkAt: null,
      })
      expect(await store.replaceCampaign({ id: makeId('never', 1), details, audit: makeAuditContext() })).toBeNull()
    })

    const setLink = (id: string, tokenHash: string | null) =>
      store.setSponsorLink({ id, tokenHash, audit: makeAuditContext() })

    test('setSponsorLink replaces a link and removes it; findSponsored finds a campaign only by its link', async () => {
      const [one, two] = [
        await store.createCampaign({ campaign: makeCampaign(1), audit: makeAuditContext() }),
        await store.createCampaign({ campaign: makeCampaign(2), audit: makeAuditContext() }),
      ]
      const [first, second, third] = [makeHash('link', 1), makeHash('link', 2), makeHash('link', 3)]
      const findId = async (tokenHash: string) => (await other.findSponsored({ tokenHash }))?.campaign.id ?? null
      expect(await setLink(one.id, null)).toBe(true)
      expect(await setLink(makeId('never', 1), first)).toBe(false)
      expect(await findId(first)).toBeNull()
      expect([await setLink(one.id, first), await setLink(two.id, second)]).toEqual([true, true])
      expect(await other.findSponsored({ tokenHash: first })).toEqual({
        campaign: one,
        days: [],
        rejections: [],
        months: [],
        corrections: [],
      })
      expect(await findId(second)).toBe(two.id)
      const { sponsorLinkAt } = (await other.findCampaign({ id: one.id, maxDays: 1 }))!
      expect(sponsorLinkAt).toBe(makeAuditContext().at)
      expect(await setLink(one.id, third)).toBe(true)
      expect([await findId(first), await findId(second), await findId(third)]).toEqual([null, two.id, one.id])
      expect(await setLink(one.id, null)).toBe(true)
      expect([await findId(third), await findId(second)]).toEqual([null, two.id])
      expect((await other.findCampaign({ id: one.id, maxDays: 1 }))!.sponsorLinkAt).toBeNull()
    })

    test('findSponsored returns each day with the uncounted impressions by reason, and its days sum up to the campaign', async () => {
      const one = await store.createCampaign({
        campaign: makeCampaign(1, { price: 30, budget: 100 }),
        audit: makeAuditContext(),
      })
      const two = await store.createCampaign({ campaign: makeCampaign(2), audit: makeAuditContext() })
      const hash = makeHash('link', 1)
      await setLink(one.id, hash)
      const times = [start, start, start + day, start + day, start + 2 * day]
      const ids = await Promise.all(times.map((at, n) => serveAd(store, n, at, toCandidate(one))))
      const ofOther = await serveAd(store, 20, start, toCandidate(two))
      await Promise.all([
        ...ids.map((id, n) => count(place.stores[n % 2]!, id, times[n]! + 1000)),
        count(store, ofOther, start + 10),
        count(store, ofOther, start + 1000),
      ])
      await store.recordClick({ serveId: ids[0]!, now: start + 2000 })
      const early = await serveAd(store, 30, start + 3 * day, toCandidate(one))
      for (const _ of [1, 2]) await count(store, early, start + 3 * day)
      await count(store, ids[0]!, start + 3 * day)
      const found = (await other.findSponsored({ tokenHash: hash }))!
      const add = (pick: (one: (typeof found.days)[number]) => number) =>
        found.days.reduce((sum, one) => sum + pick(one), 0)
      expect(found.campaign).toMatchObject({ id: one.id, spent: 90, impressions: 3 })
      expect([add(({ micros }) => micros), add(({ impressions }) => impressions), add(({ clicks }) => clicks)]).toEqual(
        [found.campaign.spent, found.campaign.impressions, found.campaign.clicks],
      )
      expect(found.days.map(({ day: at }) => at)).toEqual(found.days.map(({ day: at }) => at).toSorted((a, b) => a - b))
      const capped = found.rejections.filter(({ reason }) => reason === 'capped')
      expect(capped.reduce((sum, { count: times }) => sum + times, 0)).toBe(2)
      expect(found.rejections.slice(-2)).toEqual([
        { day: computeDay(start) + 3, reason: 'replayed', count: 1 },
        { day: computeDay(start) + 3, reason: 'too_soon', count: 2 },
      ])
    })

    test('closeMonth closes a month once; later impressions of that month are added to the month that is open then', async () => {
      const one = await store.createCampaign({
        campaign: makeCampaign(1, { price: 30, budget: 1000, createdAt: Date.UTC(2026, 9, 5) }),
        audit: makeAuditContext(),
      })
      const hash = makeHash('link', 1)
      await setLink(one.id, hash)
      const countAt = async (n: number, at: number) => {
        const id = await serveAd(store, n, at, toCandidate(one))
        await count(other, id, at + 1000)
        return id
      }
      const close = (month: string, after: number) =>
        other.closeMonth({ month, lastDay: computeDay(after) - 1, now: after + 2 * day })
      const find = async () => (await other.findSponsored({ tokenHash: hash }))!
      const [october, november, december] = [9, 10, 11].map((month) => Date.UTC(2026, month, 1)) as [
        number,
        number,
        number,
      ]
      const first = await countAt(1, october + 10 * day)
      await count(store, first, october + 10 * day + 2000)
      await close('2026-09', october)
      expect((await find()).months).toEqual([])
      await Promise.all([close('2026-10', november), close('2026-10', november)])
      const closed = { month: '2026-10', impressions: 1, clicks: 0, notCounted: 1, micros: 30, corrections: 0 }
      expect((await find()).months).toEqual([closed])
      // A host with a slow clock records an impression with a time in October after October was closed.
      await countAt(2, october + 20 * day)
      await countAt(3, november + day)
      await close('2026-10', november)
      await close('2026-09', october)
      expect((await find()).months).toEqual([closed])
      await close('2026-11', december)
      expect((await find()).months).toEqual([
        closed,
        { month: '2026-11', impressions: 2, clicks: 0, notCounted: 0, micros: 60, corrections: 0 },
      ])
    })

    test('correctCampaign changes the spend once for each id, with an audit entry, and refuses a larger credit', async () => {
      const one = await store.createCampaign({
        campaign: makeCampaign(1, { price: 30, budget: 100 }),
        audit: makeAuditContext(),
      })
      const hash = makeHash('link', 1)
      await setLink(one.id, hash)
      await count(store, await serveAd(store, 1, start, toCandidate(one)), start + 1000)
      const correct = (n: number, micros: number, on = store) =>
        on.correctCampaign({
          id: makeId('correction', n),
          campaignId: one.id,
          micros,
          reason: `Reason ${n}`,
          audit: makeAuditContext(),
        })
      expect(await correct(1, -31)).toBe('too_large')
      const [a, b] = await Promise.all([correct(2, -10), correct(2, -10, other)])
      expect([a, b]).toEqual([
        { ...one, spent: 20, impressions: 1 },
        { ...one, spent: 20, impressions: 1 },
      ])
      expect(await correct(3, 5)).toMatchObject({ spent: 25 })
      expect(
        await store.correctCampaign({
          id: makeId('correction', 4),
          campaignId: makeId('never', 1),
          micros: 1,
          reason: 'r',
          audit: makeAuditContext(),
        }),
      ).toBeNull()
      const made = { day: expect.any(Number), micros: -10, reason: 'Reason 2' }
      const found = (await other.findSponsored({ tokenHash: hash }))!
      const expected = [
        { ...made, id: makeId('correction', 2) },
        { ...made, id: makeId('correction', 3), micros: 5, reason: 'Reason 3' },
      ]
      expect(found.corrections).toEqual(expected.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      expect(found.campaign.spent).toBe(25)
    })

    const findRunning = async (at: number): Promise<ActiveCampaign> =>
      (await store.listActiveCampaigns({ day: computeDay(at) }))[0]!

    test('recordImpression charges the price of each counted impression and never more than the budget', async () => {
      const one = await store.createCampaign({
        campaign: makeCampaign(1, { price: 30, budget: 310 }),
        audit: makeAuditContext(),
      })
      for (let n = 0; n < 30; n++) await place.claim('ann', `device-${n}`)
      const ids = await Promise.all(
        Array.from({ length: 30 }, (_, n) => serveAd(store, n, start, toCandidate(one), `device-${n}`)),
      )
      const said = await Promise.all(ids.map((id, n) => count(place.stores[n % 2]!, id, start + 1000)))
      expect(said.filter((one) => one.outcome === 'counted')).toHaveLength(10)
      expect(said.filter((one) => one.outcome === 'capped')).toHaveLength(20)
      expect(await findRunning(start)).toMatchObject({
        spent: 300,
        impressions: 10,
        impressionsToday: 10,
        day: computeDay(start),
      })
    })

    test('recordImpression applies the daily cap to the UTC day in which the impression counts', async () => {
      const one = await store.createCampaign({ campaign: makeCampaign(1, { dailyCap: 2 }), audit: makeAuditContext() })
      const countOn = async (number: number, at: number) =>
        (await count(store, await serveAd(store, number, at - 1000, toCandidate(one)), at)).outcome
      const midnight = (computeDay(start) + 1) * day
      expect([
        await countOn(1, midnight - 5000),
        await countOn(2, midnight - 4000),
        await countOn(3, midnight - 1),
      ]).toEqual(['counted', 'counted', 'capped'])
      expect([await countOn(4, midnight), await countOn(5, midnight), await countOn(6, midnight + hour)]).toEqual([
        'counted',
        'counted',
        'capped',
      ])
      expect(await findRunning(midnight)).toMatchObject({ impressions: 4, impressionsToday: 2 })
      expect(await findRunning(midnight - 1)).toMatchObject({ impressionsToday: 2 })
      expect(await findRunning(midnight + day)).toMatchObject({ impressionsToday: 0 })
    })

    test('recordImpression counts serves of a campaign that was paused meanwhile', async () => {
      const one = await store.createCampaign({ campaign: makeCampaign(1), audit: makeAuditContext() })
      const id = await serveAd(store, 1, start, toCandidate(one))
      await store.setCampaignStatus({ id: one.id, status: 'paused', audit: makeAuditContext() })
      expect(await count(store, id, start + 1000)).toEqual({ outcome: 'counted', campaign: one.num })
    })

    test('rotateSecrets adds one secret for all hosts; when it is old, it adds a second one and returns both', async () => {
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
      const one = await store.createCampaign({ campaign: makeCampaign(1), audit: makeAuditContext() })
      const id = await serveAd(store, 1, start, toCandidate(one))
      const networkServe = await serveAd(store, 2, start, makeNetworkAd(2, 'https://network.example/2'))
      for (const each of [id, networkServe]) await count(store, each, start + 1000)
      await recordVote(networkServe, 'down')
      await store.recordClick({ serveId: networkServe, now: start + 2000 })
      const exported = await store.export({ ownerId: 'ann' })
      const days = exported.days.toSorted((one, another) => (one.outcome < another.outcome ? -1 : 1))
      expect({ ...exported, days }).toEqual({
        days: [
          ['clicked', 1],
          ['counted', 2],
        ].map(([outcome, times]) => ({
          device: 'device-1',
          day: computeDay(start),
          outcome,
          count: times,
          micros: outcome === 'counted' ? 20_000 : 0,
        })),
        votes: [
          {
            device: 'device-1',
            fingerprint: makeNetworkAd(2).fingerprint,
            vote: 'down',
            reason: null,
            votedAt: start + minute,
          },
        ],
        serves: [id, networkServe].toSorted().map((each) => ({
          id: each,
          device: 'device-1',
          source: each === id ? 'campaign' : 'network',
          servedAt: start,
          outcome: 'counted',
          countedAt: start + 1000,
          clickedAt: each === id ? null : start + 2000,
        })),
      })
      await store.erase({ ownerId: 'ann' })
      expect(await store.export({ ownerId: 'ann' })).toEqual({ days: [], votes: [], serves: [] })
      expect(await place.queued()).toEqual([])
      expect(await count(store, id, start + 2000)).toEqual({ outcome: 'unknown' })
      expect(await findRunning(start)).toMatchObject({ spent: 20_000, impressions: 1 })
      expect(await store.export({ ownerId: 'bob' })).toMatchObject({
        days: [{ device: 'bobs-device', count: 1 }],
        serves: [{ device: 'bobs-device' }],
      })
    })

    test('deleteServes deletes the serves before a time, whether they were counted or not, and no later serves', async () => {
      const old = [await serveAd(store, 1), await serveAd(store, 2)]
      await count(store, old[0]!, start + 1000)
      const kept = await serveAd(store, 3, start + 8 * day)
      while (await store.deleteServes({ before: start + 8 * day }));
      expect(await Promise.all(old.map((id) => store.findTarget({ serveId: id })))).toEqual([null, null])
      expect(await store.findTarget({ serveId: kept })).not.toBeNull()
      while (await store.deleteServes({ before: start + 8 * day + 1 }));
      expect(await store.findTarget({ serveId: kept })).toBeNull()
    })
  })
}
