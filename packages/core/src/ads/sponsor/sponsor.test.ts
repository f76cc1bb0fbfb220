import { createTestStores, fixture, type Fixture, type Signed, type TestStores } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { operator, paidCampaign, type ServedAd } from '../fixture.ts'
import type { Campaign, SponsoredCampaign } from '../store.ts'
import { closeMonths, projectedEnd, sponsorCsv, sponsorMonths, sponsorMonthsCsv } from './rules.ts'

const dayMs = 24 * 60 * 60 * 1000
const now = Date.UTC(2026, 10, 20, 12)
const today = Math.floor(now / dayMs)

const sponsored = (changes: Partial<Campaign> = {}, days: SponsoredCampaign['days'] = []): SponsoredCampaign => ({
  campaign: {
    num: 1,
    id: 'campaign',
    name: '=HYPERLINK("https://evil.example")',
    brandName: '=Acme',
    title: 'Acme',
    text: 'line',
    url: 'https://acme.example',
    favicon: null,
    fingerprint: '',
    topics: [],
    cpmUsd: 20,
    price: 20_000,
    budget: 10_000_000,
    dailyCap: null,
    startsAt: now - 30 * dayMs,
    endsAt: null,
    createdAt: now - 30 * dayMs,
    status: 'active',
    spent: days.reduce((sum, { micros }) => sum + micros, 0),
    impressions: 0,
    clicks: 0,
    ...changes,
  },
  days,
  rejections: [],
  months: [],
  corrections: [],
})
const spend = (day: number, micros: number) => ({ day, impressions: micros / 20_000, clicks: 0, micros })

describe('projectedEnd', () => {
  test('returns when the rest of the budget is used up at the pace of the last seven days', () => {
    // Six and a half days at a dollar a day leave 3.5 dollars of ten.
    const week = Array.from({ length: 7 }, (_, n) => spend(today - n, n === 0 ? 500_000 : 1_000_000))
    expect(projectedEnd(sponsored({}, week), now)).toBe(now + 3.5 * dayMs)
    expect(projectedEnd(sponsored({ endsAt: now + dayMs }, week), now)).toBe(now + dayMs)
    expect(projectedEnd(sponsored({ spent: 6_500_000 }, [spend(today - 7, 6_500_000)]), now)).toBeNull()
  })

  test("returns the campaign's own end if there is no spend or the end has passed, and null for a paused or used-up campaign", () => {
    expect(projectedEnd(sponsored(), now)).toBeNull()
    expect(projectedEnd(sponsored({ endsAt: now + dayMs }), now)).toBe(now + dayMs)
    expect(projectedEnd(sponsored({ endsAt: now - dayMs }), now)).toBe(now - dayMs)
    expect(projectedEnd(sponsored({ status: 'paused', endsAt: now + dayMs }), now)).toBeNull()
    expect(projectedEnd(sponsored({ spent: 10_000_000 }), now)).toBeNull()
    expect(projectedEnd(sponsored({ budget: 1e15 }, [spend(today, 20_000)]), now)).toBeNull()
  })
})

describe('sponsorMonths', () => {
  const october = Math.floor(Date.UTC(2026, 9, 30) / dayMs)
  const open = sponsored({}, [spend(october, 40_000), spend(october + 2, 20_000), spend(today, 20_000)])
  const figures = { impressions: 0, clicks: 0, notCounted: 0, micros: 0, corrections: 0 }
  const closed = { ...figures, month: '2026-10', impressions: 2, micros: 40_000 }
  const november = { ...figures, month: '2026-11', impressions: 2, micros: 40_000 }

  test('returns open months with the day on which each closes', () => {
    const [first, second] = [Math.floor(Date.UTC(2026, 10, 3) / dayMs), Math.floor(Date.UTC(2026, 11, 3) / dayMs)]
    expect(sponsorMonths(open)).toEqual([
      { ...closed, closesOn: first },
      { ...november, closesOn: second },
    ])
  })

  test('does not change a closed month, and adds later spend to the open month', () => {
    const later = {
      ...open,
      days: [spend(october, 60_000), ...open.days.slice(1)],
      months: [closed],
      rejections: [{ day: october, reason: 'capped' as const, count: 4 }],
      corrections: [{ id: 'c', day: today, micros: -10_000, reason: 'Invalid traffic' }],
    }
    expect(sponsorMonths(later)).toEqual([
      { ...closed, closesOn: null },
      {
        ...november,
        impressions: 3,
        micros: 60_000,
        notCounted: 4,
        corrections: -10_000,
        closesOn: expect.any(Number),
      },
    ])
    expect(sponsorMonthsCsv(later).split('\r\n')).toEqual([
      'month,state,closes_on,impressions,clicks,not_counted,spend_usd,corrections_usd,total_usd',
      '2026-10,closed,,2,0,0,0.040000,0.000000,0.040000',
      '2026-11,open,2026-12-03,3,0,4,0.060000,-0.010000,0.050000',
      '',
    ])
  })
})

test.each([
  ['2026-12-02T23:59:59.999Z', ['2026-09', '2026-10']],
  ['2026-12-03T00:00:00.000Z', ['2026-09', '2026-10', '2026-11']],
  ['2027-01-03T00:00:00.000Z', ['2026-10', '2026-11', '2026-12']],
])(
  'closeMonths at %s closes past months from the third day of the following month, oldest first',
  async (at, months) => {
    const closed: string[] = []
    await closeMonths(Date.parse(at), {
      async closeMonth({ month, lastDay }) {
        expect(new Date(lastDay * dayMs).toISOString().slice(0, 7)).toBe(month)
        expect(new Date((lastDay + 1) * dayMs).toISOString().slice(8, 10)).toBe('01')
        closed.push(month)
      },
    })
    expect(closed).toEqual(months)
  },
)

