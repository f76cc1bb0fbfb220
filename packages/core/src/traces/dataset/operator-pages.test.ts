import {
  fixture,
  makeTraces,
  seedTraces,
  temporaryDatabase,
  type Fixture,
  type Signed,
  type TemporaryDatabase,
} from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { libsqlStores } from '../../stores/libsql/index.ts'
import type { Stores } from '../../stores.ts'

const adminToken = 'operator-of-the-test'
let made: Fixture
let stores: Stores
let ann: Signed
let cookie: Record<string, string>
let client: TemporaryDatabase['client']
let close: () => Promise<void>

beforeEach(async () => {
  const database = await temporaryDatabase()
  ;({ close, client } = database)
  stores = libsqlStores(database.client)
  made = fixture({ stores, adminToken })
  ann = await made.signIn('ann@example.com')
  await seedTraces(database.client, ann.userId, makeTraces(12, 'ann'))
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  cookie = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
})
afterEach(() => close())

const open = async (query = '') => (await made.ask('GET', `/admin/sales${query}`, { headers: cookie })).text
const sell = (form: Record<string, string>, headers = cookie) =>
  made.ask('POST', '/admin/sales/sell', { form, headers })
/** Returns the fields of the form that confirms a sale of everything to a buyer. */
const readReviewFields = async (buyer = 'Lab', usd = '1') =>
  readFields(await open(`?source=&buyer=${encodeURIComponent(buyer)}&usd=${usd}`), '>Sell ')
const listSales = async () => (await stores.dataset.listSales({ cursor: null, limit: 10 })).items
/** Returns the hidden and other fields of the form that has this button. */
function readFields(page: string, button: string): Record<string, string> {
  const form = page.split('<form').find((part) => part.includes(button))!
  const inputs = [...form.matchAll(/<input[^>]*?name="(\w+)"[^>]*?value="([^"]*)"/g)]
  return Object.fromEntries(inputs.map(([, name, value]) => [name!, value!]))
}

