import { createTestStores, fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../service/options.ts'
import type { Stores } from '../stores.ts'

const adminToken = 'operator-'.repeat(3)
const admin = { authorization: `Bearer ${adminToken}` }
const draft = {
  companyName: 'Acme',
  website: 'https://acme.example',
  email: 'ann@acme.example',
  role: 'founder',
  authorized: true,
}
const links = { applyUrl: 'http://127.0.0.1:8787/apply', contactUrl: 'http://127.0.0.1:8787/contact' }

describe('contributors', () => {
  let made: Fixture
  let ann: Signed
  let bob: Signed
  let stores: Stores
  const open = async (options: Partial<ServiceOptions> = {}): Promise<void> => {
    made = fixture({ stores, adminToken, country: () => 'US', ...options })
  }
  beforeEach(async () => {
    stores = createTestStores()
    await open()
    ann = await made.signIn()
    bob = await made.signIn()
  })

  const ask = (method: string, path: string, headers: Record<string, string>, json?: unknown) =>
    made.ask(method, path, { headers, json })
  const readAccess = async (who = ann) => (await ask('GET', '/api/traces/access', who.bearer)).json
  const apply = (changes: object = {}, who = ann) =>
    ask('POST', '/api/account/application', who.bearer, { ...draft, ...changes })
  const review = (id: string, json: object) => ask('POST', `/api/admin/applications/${id}`, admin, json)

  test('GET /api/traces/access returns the state of an application until its review, and a rejected user can apply again', async () => {
    expect(await readAccess()).toEqual({ ok: true, status: 'not_applied', application: null, applyUrl: links.applyUrl })
    const applied = await apply({ incubatorBatch: 'W26', directoryUrl: 'https://directory.example/acme', unknown: 1 })
    const { id } = applied.json.application
    expect([applied.status, applied.json]).toEqual([
      200,
      {
        ok: true,
        status: 'pending',
        application: {
          ...draft,
          id,
          incubatorBatch: 'W26',
          directoryUrl: 'https://directory.example/acme',
          status: 'pending',
          submittedAt: new Date(made.clock()).toISOString(),
          reviewedAt: null,
          reviewReason: null,
        },
      },
    ])
    expect(await readAccess()).toEqual({ ...applied.json, applyUrl: links.applyUrl })
    expect(await readAccess(bob)).toMatchObject({ status: 'not_applied', application: null })
    expect(await apply()).toMatchObject({ status: 409, json: { ok: false, error: 'application_exists' } })
    const rejected = await review(id, { decision: 'reject', reason: ' too early ' })
    expect(rejected.json).toMatchObject({
      ok: true,
      application: { id, userId: ann.userId, status: 'rejected', reviewReason: 'too early' },
    })
    expect(await readAccess()).toMatchObject({
      status: 'rejected',
      application: { id, reviewReason: 'too early', reviewedAt: rejected.json.application.reviewedAt },
    })
    const second = await apply()
    expect(second.json).toMatchObject({ status: 'pending', application: { incubatorBatch: null, directoryUrl: null } })
    await review(second.json.application.id, { decision: 'approve' })
    expect(await readAccess()).toMatchObject({ status: 'approved', application: { reviewReason: null } })
    expect((await apply()).status).toBe(409)
  })

  test('POST /api/account/application stores one of twenty concurrent applications, and the first of twenty reviews decides', async () => {
    const applied = await Promise.all(Array.from({ length: 20 }, () => apply()))
    expect(applied.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)])
    const { id } = applied.find(({ status }) => status === 200)!.json.application
    const reviewed = await Promise.all(
      Array.from({ length: 20 }, (_, i) => review(id, { decision: i % 2 ? 'approve' : 'reject' })),
    )
    expect(reviewed.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)])
    expect(reviewed.find(({ status }) => status === 409)!.json).toEqual({ ok: false, error: 'already_reviewed' })
    expect((await readAccess()).status).toBe(reviewed.find(({ status }) => status === 200)!.json.application.status)
  })

  test('POST /api/account/application approves the application immediately if approval is automatic', async () => {
    await open({ approval: 'automatic' })
    const applied = await apply()
    expect(applied.json).toMatchObject({ status: 'approved', application: { status: 'approved', reviewReason: null } })
    expect(applied.json.application.reviewedAt).toBe(applied.json.application.submittedAt)
  })

  // promise: review-application-hand
  test.each([
    ['manual', true],
    ['automatic', false],
  ] as const)('GET /apply promises a review by hand with %s approval: %s', async (approval, byHand) => {
    await open({ approval })
    const { text } = await made.ask('GET', '/apply', { headers: ann.cookie })
    expect(text.includes('We review every application by hand.')).toBe(byHand)
  })

  test.each([
    { companyName: '' },
    { companyName: '   ' },
    { companyName: 'x'.repeat(201) },
    { website: 'javascript:alert(1)' },
    { website: 'acme.example' },
    { website: `https://acme.example/${'x'.repeat(2048)}` },
    { directoryUrl: 'ftp://acme.example' },
    { email: 'ann' },
    { role: '' },
    { role: 'x'.repeat(129) },
    { incubatorBatch: 'x'.repeat(65) },
    { authorized: false },
    { authorized: 'yes' },
    { website: undefined },
  ])('POST /api/account/application returns 400 for %j', async (changes) => {
    expect(await apply(changes)).toMatchObject({ status: 400, json: { ok: false, error: 'invalid_body' } })
    expect((await readAccess()).status).toBe('not_applied')
  })

  test('POST /api/account/application accepts the longest fields and replaces characters that cannot be stored', async () => {
    const text = { companyName: 'x'.repeat(200), role: 'y'.repeat(128), incubatorBatch: 'z'.repeat(64) }
    expect((await apply(text)).json.application).toMatchObject(text)
    expect((await apply({ companyName: 'A\0B\ud800' }, bob)).json.application.companyName).toBe('A\uFFFDB\uFFFD')
    expect((await readAccess(bob)).application.companyName).toBe('A\uFFFDB\uFFFD')
  })

  test('GET /api/traces/contact returns completed: true after POST /api/account/contact', async () => {
    expect((await ask('GET', '/api/traces/contact', ann.bearer)).json).toEqual({
      ok: true,
      completed: false,
      contactUrl: links.contactUrl,
    })
    const saved = await ask('POST', '/api/account/contact', ann.bearer, {
      name: 'Ann',
      email: 'ann@example.com',
      phone: '+1 555 0100',
    })
    expect(saved.json).toEqual({ ok: true, completed: true, contactUrl: links.contactUrl })
    expect((await ask('GET', '/api/traces/contact', ann.cookie)).json).toEqual(saved.json)
    expect((await ask('GET', '/api/traces/contact', bob.bearer)).json.completed).toBe(false)
    for (const json of [
      {},
      { name: 'Ann' },
      { name: ' ', email: 'ann@example.com' },
      { name: 'Ann', email: 'ann', phone: '1' },
    ]) {
      expect(await ask('POST', '/api/account/contact', ann.bearer, json)).toMatchObject({
        status: 400,
        json: { error: 'invalid_body' },
      })
    }
  })

  test('POST /api/account/contact changes a contact only from a browser that signed in within 15 minutes, and sends a mail', async () => {
    const contact = { name: 'Ann', email: 'ann@example.com' }
    const save = (headers: Record<string, string>, changes: object = {}) =>
      ask('POST', '/api/account/contact', headers, { ...contact, ...changes })
    const countMails = async () => {
      await made.service.work()
      const mails = made.mailer.mails.filter(({ subject }) => subject === 'Your contact details were changed')
      expect(mails.every(({ to }) => to === ann.email)).toBe(true)
      return mails.length
    }
    const refused = { status: 403, json: { ok: false, error: 'reauthentication_required' } }
    for (const headers of [ann.bearer, ann.bearer, ann.cookie]) expect((await save(headers)).status).toBe(200)
    expect(await countMails()).toBe(1)
    const saved = { ...contact, phone: null }
    expect(await save(ann.bearer, { email: 'thief@example.com' })).toMatchObject(refused)
    expect((await save(ann.cookie, { name: 'Ann Lee' })).status).toBe(200)
    expect(await countMails()).toBe(2)
    made.clock.advance(15 * 60_000)
    const late = await save(ann.cookie, { email: 'thief@example.com' })
    expect([late.status, late.json]).toEqual([refused.status, refused.json])
    const form = { name: 'Thief', email: 'thief@example.com' }
    const { status, headers } = await made.ask('POST', '/contact', { headers: ann.cookie, form })
    expect([status, headers.get('location')]).toEqual([303, '/contact'])
    const page = await made.ask('GET', '/contact', { headers: ann.cookie })
    expect([
      page.text.includes('Ann Lee'),
      page.text.includes('Send code'),
      page.text.includes('name="phone"'),
    ]).toEqual([true, true, false])
    expect(await countMails()).toBe(2)
    expect(await stores.contributors.findContact({ ownerId: ann.userId })).toEqual({ ...saved, name: 'Ann Lee' })
  })

  test('PUT /api/account/consent stores the consent and its history', async () => {
    const setConsent = (json: unknown) => ask('PUT', '/api/account/consent', ann.bearer, json)
    expect((await setConsent({ attribution: true, pixel: false })).json).toEqual({
      ok: true,
      consent: { attribution: true, pixel: false },
    })
    await setConsent({ attribution: false, pixel: false })
    const { contributor } = (await ask('GET', '/api/account/export', ann.bearer)).json.account
    expect(contributor).toMatchObject({
      consent: { attribution: false, pixel: false },
      consents: [{ attribution: true }, { attribution: false }],
    })
    expect(contributor.consents[0].changedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    for (const json of [{ attribution: true }, { attribution: true, pixel: 1 }, []])
      expect((await setConsent(json)).status).toBe(400)
  })

  test('GET /api/admin/applications and /contributors return every entry page by page', async () => {
    await apply()
    const theirs = (await apply({ companyName: 'Bobco' }, bob)).json.application
    await review(theirs.id, { decision: 'approve' })
    const list = async (query: string) => (await ask('GET', `/api/admin/applications${query}`, admin)).json
    const first = await list('?limit=1')
    const { userId, email: accountEmail } = bob
    const reviewed = { ...theirs, status: 'approved', reviewedAt: expect.any(String) }
    expect(first.items).toEqual([{ ...reviewed, userId, accountEmail }])
    expect(await list(`?limit=1&cursor=${first.nextCursor}`)).toMatchObject({
      items: [{ userId: ann.userId }],
      nextCursor: null,
    })
    expect(await list('?status=pending')).toMatchObject({ ok: true, items: [{ userId: ann.userId }], nextCursor: null })
    expect(await list('?status=rejected')).toEqual({ ok: true, items: [], nextCursor: null })
    const people = (await ask('GET', '/api/admin/contributors?limit=1', admin)).json
    expect(people.items).toMatchObject([
      { userId: bob.userId, status: 'approved', companyName: 'Bobco', operatorPaused: false },
    ])
    expect((await ask('GET', `/api/admin/contributors?cursor=${people.nextCursor}`, admin)).json).toMatchObject({
      items: [{ userId: ann.userId }],
      nextCursor: null,
    })
    for (const path of [
      'applications?status=open',
      'applications?limit=0',
      'applications?limit=201',
      'applications?cursor=x',
      'contributors?cursor=-1',
    ]) {
      expect(await ask('GET', `/api/admin/${path}`, admin)).toMatchObject({
        status: 400,
        json: { ok: false, error: 'invalid_query' },
      })
    }
  })

  test("the operator's routes return 404 and 409 for an application that cannot be reviewed, and 401 to others", async () => {
    const unknown = '01900000-0000-7000-8000-000000000000'
    expect(await review(unknown, { decision: 'approve' })).toMatchObject({
      status: 404,
      json: { ok: false, error: 'not_found' },
    })
    expect(await review('7', { decision: 'approve' })).toMatchObject({ status: 400, json: { error: 'invalid_id' } })
    expect(await review(unknown, { decision: 'maybe' })).toMatchObject({ status: 400, json: { error: 'invalid_body' } })
    expect(await ask('POST', `/api/admin/contributors/${unknown}`, admin, { paused: true })).toMatchObject({
      status: 404,
      json: { error: 'not_found' },
    })
    expect(await ask('POST', `/api/admin/contributors/${'x'.repeat(129)}`, admin, { paused: true })).toMatchObject({
      status: 400,
      json: { error: 'invalid_id' },
    })
    for (const path of ['applications', 'contributors']) {
      for (const headers of [{}, ann.bearer, ann.cookie, { authorization: 'Bearer wrong' }]) {
        expect(await ask('GET', `/api/admin/${path}`, headers)).toMatchObject({
          status: 401,
          json: { ok: false, error: 'unauthorized' },
        })
      }
    }
    await open({ adminToken: undefined } as never)
    expect(await ask('GET', '/api/admin/applications', admin)).toMatchObject({
      status: 404,
      json: { ok: false, error: 'not_found' },
    })
  })

  test('GET /api/traces/upload-policy, /access and /contact return 503 when the store does not answer', async () => {
    const { Unavailable } = await import('../unavailable.ts')
    const throwUnavailable = async () => {
      throw new Unavailable('locked')
    }
    await open({
      stores: {
        ...stores,
        policy: { ...stores.policy, getStanding: throwUnavailable },
        contributors: {
          ...stores.contributors,
          findApplication: throwUnavailable,
          findContact: throwUnavailable,
        },
      },
    })
    for (const path of ['upload-policy', 'access', 'contact']) {
      expect(await ask('GET', `/api/traces/${path}`, ann.bearer)).toMatchObject({
        status: 503,
        json: { ok: false, error: 'unavailable' },
      })
      expect(await ask('GET', `/api/traces/${path}`, {})).toMatchObject({
        status: 401,
        json: { ok: false, error: 'unauthorized' },
      })
    }
  })
})
