import { createTestStores, fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../../service/options.ts'
import { fixedCountry, headerCountry } from './country.ts'
import { toHex } from '../../ids.ts'
import { defaultDigest } from '../../system.ts'
import {
  defaultTermsVersion,
  isWaiting,
  nextNeededStep,
  nextPage,
  policyReason,
  steps,
  resolveTermsVersion,
  uploadRefusal,
} from './rules.ts'
import { defaultTerms } from './terms.ts'

const termsVersion = '2026-12-01'
const draft = {
  companyName: 'Acme',
  website: 'https://acme.example',
  email: 'ann@acme.example',
  role: 'founder',
  authorized: true,
}
const admin = { authorization: `Bearer ${'operator-'.repeat(3)}` }

let made: Fixture
let ann: Signed
const open = async (options: Partial<ServiceOptions> = {}): Promise<void> => {
  made = fixture({
    stores: createTestStores(),
    country: fixedCountry('US'),
    adminToken: 'operator-'.repeat(3),
    ...options,
  })
  ann = await made.signIn()
}
beforeEach(() => open())

const get = (path: string, headers: Record<string, string> = ann.bearer) => made.ask('GET', path, { headers })
const post = (path: string, json: unknown, headers: Record<string, string> = ann.bearer) =>
  made.ask('POST', path, { headers, json })
const readPolicy = async () => (await get('/api/traces/upload-policy')).json
const acceptTerms = (residencyConfirmed = true) => post('/api/account/terms', { termsVersion, residencyConfirmed })

describe('policyReason', () => {
  const fine = {
    country: 'US',
    termsVersion: 'v2',
    residencyConfirmed: true,
    paused: false,
    operatorPaused: false,
    status: 'approved',
  }
  const rules = { allowedCountries: ['US'], termsVersion: 'v2' }
  // Each line also has the problems of all lines below it, so that the test checks the order of the reasons.
  test.each([
    ['country_unknown', { country: null, residencyConfirmed: false, termsVersion: null, paused: true }],
    ['us_upload_required', { country: 'DE', residencyConfirmed: false, termsVersion: null, paused: true }],
    ['residency_required', { residencyConfirmed: false, termsVersion: null, paused: true }],
    ['terms_required', { termsVersion: null, paused: true }],
    ['terms_required', { termsVersion: 'v1', paused: true }],
    ['contributor_paused', { paused: true }],
    ['contributor_paused', { operatorPaused: true }],
    [null, {}],
  ] as const)('returns %s for %j', (reason, changes) => {
    expect(policyReason({ ...fine, ...changes }, rules)).toBe(reason)
  })
  test.each([
    [
      'terms_required',
      { termsVersion: 'v1', status: 'rejected', country: null, residencyConfirmed: false, paused: true },
    ],
    ['contributor_approval_required', { status: 'rejected', country: null, residencyConfirmed: false, paused: true }],
    ['contributor_approval_required', { status: 'pending', country: null }],
    ['country_unknown', { country: null, residencyConfirmed: false, paused: true }],
    ['us_upload_required', { country: 'DE', residencyConfirmed: false, paused: true }],
    ['residency_required', { residencyConfirmed: false, operatorPaused: true }],
    ['contributor_paused', { operatorPaused: true }],
    [null, {}],
  ] as const)('uploadRefusal returns %s for %j', (code, changes) => {
    expect(uploadRefusal({ ...fine, ...changes }, rules)).toBe(code)
  })
  test('steps and nextPage lead a new user through the pages in order', () => {
    const newcomer = { ...fine, termsVersion: null, status: 'not_applied', contactCompleted: false }
    const findNextPage = (changes: object) => nextPage(steps({ ...newcomer, ...changes }, rules))
    expect([
      findNextPage({}),
      findNextPage({ termsVersion: 'v2' }),
      findNextPage({ termsVersion: 'v2', status: 'pending' }),
    ]).toEqual(['/terms', '/apply', '/contact'])
    expect(findNextPage({ termsVersion: 'v2', status: 'rejected', contactCompleted: true })).toBe('/apply')
    expect(findNextPage({ termsVersion: 'v2', residencyConfirmed: false })).toBe('/terms')
    expect(findNextPage({ termsVersion: 'v2', status: 'pending', contactCompleted: true })).toBeNull()
  })
})

describe('country sources', () => {
  const makeRequest = (headers: Record<string, string>) => ({ headers, address: '192.0.2.1' })
  test('headerCountry accepts two upper-case letters', () => {
    const country = headerCountry('CF-IPCountry')
    expect(
      ['US', 'DE', 'XX', 'T1', 'us', 'USA', ''].map((value) => country(makeRequest({ 'cf-ipcountry': value }))),
    ).toEqual(['US', 'DE', null, null, null, null, null])
    expect(country(makeRequest({ 'cloudfront-viewer-country': 'US' }))).toBeNull()
  })
  test('fixedCountry accepts two letters or null', () => {
    expect([fixedCountry('DE')(makeRequest({})), fixedCountry(null)(makeRequest({}))]).toEqual(['DE', null])
    expect(() => fixedCountry('Germany')).toThrow('two upper-case letters')
  })
  test('a country header that is not configured is ignored', async () => {
    await open({ country: () => null })
    const headers = {
      ...ann.bearer,
      'cf-ipcountry': 'US',
      'cloudfront-viewer-country': 'US',
      'x-vercel-ip-country': 'US',
    }
    expect((await get('/api/traces/upload-policy', headers)).json).toMatchObject({
      reason: 'country_unknown',
      country: null,
    })
  })
  test('a malformed country counts as unknown', async () => {
    await open({ country: async () => 'nowhere' })
    expect(await readPolicy()).toMatchObject({ reason: 'country_unknown', country: null })
  })
})

test('GET /api/traces/upload-policy returns the first reason, and eligible after the terms are accepted, for this user only', async () => {
  const bob = await made.signIn()
  const before = (await get('/api/traces/upload-policy', bob.bearer)).json
  expect(before).toEqual({
    ok: true,
    eligible: false,
    reason: 'residency_required',
    country: 'US',
    policyVersion: '2026-11-01',
    termsVersion,
    termsAccepted: false,
    residencyConfirmed: false,
    acceptanceUrl: 'http://127.0.0.1:8787/terms',
    waitlistUrl: 'http://127.0.0.1:8787/waitlist',
  })
  expect((await acceptTerms(false)).json.policy).toMatchObject({
    reason: 'residency_required',
    termsAccepted: true,
    residencyConfirmed: false,
  })
  const accepted = await acceptTerms()
  expect([accepted.status, accepted.json]).toEqual([
    200,
    { ok: true, policy: { ...before, eligible: true, reason: null, termsAccepted: true, residencyConfirmed: true } },
  ])
  expect(await readPolicy()).toEqual(accepted.json.policy)
  const paused = await made.ask('PATCH', '/api/account', { headers: ann.bearer, json: { paused: true } })
  expect(paused.json).toMatchObject({
    ok: true,
    paused: true,
    policy: { eligible: false, reason: 'contributor_paused' },
  })
  await post(`/api/admin/contributors/${ann.userId}`, { paused: true }, admin)
  const resumed = await made.ask('PATCH', '/api/account', { headers: ann.cookie, json: { paused: false } })
  expect(resumed.json).toMatchObject({ paused: false, policy: { reason: 'contributor_paused' } })
  await post(`/api/admin/contributors/${ann.userId}`, { paused: false }, admin)
  expect(await readPolicy()).toMatchObject({ eligible: true, reason: null })
  expect((await get('/api/traces/upload-policy', bob.bearer)).json).toEqual(before)
})

test('POST /api/account/terms returns 409 for an old version, and new terms must be accepted again', async () => {
  const stores = createTestStores()
  await open({ stores })
  await acceptTerms()
  made = fixture({
    stores,
    country: fixedCountry('US'),
    termsVersion: '2027-01-01',
    clock: made.clock,
    mailer: made.mailer,
  })
  expect(await readPolicy()).toMatchObject({
    reason: 'terms_required',
    termsAccepted: false,
    termsVersion: '2027-01-01',
  })
  const old = await acceptTerms()
  expect([old.status, old.json]).toEqual([409, { ok: false, error: 'terms_outdated', termsVersion: '2027-01-01' }])
  expect((await get('/terms', ann.cookie)).text).toContain('value="2027-01-01"')
  const outdated = await made.ask('POST', '/terms', { headers: ann.cookie, form: { termsVersion, accepted: 'yes' } })
  expect([outdated.status, outdated.text.includes('The terms have changed')]).toEqual([409, true])
})

describe('termsVersionOf', () => {
  const hashToHex = (text: string): string => toHex(defaultDigest(text))

  test('changes with the text, even with the same configured version', () => {
    expect(resolveTermsVersion(undefined, undefined, hashToHex)).toBe(defaultTermsVersion)
    expect(resolveTermsVersion('2027-01-01', undefined, hashToHex)).toBe('2027-01-01')
    expect(resolveTermsVersion(undefined, 'One.', hashToHex)).toMatch(/^terms-[0-9a-f]{12}$/)
    const versions = ['One.', 'Two.'].map((text) => resolveTermsVersion('v1', text, hashToHex))
    expect(versions[0]).toMatch(/^v1-[0-9a-f]{12}$/)
    expect(versions[1]).not.toBe(versions[0])
  })

  test('returns the default version for the default text: change both together', () => {
    expect([defaultTermsVersion, hashToHex(defaultTerms(true)).slice(0, 12)]).toEqual(['2026-12-01', 'c1363841acb2'])
  })
})

describe('nextNeededStep', () => {
  const done = { termsVersion: 'v2', residencyConfirmed: true, paused: false, operatorPaused: false }
  test.each([
    ['terms', { ...done, termsVersion: null, status: 'none', contactCompleted: false }],
    ['terms', { ...done, residencyConfirmed: false, status: 'approved', contactCompleted: true }],
    ['application', { ...done, status: 'pending', contactCompleted: true }],
    ['upload', { ...done, status: 'approved', contactCompleted: false }],
  ])('returns %s for %j', (id, standing) => {
    expect(nextNeededStep(steps(standing, { termsVersion: 'v2' })).id).toBe(id)
  })
})

describe('isWaiting', () => {
  const rules = { allowedCountries: ['US'] }
  const entry = { country: 'DE', notifiedAt: null }
  test.each([
    ['of a country that is not open', entry, false, true],
    ['without a country', { ...entry, country: null }, false, true],
    ['of an open country', { ...entry, country: 'US' }, false, false],
    ['after the notice', { ...entry, notifiedAt: 1 }, false, false],
    ['after a residence was confirmed', entry, true, false],
    ['that does not exist', null, false, false],
  ])('for an entry %s: %j, residency confirmed %s, returns %s', (_, waiting, residencyConfirmed, expected) => {
    expect(isWaiting(waiting, { residencyConfirmed }, rules)).toBe(expected)
  })
})

describe('/api/admin/waitlist', () => {
  const join = (who: Signed, email: string, country: string) => post('/api/waitlist', { email, country }, who.bearer)

  // promise: send-mail-email-uploads
  test('lists the waitlist, exports it as CSV and mails the people of an open country once', async () => {
    const bob = await made.signIn('bob@example.com')
    await join(ann, 'ann@example.com', 'US')
    await join(bob, '=cmd@example.com', 'DE')
    const listed = await get('/api/admin/waitlist', admin)
    expect(listed.json).toMatchObject({ ok: true, nextCursor: null })
    expect(
      listed.json.items.map(({ email, country, notifiedAt }: Record<string, unknown>) => [email, country, notifiedAt]),
    ).toEqual([
      ['ann@example.com', 'US', null],
      ['=cmd@example.com', 'DE', null],
    ])
    expect((await get('/api/admin/waitlist?country=de', admin)).json.items).toHaveLength(1)
    const csv = await get('/api/admin/waitlist/export', admin)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.text.split('\r\n').slice(0, 3)).toEqual([
      'email,country,joined_at,notified_at,user_id',
      expect.stringMatching(/^ann@example\.com,US,\S+Z,,/),
      expect.stringMatching(/^'=cmd@example\.com,DE,/),
    ])
    const token = admin.authorization.slice('Bearer '.length)
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token } })
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
    const file = await get('/admin/csv/waitlist?country=DE', { cookie: cookie.join('; ') })
    expect(file.text).toMatch(/^userId,email,country,joinedAt,notifiedAt\r\n[^,]+,'=cmd@example\.com,DE,[^,]+,\r\n$/)
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="waitlist.csv"')
    expect((await get('/admin/csv/waitlist', ann.cookie)).status).toBe(401)
    await get('/api/admin/waitlist/export?country=DE', admin)
    const { items } = (await get('/api/admin/audit?action=waitlist.download', admin)).json
    expect(items.map(({ target }: { target: string }) => target)).toEqual(['DE', 'all'])
    const reads = (await get('/api/admin/audit?action=waitlist.read', admin)).json.items
    expect(reads.map(({ target }: { target: string }) => target)).toEqual(['DE', 'all'])
    expect((await get('/api/admin/waitlist?cursor=0', admin)).status).toBe(400)
    expect((await get('/api/admin/audit?action=waitlist.read', admin)).json.items).toHaveLength(2)
    expect((await post('/api/admin/waitlist/notify', { country: 'us' }, admin)).json).toEqual({ ok: true, notified: 1 })
    expect((await post('/api/admin/waitlist/notify', { country: 'US' }, admin)).json).toEqual({ ok: true, notified: 0 })
    expect(await post('/api/admin/waitlist/notify', { country: 'DE' }, admin)).toMatchObject({
      status: 409,
      json: { ok: false, error: 'country_not_open' },
    })
    expect((await get('/api/admin/waitlist', admin)).json.items[0].notifiedAt).toMatch(/Z$/)
    await made.service.work()
    const sent = made.mailer.mails.filter(({ subject }) => subject === 'Uploads are now open in your country')
    expect(sent.map(({ to }) => to)).toEqual(['ann@example.com'])
  })

  test('returns 401 to a contributor', async () => {
    expect((await get('/api/admin/waitlist')).status).toBe(401)
    expect((await post('/api/admin/waitlist/notify', { country: 'US' })).status).toBe(401)
  })
})

