import {
  fixture,
  makeApplication,
  makeId,
  makeTrace,
  seedTraces,
  temporaryDatabase,
  type Fixture,
  type Signed,
} from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'

const adminToken = 'operator-of-the-test'
const operator = { authorization: `Bearer ${adminToken}` }
const day = 24 * 60 * 60 * 1000
const device = 'device-of-ann-1'

let made: Fixture
let ann: Signed
let close: () => Promise<void>

beforeEach(async () => {
  const database = await temporaryDatabase()
  close = database.close
  const stores = libsqlStores(database.client)
  made = fixture({ stores, adminToken, approval: 'manual' })
  ann = await made.signIn('ann@example.com')
  const application = makeApplication({ status: 'approved' })
  await stores.contributors.submitApplication({ ownerId: ann.userId, application, now: 0 })
  await seedTraces(database.client, ann.userId, [makeTrace('ann', 0), makeTrace('ann', 1)])
})
afterEach(() => close())

const readEarnings = async (query = '') =>
  (await made.ask('GET', `/api/account/earnings${query}`, { headers: ann.bearer })).json
let buyers = 0
/** Sells both traces to a new buyer. The same key repeats the same sale. */
const sell = (usd: number, key?: string) =>
  made.ask('POST', '/api/admin/sales', {
    headers: { ...operator, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    json: { buyer: key ?? `Lab ${++buyers}`, traceIds: [makeId('ann', 0), makeId('ann', 1)], usd },
  })
const recordPayout = (usd: number, reference: string, key?: string) =>
  made.ask('POST', '/api/admin/payouts', {
    headers: { ...operator, ...(key === undefined ? {} : { 'idempotency-key': key }) },
    json: { userId: ann.userId, usd, reference },
  })
/** Counts an impression of a campaign with a CPM of 20 dollars. */
async function recordImpression(): Promise<void> {
  const { json } = await made.ask('GET', `/api/ad?d=${device}`, { headers: ann.bearer })
  made.clock.advance(1000)
  await made.ask('GET', `/api/ad/imp/${json.nonce}`)
}
async function startCampaign(): Promise<void> {
  const campaign = { name: 'A', brandName: 'Acme', title: 'T', text: 'x', url: 'https://acme.example', topics: [] }
  await made.ask('POST', '/api/admin/campaigns', { headers: operator, json: { ...campaign, cpmUsd: 20, budgetUsd: 9 } })
  await made.ask('POST', '/api/program/claim', { headers: ann.bearer, json: { deviceId: device } })
}
const listMails = async (): Promise<string[]> => {
  await made.service.work()
  return made.mailer.mails.filter(({ subject }) => !subject.includes('sign-in')).map(({ subject }) => subject)
}

describe('GET /api/account/earnings', () => {
  test('shows a sale as pending, and 14 days later as available', async () => {
    const { saleId } = (await sell(10)).json
    const at = new Date(made.clock()).toISOString()
    const sale = {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      kind: 'sale',
      usd: 8,
      at,
      availableAt: new Date(made.clock() + 14 * day).toISOString(),
      saleId,
      traces: 2,
      newTokens: 4,
      tokens: 4,
    }
    expect(await readEarnings()).toEqual({
      ok: true,
      balanceUsd: 0,
      pendingUsd: 8,
      lifetimeUsd: 8,
      items: [sale],
      nextCursor: null,
    })
    made.clock.advance(14 * day)
    expect(await readEarnings()).toMatchObject({ balanceUsd: 8, pendingUsd: 0, lifetimeUsd: 8 })
  })

  test('shows the impressions of a day after the day has ended and a worker ran, even after days without impressions', async () => {
    await startCampaign()
    await recordImpression()
    await recordImpression()
    await made.service.work()
    expect((await readEarnings()).items).toEqual([])
    const date = new Date(made.clock()).toISOString().slice(0, 10)
    made.clock.advance(20 * day)
    await made.service.work()
    made.clock.advance(day)
    await made.service.work()
    const { balanceUsd, items } = await readEarnings()
    expect(balanceUsd).toBe(0.02)
    expect(items).toMatchObject([{ kind: 'impressions', usd: 0.02, deviceId: device, day: date }])
    expect(Object.keys(items[0]).sort()).toEqual(['at', 'availableAt', 'day', 'deviceId', 'id', 'kind', 'usd'])
  })

  test('returns pages to a caller with a token or session, and 401 to any other', async () => {
    for (const n of [1, 2, 3]) await sell(n)
    const first = await readEarnings('?limit=2')
    const rest = await readEarnings(`?limit=2&cursor=${first.nextCursor}`)
    expect([first, rest].map(({ items }) => items.map(({ usd }: { usd: number }) => usd))).toEqual([[2.4, 1.6], [0.8]])
    expect((await made.ask('GET', '/api/account/earnings', { headers: ann.cookie })).status).toBe(200)
    expect((await made.ask('GET', '/api/account/earnings')).status).toBe(401)
    const bob = await made.signIn('bob@example.com')
    const { json } = await made.ask('GET', '/api/account/earnings', { headers: bob.bearer })
    expect(json).toMatchObject({ lifetimeUsd: 0, items: [] })
  })

  test('does not change when a sale is repeated with its key', async () => {
    await sell(10, 'sale-1')
    expect((await sell(10, 'sale-1')).headers.get('idempotency-replayed')).toBe('true')
    expect((await readEarnings()).items).toHaveLength(1)
  })
})

describe('POST /api/account/payout-requests', () => {
  const ask = (method: string, path: string, headers: Record<string, string>, json?: object) =>
    made.ask(method, path, { headers, ...(json === undefined ? {} : { json }) })
  const request = () => ask('POST', '/api/account/payout-requests', ann.bearer, {})
  const correct = (usd: number) =>
    ask('POST', '/api/admin/corrections', operator, { userId: ann.userId, usd, reason: 'Bonus' })
  const look = async () => (await ask('GET', '/earnings', ann.cookie)).text

  test('creates at most one request, of 25 dollars or more, until a payout closes it', async () => {
    await correct(24.999999)
    expect(await look()).toContain('once $25.00 is available')
    expect(await request()).toMatchObject({ status: 409, json: { ok: false, error: 'insufficient_balance' } })
    await correct(5.000001)
    expect(await look()).toContain('Request a payout of $30.00')
    const { status, json } = await request()
    expect([status, json]).toEqual([200, { ok: true, request: { id: expect.any(String), usd: 30, status: 'open' } }])
    expect(await request()).toMatchObject({ status: 409, json: { ok: false, error: 'payout_request_open' } })
    expect(await look()).toContain('You requested a payout of $30.00 on ')
    const listed = await ask('GET', '/api/admin/payout-requests?status=open', operator)
    expect(listed.json).toEqual({
      ok: true,
      items: [
        {
          id: json.request.id,
          userId: ann.userId,
          email: 'ann@example.com',
          usd: 30,
          status: 'open',
          requestedAt: new Date(made.clock()).toISOString(),
          decidedAt: null,
          reason: null,
        },
      ],
      nextCursor: null,
    })
    const search = (q: string) => ask('GET', `/api/admin/payout-requests?q=${q}&order=asc&to=2099-01-01`, operator)
    expect((await search('ANN@example.com')).json).toEqual(listed.json)
    expect((await search('nobody')).json).toEqual({ ok: true, items: [], nextCursor: null })
    await recordPayout(30, 'transfer-1')
    expect((await ask('GET', '/api/admin/payout-requests', operator)).json.items).toMatchObject([{ status: 'paid' }])
    expect(await listMails()).toEqual(['We received your payout request', 'Your payout of $30.00 was sent'])
  })

  test('creates a request that an operator can reject with a reason that the contributor sees', async () => {
    await correct(30)
    const form = await made.ask('POST', '/earnings', { headers: ann.cookie, form: {} })
    expect([form.status, form.headers.get('location')]).toEqual([303, '/earnings'])
    const [{ id }] = (await ask('GET', '/api/admin/payout-requests', operator)).json.items
    const path = `/api/admin/payout-requests/${id}`
    for (const json of [{}, { decision: 'reject' }, { decision: 'pay', reason: 'x' }])
      expect((await ask('POST', path, operator, json)).status).toBe(400)
    const json = { decision: 'reject', reason: 'We have no <b>bank</b> details.' }
    expect((await ask('POST', path, ann.bearer, json)).status).toBe(401)
    expect((await ask('POST', path, operator, json)).json).toEqual({
      ok: true,
      request: { id, usd: 30, status: 'rejected', reason: json.reason },
    })
    expect(await ask('POST', path, operator, json)).toMatchObject({
      status: 409,
      json: { ok: false, error: 'already_decided' },
    })
    const unknown = '/api/admin/payout-requests/019a0000-0000-7000-8000-000000000000'
    expect((await ask('POST', unknown, operator, json)).json).toEqual({ ok: false, error: 'not_found' })
    expect(await look()).toContain('<q>We have no &lt;b&gt;bank&lt;/b&gt; details.</q>')
    expect(await listMails()).toEqual(['We received your payout request', 'Your payout request was rejected'])
  })

  test('refuses a person who is not an approved contributor, as POST /api/admin/payouts does', async () => {
    const bob = await made.signIn('bob@example.com')
    await ask('POST', '/api/admin/corrections', operator, { userId: bob.userId, usd: 30, reason: 'Bonus' })
    const refused = { status: 409, json: { ok: false, error: 'contributor_not_approved' } }
    expect(await ask('POST', '/api/account/payout-requests', bob.bearer, {})).toMatchObject(refused)
    const payout = { userId: bob.userId, usd: 30, reference: 'transfer-1' }
    expect(await ask('POST', '/api/admin/payouts', operator, payout)).toMatchObject(refused)
  })
})

describe('POST /api/admin/payouts', () => {
  test('records a payout once for a repeated key, refuses a payout above the balance, and sends one mail', async () => {
    await sell(10)
    expect(await recordPayout(1, 'bank-1')).toMatchObject({
      status: 409,
      json: { ok: false, error: 'insufficient_balance' },
    })
    made.clock.advance(14 * day)
    const first = await recordPayout(5.5, 'bank-1', 'payout-1')
    const again = await recordPayout(5.5, 'bank-1', 'payout-1')
    expect([first.status, again.json]).toEqual([200, first.json])
    expect(first.json).toMatchObject({
      ok: true,
      balanceUsd: 2.5,
      entry: { kind: 'payout', usd: -5.5, reference: 'bank-1' },
    })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await recordPayout(2.500001, 'bank-2')).toMatchObject({ status: 409 })
    expect(await readEarnings()).toMatchObject({ balanceUsd: 2.5, lifetimeUsd: 8 })
    expect(await listMails()).toEqual(['Your traces were sold for the first time', 'Your payout of $5.50 was sent'])
    expect(made.mailer.mails.at(-1)).toMatchObject({
      to: 'ann@example.com',
      text: expect.stringContaining('Reference: bank-1'),
    })
  })
})

