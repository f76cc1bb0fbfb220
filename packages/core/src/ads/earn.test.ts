import { fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, expect, test } from 'vitest'
import { memoryStores } from '../stores/memory/index.ts'
import { operator, paidCampaign } from './fixture.ts'

const device = 'device-of-ann-1'
let made: Fixture
let ann: Signed

beforeEach(async () => {
  made = fixture({ stores: memoryStores(), adminToken: operator.token, baseUrl: 'https://example.com/tributary' })
  ann = await made.signIn('ann@mail.example')
  await made.ask('POST', '/api/admin/campaigns', { headers: operator.bearer, json: { ...paidCampaign, topics: [] } })
  await made.ask('POST', '/api/program/claim', { headers: ann.bearer, json: { deviceId: device } })
})

const open = (person: Signed | null = ann, id = device) =>
  made.ask('GET', `/earn/${id}`, { headers: person?.cookie ?? {} })

/** Serves once and looks so many times, the first after `wait` ms. */
async function look(times: number, wait = 1000): Promise<void> {
  const { json } = await made.ask('GET', `/api/ad?d=${device}`, { headers: ann.bearer })
  made.clock.advance(wait)
  for (let n = 0; n < times; n++) await made.ask('GET', `/api/ad/imp/${json.nonce}`)
}

test('the page says what counted and what did not, by day, and why', async () => {
  expect((await open()).text).toContain('Nothing yet.')
  await look(3)
  await look(1, 10)
  made.clock.advance(24 * 60 * 60 * 1000)
  await look(1, 300_000)
  await look(1)
  const { status, text } = await open()
  expect(status).toBe(200)
  expect(text).toContain('<strong>2</strong> impressions counted')
  const rows = text.split('<tr>').slice(2)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatch(/2026-11-21[^]*>1<[^]*>1<[^]*1 × reported too late/)
  expect(rows[1]).toMatch(/2026-11-20[^]*>1<[^]*>3<[^]*1 × shown for less than a second[^]*2 × reported more than once/)
  expect(text).toContain('scope="col"')
  expect(text).not.toMatch(/<script|style=|\son[a-z]+="/)
})

test('GET /earn/{deviceId} names the caps that held an impression back', async () => {
  made = fixture({ stores: memoryStores(), adminToken: operator.token, rates: {}, ads: { caps: { devicePerHour: 1 } } })
  ann = await made.signIn('ann@mail.example')
  await made.ask('POST', '/api/admin/campaigns', { headers: operator.bearer, json: { ...paidCampaign, topics: [] } })
  await look(1)
  await made.ask('POST', '/api/program/claim', { headers: ann.bearer, json: { deviceId: device } })
  await look(1)
  await look(1)
  const { text } = await open()
  expect(text).toContain('1 × the device was not claimed')
  expect(text).toContain('1 × over the limit for one device')
})

test('a day of more than 30 days ago is no longer shown', async () => {
  await look(1)
  made.clock.advance(30 * 24 * 60 * 60 * 1000)
  expect((await open(await made.signIn('ann@mail.example'))).text).toContain('Nothing yet.')
})

test("whose it is not learns nothing, not even whether it is anybody's", async () => {
  await look(1)
  const bob = await made.signIn('bob@mail.example')
  const [strange, nobodys] = [await open(bob), await open(bob, 'device-of-nobody')]
  expect([strange.status, nobodys.status]).toEqual([404, 404])
  expect(strange.text.replaceAll(device, '')).toBe(nobodys.text.replaceAll('device-of-nobody', ''))
  expect((await open(bob, '%3Cb%3E%22')).text).toContain('&lt;b&gt;&quot;')
  expect((await open(null)).headers.get('location')).toBe(
    `/tributary/sign-in?next=${encodeURIComponent(`/earn/${device}`)}`,
  )
})