test('sponsorCsv has one line for each day with stable columns, and no formula that a spreadsheet would run', () => {
  const found: SponsoredCampaign = {
    ...sponsored({ budget: 100_000, endsAt: now + dayMs }, [spend(today - 2, 40_000), spend(today, 20_000)]),
    rejections: [
      { day: today - 1, reason: 'datacenter', count: 3 },
      { day: today, reason: 'capped', count: 1 },
      { day: today, reason: 'too_soon', count: 2 },
    ],
  }
  expect(sponsorCsv(found, now).split('\r\n')).toEqual([
    'day,impressions,clicks,spend_usd,not_counted,not_counted_too_soon,not_counted_expired,not_counted_replayed,' +
      'not_counted_unclaimed,not_counted_datacenter,not_counted_capped,not_counted_capped_person,' +
      'not_counted_capped_new,not_counted_capped_address,remaining_budget_usd,projected_end,corrections_usd',
    '2026-11-18,2,0,0.040000,0,0,0,0,0,0,0,0,0,0,0.060000,2026-11-21,0.000000',
    '2026-11-19,0,0,0.000000,3,0,0,0,0,3,0,0,0,0,0.060000,2026-11-21,0.000000',
    '2026-11-20,1,0,0.020000,3,2,0,0,0,0,1,0,0,0,0.040000,2026-11-21,0.000000',
    '',
  ])
})

describe('the link of a sponsor', () => {
  let stores: TestStores
  let made: Fixture
  let ann: Signed
  let id: string

  beforeEach(async () => {
    stores = createTestStores()
    made = fixture({ stores, adminToken: operator.token, baseUrl: 'https://ads.example' })
    ann = await made.signIn('ann@mail.example')
    await made.ask('POST', '/api/program/claim', { headers: ann.bearer, json: { deviceId: 'device-1' } })
    const created = await made.ask('POST', '/api/admin/campaigns', {
      headers: operator.bearer,
      json: { ...paidCampaign, name: 'Internal name' },
    })
    id = created.json.campaign.id
  })

  const link = (method: 'POST' | 'DELETE', campaign = id) =>
    made.ask(method, `/api/admin/campaigns/${campaign}/sponsor-link`, { headers: operator.bearer })
  const countOne = async (): Promise<void> => {
    const { json } = await made.ask('GET', '/api/ad?d=device-1&topic=databases', { headers: ann.bearer })
    const { ad } = json as ServedAd
    const path = new URL(ad!.impUrl).pathname
    for (const _ of ['too soon', 'counted', 'replayed']) {
      await made.ask('GET', path)
      made.clock.advance(1000)
    }
  }

  test('GET /sponsor/{token} shows counted and rejected impressions, without scripts and without the name of the campaign', async () => {
    await countOne()
    const { token, url } = (await link('POST')).json
    expect(url).toBe(`https://ads.example/sponsor/${token}`)
    const page = await made.ask('GET', `/sponsor/${token}`)
    expect(page.status).toBe(200)
    expect(page.headers.get('x-robots-tag')).toContain('noindex')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).toContain('Acme')
    expect(page.text).not.toMatch(/Internal name|<script/)
    expect(page.text).toContain('<svg')
    expect(page.text).toContain('data-reason="too_soon"')
    const csv = await made.ask('GET', `/sponsor/${token}.csv`)
    expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(csv.text.split('\r\n')[1]).toMatch(/^2026-11-20,1,0,0\.020000,2,1,0,1,0,0,0,0,0,0,9\.980000,/)
  })

  test('GET /sponsor/{token} shows a price with fractions of a cent exactly', async () => {
    const json = { ...paidCampaign, cpmUsd: 0.333 }
    const { campaign } = (await made.ask('POST', '/api/admin/campaigns', { headers: operator.bearer, json })).json
    const { token } = (await link('POST', campaign.id)).json
    expect((await made.ask('GET', `/sponsor/${token}`)).text).toContain('The price is now $0.3330 per 1,000')
  })

  test('GET /sponsor/{token} returns 404 for a token that is replaced, revoked, unknown or malformed', async () => {
    const first = (await link('POST')).json.token as string
    const second = (await link('POST')).json.token as string
    const open = async (token: string) =>
      Promise.all(['', '.csv'].map(async (suffix) => (await made.ask('GET', `/sponsor/${token}${suffix}`)).status))
    expect([await open(first), await open(second)]).toEqual([
      [404, 404],
      [200, 200],
    ])
    expect((await link('DELETE')).json).toEqual({ ok: true })
    for (const token of [
      second,
      second.toUpperCase(),
      `${second}x`,
      'trbs_',
      'x',
      id,
      ann.bearer.authorization.slice(7),
    ])
      expect(await open(token)).toEqual([404, 404])
    expect((await link('POST', '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71')).status).toBe(404)
  })

  test('the operator sees the link only once, and the database has only the hash of its token', async () => {
    const { token } = (await link('POST')).json
    const read = await made.ask('GET', `/api/admin/campaigns/${id}`, { headers: operator.bearer })
    expect(read.json.sponsorLinkAt).toBe('2026-11-20T12:00:00.000Z')
    expect(read.text).not.toContain(token)
    const { rows } = await stores.client.execute({ sql: 'select * from sponsor_links', args: [] })
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
  })
})
