import { utcDay } from '../ids.ts'
import { seededRandom } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createCampaignCache, campaignCacheMs } from './campaign-cache.ts'
import {
  campaignStatus,
  declinesTracking,
  isWithinPace,
  matchTopic,
  maxCampaignDays,
  plannedShare,
  pricePerImpression,
  rankCampaigns,
} from './rules.ts'
import type { ActiveCampaign } from './store.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour
const noon = Date.UTC(2026, 10, 20, 12)

const makeActiveCampaign = (changes: Partial<ActiveCampaign> = {}): ActiveCampaign => ({
  num: 1,
  id: 'c',
  name: 'c',
  brandName: 'b',
  title: 't',
  text: 'x',
  url: 'https://a.example/',
  favicon: null,
  fingerprint: 'f',
  topics: [],
  cpmUsd: 20,
  price: 20_000,
  budget: 10_000_000,
  dailyCap: null,
  startsAt: null,
  endsAt: null,
  createdAt: noon - day,
  status: 'active',
  spent: 0,
  impressions: 0,
  clicks: 0,
  day: utcDay(noon),
  impressionsToday: 0,
  ...changes,
})

describe('isWithinPace', () => {
  test('checks only the budget if a campaign has neither an end nor a cap, and treats outstanding serves as spent', () => {
    expect(isWithinPace(makeActiveCampaign({ spent: 9_980_000 }), 0, noon)).toBe(true)
    expect(isWithinPace(makeActiveCampaign({ spent: 9_980_001 }), 0, noon)).toBe(false)
    expect(isWithinPace(makeActiveCampaign({ spent: 9_960_000 }), 1, noon)).toBe(true)
    expect(isWithinPace(makeActiveCampaign({ spent: 9_960_000 }), 2, noon)).toBe(false)
    expect(isWithinPace(makeActiveCampaign({ budget: 0 }), 0, noon)).toBe(false)
  })

  test('returns true from the start of a campaign until its end', () => {
    const run = { startsAt: noon, endsAt: noon + day }
    expect(
      [noon - 1, noon, noon + day - 1, noon + day].map((now) => isWithinPace(makeActiveCampaign(run), 0, now)),
    ).toEqual([false, true, true, false])
  })

  test.each([1, 7, 30])(
    'for a run of %i days, allows spending at most a 24th of the budget ahead of plan, and the whole budget by the end',
    (length) => {
      const random = seededRandom(length)
      const campaign = makeActiveCampaign({
        startsAt: noon,
        endsAt: noon + length * day,
        price: 10_000,
        budget: 1_000_000,
      })
      const step = (length * day) / 2000
      for (let now = noon; now < noon + length * day; now += step) {
        for (let tries = random(1)[0]! % 4; tries >= 0; tries--)
          if (isWithinPace(campaign, 0, now)) campaign.spent += campaign.price
        const ahead = Math.max(hour, (length * day) / 24)
        expect(campaign.spent).toBeLessThanOrEqual(
          campaign.budget * Math.min(1, (now - noon + ahead) / (length * day)) + campaign.price,
        )
      }
      expect(campaign.spent).toBe(campaign.budget)
    },
  )

  test('at the start, allows the budget of one hour of a short run, or of a 24th of a long run', () => {
    const isAllowed = (hours: number, spent: number) =>
      isWithinPace(
        makeActiveCampaign({ startsAt: noon, endsAt: noon + hours * hour, price: 1, budget: 600, spent }),
        0,
        noon,
      )
    expect([isAllowed(12, 49), isAllowed(12, 50)]).toEqual([true, false])
    expect([isAllowed(24, 24), isAllowed(24, 25)]).toEqual([true, false])
    expect([isAllowed(48, 24), isAllowed(48, 25)]).toEqual([true, false])
    // A run that is shorter than an hour may spend its whole budget at its start.
    expect([isAllowed(0.5, 599), isAllowed(0.5, 600)]).toEqual([true, false])
  })

  test('spreads a daily cap over the UTC day, up to an hour ahead, and starts again at midnight', () => {
    const isWithinCap = (now: number, today: number, out = 0) =>
      isWithinPace(makeActiveCampaign({ dailyCap: 240, day: utcDay(now), impressionsToday: today }), out, now)
    const midnight = utcDay(noon) * day
    expect([isWithinCap(midnight, 9), isWithinCap(midnight, 10), isWithinCap(midnight, 5, 5)]).toEqual([
      true,
      false,
      false,
    ])
    expect([isWithinCap(noon, 129), isWithinCap(noon, 130)]).toEqual([true, false])
    expect([isWithinCap(midnight + day - 1, 239), isWithinCap(midnight + day - 1, 240)]).toEqual([true, false])
    expect(
      isWithinPace(makeActiveCampaign({ dailyCap: 240, day: utcDay(noon) - 1, impressionsToday: 240 }), 0, midnight),
    ).toBe(true)
    const ofYesterday = makeActiveCampaign({ dailyCap: 48, day: utcDay(noon) - 1, impressionsToday: 48 })
    expect([isWithinPace(ofYesterday, 1, midnight), isWithinPace(ofYesterday, 2, midnight)]).toEqual([true, false])
    expect(isWithinCap(noon, 0, 0)).toBe(true)
    expect(isWithinPace(makeActiveCampaign({ dailyCap: 0 }), 0, noon)).toBe(false)
  })

  test.each([1, 5, 24])('allows all %i impressions of a small daily cap at any time of the UTC day', (dailyCap) => {
    const midnight = utcDay(noon) * day
    for (const now of [midnight, midnight + hour / 2, midnight + day - 1]) {
      const isAllowed = (impressionsToday: number, outstanding: number) =>
        isWithinPace(makeActiveCampaign({ dailyCap, day: utcDay(now), impressionsToday }), outstanding, now)
      expect([isAllowed(0, dailyCap - 1), isAllowed(dailyCap - 1, 0)]).toEqual([true, true])
      expect([isAllowed(0, dailyCap), isAllowed(dailyCap, 0)]).toEqual([false, false])
    }
  })
})

