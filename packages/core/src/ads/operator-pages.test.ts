import { createTestStores, fixture, type Fixture } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { sponsorLine } from './terminal.ts'

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
  made = fixture({ stores: createTestStores(), adminToken, baseUrl: 'http://127.0.0.1:8787/tributary' })
  await signIn()
})

const given = {
  name: 'Autumn',
  brandName: 'Acme',
  title: 'Acme DB',
  text: 'A <database> that answers',
  url: 'https://acme.example/db',
  ai: 'yes',
  databases: 'yes',
  cpmUsd: '20',
  budgetUsd: '10.50',
  dailyCap: '100',
  startsAt: '2026-11-21T08:00',
  endsAt: '2026-12-01T00:00',
}
const listCheckedTopics = (page: string) =>
  [...page.matchAll(/name="(\w+)"\s+value="yes"\s+checked/g)].map(([, name]) => name)
const submitForm = (name: string, form: Record<string, string>, headers = operator) =>
  made.ask('POST', `/admin/campaigns/${name}`, { headers, form })
const readPage = async (rest = '') => (await made.ask('GET', `/admin/campaigns${rest}`, { headers: operator })).text
const listCampaigns = async () =>
  (await made.ask('GET', '/api/admin/campaigns', { headers: { authorization: `Bearer ${adminToken}` } })).json.items

test('POST /admin/campaigns/end ends a campaign once, and a copy of a campaign opens a form without the schedule', async () => {
  await submitForm('create', given)
  const [{ id }] = await listCampaigns()
  const copy = await readPage(`/new?copy=${id}`)
  expect(copy).toContain('value="Autumn (copy)"')
  expect(copy).toContain('value="Acme DB"')
  expect(listCheckedTopics(copy)).toEqual(['ai', 'databases'])
  expect(copy).not.toContain('2026-11-21T08:00')
  expect(copy.indexOf('id="startsAt"')).toBeLessThan(copy.indexOf('id="brandName"'))
  expect(await readPage('/new?copy=nothing')).not.toContain('(copy)')
  const asked = await submitForm('end', { id, item: id })
  expect([asked.status, (await listCampaigns())[0].status]).toEqual([200, 'scheduled'])
  expect(asked.text).toContain('<h1>End <bdi>Autumn</bdi>?</h1>')
  const ended = await submitForm('end', { id, item: id, confirmed: 'yes' })
  expect([ended.flash?.done, (await listCampaigns())[0].status]).toEqual(['ended', 'ended'])
  expect((await made.follow(ended, operator)).text).not.toContain('/admin/campaigns/end')
  expect((await readPage('?filter=ended')).includes('Autumn')).toBe(true)
  expect((await readPage('?filter=active')).includes('Autumn')).toBe(false)
})

test('POST /admin/campaigns/correct records a correction once, and refuses a credit above the spend', async () => {
  await submitForm('create', given)
  const [{ id }] = await listCampaigns()
  const page = await readPage(`/${id}`)
  expect(page).toContain('/tributary/admin/campaigns/correct')
  const key = /name="idempotencyKey" value="([^"]+)"/.exec(page)![1]!
  const correction = { id, item: id, idempotencyKey: key, usd: '1.25', reason: 'Clicks of a broken client' }
  for (const _ of [1, 2]) expect((await submitForm('correct', correction)).flash?.done).toBe('corrected')
  expect((await listCampaigns())[0].spentUsd).toBe(1.25)
  const credit = { ...correction, idempotencyKey: `${key}x` }
  const large = await submitForm('correct', { ...credit, usd: '-1.26' })
  expect(large.flash?.done).toBe('correction_too_large')
  for (const _ of [1, 2])
    expect((await submitForm('correct', { ...credit, usd: '-0.25' })).flash?.done).toBe('corrected')
  expect((await listCampaigns())[0].spentUsd).toBe(1)
  expect((await made.follow(large, operator)).text).toContain('larger than what the campaign spent')
  const wrong = await submitForm('correct', { ...correction, usd: '0', reason: '' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('Enter an amount other than 0')
  expect(wrong.text).toContain('Enter a reason')
  expect(wrong.text).toMatch(/<details\s+open>/)
})

