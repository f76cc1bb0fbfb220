import { createTestStores, fixture, type Fixture } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { operator, paidCampaign } from './fixture.ts'
import { resolveAdsOptions } from './options.ts'

let made: Fixture
beforeEach(() => {
  made = fixture({ stores: createTestStores(), adminToken: operator.token })
})

const post = (json: unknown) => made.ask('POST', '/api/admin/campaigns', { headers: operator.bearer, json })

test('POST /api/admin/campaigns returns the campaign with sanitized text, normalized URLs and UTC times', async () => {
  const { status, json } = await post({
    ...paidCampaign,
    text: '\u001b[31mFast\u202e\nand safe',
    url: 'https://ACME.example/a\nb',
    favicon: 'https://acme.example/f.ico',
    topics: ['ai', 'data'],
    dailyCap: 50,
    startsAt: '2026-11-21T01:00:00+01:00',
    endsAt: '2026-12-01T00:00:00Z',
    extra: 1,
  })
  expect(status).toBe(201)
  expect(json.campaign).toEqual({
    id: json.campaign.id,
    status: 'scheduled',
    name: 'Autumn',
    brandName: 'Acme',
    title: 'Acme DB',
    text: 'Fast and safe',
    url: 'https://acme.example/ab',
    favicon: 'https://acme.example/f.ico',
    topics: ['ai', 'data'],
    cpmUsd: 20,
    budgetUsd: 10,
    dailyCap: 50,
    startsAt: '2026-11-21T00:00:00.000Z',
    endsAt: '2026-12-01T00:00:00.000Z',
    createdAt: '2026-11-20T12:00:00.000Z',
    spentUsd: 0,
    impressions: 0,
    clicks: 0,
  })
})

test.each<[string, object]>([
  ['no text', { text: '' }],
  ['text that is nothing', { text: '\u001b[31m\u200b' }],
  ['text of 201 characters', { text: 'a'.repeat(201) }],
  ['a link that is not https', { url: 'http://acme.example/' }],
  ['a link that runs', { url: 'javascript:alert(1)' }],
  ["a topic of one's own", { topics: ['cars'] }],
  ['no money', { budgetUsd: undefined }],
  ['less than no money', { cpmUsd: -1 }],
  ['half an impression a day', { dailyCap: 0.5 }],
  ['an end before the start', { startsAt: '2026-12-01T00:00:00Z', endsAt: '2026-11-01T00:00:00Z' }],
  ['a time that is none', { startsAt: 'tomorrow' }],
  ['a time that no four-digit year has', { endsAt: '9999-12-31T23:59:59-23:00' }],
])('POST /api/admin/campaigns returns 400 for %s', async (_, changes) => {
  const { status, json } = await post({ ...paidCampaign, ...changes })
  expect([status, json.error]).toEqual([400, 'invalid_body'])
  expect(json.issues.length).toBeGreaterThan(0)
})

test('GET /api/admin/campaigns returns pages newest first', async () => {
  for (const name of ['one', 'two', 'three']) await post({ ...paidCampaign, name })
  const list = async (query: string) =>
    (await made.ask('GET', `/api/admin/campaigns${query}`, { headers: operator.bearer })).json
  const first = await list('?limit=2')
  expect(first.items.map(({ name }: { name: string }) => name)).toEqual(['three', 'two'])
  const second = await list(`?limit=2&cursor=${first.nextCursor}`)
  expect([second.items.map(({ name }: { name: string }) => name), second.nextCursor]).toEqual([['one'], null])
})

test('PATCH /api/admin/campaigns/:id returns 404 for an unknown campaign and 401 without an operator token', async () => {
  const patch = (id: string, headers: Record<string, string> = operator.bearer) =>
    made.ask('PATCH', `/api/admin/campaigns/${id}`, { headers, json: { status: 'paused' } })
  const { json } = await post(paidCampaign)
  expect((await patch('018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71')).json).toEqual({ ok: false, error: 'not_found' })
  expect((await patch('x')).json).toEqual({ ok: false, error: 'invalid_id', issues: expect.any(Array) })
  expect((await patch(json.campaign.id, {})).status).toBe(401)
  expect((await patch(json.campaign.id.toUpperCase())).json.campaign.status).toBe('paused')
})

test('createService throws for invalid ads options', () => {
  expect(() => resolveAdsOptions({ secret: 'short' })).toThrow('16 characters')
  expect(() => resolveAdsOptions({ secret: ['x'.repeat(16), ''] })).toThrow('16 characters')
  expect(() => resolveAdsOptions({ ttlMs: 1000 })).toThrow('ttlMs')
  expect(() => resolveAdsOptions({ maxDevices: 0 })).toThrow('maxDevices is 0')
  expect(() => resolveAdsOptions({ caps: { personPerHour: 1.5 } })).toThrow('personPerHour is 1.5')
  expect(() => resolveAdsOptions({ promotion: { text: '\u200b', url: 'https://a.example/' } })).toThrow(
    'empty after sanitizing',
  )
  expect(() => resolveAdsOptions({ promotion: { text: 'hi', url: 'http://a.example/' } })).toThrow('not https')
})

describe('prepareAds', () => {
  test('returns the default caps, changes single caps, and returns null if rates are off', () => {
    const { caps, maxDevices } = resolveAdsOptions({ caps: { addressPerHour: 1000 } })
    expect(caps).toEqual({
      devicePerHour: 60,
      devicePerDay: 400,
      personPerHour: 120,
      personPerDay: 600,
      newPersonPerDay: 20,
      addressPerHour: 1000,
    })
    expect(maxDevices).toBe(10)
    expect(resolveAdsOptions({ maxDevices: 3 }, 'off')).toMatchObject({ caps: null, maxDevices: null })
  })
})