// promise: these-terms-change-asked
test('GET /api/traces/upload-policy asks for acceptance again after the terms text changed', async () => {
  const stores = createTestStores()
  await open({ stores, termsText: 'One.', termsVersion: 'v1' })
  const { termsVersion: first } = await readPolicy()
  await post('/api/account/terms', { termsVersion: first, residencyConfirmed: true })
  expect(await readPolicy()).toMatchObject({ termsAccepted: true })
  const options = { stores, country: fixedCountry('US'), clock: made.clock, mailer: made.mailer }
  made = fixture({ ...options, termsText: 'Two.', termsVersion: 'v1' })
  expect(await readPolicy()).toMatchObject({ reason: 'terms_required', termsAccepted: false })
})

test.each([
  {},
  { termsVersion },
  { termsVersion, residencyConfirmed: 'yes' },
  { termsVersion: '', residencyConfirmed: true },
])('createService refuses the terms %j', async (json) => {
  expect(await post('/api/account/terms', json)).toMatchObject({
    status: 400,
    json: { ok: false, error: 'invalid_body' },
  })
})

// promise: nobody-may-upload-while
test('POST /api/ingest checks terms, approval, country and the rest in order, each with its reply, without reading the body', async () => {
  let country: string | null = null
  let reads = 0
  const stores = createTestStores()
  const { getStanding: standing } = stores.policy
  stores.policy.getStanding = (id) => (reads++, standing(id))
  await open({ stores, country: () => country })
  const send = async () => {
    reads = 0
    const failOnRead = () => {
      throw new Error('the body was read')
    }
    const headers = { ...ann.bearer, 'content-type': 'application/json' }
    const reply = await made.service.handle({
      method: 'POST',
      path: '/api/ingest',
      query: [],
      headers,
      address: null,
      body: failOnRead,
    })
    expect(reads).toBe(1)
    return [reply!.status, JSON.parse(reply!.body as string)]
  }
  expect(await send()).toEqual([403, { ok: false, error: 'terms_required', acceptUrl: 'http://127.0.0.1:8787/terms' }])
  await acceptTerms(false)
  const makeApprovalFailure = (status: string) => [
    403,
    { ok: false, error: 'contributor_approval_required', status, applyUrl: 'http://127.0.0.1:8787/apply' },
  ]
  expect(await send()).toEqual(makeApprovalFailure('not_applied'))
  const { json } = await post('/api/account/application', draft)
  expect(await send()).toEqual(makeApprovalFailure('pending'))
  await post(`/api/admin/applications/${json.application.id}`, { decision: 'reject' }, admin)
  expect(await send()).toEqual(makeApprovalFailure('rejected'))
  const again = await post('/api/account/application', draft)
  await post(`/api/admin/applications/${again.json.application.id}`, { decision: 'approve' }, admin)
  expect(await send()).toEqual([
    403,
    {
      ok: false,
      error: 'country_unknown',
      policy: { ...(await readPolicy()), eligible: false, reason: 'country_unknown' },
    },
  ])
  country = 'DE'
  expect(await send()).toEqual([403, { ok: false, error: 'us_upload_required' }])
  country = 'US'
  expect(await send()).toEqual([403, { ok: false, error: 'residency_required' }])
  await acceptTerms()
  await made.ask('PATCH', '/api/account', { headers: ann.bearer, json: { paused: true } })
  expect(await send()).toEqual([403, { ok: false, error: 'contributor_paused' }])
})

