import { createTestStores, makeTraces, seedTraces, type Fixture, type Signed } from '@tributary/test-kit'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ServiceEvent } from '../../events/schema.ts'
import {
  admin,
  makeTraceInput,
  openAutoApprovingService,
  places,
  signInContributor,
  type Place,
} from '../../ingest/contributor.fixture.ts'

interface MadeBuyer {
  readonly id: string
  readonly token: string
  readonly bearer: { readonly authorization: string }
}
interface Line {
  readonly id: string
}

describe.each(Object.entries(places))('buyers on %s', (_, openPlace) => {
  let place: Place
  let made: Fixture
  let ann: Signed
  let events: ServiceEvent[]

  beforeEach(async () => {
    place = await openPlace()
    events = []
    made = openAutoApprovingService(place.stores, { onEvent: (event) => void events.push(event) })
    ann = await signInContributor(made)
  })
  afterEach(() => place.close())

  async function create(name: string, email?: string): Promise<MadeBuyer> {
    const { status, json } = await made.ask('POST', '/api/admin/buyers', {
      headers: admin,
      json: { name, ...(email === undefined ? {} : { email }) },
    })
    expect(status).toBe(200)
    return { ...json, bearer: { authorization: `Bearer ${json.token}` } }
  }
  /** Uploads conversations that have no text in common, and returns the ids of their traces in the order of `names`. */
  async function upload(who: Signed, ...names: string[]): Promise<string[]> {
    const traces = names.map((name) => makeTraceInput(name))
    await made.ask('POST', '/api/ingest', { headers: who.bearer, json: { deviceId: 'd', traces } })
    await made.service.work()
    const { traces: stored } = (await made.ask('GET', '/api/traces', { headers: who.bearer })).json
    return stored.map(({ id }: Line) => id).reverse()
  }
  const sell = async (buyer: string, ...traceIds: string[]): Promise<string> =>
    (await made.ask('POST', '/api/admin/sales', { headers: admin, json: { buyer, usd: 10, traceIds } })).json.saleId
  const get = (path: string, { bearer }: MadeBuyer) => made.ask('GET', path, { headers: bearer })
  const readLines = async (saleId: string, buyer: MadeBuyer, query = ''): Promise<Line[]> => {
    const { status, text } = await get(`/api/buyer/sales/${saleId}/dataset${query}`, buyer)
    expect(status).toBe(200)
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line)
  }
  const readRemovals = async (buyer: MadeBuyer, query = '') =>
    (await get(`/api/buyer/removals${query}`, buyer)).json as { items: { id: string }[]; nextCursor: string | null }
  const withdraw = async (id: string) =>
    made.ask('POST', `/api/admin/traces/${id}/withdraw`, { headers: admin, json: { reason: 'A name was left in' } })
  const removalMails = () => made.mailer.mails.filter(({ subject }) => subject === 'Delete traces that you bought')

  describe('POST /api/admin/buyers', () => {
    test('returns a token that is stored only as a hash, and 409 for the same name in another spelling', async () => {
      const { token } = await create('Lab')
      expect(token).toMatch(/^trbb_[0-9A-Za-z]{36}$/)
      const again = await made.ask('POST', '/api/admin/buyers', { headers: admin, json: { name: ' LAB ' } })
      expect([again.status, again.json.error]).toEqual([409, 'buyer_exists'])
      const { json } = await made.ask('GET', '/api/admin/buyers', { headers: admin })
      expect(json.items).toMatchObject([{ name: 'Lab', email: null, isActive: true }])
      expect(JSON.stringify(json)).not.toContain(token.slice(5))
    })

    test('ends the token and the browser sessions immediately when the token is rotated or revoked', async () => {
      const lab = await create('Lab')
      const signedIn = await made.ask('POST', '/buyer/sign-in', { form: { token: lab.token } })
      const cookie = { cookie: `tributary_buyer=${signedIn.cookies['tributary_buyer']}` }
      expect((await made.ask('GET', '/buyer', { headers: cookie })).status).toBe(200)
      const rotated = await made.ask('POST', `/api/admin/buyers/${lab.id}/rotate`, { headers: admin })
      expect((await get('/api/buyer/sales', lab)).status).toBe(401)
      expect((await made.ask('GET', '/buyer', { headers: cookie })).status).toBe(401)
      const next = { ...lab, bearer: { authorization: `Bearer ${rotated.json.token}` } }
      expect((await get('/api/buyer/sales', next)).status).toBe(200)
      await made.ask('POST', `/api/admin/buyers/${lab.id}/revoke`, { headers: admin })
      expect((await get('/api/buyer/sales', next)).status).toBe(401)
      for (const action of ['rotate', 'revoke'])
        expect((await made.ask('POST', `/api/admin/buyers/${ann.userId}/${action}`, { headers: admin })).status).toBe(
          404,
        )
    })
  })

  describe('GET /api/buyer/sales', () => {
    test("returns the sales under the buyer's name in every spelling, and no sale of another buyer", async () => {
      const [first, second] = (await upload(ann, 'one', 'two')) as [string, string]
      const [lab, org] = [await create('Lab'), await create('Org')]
      const [own, strange] = [await sell(' LAB ', first), await sell('Org', second)]
      const { items } = (await get('/api/buyer/sales', lab)).json
      expect(items).toEqual([{ id: own, usd: 10, soldAt: expect.any(String), traces: 1 }])
      for (const path of ['', '/dataset']) {
        expect((await get(`/api/buyer/sales/${own}${path}`, lab)).status).toBe(200)
        expect((await get(`/api/buyer/sales/${strange}${path}`, lab)).status).toBe(404)
        expect((await get(`/api/buyer/sales/${strange}${path}`, org)).status).toBe(200)
      }
    })

    test("refuses every credential except the buyer's token, which every other route refuses", async () => {
      const lab = await create('Lab')
      for (const headers of [ann.bearer, ann.cookie, admin, {}])
        expect((await made.ask('GET', '/api/buyer/sales', { headers })).status).toBe(401)
      for (const path of [
        '/api/traces',
        '/api/account/export',
        '/api/admin/sales',
        '/api/admin/buyers',
        '/api/cli/session',
      ])
        expect([path, (await get(path, lab)).status >= 401]).toEqual([path, true])
    })
  })

  describe('GET /api/buyer/sales/:id/dataset', () => {
    test('returns the sold traces in each format, whole or page by page, and records each read in the audit log', async () => {
      const ids = await upload(ann, 'one', 'two', 'three')
      const lab = await create('Lab')
      const saleId = await sell('Lab', ...ids)
      const all = await readLines(saleId, lab)
      expect(all).toHaveLength(3)
      expect(JSON.stringify(all)).not.toContain(ids[0])
      const page = await get(`/api/buyer/sales/${saleId}/dataset?limit=2`, lab)
      const next = page.headers.get('x-next-cursor')!
      expect([
        ...page.text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
        ...(await readLines(saleId, lab, `?limit=2&cursor=${next}`)),
      ]).toEqual(all)
      expect(await readLines(saleId, lab, '?format=messages')).toHaveLength(3)
      const listed = all.map(({ id }) => ({ id }))
      expect(await readLines(saleId, lab, '?format=ids')).toEqual(listed)
      expect(await readLines(saleId, lab, '?format=ids&limit=2')).toEqual(listed.slice(0, 2))
      const { items } = (await made.ask('GET', '/api/admin/audit?action=dataset.download', { headers: admin })).json
      expect(items.map(({ actor, target }: { actor: string; target: string }) => [actor, target])).toEqual(
        Array.from({ length: 3 }, () => ['buyer: Lab', saleId]),
      )
    })
  })

  describe('POST /api/admin/traces/:id/withdraw', () => {
    test('notifies each buyer once by feed, mail and event, and no longer delivers the trace', async () => {
      const [first, second] = (await upload(ann, 'one', 'two')) as [string, string]
      const [lab, org] = [await create('Lab', 'data@lab.example'), await create('Org')]
      const [own, other] = [await sell('Lab', first, second), await sell('Org', first)]
      const before = await readLines(own, lab)
      events.length = 0
      for (const _ of [1, 2]) expect((await withdraw(first)).json).toEqual({ ok: true, removals: 2 })
      for (const _ of [1, 2]) await made.service.work()
      const after = await readLines(own, lab)
      expect(await readLines(own, lab, '?format=ids')).toEqual(after.map(({ id }) => ({ id })))
      const { items } = await readRemovals(lab)
      const [gone] = before.filter(({ id }) => after.every((line) => line.id !== id))
      expect(items).toEqual([
        {
          id: items[0]!.id,
          saleId: own,
          buyerTraceId: gone!.id,
          reason: 'withdrawn',
          at: expect.any(String),
          acknowledgedAt: null,
        },
      ])
      expect([after.length, await readLines(other, org)]).toEqual([1, []])
      expect(events.filter(({ type }) => type === 'trace.removal_requested')).toHaveLength(2)
      expect(events.map(({ data }) => data)).toContainEqual({
        id: items[0]!.id,
        saleId: own,
        buyer: 'Lab',
        buyerTraceId: gone!.id,
        reason: 'withdrawn',
      })
      expect(removalMails().map(({ to }) => to)).toEqual(['data@lab.example'])
      expect(removalMails()[0]!.text).toContain('/buyer')
      const again = await made.ask('POST', '/api/admin/sales', {
        headers: admin,
        json: { buyer: 'New', usd: 1, traceIds: [first] },
      })
      expect(again.json).toMatchObject({ soldIds: [], skippedIds: [first] })
      expect((await withdraw(ann.userId)).status).toBe(404)
    })

    test('leaves the trace out of a download that is under way', { tags: 'long' }, async () => {
      const text = (name: string): string => Array.from({ length: 10_000 }, (_, n) => `${name}${n}`).join(' ')
      for (const name of Array.from({ length: 12 }, (_, n) => `talk-${n}`))
        await made.ask('POST', '/api/ingest', {
          headers: ann.bearer,
          json: {
            deviceId: 'd',
            traces: [{ ...makeTraceInput(name), messages: [{ role: 'user', content: text(name) }] }],
          },
        })
      await made.service.work()
      const { traces } = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json
      const lab = await create('Lab')
      const saleId = await sell('Lab', ...traces.map(({ id }: Line) => id))
      const path = `/api/buyer/sales/${saleId}/dataset`
      const request = { method: 'GET', path, query: [], headers: lab.bearer, address: null, body: null }
      const { body } = (await made.service.handle(request))!
      const decoder = new TextDecoder()
      let received = ''
      for await (const part of body as AsyncIterable<Uint8Array>) {
        if (received === '') for (const { id } of traces) await withdraw(id)
        received += decoder.decode(part, { stream: true })
      }
      expect(received.trim().split('\n')).toHaveLength(1)
      expect(await readLines(saleId, lab)).toEqual([])
    })
  })

  describe('DELETE /api/account', () => {
    // promise: count-buyers-copies-traces
    test('notifies each buyer once; the page of the erasure shows the number of buyers and when they acknowledged', async () => {
      const [first, second] = (await upload(ann, 'one', 'two')) as [string, string]
      const [lab, org] = [await create('Lab', 'data@lab.example'), await create('Org', 'org@org.example')]
      const saleId = await sell('Lab', first, second)
      await sell('Org', second)
      const asked = await made.ask('GET', '/account/erase', { headers: ann.cookie })
      expect(asked.text).toContain('2 buyers have copies of 2 of your traces')
      const { headers } = await made.ask('DELETE', '/api/account', { headers: ann.cookie })
      const [, noticesUrl] = /^<([^>]+)>; rel="status"$/.exec(headers.get('link')!)!
      // The trace is left out from the start of the erasure.
      expect(await readLines(saleId, lab)).toEqual([])
      const notices = async (): Promise<string> => (await made.ask('GET', new URL(noticesUrl!).pathname)).text
      const checkAgain = `<a href="${new URL(noticesUrl!).pathname}">Check again</a>`
      expect(await notices()).toContain(checkAgain)
      expect(await notices()).toContain('Your account is being deleted, which takes a few minutes at most.')
      expect(await notices()).toMatch(/>12:00:00<\/time>\s+\(UTC\) it was not finished/)
      expect(await notices()).not.toContain('No buyer')
      for (const _ of [1, 2]) await made.service.work()
      expect(await notices()).not.toContain(checkAgain)
      expect(await notices()).toMatch(/2 buyers were told to delete copies\.\s+No buyer has confirmed/)
      expect(await notices()).toContain(
        `You deleted your account on <time datetime="${new Date(made.clock()).toISOString().slice(0, 10)}`,
      )
      expect(
        removalMails()
          .map(({ to }) => to)
          .toSorted(),
      ).toEqual(['data@lab.example', 'org@org.example'])
      const { items } = await readRemovals(lab)
      expect(items).toMatchObject([{ reason: 'erased' }, { reason: 'erased' }])
      for (const { id } of items) {
        expect((await made.ask('POST', `/api/buyer/removals/${id}/ack`, { headers: org.bearer })).status).toBe(404)
        const acknowledged = await made.ask('POST', `/api/buyer/removals/${id}/ack`, { headers: lab.bearer })
        expect(acknowledged.json.removal).toMatchObject({ id, acknowledgedAt: expect.any(String) })
      }
      expect(await notices()).toMatch(/2 buyers were told to delete copies\.\s+1 of them confirmed/)
      const bob = await signInContributor(made)
      const erased = await made.ask('DELETE', '/api/account', { headers: bob.cookie })
      await made.service.work()
      const [, unsold] = /\/account(\/erasures\/[^>]+)>/.exec(erased.headers.get('link')!)!
      const { text } = await made.ask('GET', `/account${unsold}`)
      expect(text).toContain('No buyer had copies of your traces')
      expect(text).not.toContain('Check again')
      const open = (await made.ask('GET', '/api/admin/removals', { headers: admin })).json
      expect(open.items).toMatchObject([{ buyer: 'Org', reason: 'erased' }])
      expect((await readRemovals(lab)).items).toHaveLength(2)
    })

    test('GET /api/buyer/removals returns removals in pages, or only the removals since a given time', async () => {
      const ids = await upload(ann, 'one', 'two', 'three')
      const lab = await create('Lab')
      await sell('Lab', ...ids)
      await withdraw(ids[0]!)
      made.clock.advance(60_000)
      const since = new Date(made.clock()).toISOString()
      for (const id of ids.slice(1)) await withdraw(id)
      const page = await readRemovals(lab, '?limit=2')
      const rest = await readRemovals(lab, `?limit=2&cursor=${page.nextCursor}`)
      expect([page.items.length, rest.items.length, rest.nextCursor]).toEqual([2, 1, null])
      expect((await readRemovals(lab, `?since=${since}`)).items).toEqual([page.items[1], rest.items[0]])
      expect((await get('/api/buyer/removals?since=yesterday', lab)).status).toBe(400)
    })
  })

  describe('/admin/buyers', () => {
    test('has a mail link for a buyer who is on another page, even if the sale spells the name differently', async () => {
      const [traceId] = (await upload(ann, 'one')) as [string]
      await create('Lab', 'data@lab.example')
      for (let n = 0; n < 50; n++) await create(`Buyer ${n}`)
      await sell('LAB', traceId)
      await withdraw(traceId)
      const token = admin.authorization.slice(7)
      const signedIn = await made.ask('POST', '/admin/sign-in', { form: { token } })
      const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
      const open = async (query: string) => (await made.ask('GET', `/admin/${query}`, { headers })).text
      expect(await open('buyers')).not.toContain('data@lab.example')
      expect(await open('buyers?q=lab')).toContain('value="data@lab.example"')
      expect(await open('buyers')).toMatch(/filter=unconfirmed"\s*>Deletions not confirmed <span class="count">1</)
      expect(await open('buyers?filter=unconfirmed')).toContain('href="mailto:data@lab.example?subject=Reminder')
      expect(await open('buyers?filter=unconfirmed&q=buyer')).toContain('Nothing matches.')
    })

    test('has one reminder for each buyer, with a text that names the number of traces and the page to confirm', async () => {
      const [first, second, third] = (await upload(ann, 'one', 'two', 'three')) as [string, string, string]
      await create('Lab & Co', 'data+lab@lab.example')
      await create('Org')
      for (const [buyer, id] of [
        ['Lab & Co', first],
        ['LAB & CO', second],
        ['Org', third],
      ] as const) {
        await sell(buyer, id)
        await withdraw(id)
      }
      const signedIn = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
      const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
      const { text } = await made.ask('GET', '/admin/buyers?filter=unconfirmed', { headers })
      const links = [...text.matchAll(/href="(mailto:[^"]*)"\s*>(.*?)<\/a/g)].map(([, url, name]) => [
        new URL(url!.replaceAll('&amp;', '&')),
        name,
      ]) as [URL, string][]
      expect(links.map(([{ pathname, search }, name]) => [pathname, search.includes('+'), name])).toEqual([
        ['data%2Blab@lab.example', false, 'Remind <bdi>LAB &amp; CO</bdi>'],
      ])
      expect([...links[0]![0].searchParams]).toEqual([
        ['subject', 'Reminder: delete traces that you bought'],
        [
          'body',
          'You must delete 2 traces that you bought. You have not confirmed the deletion yet.\r\n\r\n' +
            'See which traces they are, and confirm when your copies are deleted: http://127.0.0.1:8787/buyer\r\n',
        ],
      ])
      expect(text).toMatch(/<span class="none"><bdi>Org<\/bdi> has no <span class="whole">e-mail<\/span> address/)
    })

    test('lists confirmed deletions with their times, on the page and in a file', async () => {
      const [traceId] = (await upload(ann, 'one')) as [string]
      const lab = await create('Lab')
      const saleId = await sell('Lab', traceId)
      await withdraw(traceId)
      const { items } = await readRemovals(lab)
      await made.ask('POST', `/api/buyer/removals/${items[0]!.id}/ack`, { headers: lab.bearer })
      const signedIn = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
      const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
      const open = async (path: string) => (await made.ask('GET', `/admin/${path}`, { headers })).text
      const page = await open(`buyers?filter=confirmed&q=${saleId}`)
      expect(page).toMatch(/data-label="Confirmed \(UTC\)">\s*<time datetime="2/)
      expect(page).not.toContain('mailto:')
      const [, removal] = (await open('csv/buyers?filter=confirmed')).split('\r\n')
      expect(removal).toMatch(new RegExp(`^${items[0]!.id},${saleId},[^,]+,withdrawn,2[^,]+Z,2[^,]+Z,Lab,$`))
      const [fields, listed] = (await open('csv/buyers?filter=buyers')).split('\r\n')
      expect(fields).toBe('id,name,email,createdAt,isActive,tokenAt')
      expect(listed).toMatch(/^[^,]+,Lab,,2[^,]+Z,true,2[^,]+Z$/)
    })

    test('asks for confirmation before a token is replaced or revoked, and before a trace is withdrawn', async () => {
      const [traceId] = (await upload(ann, 'one')) as [string]
      const lab = await create('Lab')
      const saleId = await sell('Lab', traceId)
      const token = admin.authorization.slice(7)
      const signedIn = await made.ask('POST', '/admin/sign-in', { form: { token } })
      const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
      const submit = (action: string, form: Record<string, string>) =>
        made.ask('POST', `/admin/buyers/${action}`, { form, headers })
      const [forms, reason] = [{ id: lab.id, name: 'Lab' }, 'A name was left in']
      const asked = await submit('withdraw', { id: traceId, reason })
      for (const part of ['Withdraw this trace?', 'In 1 sale', reason, 'class="danger final"'])
        expect(asked.text).toContain(part)
      for (const action of ['rotate', 'revoke']) expect((await submit(action, forms)).status).toBe(200)
      expect((await readRemovals(lab)).items).toEqual([])
      const withdrawn = await submit('withdraw', { id: traceId, reason, confirmed: 'yes' })
      expect(withdrawn.flash).toMatchObject({ done: 'withdrawn', counts: [1] })
      const [removal] = (await readRemovals(lab)).items
      const readSale = async () => (await made.ask('GET', `/admin/sales/${saleId}`, { headers })).text
      const open = 'The buyer has not confirmed the deletion of 1 trace of this sale'
      expect(await readSale()).toContain(open)
      const { text: list } = await made.ask('GET', '/admin/buyers?filter=unconfirmed', { headers })
      expect(list).toContain('data-label="Buyer’s trace ID"')
      const [, path] = /href="(\/admin\/sales\/[^"]*\?q=[^"]*)"/.exec(list)!
      expect((await made.ask('GET', path!, { headers })).text).toContain('<span class="tag bad">Withdrawn</span>')
      const again = await submit('withdraw', { id: traceId, reason, item: 'withdrawal' })
      expect([again.status, again.text.includes('This trace was withdrawn before.')]).toEqual([400, true])
      const unknown = await submit('withdraw', { id: lab.id, reason, item: 'withdrawal' })
      expect([unknown.status, unknown.text.includes('There is no trace with this ID.')]).toEqual([400, true])
      const log = (await made.ask('GET', '/admin/audit', { headers })).text
      expect(log).toMatch(new RegExp(`<dt>Trace ID</dt>\\s*<dd><code>${traceId}</code></dd>`))
      const { text } = await made.ask('GET', '/admin', { headers })
      expect(text).toContain('1 trace that a buyer has to delete')
      await made.ask('POST', `/api/buyer/removals/${removal!.id}/ack`, { headers: lab.bearer })
      expect(await readSale()).not.toContain(open)
      await submit('revoke', { ...forms, confirmed: 'yes' })
      expect((await get('/api/buyer/removals', lab)).status).toBe(401)
    })
  })

  test('POST /admin/buyers/create says what a buyer without an e-mail address misses', async () => {
    const signedIn = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
    const createOnPage = async (form: Record<string, string>) =>
      (await made.ask('POST', '/admin/buyers/create', { form, headers })).text
    expect(await createOnPage({ name: 'Lab' })).toContain('<bdi>Lab</bdi> has no ')
    const addressed = await createOnPage({ name: 'Org', email: 'org@example.com' })
    expect(addressed).toContain('Buyer token of <bdi>Org</bdi>')
    expect(addressed).not.toContain('</bdi> has no ')
  })

  test('POST /admin/buyers/address keeps a refused address in its opened form', async () => {
    const signedIn = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
    const [lab] = [await create('Lab', 'lab@example.com'), await create('Org', 'org@example.com')]
    const sent = { id: lab.id, email: 'data@lab' }
    const { status, text } = await made.ask('POST', '/admin/buyers/address', { form: sent, headers })
    expect(status).toBe(400)
    expect(text).toContain('The address was not saved. Correct it below.')
    const forms = [...text.matchAll(/<details\s*(open)?\s*>.*?<\/details>/gs)].filter(([form]) =>
      form.includes('/address"'),
    )
    expect(
      forms.map(([form, open]) => [
        open,
        /name="email"\s+value="([^"]*)"/.exec(form)?.[1],
        form.includes('data@example'),
      ]),
    ).toEqual([
      [undefined, 'org@example.com', false],
      ['open', 'data@lab', true],
    ])
  })

  describe('/buyer', () => {
    test('signs a buyer in, shows purchases and removals, downloads, and acknowledges removals, all without JavaScript', async () => {
      const [first, second, third] = (await upload(ann, 'one', 'two', 'three')) as [string, string, string]
      const [lab] = [await create('Lab'), await create('Org')]
      const [saleId, strange] = [await sell('Lab', first, third), await sell('Org', second)]
      await withdraw(first)
      const asked = await made.ask('GET', '/buyer')
      expect([asked.status, asked.text.includes('name="token"')]).toEqual([401, true])
      for (const token of ['', 'trbb_wrong', `${lab.token}x`]) {
        const refused = await made.ask('POST', '/buyer/sign-in', { form: { token } })
        expect([refused.status, refused.text.includes('aria-invalid="true"')]).toEqual([401, true])
      }
      const signedIn = await made.ask('POST', '/buyer/sign-in', { form: { token: ` ${lab.token}\n` } })
      expect([signedIn.status, signedIn.headers.get('set-cookie')]).toEqual([
        303,
        expect.stringMatching(/HttpOnly.*SameSite=Strict|SameSite=Strict.*HttpOnly/),
      ])
      const headers = { cookie: `tributary_buyer=${signedIn.cookies['tributary_buyer']}` }
      const page = await made.ask('GET', '/buyer', { headers })
      expect(page.text).toContain(saleId)
      expect(page.text).not.toContain(strange)
      for (const part of ['I deleted all copies of this trace', 'You cannot undo it.'])
        expect(page.text).toContain(part)
      const sale = await made.ask('GET', `/buyer/sales/${saleId}`, { headers })
      expect(sale.text).toContain(`/buyer/sales/${saleId}/download?format=messages`)
      expect(sale.text).toContain('Bought. A download now contains 1.')
      const [, command] = /<pre[^>]*><code>(.*?)<\/code>/s.exec(sale.text)!
      expect(
        command!
          .replaceAll(/<[^>]+>/g, '')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'"),
      ).toBe(
        [
          'curl --fail --output dataset.jsonl',
          '--header "Authorization: Bearer $TRIBUTARY_BUYER_TOKEN"',
          `'http://127.0.0.1:8787/api/buyer/sales/${saleId}/dataset?format=documents'`,
        ].join(' \\\n  '),
      )
      const file = await made.ask('GET', `/buyer/sales/${saleId}/download?format=messages`, { headers })
      expect([file.status, file.headers.get('content-disposition')]).toEqual([
        200,
        `attachment; filename="sale-${saleId}-messages.jsonl"`,
      ])
      for (const path of [`/buyer/sales/${strange}`, `/buyer/sales/${strange}/download`])
        expect((await made.ask('GET', path, { headers })).status).toBe(404)
      const [, ids] = /name="ids" value="([^"]+)"/.exec(page.text)!
      const form = { ids: ids! }
      expect((await made.ask('POST', '/buyer/acknowledge', { form })).status).toBe(401)
      const forged = await made.ask('POST', '/buyer/acknowledge', {
        form,
        headers: { ...headers, 'sec-fetch-site': 'cross-site' },
      })
      expect(forged.status).toBe(403)
      const sent = await made.ask('POST', '/buyer/acknowledge', { form, headers })
      expect([sent.status, sent.headers.get('location')]).toEqual([303, '/buyer'])
      const { text } = await made.follow(sent, headers)
      for (const part of ['Confirmed: you deleted all copies of 1 trace.', 'Nothing to delete.'])
        expect(text).toContain(part)
      const [{ buyerTraceId } = { buyerTraceId: '' }] = (await get('/api/buyer/removals', lab)).json.items
      const [, folded] = /<details id="confirmed" >\s*<summary>Confirmed deletions<\/summary>(.*?)<\/details>/s.exec(
        text,
      )!
      for (const part of [buyerTraceId, `href="/buyer/sales/${saleId}"`, 'data-label="Confirmed (UTC)"'])
        expect(folded).toContain(part)
      const after = await made.ask('GET', `/buyer/sales/${saleId}`, { headers })
      expect(after.text).toContain('Bought. A download now contains 1.')
      expect(after.text).not.toContain('You have to delete')
      await made.ask('POST', '/buyer/sign-out', { form: {}, headers })
      expect((await made.ask('GET', '/buyer', { headers })).status).toBe(401)
    })

    test('lists confirmed deletions page by page, newest first, and none of another buyer', async () => {
      const names = Array.from({ length: 27 }, (_, n) => `talk-${n}`)
      const ids = await upload(ann, ...names)
      const [lab, org] = [await create('Lab'), await create('Org')]
      await sell('Lab', ...ids)
      await sell('Org', ids[0]!)
      for (const id of ids) await withdraw(id)
      for (const buyer of [lab, org])
        for (const { id } of (await readRemovals(buyer)).items)
          await made.ask('POST', `/api/buyer/removals/${id}/ack`, { headers: buyer.bearer })
      const signedIn = await made.ask('POST', '/buyer/sign-in', { form: { token: lab.token } })
      const headers = { cookie: `tributary_buyer=${signedIn.cookies['tributary_buyer']}` }
      const open = async (query: string) => {
        const { text } = await made.ask('GET', `/buyer${query}`, { headers })
        const [, state, folded] = /<details id="confirmed"(.*?)>(.*?)<\/details>/s.exec(text)!
        const listed = [...folded!.matchAll(/<code>([^<]+)<\/code><\/th>/g)].map(([, id]) => id)
        return { state: state!.trim(), listed, next: /href="\/buyer(\?confirmed=[^"#]*)#confirmed"/.exec(folded!)?.[1] }
      }
      const first = await open('')
      const second = await open(first.next!)
      const { items } = (await get('/api/buyer/removals', lab)).json as { items: { buyerTraceId: string }[] }
      expect([...first.listed, ...second.listed]).toEqual(items.map(({ buyerTraceId }) => buyerTraceId).reverse())
      expect([first.listed.length, first.state, second.state, second.next]).toEqual([25, '', 'open', undefined])
    })
  })
})