describe('POST /api/admin/applications/:id', () => {
  let bob: Signed
  beforeEach(async () => {
    bob = await made.signIn('bob@example.com')
  })
  const apply = async (): Promise<string> =>
    (
      await made.ask('POST', '/api/account/application', {
        headers: bob.bearer,
        json: {
          companyName: 'Acme',
          website: 'https://a.example',
          email: 'a@a.example',
          role: 'dev',
          authorized: true,
        },
      })
    ).json.application.id
  const review = async (json: object) =>
    made.ask('POST', `/api/admin/applications/${await apply()}`, { headers: operator, json })

  test('mails the account a rejection with its reason, and an approval', async () => {
    await review({ decision: 'reject', reason: 'No\nwebsite' })
    expect(await listMails()).toEqual(['Your application was not approved'])
    expect(made.mailer.mails.at(-1)).toMatchObject({
      to: 'bob@example.com',
      text: expect.stringContaining('> No\n> website'),
    })
    await review({ decision: 'approve' })
    expect(await listMails()).toEqual(['Your application was not approved', 'Your application was approved'])
  })
})

describe('DELETE /api/account', () => {
  test('keeps amounts without identity, and lets the device earn for its next owner', async () => {
    await startCampaign()
    await recordImpression()
    made.clock.advance(2 * day)
    await made.service.work()
    await sell(10)
    await made.ask('POST', '/api/admin/corrections', {
      headers: operator,
      json: { userId: ann.userId, usd: 1, reason: 'for Ann' },
    })
    const exported = (await made.ask('GET', '/api/account/export', { headers: ann.bearer })).json.account.ledger
    expect(exported.map(({ kind }: { kind: string }) => kind)).toEqual(['impressions', 'sale', 'correction'])
    const again = await made.signIn('ann@example.com')
    await made.ask('DELETE', '/api/account', { headers: again.cookie })
    await made.service.work()
    const { json } = await made.ask('GET', '/api/admin/balances', { headers: operator })
    expect(json).toEqual({ ok: true, items: [], nextCursor: null })
    expect((await recordPayout(1, 'late')).status).toBe(404)
    ann = await made.signIn('ann@example.com')
    expect(await readEarnings()).toMatchObject({ lifetimeUsd: 0, items: [] })
  })
})