describe('campaignStatus', () => {
  const run = { startsAt: noon, endsAt: noon + day }
  test.each<[string, Partial<ActiveCampaign>, number, string]>([
    ['before its start', run, noon - 1, 'scheduled'],
    ['at its start', run, noon, 'active'],
    ['before its end', run, noon + day - 1, 'active'],
    ['at its end', run, noon + day, 'ended'],
    ['without dates', {}, noon, 'active'],
    ['with money for one more impression', { spent: 9_980_000 }, noon, 'active'],
    ['with less', { spent: 9_980_001 }, noon, 'exhausted'],
    ['paused', { status: 'paused' }, noon, 'paused'],
    ['paused before its start', { ...run, status: 'paused' }, noon - 1, 'paused'],
    ['paused and spent', { status: 'paused', spent: 10_000_000 }, noon, 'exhausted'],
    ['paused, spent and over', { ...run, status: 'paused', spent: 10_000_000 }, noon + day, 'ended'],
    ['without money before its start', { ...run, budget: 0 }, noon - 1, 'exhausted'],
    ['free of charge', { budget: 0, price: 0 }, noon, 'active'],
  ])('for a campaign %s (%j at %i) returns %s', (_, changes, now, status) => {
    expect(campaignStatus(makeActiveCampaign(changes), now)).toBe(status)
  })
})

describe('rankCampaigns', () => {
  test('orders by matching topic, then price, then unspent budget, and omits campaigns that do not match or are not running', () => {
    const all = [
      makeActiveCampaign({ num: 1, price: 5, topics: [] }),
      makeActiveCampaign({ num: 2, price: 9, topics: [] }),
      makeActiveCampaign({ num: 3, price: 1, topics: ['ai', 'data'] }),
      makeActiveCampaign({ num: 4, price: 2, topics: ['testing'] }),
      makeActiveCampaign({ num: 5, price: 9, spent: -1, topics: [] }),
      makeActiveCampaign({ num: 6, price: 9, endsAt: noon, topics: [] }),
    ]
    const rankForTopic = (topic: 'ai' | undefined): number[] =>
      rankCampaigns(all, { topic, countOutstanding: () => 0, now: noon }).map(({ num }) => num)
    expect(rankForTopic('ai')).toEqual([3, 5, 2, 1])
    expect(rankForTopic(undefined)).toEqual([5, 2, 1])
  })

  test('orders equal prices by the spent share of the budget, and equal shares by number', () => {
    const all = [
      makeActiveCampaign({ num: 4, spent: 300, budget: 1_000 }),
      makeActiveCampaign({ num: 3, spent: 200, budget: 1_000 }),
      makeActiveCampaign({ num: 2, spent: 400, budget: 2_000 }),
      makeActiveCampaign({ num: 1, spent: 100, budget: 1_000 }),
    ].map((campaign) => ({ ...campaign, price: 1, topics: [] }))
    const ranked = rankCampaigns(all, { topic: undefined, countOutstanding: () => 0, now: noon })
    expect(ranked.map(({ num }) => num)).toEqual([1, 2, 3, 4])
  })

  test('returns the sixteen best campaigns when many campaigns match', () => {
    const all = Array.from({ length: 20 }, (_, index) => makeActiveCampaign({ num: index, price: index, topics: [] }))
    const ranked = rankCampaigns(all, { topic: undefined, countOutstanding: () => 0, now: noon })
    expect(ranked.map(({ num }) => num)).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4])
  })
})