describe('GET /admin/sales', () => {
  test('counts the traces that match a filter and shows ten titles, and counts nothing without a filter', async () => {
    expect(await open()).not.toContain('data-totals')
    const page = await open('?source=&from=&to=&minTokens=')
    expect(page).toContain('12 traces · ')
    expect([...page.matchAll(/<th scope="row"/g)]).toHaveLength(10)
  })

  test('says how to change a filter that nothing matches, above the open form of the filter', async () => {
    for (const [query, filter] of [
      ['?model=gpt', 'by the model gpt'],
      ['?minTokens=999999999', 'with 999,999,999 tokens or more'],
      ['?from=3000-01-01', 'created on 3000-01-01 or later'],
    ]) {
      const page = await open(query)
      expect(page).toContain(
        'No trace matches. Agent and model must be whole names. Change the filter, or <a href="/admin/sales?source=">show all traces</a>.',
      )
      expect(page).toMatch(new RegExp(`<details  ?open>\\s*<summary>Filter: ${filter}</summary>`))
    }
    expect(await open('?minTokens=1')).toMatch(/<details ?>\s*<summary>Filter: with 1 tokens or more<\/summary>/)
    await client.execute('update traces set sell_excluded = 1')
    const none = await open('?source=')
    expect(none).toContain('No trace is for sale.')
    expect(none).not.toContain('show all traces')
    expect(none).toContain('<summary>Filter: None (all traces for sale)</summary>')
  })

  test('shows the number of traces that were sold before, also on the confirmation page', async () => {
    expect(await open('?source=')).toMatch(/12 traces · [\d,]+ tokens<\/strong> ·\s+none sold yet/)
    await sell(await readReviewFields())
    await seedTraces(client, ann.userId, [...makeTraces(13, 'ann')].slice(12))
    for (const [query, isReview] of [
      ['?source=', false],
      ['?source=&buyer=Other&usd=2', true],
    ] as const) {
      const page = await open(query)
      expect(page).toMatch(/13 traces · [\d,]+ tokens<\/strong> ·\s+1 not sold yet, 12 already sold/)
      for (const part of ['unless “Never sold before” is selected', 'The review shows how many traces remain.'])
        expect([part, page.includes(part)]).toEqual([part, !isReview])
    }
  })

  test('links the sample to the conversation and does not show its contributor', async () => {
    const [link] = /\/admin\/sales\/[0-9a-f-]{36}\?[^"]*/.exec(await open('?minTokens=1'))!
    const path = link.replaceAll('&amp;', '&')
    expect(path).toContain('minTokens=1')
    const { status, text } = await made.ask('GET', path, { headers: cookie })
    expect(status).toBe(200)
    for (const part of ['This is what a buyer would get.', 'id="message-1"', 'Back to the selected traces'])
      expect(text).toContain(part)
    expect(/<title>([^]*?)<\/title>/.exec(text)![1]).not.toContain('bdi')
    expect(text).not.toContain('ann@example.com')
    expect(text).not.toContain(ann.userId)
    const [id] = /[0-9a-f-]{36}/.exec(path)!
    const read = await made.ask('GET', '/api/admin/audit?action=sample.read', {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    expect(read.json.items).toMatchObject([{ target: id, before: null, after: null }])
    expect((await made.ask('GET', '/admin/audit', { headers: cookie })).text).toContain('viewed the trace')
    const other = await made.ask('GET', path.replace('minTokens=1', 'minTokens=999999999'), { headers: cookie })
    expect(other.status).toBe(404)
  })

  test('filters the recorded sales by their own days, and not by the filter or the buyer of a new sale', async () => {
    await sell(await readReviewFields())
    const isListed = async (query: string) => (await open(query)).includes('<bdi>Lab</bdi></a')
    for (const query of ['?from=2001-01-01&to=2001-01-02', '?source=&buyer=Other&usd=many', '?soldFrom=2026-11-20'])
      expect([query, await isListed(query)]).toEqual([query, true])
    expect(await isListed('?soldTo=2026-11-19')).toBe(false)
    const file = (query: string) => made.ask('GET', `/admin/csv/sales?${query}`, { headers: cookie })
    expect((await file('soldTo=2026-11-19')).text.trim().split('\r\n')).toHaveLength(1)
    expect((await file('from=2001-01-01&to=2001-01-02')).text.trim().split('\r\n')).toHaveLength(2)
  })

  test('marks an invalid field, and sells nothing', async () => {
    for (const query of ['?minTokens=many', '?from=today', '?source=paper']) {
      const page = await open(query)
      expect([query, page.includes('Correct the marked fields.'), page.includes('data-totals')]).toEqual([
        query,
        true,
        false,
      ])
    }
    const reversed = await open('?from=2026-11-20&to=2026-11-19')
    for (const part of ['id="to-error">Enter a day that is not before the first.', 'value="2026-11-20"'])
      expect(reversed).toContain(part)
    expect(
      (await sell({ buyer: 'Lab', usd: '1', from: '2026-11-20', to: '2026-11-19', idempotencyKey: 'reversed' })).status,
    ).toBe(400)
    const wrong = await open('?source=&buyer=Lab&usd=many')
    for (const part of ['Nothing was sold.', 'id="usd-error"', 'value="Lab"', 'value="many"'])
      expect(wrong).toContain(part)
    expect(await listSales()).toEqual([])
  })
})

describe('GET /admin/sales/:id', () => {
  test('links to the conversation of each delivered trace, which an operator reads before withdrawing the trace', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const json = { buyer: 'Lab', usd: 1, filter: {} }
    const { saleId } = (await made.ask('POST', '/api/admin/sales', { headers, json })).json
    const read = async (path: string) =>
      (await made.ask('GET', path.replaceAll('&amp;', '&'), { headers: cookie })).text
    const sale = await read(`/admin/sales/${saleId}`)
    expect(sale).toContain('12 traces in this sale</h2>')
    expect(sale).toMatch(/<details>\s*<summary>Export a package with a command<\/summary>[^]*?dataset export/)
    const links = [
      ...sale.matchAll(/<th scope="row" role="rowheader"><a class="sentence" href="([^"]*)"><bdi>([^<]*)<\/bdi>/g),
    ]
    expect(links).toHaveLength(12)
    const [, link, title] = links[0]!
    const id = /sales\/([^?]*)/.exec(link!)![1]!
    const { items } = (await made.ask('GET', `/api/admin/sales/${saleId}/traces?q=${id}`, { headers })).json
    expect(link).toBe(`/admin/sales/${id}?sale=${saleId}`)
    const withdrawal = `/admin/buyers/withdrawal?id=${id}&amp;sale=${saleId}`
    expect(sale.replaceAll(/\s+/g, ' ')).toContain(`href="${withdrawal}" aria-label="Withdraw “${title}”…"`)
    const trace = await read(link!)
    for (const part of [
      `<a href="/admin/sales/${saleId}">Back to the sale</a>`,
      title!,
      items[0].buyerTraceId,
      'id="message-1"',
      `<a href="/admin/contributors/${ann.userId}">`,
      `href="${withdrawal}">Withdraw this trace…</a>`,
    ])
      expect(trace).toContain(part)
    const reads = await made.ask('GET', '/api/admin/audit?action=sample.read', { headers })
    expect(reads.json.items.map(({ target }: { target: string }) => target)).toEqual([id])

    await made.ask('POST', `/api/admin/traces/${id}/withdraw`, { headers, json: { reason: 'secret' } })
    expect(await read(`/admin/sales/${saleId}`)).not.toContain(link)
    expect((await made.ask('GET', link!, { headers: cookie })).status).toBe(404)
    const [, other] = /sales\/([^?]*)/.exec(links[1]![1]!)!
    expect((await made.ask('GET', `/admin/sales/${other}?sale=${id}`, { headers: cookie })).status).toBe(404)
  })

  test('returns to the sale from a withdrawal that started there, and names the trace and its contributor', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const json = { buyer: 'Lab', usd: 1, filter: {} }
    const { saleId } = (await made.ask('POST', '/api/admin/sales', { headers, json })).json
    const read = async (path: string) => (await made.ask('GET', path, { headers: cookie })).text
    const [{ id, title }] = (await made.ask('GET', `/api/admin/sales/${saleId}/traces`, { headers })).json.items
    const form = await read(`/admin/buyers/withdrawal?id=${id}&sale=${saleId}`)
    const fields = readFields(form, 'Review withdrawal')
    expect(fields).toEqual({ item: 'withdrawal', id, sale: saleId, reason: '' })
    const submit = (entered: Record<string, string>) =>
      made.ask('POST', '/admin/buyers/withdraw', { form: entered, headers: cookie })
    const refused = await submit(fields)
    const review = await submit({ ...fields, reason: 'A name was left in' })
    expect([refused.status, review.status]).toEqual([400, 200])
    for (const page of [form, refused.text, review.text])
      for (const part of [
        title,
        `<a href="/admin/contributors/${ann.userId}">`,
        `<a href="/admin/sales/${saleId}">Back to the sale</a>`,
        `<a href="/admin/sales/${saleId}">Cancel</a>`,
      ])
        expect(page).toContain(part)
    const withdrawn = await submit(readFields(review.text, '>Withdraw trace'))
    expect(withdrawn.headers.get('location')).toBe(`/admin/sales/${saleId}`)
    expect((await made.follow(withdrawn, cookie)).text).toContain('1 copy has to be deleted by its buyer.')
    expect(await read(`/admin/buyers/withdrawal?id=${id}`)).not.toContain(ann.userId)
  })

  test('says that a trace is withheld if the redaction rules do not let it pass', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const json = { buyer: 'Lab', usd: 1, filter: {} }
    const { saleId } = (await made.ask('POST', '/api/admin/sales', { headers, json })).json
    await client.execute("update traces set withheld = 'refused'")
    const [link] = /\/admin\/sales\/[^"]*\?sale=[^"]*/.exec(await open(`/${saleId}`))!
    const { status, text } = await made.ask('GET', link, { headers: cookie })
    expect(status).toBe(200)
    expect(text).toContain('This trace cannot be shown now')
    expect(text).toContain('Withdraw this trace…')
  })

  test('shows when the buyer last downloaded the sale, as long as the audit log knows it', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const { token } = (await made.ask('POST', '/api/admin/buyers', { headers, json: { name: 'Lab' } })).json
    const ids = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json.traces.map(
      ({ id }: { id: string }) => id,
    )
    const record = async (buyer: string, traceIds: string[]): Promise<string> =>
      (await made.ask('POST', '/api/admin/sales', { headers, json: { buyer, usd: 1, traceIds } })).json.saleId
    const [sale, other] = [await record('Lab', ids.slice(1)), await record('Nobody', ids)]
    const readDownload = async (id: string) =>
      /<dt>Last download by the buyer<\/dt>\s*<dd>(.*?)<\/dd>/.exec(await open(`/${id}`))?.[1]?.replaceAll(/<.*?>/g, '')
    await made.ask('GET', `/admin/download/sales/${sale}`, { headers: cookie })
    expect([await readDownload(sale), await readDownload(other)]).toEqual(['Not yet', undefined])
    made.clock.advance(60_000)
    const day = new Date(made.clock()).toISOString().slice(0, 16).replace('T', ' ')
    await made.ask('GET', `/api/buyer/sales/${sale}/dataset`, { headers: { authorization: `Bearer ${token}` } })
    expect(await readDownload(sale)).toBe(`${day} UTC`)
    const later = await record('Lab', ids)
    expect(await readDownload(later)).toBe('Not yet')
    made.clock.advance(731 * 24 * 60 * 60_000)
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
    cookie = {
      cookie: Object.entries(cookies)
        .map((entry) => entry.join('='))
        .join('; '),
    }
    expect(await readDownload(later)).toBeUndefined()
  })

  test('lists the traces of the sale by their time of creation, oldest first', async () => {
    const days = ['2026-03-02', '2026-01-02', '2026-02-02']
    for (const [at, day] of days.entries())
      await seedTraces(client, ann.userId, makeTraces(1, `day-${at}`, 0, { createdAt: `${day}T00:00:00.000Z` }))
    const json = { buyer: 'Lab', usd: 1, filter: { from: '2026-01-01', to: '2026-04-01' } }
    const headers = { authorization: `Bearer ${adminToken}` }
    const { saleId } = (await made.ask('POST', '/api/admin/sales', { headers, json })).json
    const page = await made.ask('GET', `/admin/sales/${saleId}`, { headers: cookie })
    expect(page.text).toContain('Oldest first.')
    expect(page.text).toMatch(/aria-sort="ascending"[^>]*>\s*<a [^>]*>Created</)
    const rows = page.text.slice(page.text.indexOf('Oldest first.'))
    const places = days.toSorted().map((day) => rows.indexOf(day))
    expect(places[0]).toBeGreaterThan(0)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('filters the traces of the sale by source, day and state, in pages, and their file has the same traces', async () => {
    await seedTraces(client, ann.userId, makeTraces(30, 'gem', 0, { source: 'gemini_cli' }))
    const headers = { authorization: `Bearer ${adminToken}` }
    const json = { buyer: 'Lab', usd: 1, filter: {} }
    const { saleId } = (await made.ask('POST', '/api/admin/sales', { headers, json })).json
    const id = (await made.ask('GET', `/api/admin/sales/${saleId}/traces?source=gemini_cli`, { headers })).json.items[0]
      .id
    await made.ask('POST', `/api/admin/traces/${id}/withdraw`, { headers, json: { reason: 'secret' } })
    const read = async (path: string) => (await made.ask('GET', path, { headers: cookie })).text
    const show = (query: string) => read(`/admin/sales/${saleId}?${query}`)
    const linkOf = (text: string, rel: string) =>
      new RegExp(`href="([^"]+)"[^>]*${rel}`).exec(text)![1]!.replaceAll('&amp;', '&')
    const listed = (text: string) => [...text.matchAll(/<th scope="row"/g)].length
    const first = await show('source=gemini_cli')
    const second = await read(linkOf(first, 'rel="next"'))
    expect([listed(first), listed(second), listed(await read(linkOf(second, 'rel="first"')))]).toEqual([25, 5, 25])
    expect((await read(linkOf(second, 'download'))).trim().split('\r\n')).toHaveLength(31)
    expect(listed(await show('withdrawn=true'))).toBe(1)
    expect(listed(await show('source=gemini_cli&withdrawn=false&cursor='))).toBe(25)
    expect((await read(linkOf(await show('withdrawn=true'), 'download'))).trim().split('\r\n')).toHaveLength(2)
    expect(await show('to=2001-01-01')).toContain('Nothing matches. Change the search or')
  })
})

