import type { Fixture, Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  admin,
  signInContributor,
  openAutoApprovingService,
  places,
  makeTraceInput,
  type Place,
} from '../../ingest/contributor.fixture.ts'
import type { Logger } from '../../ports.ts'

const path = '/api/account/blocked-terms'

describe.each(Object.keys(places))('blocked terms in %s', (name) => {
  let place: Place
  let made: Fixture
  let ann: Signed
  const lines: string[] = []
  const write = (fields: object, message: string) => void lines.push(JSON.stringify([fields, message]))
  const logger: Logger = { info: write, warn: write, error: write }
  beforeEach(async () => {
    place = await places[name]!()
    lines.length = 0
    made = openAutoApprovingService(place.stores, { logger })
    ann = await signInContributor(made)
  })
  afterEach(() => place.close())

  const put = (terms: unknown, who = ann) => made.ask('PUT', path, { headers: who.bearer, json: { terms } })
  const get = async (who = ann) => (await made.ask('GET', path, { headers: who.bearer })).json
  const upload = async (content: string, more: object = {}) => {
    const traces = [makeTraceInput('notes', { messages: [{ role: 'user', content }], ...more })]
    const { json } = await made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { traces } })
    await made.service.work()
    return json.jobId as string
  }
  const download = async () => {
    const { traces } = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json
    return (await made.ask('GET', `/api/traces/${traces[0].id}/download`, { headers: ann.bearer })).json
  }

  describe('GET /api/account/blocked-terms', () => {
    test('returns an empty list to a user without terms, by token and by cookie', async () => {
      for (const headers of [ann.bearer, ann.cookie]) {
        const { status, json } = await made.ask('GET', path, { headers })
        expect([status, json]).toEqual([200, { ok: true, terms: [], updatedAt: null, pending: 0 }])
      }
      expect((await made.ask('GET', path)).status).toBe(401)
    })

    test('counts unsold traces stored before a change as pending until the worker has scrubbed the traces again', async () => {
      await upload('the kumquat plan')
      expect((await get()).pending).toBe(0)
      expect((await put(['Kumquat'])).json.pending).toBe(1)
      await made.service.work()
      expect((await get()).pending).toBe(0)
    })
  })

  describe('PUT /api/account/blocked-terms', () => {
    test('replaces the list of the caller only', async () => {
      const bob = await signInContributor(made)
      await put(['first'])
      const { status, json } = await put(['Projekt Ångström', ' Kumquat ', 'kumquat', 'ＫＵＭＱＵＡＴ'])
      const terms = ['Projekt Ångström', 'Kumquat']
      expect([status, json]).toEqual([200, { ok: true, terms, updatedAt: expect.any(String), pending: 0 }])
      expect(await get()).toEqual(json)
      expect((await get(bob)).terms).toEqual([])
      expect((await put([])).json.terms).toEqual([])
    })

    test.each([
      ['a term of one character', ['a']],
      ['a term of 129 characters', ['a'.repeat(129)]],
      ['a term of blanks', ['   ']],
      ['201 terms', Array.from({ length: 201 }, (_, n) => `term-${n}`)],
      ['a number', [12]],
      ['no list', 'Kumquat'],
    ])('returns 400 for %s and keeps the list', async (_, terms) => {
      await put(['Kumquat'])
      const { status, json } = await put(terms)
      expect([status, json]).toEqual([400, { ok: false, error: 'invalid_body', issues: expect.any(Array) }])
      expect((await get()).terms).toEqual(['Kumquat'])
    })

    test('accepts 200 terms of 2 to 128 characters', async () => {
      const terms = Array.from({ length: 200 }, (_, n) => `${n}`.padStart(n === 0 ? 2 : 128, 'ab'))
      expect((await put(terms)).json.terms).toEqual(terms)
    })
  })

  describe('POST /api/ingest of a user with blocked terms', () => {
    test('replaces a term in any case, width and encoding, as a whole word, also in names', async () => {
      await put(['Kumquat', 'Blue Bird'])
      const encoded = Buffer.from('{"project":"kumquat","owner":"us"}').toString('base64')
      await upload(`KUMQUAT, ｋｕｍｑｕａｔ, kumquats, %6bumquat, blue bird; ${encoded}`, { sourceId: 'kumquat-1' })
      const trace = await download()
      const [{ content }] = trace.messages
      expect(content).toMatch(/^\[BLOCKED_1\], \[BLOCKED_1\], kumquats, \[BLOCKED_1\], \[BLOCKED_2\]; /)
      expect(content).not.toContain(encoded)
      expect(trace.scrub.redactions.blocked_term).toBeGreaterThanOrEqual(5)
      expect(`${trace.sourceId} ${trace.title}`).not.toMatch(/(?<![a-z])kumquat(?![a-z])/i)
    })
  })

  describe('traces stored before a change of blocked terms', () => {
    // promise: what-stored-owner-identity
    test('are shown without the term immediately; the worker then removes the term from the stored traces', async () => {
      await upload('the kumquat plan of this spring')
      await put(['Kumquat'])
      const shown = await download()
      expect(shown).toMatchObject({
        title: 'the [BLOCKED_1] plan of this spring',
        scrub: { redactions: { blocked_term: 1 } },
      })
      const [{ id }] = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json.traces
      const readStoredTrace = () => place.others.traces.readTrace({ ownerId: ann.userId, id })
      expect((await readStoredTrace())!.messages).toContain('kumquat')
      await made.service.work()
      expect(await readStoredTrace()).toMatchObject({
        title: shown.title,
        identityRevision: (await readStoredTrace())!.ownerRevision,
      })
      expect((await readStoredTrace())!.messages).not.toContain('kumquat')
      expect(await download()).toEqual(shown)
    })

    test('appear in the dataset without the term and the identity, even before the worker has scrubbed them again', async () => {
      await upload('the kumquat plan of Hortense')
      await put(['Kumquat'])
      const contact = { name: 'Hortense Delacroix', email: 'h@delacroix.fr' }
      await made.ask('POST', '/api/account/contact', { headers: ann.bearer, json: contact })
      const dataset = await made.ask('GET', '/api/admin/dataset', { headers: admin })
      expect(dataset.text).toContain('the [BLOCKED_1] plan of [PERSON_1]')
      expect(dataset.text).not.toMatch(/kumquat|hortense/i)
    })

    test('stay unchanged in the store when they were sold, but are returned without the term', async () => {
      await upload('the kumquat plan')
      const [{ id }] = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json.traces
      const json = { buyer: 'buyer', traceIds: [id], usd: 1 }
      const { saleId } = (await made.ask('POST', '/api/admin/sales', { headers: admin, json })).json
      await put(['Kumquat'])
      expect((await get()).pending).toBe(0)
      await made.service.work()
      expect((await place.others.traces.readTrace({ ownerId: ann.userId, id }))!.messages).toContain('kumquat')
      const sold = await made.ask('GET', `/api/admin/dataset?saleId=${saleId}`, { headers: admin })
      expect(sold.text).toContain('the [BLOCKED_1] plan')
    })

    test('are listed without the term before and after the worker runs, even when they were sold', async () => {
      const jobId = await upload('the kumquat plan', { model: 'kumquat-70b' })
      const [{ id }] = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json.traces
      const json = { buyer: 'buyer', traceIds: [id], usd: 1 }
      await put(['Kumquat'])
      const shown = { id, title: 'the [BLOCKED_1] plan', model: '[BLOCKED_1]-70b' }
      const expectWithoutTerm = async (): Promise<void> => {
        const { traces } = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json
        expect(traces).toMatchObject([shown])
        for (const path of ['/traces', `/jobs/${jobId}`]) {
          const { text } = await made.ask('GET', path, { headers: ann.cookie })
          expect([path, text.includes('[BLOCKED_1] plan'), /kumquat/i.test(text)]).toEqual([path, true, false])
        }
        const form = { action: 'delete', ids: id }
        const { text } = await made.ask('POST', '/traces', { headers: ann.cookie, form })
        expect([text.includes('[BLOCKED_1] plan'), /kumquat/i.test(text)]).toEqual([true, false])
      }
      await expectWithoutTerm()
      const { saleId } = (await made.ask('POST', '/api/admin/sales', { headers: admin, json })).json
      await made.service.work()
      await expectWithoutTerm()
      const sold = await made.ask('GET', `/api/admin/sales/${saleId}/traces`, { headers: admin })
      expect(sold.json.items).toEqual([
        {
          ...shown,
          buyerTraceId: expect.any(String),
          userId: ann.userId,
          source: 'unknown',
          createdAt: expect.any(String),
          tokens: expect.any(Number),
          newTokens: expect.any(Number),
          withdrawn: false,
        },
      ])
    })
  })

  describe('/blocked-terms', () => {
    const submit = (terms: string) => made.ask('POST', '/blocked-terms', { headers: ann.cookie, form: { terms } })

    test('shows one term on each line, and the number of pending traces', async () => {
      await upload('the kumquat plan')
      await put(['Kumquat', '</textarea><b>'])
      const { status, text } = await made.ask('GET', '/blocked-terms', { headers: ann.cookie })
      expect(status).toBe(200)
      expect(text).toContain('Kumquat\n&lt;/textarea&gt;&lt;b&gt;</textarea')
      expect(text).toContain('1 stored trace is still to be processed again')
    })

    test('saves the lines of the field', async () => {
      const saved = await submit('Kumquat\r\n\r\n  Blue Bird \r\nkumquat')
      expect([saved.status, saved.headers.get('location')]).toEqual([303, '/blocked-terms'])
      expect((await get()).terms).toEqual(['Kumquat', 'Blue Bird'])
      expect((await made.follow(saved, ann.cookie)).text).toContain('Blocked terms saved.')
    })

    test('returns 400, names the invalid line, keeps the entered text and saves nothing', async () => {
      const wrong = await submit('Kumquat\nx\nBlue Bird')
      expect(wrong.status).toBe(400)
      expect(wrong.text).toContain('Blocked term 2 must have 2 to 128 characters.')
      expect(wrong.text).toContain('Kumquat\nx\nBlue Bird</textarea')
      const many = await submit(Array.from({ length: 201 }, (_, n) => `term-${n}`).join('\n'))
      expect([many.status, many.text.includes('Enter at most 200 blocked terms. You entered 201.')]).toEqual([
        400,
        true,
      ])
      expect((await get()).terms).toEqual([])
    })

    test('redirects to the sign-in page without a session', async () => {
      const { status, headers } = await made.ask('GET', '/blocked-terms')
      expect([status, headers.get('location')]).toEqual([303, expect.stringContaining('/sign-in')])
    })
  })

  test('GET /api/account/export contains the terms, and DELETE /api/account deletes them', async () => {
    await put(['Kumquat'])
    const { account } = (await made.ask('GET', '/api/account/export', { headers: ann.bearer })).json
    expect(account.blockedTerms).toEqual({ terms: ['Kumquat'], updatedAt: expect.any(String) })
    await made.ask('DELETE', '/api/account', { headers: ann.cookie })
    await made.service.work()
    expect((await place.others.blockedTerms.findTerms({ ownerId: ann.userId })).terms).toEqual([])
  })

  test('no operator route, page, metric or log line contains a term', async () => {
    await upload('the kumquat plan')
    await put(['Kumquat'])
    await made.service.work()
    await upload('kumquat again', { sourceId: 'other' })
    await made.ask('POST', '/blocked-terms', { headers: ann.cookie, form: { terms: 'Kumquat\nx' } })
    await made.service.work()
    const routes = (await made.service.routes()).filter(
      ({ route: { method, auth } }) => method === 'GET' && auth === 'admin',
    )
    expect(routes.length).toBeGreaterThan(8)
    const [{ id }] = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json.traces
    for (const { route } of routes) {
      const target = route.path.replace(':userId', ann.userId).replace(/:\w+/, id)
      const { status, text } = await made.ask('GET', target, { headers: admin })
      expect([target, status < 500, /kumquat/i.test(text)]).toEqual([target, true, false])
    }
    const page = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const cookie = {
      cookie: Object.entries(page.cookies)
        .map(([key, value]) => `${key}=${value}`)
        .join('; '),
    }
    const opened = await made.ask('GET', '/admin', { headers: cookie })
    const sections = [...new Set(Array.from(opened.text.matchAll(/href="\/admin\/(\w+)"/g), ([, section]) => section!))]
    expect(sections.length).toBeGreaterThan(6)
    const shown = await Promise.all(
      sections.map((section) => made.ask('GET', `/admin/${section}`, { headers: cookie })),
    )
    for (const { status, text } of shown) expect([status, /kumquat/i.test(text)]).toEqual([200, false])
    expect(shown.map(({ text }) => text).join()).toContain('All stored traces match the current rules.')
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.join('\n')).not.toMatch(/kumquat/i)
  })
})