describe('GET /earnings', () => {
  const open = async () => (await made.ask('GET', '/earnings', { headers: ann.cookie })).text

  test('explains how to earn when there are no earnings', async () => {
    const text = await open()
    expect(text).toContain('No earnings yet')
    expect(text).toContain('data-empty')
    const parts = [
      'Payouts go to approved contributors.',
      'You can request a payout once $25.00 is available. We may also pay out smaller amounts.',
      'their contributors share 80% of the price.',
      'A program on your device, the client',
      'You get 50% of what the sponsor pays for a line',
      'available when the day is over (UTC).',
      'You can show sponsor lines before your application is approved.',
      'Until then, a limited number counts each day, and nothing is paid out.',
      'aria-label="Commands"',
    ]
    const places = parts.map((part) => text.indexOf(part))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('shows balances, a bar for each day, and every entry, without scripts or inline styles', async () => {
    await startCampaign()
    await recordImpression()
    made.clock.advance(day)
    await made.service.work()
    await sell(10)
    await made.ask('POST', '/api/admin/corrections', {
      headers: operator,
      json: { userId: ann.userId, usd: -1, reason: '<b>Refund</b>' },
    })
    const text = await open()
    for (const part of [
      '−$0.99',
      '$8.00',
      'Sale of 2 traces',
      'Pending',
      `/earn/${device}`,
      '&lt;b&gt;Refund&lt;/b&gt;',
      'class="bars"',
    ])
      expect(text).toContain(part)
    expect(text.match(/<rect/g)).toHaveLength(30)
    expect(text).not.toMatch(/<script|style=|\son[a-z]+="/)
  })

  const correct = (usd: number) =>
    made.ask('POST', '/api/admin/corrections', {
      headers: operator,
      json: { userId: ann.userId, usd, reason: 'test' },
    })
  test.each([
    [2, 'Bonus or correction'],
    [-1, 'Correction'],
  ])('names an entry of %d dollars by an operator "%s"', async (usd, name) => {
    await correct(5)
    await correct(usd)
    const signedIn = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
    const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
    const { text } = await made.ask('GET', `/admin/contributors/${ann.userId}`, { headers })
    for (const page of [await open(), text]) expect(page).toMatch(new RegExp(`>\\s*${name}<small\\s*><bdi>test</bdi>`))
  })

  const figuresOf = (text: string): string[] => [...text.matchAll(/<dd>(.*?)<\/dd>/g)].map(([, figure]) => figure!)

  test('shows balances in whole cents, rounded down, and their sum as the total', async () => {
    await correct(0.347)
    await sell(35.028)
    const text = await open()
    expect(figuresOf(text)).toEqual(['$0.34', '$28.02', '$0.00', '$28.36'])
    expect(text).toContain('rounded down to the cent')
    expect(text).toMatch(/data-label="Amount"[^>]*>\$0\.34</)
    expect(text).toMatch(/data-label="Amount"[^>]*>\$28\.02</)
    expect(text).toMatch(/data-label="Earned"[^>]*>\$28\.02</)
    expect(text).toContain('We arrange the payment with you by')
    expect((await made.ask('GET', '/account/erase', { headers: ann.cookie })).text).toContain('$28.36')
  })

  test('shows at most the total as the amount earned in the last 30 days', async () => {
    await sell(10.008)
    made.clock.advance(15 * day)
    await sell(10.008)
    const text = await open()
    expect(figuresOf(text)).toEqual(['$8.00', '$8.00', '$0.00', '$16.00'])
    expect(text).toContain('Earned in the last 30 days: $16.00')
    await correct(5)
    expect(await open()).toContain('Earned in the last 30 days: $16.00')
    await correct(-10)
    expect(await open()).toContain('Earned in the last 30 days: $16.01')
  })

  test('shows at least zero as the amount earned in the last 30 days, whatever the payouts were rounded to', async () => {
    await sell(31.265)
    for (const _ of [1, 2]) {
      made.clock.advance(20 * day)
      await open()
    }
    await recordPayout(25.006, 'bank-1', 'payout-1')
    await sell(0.00125)
    const text = await open()
    expect(figuresOf(text)).toEqual(['$0.00', '$0.00', '$25.00', '$25.00'])
    expect(text).toContain('Earned in the last 30 days: $0.00')
  })

  test('shows the days of the chart in cents, rounded down', async () => {
    const readDays = async () =>
      [...(await open()).matchAll(/data-label="Earned"[^>]*>(.*?)</g)].map(([, amount]) => amount)
    await sell(10.0123)
    made.clock.advance(day)
    await sell(2)
    expect(await readDays()).toEqual(['$1.60', '$8.00'])
    made.clock.advance(day)
    await sell(0.005)
    expect(await readDays()).toEqual(['&lt;$0.01', '$1.60', '$8.00'])
  })

  test('shows the oldest entries as paid out, up to the amount of the payouts, on older pages too', async () => {
    for (let n = 0; n < 52; n++) await correct(1)
    await recordPayout(51.5, 'bank-1')
    const text = await open()
    const readStates = (page: string): string[] =>
      [...page.matchAll(/data-label="Status"[^>]*><span class="tag[^"]*">(.*?)</g)].map(([, state]) => state!)
    expect(readStates(text)).toEqual([
      'Paid out',
      'Partly paid out, $0.50 left',
      ...Array.from({ length: 48 }, () => 'Paid out'),
    ])
    const [, cursor] = /cursor=(\d+)/.exec(text)!
    const older = await made.ask('GET', `/earnings?cursor=${cursor}`, { headers: ann.cookie })
    expect(readStates(older.text)).toEqual(['Paid out', 'Paid out', 'Paid out'])
  })

  test('combines consecutive shares of sponsor lines into one row with their sum', async () => {
    await startCampaign()
    for (let n = 0; n < 3; n++) {
      await recordImpression()
      made.clock.advance(day)
    }
    await made.service.work()
    const text = await open()
    expect(text.match(/<tr role="row">\s*<th scope="row"[^>]*>\s*Sponsor lines of/g)).toHaveLength(1)
    expect(text).toContain('3 entries')
    expect(text).toMatch(/data-label="Amount"[^>]*>\$0\.03</)
  })
})