test('GET /admin/buyers?filter=unconfirmed lists every removal that is not acknowledged, page by page', async () => {
  const stores = createTestStores()
  const made = openAutoApprovingService(stores)
  const ann = await signInContributor(made)
  await seedTraces(stores.client, ann.userId, makeTraces(300, 'ann'))
  await made.ask('POST', '/api/admin/buyers', { headers: admin, json: { name: 'Lab', email: 'data@lab.example' } })
  await made.ask('POST', '/api/admin/sales', { headers: admin, json: { buyer: 'Lab', usd: 10, filter: {} } })
  await made.ask('DELETE', '/api/account', { headers: ann.cookie })
  for (const _ of [1, 2]) await made.service.work()
  const all = { status: 'open', order: 'asc', cursor: null, limit: 400 } as const
  const removals = (await stores.buyers.listAllRemovals(all)).items
  expect(removals).toHaveLength(300)
  const signedIn = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
  const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
  const seen: string[] = []
  let text = ''
  for (let next: string | undefined = '?filter=unconfirmed'; next !== undefined;) {
    text = (await made.ask('GET', `/admin/buyers${next}`, { headers })).text
    expect(text.match(/href="mailto:[^"]*"/g)?.map(decodeURIComponent)).toEqual([
      expect.stringContaining('You must delete more than 100 traces that you bought.'),
    ])
    next = /buyers(\?[^"]*cursor=[^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    seen.push(...[...text.matchAll(/\?q=([^"]+)"/g)].map(([, id]) => id!))
  }
  expect(seen).toEqual(removals.map(({ buyerTraceId }) => buyerTraceId))
  expect(text).toContain('<a href="/admin/buyers?filter=unconfirmed" rel="first">')
})
