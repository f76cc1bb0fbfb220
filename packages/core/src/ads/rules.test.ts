import { seededRandom } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createCampaignCache, campaignCacheMs } from './campaign-cache.ts'
import { campaignStatus, dayOf, isWithinPace, matchTopic, pricePerImpression, rankCampaigns } from './rules.ts'
import type { ActiveCampaign } from './store.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour
const noon = Date.UTC(2026, 10, 20, 12)

const running = (changes: Partial<ActiveCampaign> = {}): ActiveCampaign => ({
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
  day: dayOf(noon),
  impressionsToday: 0,
  ...changes,
})

describe('the pace', () => {
  test('without an end and a cap only the budget counts, with what is out taken as spent', () => {
    expect(isWithinPace(running({ spent: 9_980_000 }), 0, noon)).toBe(true)
    expect(isWithinPace(running({ spent: 9_980_001 }), 0, noon)).toBe(false)
    expect(isWithinPace(running({ spent: 9_960_000 }), 1, noon)).toBe(true)
    expect(isWithinPace(running({ spent: 9_960_000 }), 2, noon)).toBe(false)
    expect(isWithinPace(running({ budget: 0 }), 0, noon)).toBe(false)
  })

  test('a campaign runs from its start to its end', () => {
    const run = { startsAt: noon, endsAt: noon + day }
    expect([noon - 1, noon, noon + day - 1, noon + day].map((now) => isWithinPace(running(run), 0, now))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test.each([1, 7, 30])(
    'over %i days the budget is never far ahead of the time, and is used up at the end',
    (length) => {
      const random = seededRandom(length)
      const campaign = running({ startsAt: noon, endsAt: noon + length * day, price: 10_000, budget: 1_000_000 })
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

  test('a daily cap is spread over the UTC day, an hour ahead, and starts anew at midnight', () => {
    const capped = (now: number, today: number, out = 0) =>
      isWithinPace(running({ dailyCap: 240, day: dayOf(now), impressionsToday: today }), out, now)
    const midnight = dayOf(noon) * day
    expect([capped(midnight, 9), capped(midnight, 10), capped(midnight, 5, 5)]).toEqual([true, false, false])
    expect([capped(noon, 129), capped(noon, 130)]).toEqual([true, false])
    expect([capped(midnight + day - 1, 239), capped(midnight + day - 1, 240)]).toEqual([true, false])
    expect(isWithinPace(running({ dailyCap: 240, day: dayOf(noon) - 1, impressionsToday: 240 }), 0, midnight)).toBe(
      true,
    )
    expect(capped(noon, 0, 0)).toBe(true)
    expect(isWithinPace(running({ dailyCap: 0 }), 0, noon)).toBe(false)
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
  ])('is, for a campaign %s, %s at %i: %s', (_, changes, now, status) => {
    expect(campaignStatus(running(changes), now)).toBe(status)
  })
})

test('what asked for the topic comes first, then the dearer, then what used less; the rest is out', () => {
  const all = [
    running({ num: 1, price: 5, topics: [] }),
    running({ num: 2, price: 9, topics: [] }),
    running({ num: 3, price: 1, topics: ['ai', 'data'] }),
    running({ num: 4, price: 2, topics: ['testing'] }),
    running({ num: 5, price: 9, spent: -1, topics: [] }),
    running({ num: 6, price: 9, endsAt: noon, topics: [] }),
  ]
  const none = (): number => 0
  expect(rankCampaigns(all, 'ai', none, noon).map(({ num }) => num)).toEqual([3, 5, 2, 1])
  expect(rankCampaigns(all, undefined, none, noon).map(({ num }) => num)).toEqual([5, 2, 1])
  expect([
    matchTopic(all[2]!, 'data'),
    matchTopic(all[2]!, 'testing'),
    matchTopic(all[2]!, undefined),
    matchTopic(all[0]!, 'ai'),
  ]).toEqual(['contextual', null, null, 'general'])
  expect([pricePerImpression(20), pricePerImpression(0.125), pricePerImpression(0)]).toEqual([20_000, 125, 0])
})

describe('the roster', () => {
  const counting = (list: ActiveCampaign[] = [running()]) => {
    let asked = 0
    return {
      store: { listActiveCampaigns: async () => (asked++, list.map((one) => ({ ...one }))) },
      asked: () => asked,
    }
  }

  test('asks once in five seconds however many look, and again when the clock steps back or the operator changed something', async () => {
    const { store, asked } = counting()
    const kept = createCampaignCache(store, 300_000)
    await Promise.all(Array.from({ length: 50 }, () => kept.listActive(noon)))
    await kept.listActive(noon + campaignCacheMs - 1)
    expect(asked()).toBe(1)
    await kept.listActive(noon + campaignCacheMs)
    await kept.listActive(noon)
    expect(asked()).toBe(3)
    kept.invalidate()
    await kept.listActive(noon)
    expect(asked()).toBe(4)
  })

  test('a list that was asked for before a change is not kept after it', async () => {
    const answers: ((list: ActiveCampaign[]) => void)[] = []
    const kept = createCampaignCache(
      { listActiveCampaigns: () => new Promise((resolve) => answers.push(resolve)) },
      300_000,
    )
    const first = kept.listActive(noon)
    kept.invalidate()
    answers[0]!([])
    await first
    const second = kept.listActive(noon)
    expect(answers).toHaveLength(2)
    answers[1]!([running()])
    expect(await second).toHaveLength(1)
  })

  test('knows its serves that may still count, and forgets them when they counted or expired', async () => {
    const { store } = counting()
    const kept = createCampaignCache(store, 300_000)
    const [one] = await kept.listActive(noon)
    for (let n = 0; n < 10; n++) kept.recordServe(1, noon + n * 10_000)
    for (let n = 0; n < 4; n++) kept.recordImpression(1, noon + 100_000)
    expect([kept.countOutstanding(1), kept.countOutstanding(2), one!.spent, one!.impressionsToday]).toEqual([
      6, 0, 80_000, 4,
    ])
    await kept.listActive(noon + 500_000)
    expect(kept.countOutstanding(1)).toBe(0)
    kept.recordImpression(1, noon + 500_000)
    expect(kept.countOutstanding(1)).toBe(0)
  })
})
