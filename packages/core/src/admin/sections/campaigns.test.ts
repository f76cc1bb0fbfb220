import { fixture, type Fixture } from '@tributary/test-kit'
import { beforeEach, expect, test } from 'vitest'
import { memoryStores } from '../../stores/memory/index.ts'

const adminToken = 'operator-'.repeat(3)
let made: Fixture
let operator: Record<string, string>

async function signIn(): Promise<void> {
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  operator = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
}
beforeEach(async () => {
  made = fixture({ stores: memoryStores(), adminToken, baseUrl: 'http://127.0.0.1:8787/tributary' })
  await signIn()
})

const given = {
  name: 'Autumn',
  brandName: 'Acme',
  title: 'Acme DB',
  text: 'A <database> that answers',
  url: 'https://acme.example/db',
  topics: 'ai, databases',
  cpmUsd: '20',
  budgetUsd: '10.50',
  dailyCap: '100',
  startsAt: '2026-11-21T08:00',
  endsAt: '2026-12-01T00:00',
}
const act = (name: string, form: Record<string, string>, headers = operator) =>
  made.ask('POST', `/admin/campaigns/${name}`, { headers, form })
const shown = async (query = '') => (await made.ask('GET', `/admin/campaigns${query}`, { headers: operator })).text
const listed = async () =>
  (await made.ask('GET', '/api/admin/campaigns', { headers: { authorization: `Bearer ${adminToken}` } })).json.items

test('POST /admin/campaigns/create and status create, pause and resume a campaign', async () => {
  expect(await shown()).toContain('data-empty')
  const reply = await act('create', given)
  expect(reply.headers.get('location')).toBe('/tributary/admin/campaigns?done=started')
  const [campaign] = await listed()
  expect(campaign).toMatchObject({
    topics: ['ai', 'databases'],
    budgetUsd: 10.5,
    dailyCap: 100,
    startsAt: '2026-11-21T08:00:00.000Z',
    endsAt: '2026-12-01T00:00:00.000Z',
    favicon: null,
    status: 'scheduled',
  })
  const text = await shown('?done=started')
  for (const part of [
    'data-result="started"',
    'A &lt;database&gt; that answers',
    '$0.00 of $10.50',
    '0 impressions · 0 clicks',
    'up to 100 impressions per day',
    'ai, databases',
    'Pause Autumn',
  ])
    expect(text).toContain(part)
  const paused = await act('status', { id: campaign.id, status: 'paused' })
  expect(paused.headers.get('location')).toContain('done=paused')
  expect(await shown('?done=paused')).toContain('Resume Autumn')
  await act('status', { id: campaign.id, status: 'active' })
  expect((await listed())[0].status).toBe('scheduled')
  expect(
    (await act('status', { id: '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', status: 'paused' })).headers.get('location'),
  ).toContain('done=not_found')
})

test('POST /admin/campaigns/create creates one campaign for a form that is submitted twice', async () => {
  expect(await shown()).toMatch(/name="idempotencyKey"\s+value="[0-9a-f]{32}"/)
  for (let time = 0; time < 2; time++) {
    const reply = await act('create', { ...given, idempotencyKey: 'form-1' })
    expect(reply.headers.get('location')).toContain('done=started')
  }
  expect(await listed()).toHaveLength(1)
})

test('GET /admin shows an ended campaign without a button', async () => {
  await act('create', given)
  expect(await shown()).toContain('<span class="tag">scheduled</span>')
  made.clock.set(Date.parse('2026-11-21T08:00:00Z'))
  await signIn()
  expect(await shown()).toContain('<span class="tag good">active</span>')
  made.clock.set(Date.parse('2026-12-01T00:00:00Z'))
  await signIn()
  const over = await shown()
  expect([over.includes('<span class="tag">ended</span>'), over.includes('Pause Autumn')]).toEqual([true, false])
})

test('POST /admin/campaigns/create accepts a form without topics, cap and dates', async () => {
  const { topics, dailyCap, startsAt, endsAt, ...least } = given
  await act('create', least)
  expect((await listed())[0]).toMatchObject({ topics: [], dailyCap: null, startsAt: null, endsAt: null })
})

test('POST /admin/campaigns/create returns 400 with an error beside each invalid field', async () => {
  const { status, text } = await act('create', { ...given, url: 'http://acme.example', cpmUsd: 'much', topics: 'cars' })
  expect(status).toBe(400)
  for (const part of ['id="url-error"', 'id="cpmUsd-error"', 'id="topics-error"', 'value="much"', 'value="Autumn"'])
    expect(text).toContain(part)
  expect(text).not.toContain('id="name-error"')
  expect((await act('status', { id: 'x', status: 'paused' })).status).toBe(400)
  const refused = await act('create', { ...given, endsAt: '2026-11-01T00:00' })
  expect(refused.headers.get('location')).toContain('done=refused')
  expect(await listed()).toEqual([])
})

test('POST /admin/campaigns/create returns 401 without an operator session', async () => {
  expect((await act('create', given, {})).status).toBe(401)
  expect((await act('status', { id: 'x', status: 'paused' }, {})).status).toBe(401)
  expect((await act('create', given, { ...operator, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await act('status', given, { ...operator, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect(await listed()).toEqual([])
})