test('a worker with an additional allowed country mails the people who waited for that country once', async () => {
  const stores = createTestStores()
  await open({ stores, allowedCountries: ['US'] })
  const join = (country: string, email: string) =>
    made.ask('POST', '/api/waitlist', { headers: ann.bearer, json: { email, country } })
  const listMails = () => made.mailer.mails.filter(({ subject }) => subject === 'Uploads are now open in your country')
  await join('DE', 'desk@example.com')
  await made.service.work()
  expect(listMails()).toEqual([])
  const openLater = () => fixture({ stores, mailer: made.mailer, clock: made.clock, allowedCountries: ['US', 'DE'] })
  const later = openLater()
  await later.service.work()
  await later.service.work()
  await openLater().service.work()
  expect(listMails()).toMatchObject([{ to: 'desk@example.com' }])
  const entries = (await get('/api/admin/audit?action=waitlist.notify', admin)).json.items
  expect(entries).toMatchObject([{ actor: 'allowed countries', target: 'DE', after: { notified: 1 } }])
})

test('allowedCountries allows uploads from other countries', async () => {
  await open({ country: fixedCountry('DE'), allowedCountries: ['US', 'DE'] })
  expect((await acceptTerms()).json.policy).toMatchObject({ eligible: true, country: 'DE' })
})