describe('POST /admin/sales/sell', () => {
  test("shows the contributors' share before the sale is confirmed, and pays that share", async () => {
    expect(await open('?source=&buyer=Lab&usd=40')).toMatch(
      /Contributors&#39; share<\/dt>\s*<dd>\$32\.00 \(80%\)<\/dd>/,
    )
    expect(await open('?source=&buyer=Lab&usd=0')).toMatch(/Contributors&#39; share<\/dt>\s*<dd>\$0\.00<\/dd>/)
    const sold = await sell(await readReviewFields('Lab', '40'))
    const page = (await made.ask('GET', sold.headers.get('location')!, { headers: cookie })).text
    expect(page).toMatch(/Contributors&#39; share<\/dt>\s*<dd>\$32\.00 \(80%\)<\/dd>/)
    expect(page).toMatch(/Contributors<\/dt>\s*<dd>1<\/dd>/)
    const { json } = await made.ask('GET', '/api/account/earnings', { headers: ann.bearer })
    expect(json.items.map(({ usd }: { usd: number }) => usd)).toEqual([32])
  })

  test('sells the reviewed traces once when a form is submitted twice', async () => {
    const review = await open('?source=&buyer=Lab+%26+Sons&usd=12.50')
    expect(review).toContain('Lab &amp; Sons')
    expect(review).toContain('Confirm sale to <bdi>Lab &amp; Sons</bdi></h1>')
    for (const other of ['Show matching traces', 'Recorded sales', 'Sell these traces'])
      expect(review).not.toContain(other)
    const form = { ...readFields(review, '>Sell 12 traces'), buyer: 'Lab & Sons' }
    expect(form).toMatchObject({ usd: '12.50', traces: '12', idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) })
    const [first, second] = [await sell(form), await sell(form)]
    const [sale] = await listSales()
    for (const { headers, flash } of [first, second])
      expect([headers.get('location'), flash]).toEqual([`/admin/sales/${sale!.id}`, { done: 'sold', counts: [12] }])
    expect(await listSales()).toMatchObject([{ buyer: 'Lab & Sons', usd: 12.5, traceCount: 12 }])
    expect((await made.follow(first, cookie)).text).toContain('Sale recorded: 12 traces.')
    const log = (await made.ask('GET', '/admin/audit', { headers: cookie })).text
    expect(log).toContain(`<a href="/admin/sales/${sale!.id}"><bdi>Lab &amp; Sons</bdi></a>`)
    const page = (await made.ask('GET', `/admin/sales/${sale!.id}`, { headers: cookie })).text
    for (const part of ['Sale to <bdi>Lab &amp; Sons</bdi>', '$12.50', '<dd>12</dd>', '?format=sts'])
      expect(page).toContain(part)
    expect((await made.ask('GET', '/admin/sales/none', { headers: cookie })).status).toBe(404)
    const { json } = await made.ask('GET', '/api/admin/audit', {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    expect(json.items.filter(({ action }: { action: string }) => action.startsWith('sale'))).toHaveLength(1)
  })

  test('records one sale for concurrent submissions of one form, and a second sale for another form', async () => {
    const form = { ...(await readReviewFields()), idempotencyKey: 'form-1' }
    const done = await Promise.all([1, 2, 3].map(async () => (await sell(form)).flash?.done))
    expect(done).toContain('sold')
    for (const one of done) expect(['sold', 'idempotency_in_progress']).toContain(one)
    expect(await listSales()).toHaveLength(1)
    const changed = await sell({ ...form, usd: '2' })
    expect([changed.headers.get('location'), changed.flash]).toEqual([
      '/admin/sales',
      { done: 'idempotency_key_reused' },
    ])
    expect((await made.follow(changed, cookie)).text).toContain('Nothing was changed.')
    await seedTraces(client, ann.userId, makeTraces(12, 'later'))
    const { confirmed: _, ...again } = { confirmed: '', ...(await readReviewFields()) }
    for (let time = 0; time < 2; time++) {
      const unconfirmed = await sell({ ...again, idempotencyKey: 'form-2' })
      expect([unconfirmed.status, unconfirmed.text.includes('id="confirmed-error"')]).toEqual([400, true])
    }
    expect(await listSales()).toHaveLength(1)
    for (let time = 0; time < 2; time++)
      expect((await sell({ ...again, idempotencyKey: 'form-2', confirmed: 'yes' })).flash?.done).toBe('sold')
    expect(await listSales()).toHaveLength(2)
  })

  test('asks for confirmation of a sale that repeats a sale of the last hour, and of a sale with a price of 0', async () => {
    const review = '?source=&buyer=Lab&usd=1'
    expect(await open(review)).not.toContain('name="confirmed"')
    expect(await open('?source=&buyer=Lab&usd=0')).toContain('contributors earn nothing')
    const free = await readReviewFields('Lab', '0')
    const { confirmed: _, ...unconfirmed } = free
    expect((await sell(unconfirmed)).status).toBe(400)
    expect(await listSales()).toEqual([])
    await sell(await readReviewFields())
    expect(await open(review)).toContain('Nothing new for this buyer')
    await seedTraces(client, ann.userId, makeTraces(12, 'later'))
    expect(await open(review)).toMatch(/This buyer bought 12 traces at <time[^]*name="confirmed"/)
    expect(await open('?source=&buyer=Other&usd=1')).not.toContain('name="confirmed"')
    made.clock.advance(3_600_000)
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
    cookie = {
      cookie: Object.entries(cookies)
        .map((entry) => entry.join('='))
        .join('; '),
    }
    expect(await open(review)).not.toContain('name="confirmed"')
  })

  test('says on the review page how many traces a sale leaves out as near-duplicates, if there are any', async () => {
    const review = '?source=&buyer=Lab&usd=1'
    expect(await open(review)).not.toContain('Near-duplicates left out')
    await sell(await readReviewFields())
    await seedTraces(client, ann.userId, makeTraces(3, 'later'))
    const page = await open(review)
    expect(page).toMatch(/<dt>Near-duplicates left out<\/dt>\s*<dd>12 traces with [\d,]+ tokens, because/)
    expect(page).toContain('>Sell 3 traces</button>')
  })

  test('leaves out traces that were stored after the review', async () => {
    const form = await readReviewFields()
    await seedTraces(client, ann.userId, makeTraces(3, 'later'))
    expect((await sell(form)).flash).toEqual({ done: 'sold', counts: [12] })
    expect(await listSales()).toMatchObject([{ traceCount: 12 }])
    expect(await open('?source=')).toContain('15 traces · ')
  })

  test('sells nothing and shows the current numbers when a reviewed trace was excluded', async () => {
    const form = await readReviewFields()
    const [{ id } = { id: '' }] = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json.traces
    await made.ask('POST', '/api/traces/bulk', { headers: ann.bearer, json: { ids: [id], action: 'exclude' } })
    const { status, text } = await sell(form)
    expect([status, await listSales()]).toEqual([400, []])
    expect(text).toContain('it was 12 traces')
    expect((await sell(readFields(text, '>Sell 11 traces'))).flash).toEqual({ done: 'sold', counts: [11] })
  })

  test('returns from the review to the form with the entered values', async () => {
    const review = await open('?source=&minTokens=1&buyer=Lab&usd=12.50')
    const [, change] = /href="([^"]*)">Change the sale</.exec(review)!
    const { text } = await made.ask('GET', change!.replaceAll('&amp;', '&'), { headers: cookie })
    expect(text).toContain('Review sale</button>')
    for (const value of ['Lab', '12.50', '1']) expect(text).toContain(`value="${value}"`)
    expect(text).not.toContain('Nothing was sold.')
  })

  test('returns from the creation of a buyer to the review with the entered sale', async () => {
    /** Follows a link to the form of a new buyer, and returns the page that its submission shows. */
    const create = async (page: string, entered: Record<string, string>) => {
      const [, link] = /href="(\/admin\/buyers\/new\?[^"]*)"/.exec(page)!
      const { text } = await made.ask('GET', link!.replaceAll('&amp;', '&'), { headers: cookie })
      const { sale, name } = readFields(text, 'Create a buyer</button>')
      const form = {
        item: 'new',
        sale: sale!.replaceAll('&amp;', '&'),
        name: name!.replaceAll('&amp;', '&'),
        ...entered,
      }
      return (await made.ask('POST', '/admin/buyers/create', { form, headers: cookie })).text
    }
    const nextOf = async (page: string) => {
      const [, link] = /href="([^"]*)"\s*>Continue the sale</.exec(page)!
      return made.ask('GET', link!.replaceAll('&amp;', '&'), { headers: cookie })
    }
    const review = await open('?minTokens=1&buyer=Lab+%26+Sons&usd=12.50')
    expect(review).toContain('<button class="second">Sell 12 traces</button>')
    const { text } = await nextOf(await create(review, {}))
    expect(text).toContain('Confirm sale to <bdi>Lab &amp; Sons</bdi></h1>')
    expect(text).toContain('<button>Sell 12 traces</button>')
    expect(readFields(text, '>Sell ')).toMatchObject({ buyer: 'Lab &amp; Sons', usd: '12.50', minTokens: '1' })
    const refused = await create(await open('?minTokens=1&buyer=Other&usd=2'), { email: 'nobody' })
    expect(readFields(refused, 'Create a buyer</button>')['sale']).toBe('minTokens=1&amp;buyer=Other&amp;usd=2')
    const form = (await nextOf(await create(await open('?minTokens=1'), { name: 'Third' }))).text
    expect(form).not.toContain('Nothing was sold.')
    expect(readFields(form, 'Review sale</button>')).toMatchObject({ minTokens: '1', buyer: 'Third', usd: '' })
  })

  test('returns 400 for an invalid field, and 401 without an operator session', async () => {
    for (const form of [{}, { buyer: 'Lab', usd: 'many' }, { buyer: 'Lab', usd: '1', minTokens: '-1' }])
      expect((await sell(form as Record<string, string>)).status).toBe(400)
    expect((await sell({ buyer: 'Lab', usd: '1' })).status).toBe(400)
    expect((await sell(await readReviewFields(), {})).status).toBe(401)
    expect(await listSales()).toEqual([])
  })
})

