import { createTestStores, fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, expect, test } from 'vitest'
import { operator, paidCampaign } from './fixture.ts'

const device = 'device-of-ann-1'
let made: Fixture
let ann: Signed

beforeEach(async () => {
  made = fixture({ stores: createTestStores(), adminToken: operator.token, baseUrl: 'https://example.com/tributary' })
  ann = await made.signIn('ann@mail.example')
  await made.ask('POST', '/api/admin/campaigns', { headers: operator.bearer, json: { ...paidCampaign, topics: [] } })
  await made.ask('POST', '/api/program/claim', { headers: ann.bearer, json: { deviceId: device } })
})

const open = (person: Signed | null = ann, id = device) =>
  made.ask('GET', `/earn/${id}`, { headers: person?.cookie ?? {} })

/** Requests an ad and records `times` impressions, the first after `wait` ms. */
async function recordImpressions(times: number, wait = 1000): Promise<void> {
  const { json } = await made.ask('GET', `/api/ad?d=${device}`, { headers: ann.bearer })
  made.clock.advance(wait)
  for (let n = 0; n < times; n++) await made.ask('GET', `/api/ad/imp/${json.nonce}`)
}

test('GET /earn/:deviceId shows counted and rejected impressions by day with their reasons', async () => {
  expect((await open()).text).toContain('data-empty')
  await recordImpressions(3)
  await recordImpressions(1, 10)
  made.clock.advance(24 * 60 * 60 * 1000)
  await recordImpressions(1, 300_000)
  await recordImpressions(1)
  const { status, text } = await open()
  expect(status).toBe(200)
  expect(text).toMatch(/<h2>Last 30 days<\/h2>\s*<dl class="stats"/)
  expect(text).toMatch(/<dt>Counted<\/dt>\s*<dd>2<\/dd>/)
  expect(text).toMatch(/<strong>2 reported more than once\.<\/strong>/)
  const rows = text.split('<tr role="row">').slice(2)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatch(/2026-11-21[^]*data-reason="expired">Not counted: 1 [^]*>1</)
  expect(rows[1]).toMatch(
    /2026-11-20[^]*data-reason="too_soon">Not counted: 1 [^]*data-reason="replayed">Not counted: 2 [^]*>1</,
  )
  expect(text).toContain('scope="col"')
  expect(text).not.toMatch(/<script|style=|\son[a-z]+="/)
})

test('GET /earn/:deviceId shows which caps rejected impressions', async () => {
  made = fixture({
    stores: createTestStores(),
    adminToken: operator.token,
    rates: {},
    ads: { caps: { devicePerHour: 1 } },
  })
  ann = await made.signIn('ann@mail.example')
  await made.ask('POST', '/api/admin/campaigns', { headers: operator.bearer, json: { ...paidCampaign, topics: [] } })
  await recordImpressions(1)
  await made.ask('POST', '/api/program/claim', { headers: ann.bearer, json: { deviceId: device } })
  await recordImpressions(1)
  await recordImpressions(1)
  const { text } = await open()
  expect(text).toContain('data-reason="unclaimed">Not counted: 1')
  expect(text).toContain('data-reason="capped">Not counted: 1')
})

test('GET /earn/:deviceId shows impressions from the network of a data center, which earn nothing', async () => {
  const ads = { datacenters: ['192.0.2.0/24'] }
  made = fixture({ stores: createTestStores(), adminToken: operator.token, rates: 'off', ads })
  ann = await made.signIn('ann@mail.example')
  await made.ask('POST', '/api/admin/campaigns', { headers: operator.bearer, json: { ...paidCampaign, topics: [] } })
  await made.ask('POST', '/api/program/claim', { headers: ann.bearer, json: { deviceId: device } })
  await recordImpressions(1)
  const { json } = await made.ask('GET', `/api/ad?d=${device}`, { headers: ann.bearer })
  made.clock.advance(1000)
  await made.ask('GET', `/api/ad/imp/${json.nonce}`, { address: '198.51.100.1' })
  const { text } = await open()
  expect(text).toContain('<strong>1 from the network of a data center.</strong>')
  expect(text).toMatch(/<dt>Counted<\/dt>\s*<dd>1<\/dd>/)
})

test('GET /earn/:deviceId leaves out days that are more than 30 days ago', async () => {
  await recordImpressions(1)
  made.clock.advance(30 * 24 * 60 * 60 * 1000)
  expect((await open(await made.signIn('ann@mail.example'))).text).toContain('data-empty')
})

test('GET /earn/:deviceId returns the same 404 for a device of another user and an unknown device', async () => {
  await recordImpressions(1)
  const bob = await made.signIn('bob@mail.example')
  const [strange, nobodys] = [await open(bob), await open(bob, 'device-of-nobody')]
  expect([strange.status, nobodys.status]).toEqual([404, 404])
  expect(strange.text.replaceAll(device, '')).toBe(nobodys.text.replaceAll('device-of-nobody', ''))
  expect((await open(bob, '%3Cb%3E%22')).text).toContain('&lt;b&gt;&quot;')
  expect((await open(null)).headers.get('location')).toBe(
    `/tributary/sign-in?next=${encodeURIComponent(`/earn/${device}`)}`,
  )
})