test('POST /api/waitlist accepts an address with and without a country', async () => {
  expect((await post('/api/waitlist', { email: 'ann@example.com', country: 'de' })).json).toEqual({ ok: true })
  expect((await get('/api/account/export')).json.account.policy.waitlist).toMatchObject({
    email: 'ann@example.com',
    country: 'DE',
  })
  expect((await post('/api/waitlist', { email: 'ann@example.com' })).status).toBe(200)
  for (const json of [{}, { email: 'ann' }, { email: 'ann@example.com', country: 'Germany' }]) {
    expect(await post('/api/waitlist', json)).toMatchObject({ status: 400, json: { ok: false, error: 'invalid_body' } })
  }
})

test('the policy routes return 401 without a credential, and 403 for changes by cookie from another origin', async () => {
  for (const [method, path] of [
    ['GET', '/api/traces/upload-policy'],
    ['POST', '/api/account/terms'],
    ['PATCH', '/api/account'],
    ['POST', '/api/waitlist'],
  ] as const) {
    expect(await made.ask(method, path, method === 'GET' ? {} : { json: {} })).toMatchObject({
      status: 401,
      json: { ok: false, error: 'unauthorized' },
    })
    if (method === 'GET') continue
    const foreign = await made.ask(method, path, {
      headers: { 'cookie': ann.cookie.cookie, 'sec-fetch-site': 'cross-site' },
      json: {},
    })
    expect(foreign).toMatchObject({ status: 403, json: { ok: false, error: 'cross_site_request' } })
  }
})