describe('GET /admin/download/sales/:id', () => {
  test('returns every trace of the sale in each format, as the API does', async () => {
    await sell(await readReviewFields())
    const [{ id } = { id: '' }] = await listSales()
    expect(await open(`/${id}`)).toContain(`/admin/download/sales/${id}?format=sts`)
    for (const format of ['documents', 'messages', 'sts']) {
      const file = await made.ask('GET', `/admin/download/sales/${id}?format=${format}`, { headers: cookie })
      expect(file.headers.get('content-disposition')).toBe(`attachment; filename="sale-${id}-${format}.jsonl"`)
      const api = await made.ask('GET', `/api/admin/dataset?saleId=${id}&format=${format}&limit=50`, {
        headers: { authorization: `Bearer ${adminToken}` },
      })
      expect(file.text.trimEnd().split('\n').length).toBeGreaterThanOrEqual(12)
      expect(file.text).toBe(api.text)
    }
    const { json } = await made.ask('GET', '/api/admin/audit?action=dataset.download', {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    expect(json.items.map(({ target }: { target: string }) => target)).toEqual(Array.from({ length: 6 }, () => id))
  })

  test.each(['', '&cursor=', '&cursor=0', '&cursor=1', '&cursor=999'])(
    'an entry of the audit log names GET /api/admin/dataset?limit=1%s',
    async (cursor) => {
      const headers = { authorization: `Bearer ${adminToken}` }
      await made.ask('GET', `/api/admin/dataset?limit=1${cursor}`, { headers })
      const { json } = await made.ask('GET', '/api/admin/audit?action=dataset.download', { headers })
      expect(json.items).toMatchObject([{ action: 'dataset.download', target: 'for_sale' }])
    },
  )

  test('the audit log has one entry for a download in pages, and one for a download from a cursor of zeros', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const { json } = await made.ask('POST', '/api/admin/sales', { headers, json: { buyer: 'Lab', usd: 1, filter: {} } })
    const path = `/api/admin/dataset?saleId=${json.saleId}&limit=5`
    let cursor: string | null = null
    const count = async () =>
      (await made.ask('GET', '/api/admin/audit?action=dataset.download', { headers })).json.items.length
    do {
      const page = await made.ask('GET', cursor === null ? path : `${path}&cursor=${cursor}`, { headers })
      cursor = page.headers.get('x-next-cursor')
    } while (cursor !== null)
    expect(await count()).toBe(1)
    await made.ask('GET', `${path}&cursor=00000000-0000-0000-0000-000000000000`, { headers })
    expect(await count()).toBe(2)
  })

  test.each([
    [1e-7, 400],
    [0.0000015, 400],
    [0.000001, 200],
    [2_000_000_000, 400],
  ])('POST /api/admin/sales at %d dollars returns %i, because the ledger stores 6 decimals', async (usd, status) => {
    const headers = { authorization: `Bearer ${adminToken}` }
    const sold = await made.ask('POST', '/api/admin/sales', { headers, json: { buyer: 'Lab', usd, filter: {} } })
    expect(sold.status).toBe(status)
  })

  test('returns 401 without an operator session, 404 for an unknown sale, and 400 for an unknown format', async () => {
    const unknown = '/admin/download/sales/018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
    expect((await made.ask('GET', unknown)).status).toBe(401)
    expect((await made.ask('GET', unknown, { headers: ann.cookie })).status).toBe(401)
    expect((await made.ask('GET', unknown, { headers: cookie })).status).toBe(404)
    expect((await made.ask('GET', `${unknown}?format=pdf`, { headers: cookie })).status).toBe(400)
  })
})
