import { createHash } from 'node:crypto'
import { createTestStores, fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Stores } from '../stores.ts'
import { paidCampaign, operator, type ServedAd } from './fixture.ts'

describe('campaigns', () => {
  let stores: Stores
  let made: Fixture
  let ann: Signed

  beforeEach(async () => {
    stores = createTestStores()
    made = fixture({ stores, adminToken: operator.token, baseUrl: 'https://ads.example' })
    ann = await made.signIn('ann@mail.example')
    await made.ask('POST', '/api/program/claim', { headers: ann.bearer, json: { deviceId: 'device-1' } })
  })

  const requestAd = async (query = 'd=device-1', headers: Record<string, string> = ann.bearer): Promise<ServedAd> =>
    (await made.ask('GET', `/api/ad?${query}`, { headers })).json as ServedAd
  const start = (changes: object = {}) =>
    made.ask('POST', '/api/admin/campaigns', { headers: operator.bearer, json: { ...paidCampaign, ...changes } })
  const toLocalPath = (address: string): string => new URL(address).pathname
  const readCampaign = async () =>
    (await made.ask('GET', '/api/admin/campaigns', { headers: operator.bearer })).json.items[0]

  test('GET /api/ad serves a campaign, whose impression is charged and whose click is counted', async () => {
    const created = await start()
    expect(created.status).toBe(201)
    expect(created.json).toMatchObject({
      ok: true,
      campaign: { status: 'active', budgetUsd: 10, cpmUsd: 20, spentUsd: 0, impressions: 0 },
    })
    const served = await requestAd('d=device-1&topic=databases')
    expect(served).toMatchObject({
      matchType: 'contextual',
      ttlMs: 300_000,
      ad: { text: paidCampaign.text, brandName: 'Acme', favicon: '' },
    })
    expect(served.feedback!.expiresAt).toBe('2026-11-21T12:00:00.000Z')
    expect(served.ad!.clickUrl).toBe(served.ad!.shortUrl)
    made.clock.advance(1000)
    expect((await made.ask('GET', toLocalPath(served.ad!.impUrl))).status).toBe(204)
    expect(await readCampaign()).toMatchObject({ impressions: 1, spentUsd: 0.02, clicks: 0 })
    const gone = await made.ask('GET', toLocalPath(served.ad!.clickUrl))
    expect([gone.status, gone.headers.get('location')]).toEqual([302, 'https://acme.example/db'])
    expect(await readCampaign()).toMatchObject({ clicks: 1 })
  })

  test('GET /api/ad does not repeat the previous creative while another is available', async () => {
    await start()
    const first = await requestAd('d=device-1&topic=databases')
    const print = createHash('sha256').update(`${first.ad!.text}\nhttps://acme.example/db`).digest('hex')
    expect((await requestAd(`d=device-1&topic=databases&prev=${print}`)).ad!.text).toBe(paidCampaign.text)
    await start({ text: 'Another line', topics: [], cpmUsd: 1 })
    expect(await requestAd(`d=device-1&topic=databases&prev=${print}`)).toMatchObject({
      matchType: 'general',
      ad: { text: 'Another line' },
    })
    expect((await requestAd('d=device-1&topic=databases')).ad!.text).toBe(paidCampaign.text)
  })

  test('GET /api/ad does not serve a paused campaign, or a campaign whose topics do not match', async () => {
    const { json } = await start()
    expect(await requestAd('d=device-1&topic=testing')).toMatchObject({
      ad: null,
      nonce: null,
      ttlMs: 60_000,
      matchType: null,
      feedback: null,
    })
    expect((await requestAd('d=device-1&topic=databases')).ad).not.toBeNull()
    const paused = await made.ask('PATCH', `/api/admin/campaigns/${json.campaign.id}`, {
      headers: operator.bearer,
      json: { status: 'paused' },
    })
    expect(paused.json.campaign.status).toBe('paused')
    expect((await requestAd('d=device-1&topic=databases')).ad).toBeNull()
  })

  test('GET /api/admin/campaigns shows a campaign as scheduled, active, paused, exhausted and ended', async () => {
    const formatTime = (inMs: number): string => new Date(made.clock() + inMs).toISOString()
    const created = await start({ budgetUsd: 0.05, startsAt: formatTime(60_000), endsAt: formatTime(3_600_000) })
    const statuses = [created.json.campaign.status, (await readCampaign()).status]
    made.clock.advance(60_000)
    statuses.push((await readCampaign()).status)
    for (const status of ['paused', 'active']) {
      const changed = await made.ask('PATCH', `/api/admin/campaigns/${created.json.campaign.id}`, {
        headers: operator.bearer,
        json: { status },
      })
      statuses.push(changed.json.campaign.status)
    }
    // Two impressions cost two cents each. The remaining cent does not pay for another impression.
    for (let n = 0; n < 2; n++) {
      const served = await requestAd('d=device-1&topic=databases')
      made.clock.advance(1000)
      await made.ask('GET', toLocalPath(served.ad!.impUrl))
    }
    statuses.push((await readCampaign()).status)
    made.clock.advance(3_600_000)
    statuses.push((await readCampaign()).status)
    expect(statuses).toEqual(['scheduled', 'scheduled', 'active', 'paused', 'active', 'exhausted', 'ended'])
  })

  test('GET and PUT /api/admin/campaigns/:id show a campaign by day and replace its details', async () => {
    const { id } = (await start()).json.campaign
    const path = `/api/admin/campaigns/${id}`
    const get = () => made.ask('GET', path, { headers: operator.bearer })
    const put = (json: object, to = path) => made.ask('PUT', to, { headers: operator.bearer, json })
    const served = await requestAd('d=device-1&topic=databases')
    made.clock.advance(1000)
    const edited = await put({ ...paidCampaign, text: 'Another line', topics: [], cpmUsd: 40, budgetUsd: 5 })
    expect(edited).toMatchObject({
      status: 200,
      json: { campaign: { id, text: 'Another line', topics: [], cpmUsd: 40, budgetUsd: 5, status: 'active' } },
    })
    expect((await requestAd('d=device-1&topic=testing')).ad!.text).toBe('Another line')
    await made.ask('GET', toLocalPath(served.ad!.impUrl))
    expect((await get()).json).toEqual({
      ok: true,
      campaign: { ...edited.json.campaign, spentUsd: 0.02, impressions: 1 },
      days: [{ day: '2026-11-20', impressions: 1, clicks: 0, spentUsd: 0.02 }],
      sponsorLinkAt: null,
    })
    const wrong = await put({ ...paidCampaign, url: 'http://acme.example', cpmUsd: -1 })
    expect([wrong.status, wrong.json.issues.map((issue: { path: string[] }) => issue.path[0])]).toEqual([
      400,
      ['url', 'cpmUsd'],
    ])
    expect((await get()).json.campaign.text).toBe('Another line')
    const strange = '/api/admin/campaigns/018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
    expect((await put(paidCampaign, strange)).status).toBe(404)
    expect((await made.ask('GET', strange, { headers: operator.bearer })).status).toBe(404)
    expect((await made.ask('GET', path)).status).toBe(401)
  })
})