describe('GET /waitlist and POST /waitlist/leave', () => {
  const page = async (path: string) => (await made.ask('GET', path, { headers: ann.cookie })).text
  const leaveWaitlist = () => made.ask('POST', '/waitlist/leave', { form: {}, headers: ann.cookie })

  test('show how long the person has been waiting, with links to the open steps, on each page that otherwise shows the steps', async () => {
    await open({ baseUrl: 'https://x.example/base' })
    expect(await page('/traces')).toContain('Read and accept the terms')
    await post('/api/waitlist', { email: 'ann@example.com', country: 'DE' })
    for (const path of ['/traces', '/']) {
      const text = await page(path)
      expect(text).toMatch(/on the waitlist for Germany since/)
      expect(text).toMatch(
        /You can already <a href="\/base\/terms">accept the terms<\/a>. After that you can <a href="\/base\/apply">apply as a contributor<\/a>\./,
      )
      expect(text).not.toContain('How to upload')
    }
    expect(await page('/waitlist')).toContain('>accept the terms<')
    const account = await page('/account')
    expect(account.indexOf('id="uploads"')).toBeLessThan(account.indexOf('id="machines"'))
    await post('/api/waitlist', { email: 'ann@example.com', country: 'US' })
    expect(await page('/traces')).toContain('Read and accept the terms')
    await post('/api/waitlist', { email: 'ann@example.com', country: 'DE' })
    await acceptTerms(false)
    const jobs = await page('/jobs')
    expect(jobs).not.toContain('accept the terms')
    expect(jobs).toMatch(/apply as a contributor<\/a>\.\s+<a href="\/base\/waitlist">View your waitlist entry/)
  })

  test('delete the entry after a confirmation, and say so', async () => {
    await post('/api/waitlist', { email: 'new@example.com', country: 'DE' })
    expect(await page('/waitlist/leave')).toContain('new@example.com')
    const left = await leaveWaitlist()
    expect([left.status, left.headers.get('location')]).toEqual([303, '/waitlist'])
    expect((await made.follow(left, ann.cookie)).text).toContain('You left the waitlist.')
    expect((await get('/api/account/export')).json.account.policy.waitlist).toBeNull()
    const again = await made.ask('GET', '/waitlist/leave', { headers: ann.cookie })
    expect([again.status, again.headers.get('location')]).toEqual([303, '/waitlist'])
    expect((await leaveWaitlist()).status).toBe(303)
  })
})