test('POST /admin/campaigns/create creates a campaign, and POST /admin/campaigns/status pauses and resumes it', async () => {
  expect(await readPage()).toContain('data-empty')
  const reply = await submitForm('create', given)
  const [campaign] = await listCampaigns()
  expect([reply.headers.get('location'), reply.flash]).toEqual([
    `/tributary/admin/campaigns/${campaign.id}`,
    { done: 'created' },
  ])
  expect(campaign).toMatchObject({
    topics: ['ai', 'databases'],
    budgetUsd: 10.5,
    dailyCap: 100,
    startsAt: '2026-11-21T08:00:00.000Z',
    endsAt: '2026-12-01T00:00:00.000Z',
    favicon: null,
    status: 'scheduled',
  })
  const text = await readPage()
  for (const part of [
    'A &lt;database&gt; that answers',
    '$0.00 of $10.50',
    'data-label="Impressions"',
    'Up to 100 per day',
    'ai, databases',
    'Pause Autumn',
  ])
    expect(text).toContain(part)
  const paused = await submitForm('status', { id: campaign.id, status: 'paused' })
  expect(paused.flash?.done).toBe('paused')
  expect((await made.follow(paused, operator)).text).toContain('Resume Autumn')
  const [link] = /\/admin\/audit\?subject=[^"]*/.exec(await readPage(`/${campaign.id}`))!
  expect((await made.ask('GET', link, { headers: operator })).text).toMatch(/paused the campaign\s/)
  await submitForm('status', { id: campaign.id, status: 'active' })
  expect((await listCampaigns())[0].status).toBe('scheduled')
  expect(
    (await submitForm('status', { id: '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', status: 'paused' })).flash?.done,
  ).toBe('not_found')
})

test('POST /admin/campaigns/create creates one campaign for a form that is submitted twice', async () => {
  expect(await readPage('/new')).toMatch(/name="idempotencyKey"\s+value="[0-9a-f]{32}"/)
  for (let time = 0; time < 2; time++) {
    const reply = await submitForm('create', { ...given, idempotencyKey: 'form-1' })
    expect(reply.flash?.done).toBe('created')
  }
  expect(await listCampaigns()).toHaveLength(1)
})

test('GET /admin shows an ended campaign without the pause button', async () => {
  await submitForm('create', given)
  expect(await readPage()).toContain('<span class="tag">Scheduled</span>')
  made.clock.set(Date.parse('2026-11-21T08:00:00Z'))
  await signIn()
  expect(await readPage()).toContain('<span class="tag good">Active</span>')
  made.clock.set(Date.parse('2026-12-01T00:00:00Z'))
  await signIn()
  const over = await readPage()
  expect([over.includes('<span class="tag">Ended</span>'), over.includes('Pause Autumn')]).toEqual([true, false])
})

test('POST /admin/campaigns/create accepts a form without topics, cap and dates', async () => {
  const { ai, databases, dailyCap, startsAt, endsAt, ...least } = given
  await submitForm('create', least)
  expect((await listCampaigns())[0]).toMatchObject({ topics: [], dailyCap: null, startsAt: null, endsAt: null })
})

test('POST /admin/campaigns/create returns 400 with an error next to each invalid field and the entered values', async () => {
  const wrong = { ...given, url: 'http://acme.example', cpmUsd: 'much', text: '\u200b' }
  const { status, text } = await submitForm('create', { ...wrong, item: 'new' })
  expect(status).toBe(400)
  for (const part of ['url', 'cpmUsd', 'text']) expect(text).toContain(`id="${part}-error"`)
  for (const part of ['value="much"', 'value="Autumn"', 'value="http://acme.example"']) expect(text).toContain(part)
  expect(text).not.toContain('id="name-error"')
  expect(listCheckedTopics(text)).toEqual(['ai', 'databases'])
  expect((await submitForm('status', { id: 'x', status: 'paused' })).status).toBe(400)
  const reversed = await submitForm('create', { ...given, endsAt: '2026-11-01T00:00', item: 'new' })
  expect([reversed.status, reversed.text.includes('Enter an end that is after the start.')]).toEqual([400, true])
  expect(reversed.text).toContain('value="2026-11-01T00:00"')
  expect(await listCampaigns()).toEqual([])
})

describe('POST /admin/campaigns/create and edit', () => {
  test.each([
    ['cpmUsd', '0'],
    ['cpmUsd', '0.0001'],
    ['budgetUsd', '0'],
    ['budgetUsd', '0.01'],
    ['dailyCap', '0'],
  ])('return 400 for a campaign that could never be shown: %s of %s', async (name, value) => {
    const { status, text } = await submitForm('create', { ...given, [name]: value, item: 'new' })
    expect([status, text.match(/id="\w+-error"/g)]).toEqual([400, [`id="${name}-error"`]])
    expect(await listCampaigns()).toEqual([])
  })
})

test('GET /admin/campaigns/:id shows a campaign with a budget of 0 as used up', async () => {
  const headers = { authorization: `Bearer ${adminToken}` }
  const { dailyCap, ai, databases, ...texts } = given
  const json = { ...texts, startsAt: undefined, endsAt: undefined, topics: [], cpmUsd: 0, budgetUsd: 0 }
  const { campaign } = (await made.ask('POST', '/api/admin/campaigns', { headers, json })).json
  const page = await readPage(`/${campaign.id}`)
  expect(page).toContain('100% of $0.00')
  expect(page).not.toContain('NaN')
})

describe('GET /admin/campaigns/new', () => {
  const listPreviewLines = (text: string) =>
    [...text.matchAll(/<code data-columns="\d+"[^>]*>([^<]*)<\/code>/g)].map(([, line]) =>
      line!.replaceAll('&amp;', '&'),
    )

  test('previews the entered creative, cut to 40, 80 and 120 columns in the same way as clients do', async () => {
    const text = 'A database that answers before the question is asked, in every region of the world'
    const { text: page } = await made.ask(
      'GET',
      `/admin/campaigns/new?${new URLSearchParams({ brandName: 'Acme', text, ai: 'yes', mobile: 'yes' })}`,
      {
        headers: operator,
      },
    )
    const ad = { isPaid: true, brandName: 'Acme', text }
    expect(listPreviewLines(page)).toEqual([80, 40, 120].map((columns) => sponsorLine(ad, columns)))
    expect(page).toContain(`value="${text}"`)
    expect(listCheckedTopics(page)).toEqual(['ai', 'mobile'])
  })

  test('previews a placeholder while nothing is entered', async () => {
    expect(listPreviewLines(await readPage('/new'))).toEqual(Array.from({ length: 3 }, () => 'Sponsor · Brand: …'))
  })
})

describe('GET /admin/campaigns/:id', () => {
  test('shows status, totals, charts by day and the form with the stored values', async () => {
    const person = await made.signIn('ann@mail.example')
    await made.ask('POST', '/api/program/claim', { headers: person.bearer, json: { deviceId: 'device-1' } })
    await submitForm('create', { ...given, startsAt: '', ai: '', databases: '', endsAt: '2026-11-30T12:00' })
    const [{ id }] = await listCampaigns()
    expect(await readPage(`/${id}`)).toContain('No impressions yet.')
    const { json } = await made.ask('GET', '/api/ad?d=device-1', { headers: person.bearer })
    made.clock.advance(2000)
    await made.ask('GET', new URL(json.ad.impUrl).pathname.replace('/tributary', ''))
    const text = await readPage(`/${id}`)
    expect(text).toMatch(/Started <time[^>]*>[^<]*<\/time>\. Leave empty to keep it\./)
    made.clock.advance(2 * 60 * 60 * 1000)
    expect(await readPage(`/${id}`)).toMatch(/Behind plan\s*<\/strong\s*>: <strong>\$0\.02</)
    const changed = { ...given, ai: '', databases: '', endsAt: '', id, item: id }
    await submitForm('edit', { ...changed, startsAt: '2026-11-01T08:00' })
    const started = await readPage(`/${id}`)
    expect(started).toContain('UTC. The campaign has started.')
    expect(started).not.toContain('Leave empty to start now.')
    const lowered = await submitForm('edit', { ...given, startsAt: '', endsAt: '', id, item: id, budgetUsd: '0.03' })
    expect(lowered.flash?.done).toBe('saved_exhausted')
    expect((await made.follow(lowered, operator)).text).toContain('The budget is spent')
    for (const part of [
      '<dt>Spent</dt>',
      '<dd>$0.02</dd>',
      'Spend and pacing',
      'Planned so far',
      'Impressions and clicks',
      'value="2026-11-30T12:00"',
      'value="Acme DB"',
      'Sponsor · Acme: A &lt;database&gt; that answers',
    ])
      expect(text).toContain(part)
  })

  test('shows the spend without rounding, as the list and the page of the sponsor do', async () => {
    await submitForm('create', { ...given, cpmUsd: '20.55' })
    const [{ id }] = await listCampaigns()
    const correction = { id, item: id, idempotencyKey: 'a', usd: '1.248', reason: 'Clicks of a broken client' }
    expect((await submitForm('correct', correction)).flash?.done).toBe('corrected')
    const amounts = (text: string) => text.match(/\$[\d.]+/g)
    const stats = (text: string) => /<dl class="stats".*?<\/dl>/s.exec(text)![0]
    expect(amounts(stats(await readPage(`/${id}`)))).toEqual(['$1.2480', '$10.50', '$20.55'])
    expect(amounts((await readPage()).split('<tbody')[1]!)).toEqual(['$1.2480', '$10.50', '$20.55'])
    const rotated = await submitForm('rotate', { id, item: id, confirmed: 'yes' })
    const [path] = /\/sponsor\/\w+/.exec(rotated.text)!
    const sponsor = await made.ask('GET', path)
    expect(amounts(stats(sponsor.text))).toEqual(['$1.2480', '$10.50', '$9.2520'])
  })

  test('returns 404 for an unknown campaign', async () => {
    for (const item of ['018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', 'other'])
      expect((await made.ask('GET', `/admin/campaigns/${item}`, { headers: operator })).status).toBe(404)
  })
})

describe('POST /admin/campaigns/edit', () => {
  test('replaces the details, keeps invalid input in the form, and changes no other campaign', async () => {
    await submitForm('create', given)
    await submitForm('create', { ...given, name: 'Winter' })
    const [winter, autumn] = await listCampaigns()
    const edit = (fields: Record<string, string>) =>
      submitForm('edit', { id: autumn.id, item: autumn.id, ...given, ...fields })
    const wrong = await edit({ budgetUsd: '1,000' })
    expect([wrong.status, wrong.text.includes('value="1,000"'), wrong.text.includes('id="budgetUsd-error"')]).toEqual([
      400,
      true,
      true,
    ])
    const saved = await edit({ text: 'Another line', dailyCap: '', endsAt: '2026-12-05T23:59:30' })
    expect([saved.headers.get('location'), saved.flash?.done]).toEqual([
      `/tributary/admin/campaigns/${autumn.id}`,
      'saved',
    ])
    expect(await listCampaigns()).toEqual([
      winter,
      { ...autumn, text: 'Another line', dailyCap: null, endsAt: '2026-12-05T23:59:30.000Z' },
    ])
    expect(await readPage(`/${autumn.id}`)).toContain('value="2026-12-05T23:59:30"')
    const strange = { ...given, id: '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71' }
    expect((await submitForm('edit', strange)).flash?.done).toBe('not_found')
  })
})

test('POST /admin/campaigns/create returns 401 without an operator session', async () => {
  expect((await submitForm('create', given, {})).status).toBe(401)
  expect((await submitForm('status', { id: 'x', status: 'paused' }, {})).status).toBe(401)
  expect((await submitForm('create', given, { ...operator, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await submitForm('status', given, { ...operator, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect(await listCampaigns()).toEqual([])
})