describe('matchTopic', () => {
  test.each([
    [['ai', 'data'], 'data', 'contextual'],
    [['ai', 'data'], 'testing', null],
    [['ai', 'data'], undefined, null],
    [[], 'ai', 'general'],
  ] as const)('for a campaign with topics %j and the topic %s returns %s', (topics, topic, match) => {
    expect(matchTopic({ topics }, topic)).toBe(match)
  })
})

test('declinesTracking is true only for a DNT or GPC of 1, also if the header was sent twice', () => {
  for (const name of ['dnt', 'sec-gpc'])
    for (const [value, declines] of Object.entries({
      '1': true,
      ' 1 ': true,
      '1, 1': true,
      '0, 1': true,
      '0': false,
      '': false,
      'true': false,
      '11': false,
    }))
      expect([name, value, declinesTracking({ [name]: value })]).toEqual([name, value, declines])
  expect([declinesTracking({}), maxCampaignDays]).toEqual([false, 400])
})

describe('pricePerImpression', () => {
  test('returns a thousandth of the CPM in millionths of a dollar', () => {
    expect([pricePerImpression(20), pricePerImpression(0.125), pricePerImpression(0)]).toEqual([20_000, 125, 0])
  })
})

describe('createCampaignCache', () => {
  const createCountingStore = (list: ActiveCampaign[] = [makeActiveCampaign()]) => {
    let reads = 0
    return {
      store: { listActiveCampaigns: async () => (reads++, list.map((campaign) => ({ ...campaign }))) },
      reads: () => reads,
    }
  }

  test('reads the store once in five seconds, and again after invalidate or when the clock is set back', async () => {
    const { store, reads } = createCountingStore()
    const cache = createCampaignCache(store, 300_000)
    await Promise.all(Array.from({ length: 50 }, () => cache.listActive(noon)))
    await cache.listActive(noon + campaignCacheMs - 1)
    expect(reads()).toBe(1)
    await cache.listActive(noon + campaignCacheMs)
    await cache.listActive(noon)
    expect(reads()).toBe(3)
    cache.invalidate()
    await cache.listActive(noon)
    expect(reads()).toBe(4)
  })

  test('does not keep a list that was requested before invalidate', async () => {
    const answers: ((list: ActiveCampaign[]) => void)[] = []
    const cache = createCampaignCache(
      { listActiveCampaigns: () => new Promise((resolve) => answers.push(resolve)) },
      300_000,
    )
    const first = cache.listActive(noon)
    cache.invalidate()
    answers[0]!([])
    await first
    const second = cache.listActive(noon)
    expect(answers).toHaveLength(2)
    answers[1]!([makeActiveCampaign()])
    expect(await second).toHaveLength(1)
  })

  test('counts a serve as outstanding until its impression counts or the serve expires', async () => {
    const { store } = createCountingStore()
    const cache = createCampaignCache(store, 300_000)
    const [campaign] = await cache.listActive(noon)
    for (let n = 0; n < 10; n++) cache.recordServe(1, noon + n * 10_000)
    for (let n = 0; n < 4; n++) cache.recordImpression(1, noon + 100_000)
    expect([cache.countOutstanding(1), cache.countOutstanding(2), campaign!.spent, campaign!.impressionsToday]).toEqual(
      [6, 0, 80_000, 4],
    )
    await cache.listActive(noon + 500_000)
    expect(cache.countOutstanding(1)).toBe(0)
    cache.recordImpression(1, noon + 500_000)
    expect(cache.countOutstanding(1)).toBe(0)
  })
})

describe('plannedShare', () => {
  test('grows evenly from the start or creation to the end, and is null without an end', () => {
    const run = { startsAt: noon, endsAt: noon + 4 * day, createdAt: noon - 4 * day }
    expect([-day, 0, day, 3 * day, 9 * day].map((after) => plannedShare(run, noon + after))).toEqual([
      0, 0, 0.25, 0.75, 1,
    ])
    expect(plannedShare({ ...run, startsAt: null }, noon)).toBe(0.5)
    expect(plannedShare({ ...run, endsAt: null }, noon)).toBeNull()
    expect(plannedShare({ startsAt: noon, endsAt: noon, createdAt: noon }, noon + day)).toBe(1)
  })
})
