import {
  createTestStores,
  fixture,
  makeApplication,
  type Answer,
  type Fixture,
  type Signed,
  type TestStores,
} from '@tributary/test-kit'
import { createService } from '../service/create.ts'
import { beforeEach, describe, expect, test } from 'vitest'

const adminToken = 'operator-of-the-test'
const operator = { headers: { authorization: `Bearer ${adminToken}` } }
let stores: TestStores
let made: Fixture
let ann: Signed
let cookie: Record<string, string>

beforeEach(async () => {
  stores = createTestStores()
  made = fixture({ stores, adminToken })
  ann = await made.signIn('ann@example.com')
  const application = makeApplication({ status: 'approved' })
  await stores.contributors.submitApplication({ ownerId: ann.userId, application, now: 0 })
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  cookie = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
})

type Action = 'record' | 'correct'
const submit = (action: Action, form: Record<string, string>) =>
  made.ask('POST', `/admin/payouts/${action}`, { form: { userId: ann.userId, ...form }, headers: cookie })
/**
 * Returns the fields of the confirmation page that follows a form, as a browser sends them when the checkbox is
 * selected.
 */
const readQuestion = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input(?=[^>]*(?:type="hidden"|id="confirmed"))[^>]*>/g)].map(([input]) => [
      /name="([^"]*)"/.exec(input)![1]!,
      /value="([^"]*)"/.exec(input)![1]!,
    ]),
  )
/** Submits a form, and then the confirmation page that follows it. */
async function confirm(action: Action, form: Record<string, string>, more: Record<string, string> = {}) {
  const asked = await submit(action, form)
  return asked.status === 200 ? submit(action, { ...readQuestion(asked.text), ...more }) : asked
}
const open = async (query = '') => (await made.ask('GET', `/admin/payouts${query}`, { headers: cookie })).text
const openPayouts = (more = '') => open(`?filter=payouts${more}`)
const readResult = async ({ flash }: Pick<Answer, 'flash'>): Promise<string | undefined> => flash?.done

describe('GET /admin/payouts and its forms', () => {
  test('shows an unpaid amount that is the sum of the shown available and pending amounts', async () => {
    for (const [id, micros, availableAt] of [
      ['a', 1_566_000, 0],
      ['b', 126_000, made.clock() + 1],
    ])
      await stores.client.execute({
        sql: `insert into ledger (id, owner, kind, reference, micros, at, available_at)
          select ?, num, 'sale', ?, ?, 0, ? from users where id = ?`,
        args: [id, id, micros, availableAt, ann.userId] as never,
      })
    const row = (await open('?sort=unpaidUsd')).split('<tr').find((one) => one.includes('>ann@example.com<'))!
    expect(row.match(/\$[\d.]+/g)).toEqual(['$1.68', '$1.56', '$0.12', '$0.00', '$1.68'])
  })

  test('list balances, record a correction and a payout, and show why a payout was refused', async () => {
    const empty = await open()
    for (const part of ['No contributor has earnings yet.', 'less than 14 days old']) expect(empty).toContain(part)
    expect(await readResult(await confirm('correct', { usd: '10.5', reason: 'Bonus' }))).toBe('added')
    const readRefusal = async (form: Record<string, string>) => {
      const { status, text } = await confirm('record', { usd: '4', reference: 'b', ...form })
      const [, id, message] = /<span class="error" id="record-(\w+)-error">([^]*?)<\/span>\s*<\/p>/.exec(text) ?? []
      const isKept = Object.values(form).every((value) => text.includes(`value="${value}"`))
      return [status, id, message?.replace(/<[^>]*>/g, ''), isKept]
    }
    expect(await readRefusal({ usd: '10.51' })).toEqual([
      400,
      'usd',
      'Enter $10.50 or less. That is the available balance.',
      true,
    ])
    expect(await readResult(await confirm('record', { usd: '4', reference: 'a' }))).toBe('recorded')
    expect(await readRefusal({ usd: '5', reference: 'a' })).toEqual([
      400,
      'reference',
      'Another payout has this reference.',
      true,
    ])
    for (const userId of ['nobody', 'nobody@example.com'])
      expect(await readRefusal({ userId })).toEqual([
        400,
        'userId',
        'There is no account with this contributor ID or verified e-mail address.',
        true,
      ])
    const text = await open()
    for (const part of ['ann@example.com', ann.userId, '$6.50', '$10.50']) expect(text).toContain(part)
  })

  test('record a payout for an e-mail address, and suggest the balance on the page of a contributor', async () => {
    const application = { companyName: 'Acme', website: 'https://acme.example', role: 'founder', authorized: true }
    await made.ask('POST', '/api/account/application', {
      headers: ann.bearer,
      json: { ...application, email: 'ann@example.com' },
    })
    const userId = 'Ann@example.com'
    expect(await readResult(await confirm('correct', { userId, usd: '10', reason: 'Bonus' }))).toBe('added')
    const page = await made.ask('GET', `/admin/payouts/${ann.userId}`, { headers: cookie })
    for (const part of [
      'To <a href="mailto:ann@example.com">',
      '>ann@example.com<',
      'value="10.00"',
      `name="item" value="${ann.userId}"`,
    ])
      expect(page.text).toContain(part)
    expect(page.text).toContain('No contact details')
    const contact = { name: 'Ann Lee', email: 'ann@example.com', phone: '+1 555 0100' }
    await made.ask('POST', '/api/account/contact', { headers: ann.bearer, json: contact })
    const { text: payee } = await made.ask('GET', `/admin/payouts/${ann.userId}`, { headers: cookie })
    for (const part of Object.values(contact)) expect(payee).toContain(`>${part}<`)
    const readContributor = async () =>
      (await made.ask('GET', `/admin/contributors/${ann.userId}`, { headers: cookie })).text
    for (const part of ['>Record payout<', ...Object.values(contact)]) expect(await readContributor()).toContain(part)
    const tooMuch = await confirm('record', { usd: '10.01', reference: '', item: ann.userId })
    for (const id of ['usd', 'reference']) expect(tooMuch.text).toContain(`id="record-${id}-error"`)
    for (const name of [userId, ann.userId]) {
      const listed = await confirm('record', { userId: name, usd: '10.01', reference: '' })
      for (const id of ['usd', 'reference']) expect(listed.text).toContain(`id="record-${id}-error"`)
    }
    expect(tooMuch.text).toContain('Enter $10.00 or less. That is the available balance.')
    const form = { usd: '10', reference: 'transfer-1', item: ann.userId }
    const recorded = await confirm('record', form)
    expect([recorded.headers.get('location'), recorded.flash]).toEqual([
      `/admin/payouts/${ann.userId}`,
      { done: 'recorded', counts: [10, 0] },
    ])
    const after = await made.follow(recorded, cookie)
    for (const part of ['Payout of $10.00 recorded.', 'Last payout: $10.00 on ', '<bdi>transfer-1</bdi>'])
      expect(after.text).toContain(part)
    const again = await confirm('record', { ...form, reference: 'transfer-2' })
    expect(again.text).toContain('The contributor has no available balance.')
    const { text: audit } = await made.ask('GET', '/admin/audit?action=payout.record', { headers: cookie })
    expect(audit).toMatch(/<dt>Reference<\/dt>\s*<dd><bdi>transfer-1</)
    expect(await openPayouts()).toMatch(/ann@example\.com.*\$10\.00.*transfer-1/s)
    const paid = await readContributor()
    for (const part of ['transfer-1', '−$10.00']) expect(paid).toContain(part)
    expect(paid).not.toContain('>Record payout<')
  })

  test('record a payout and a correction once for a form that is submitted twice', async () => {
    for (let time = 0; time < 2; time++) {
      const more = { idempotencyKey: 'form-1' }
      expect(await readResult(await confirm('correct', { usd: '10', reason: 'Bonus' }, more))).toBe('added')
    }
    for (let time = 0; time < 2; time++) {
      const more = { idempotencyKey: 'form-2' }
      expect(await readResult(await confirm('record', { usd: '4', reference: 'a' }, more))).toBe('recorded')
    }
    expect(await open()).toMatch(/data-label="Available"[^<]*>\$6\.00</)
  })

  test.each([
    ['correct', { usd: '5', reason: 'Bonus' }, 'added', 15],
    ['record', { usd: '4', reference: 'transfer-1' }, 'recorded', 6],
  ] as const)(
    '%s: ask again with the same key while the box is not selected, and then record once',
    async (action, form, done, balanceUsd) => {
      await confirm('correct', { usd: '10', reason: 'Bonus' })
      const { confirmed, ...question } = readQuestion((await submit(action, form)).text)
      const questions = [await submit(action, question), await submit(action, question)]
      for (const { status, text } of questions) {
        expect([status, text.includes('[object Object]')]).toEqual([200, false])
        expect(readQuestion(text)).toEqual({ confirmed, ...question })
      }
      const refused = await submit(action, { ...question, usd: '0' })
      expect(refused.status).toBe(400)
      for (let time = 0; time < 2; time++) {
        const sent = await submit(action, { ...question, confirmed: confirmed! })
        expect([sent.status, await readResult(sent)]).toEqual([303, done])
      }
      const { items } = await stores.ledger.listBalances({ cursor: null, limit: 9, now: made.clock() })
      expect(items.map(({ balance }) => balance)).toEqual([balanceUsd * 1_000_000])
      const other = await submit(action, { ...question, usd: '1', confirmed: confirmed! })
      expect(await readResult(other)).toBe('idempotency_key_reused')
    },
  )

  test('correct: asks about a negative balance with the same key, and then records once', async () => {
    const { confirmed, ...question } = readQuestion((await submit('correct', { usd: '1', reason: 'Bonus' })).text)
    const sent = { ...question, usd: '-3', confirmed: confirmed! }
    const asked = await submit('correct', sent)
    expect(readQuestion(asked.text)).toEqual({ ...sent, overdraw: 'yes' })
    for (let time = 0; time < 2; time++)
      expect(await readResult(await submit('correct', readQuestion(asked.text)))).toBe('taken_off')
    const { items } = await stores.ledger.listBalances({ cursor: null, limit: 9, now: made.clock() })
    expect(items.map(({ balance }) => balance)).toEqual([-3_000_000])
  })

  test('list payouts, search them by reference and sort them by amount', async () => {
    await confirm('correct', { usd: '100', reason: 'Bonus' })
    for (let n = 1; n <= 3; n++) await confirm('record', { usd: String(n), reference: `transfer-${n}.` })
    const found = await openPayouts('&q=transfer-2.')
    expect([found.includes('transfer-2.<'), found.includes('transfer-1.<')]).toEqual([true, false])
    const byAmount = await openPayouts('&sort=usd&order=asc')
    expect(byAmount.indexOf('transfer-1.')).toBeLessThan(byAmount.indexOf('transfer-3.'))
    const headers = { authorization: `Bearer ${adminToken}` }
    const { json } = await made.ask('GET', '/api/admin/payouts?sort=usd', { headers })
    expect(json.items.map(({ usd }: { usd: number }) => usd)).toEqual([3, 2, 1])
  })

  test('show the person before anything is recorded, and record nothing unless the box is selected', async () => {
    await confirm('correct', { usd: '10', reason: 'Bonus' })
    const fields = { userId: ' Ann@example.com ', usd: '4', reference: 'transfer-1' }
    for (const confirmed of [undefined, 'yes', ' Ann@example.com ']) {
      const { status, text } = await submit('record', { ...fields, ...(confirmed && { confirmed }) })
      expect(status).toBe(200)
      for (const part of [`<code>${ann.userId}</code>`, '>ann@example.com<', '$10.00', '$4.00', '$6.00', 'transfer-1'])
        expect(text).toContain(part)
    }
    expect(await openPayouts()).toContain('No payouts yet.')
    expect(await readResult(await confirm('record', fields))).toBe('recorded')
    expect(await openPayouts()).not.toContain('No payouts yet.')
  })

  test('find the payee by a verified address only, not by an address in a contact or an application', async () => {
    const stranger = await made.signIn('stranger@example.com')
    const contact = { name: 'Ann', email: 'ann@example.com' }
    await made.ask('POST', '/api/account/contact', { headers: stranger.bearer, json: contact })
    const application = { companyName: 'Acme', website: 'https://acme.example', role: 'CEO', authorized: true }
    const json = { ...application, email: 'ceo@acme.example' }
    await made.ask('POST', '/api/account/application', { headers: stranger.bearer, json })
    await confirm('correct', { userId: 'ann@example.com', usd: '50', reason: 'Bonus' })
    const balanceOf = async ({ bearer }: Signed): Promise<number> =>
      (await made.ask('GET', '/api/account/earnings', { headers: bearer })).json.balanceUsd
    expect([await balanceOf(ann), await balanceOf(stranger)]).toEqual([50, 0])
    for (const userId of ['ceo@acme.example', 'ann@example', 'xann@example.com'])
      expect([userId, (await submit('correct', { userId, usd: '1', reason: 'x' })).status]).toEqual([userId, 400])

    const look = async (path: string) => (await made.ask('GET', `/admin/${path}`, { headers: cookie })).text
    const unverified = '<small>given by the person, not verified</small>'
    const [page, listed] = [`contributors/${stranger.userId}`, 'contributors']
    expect(await look(page)).toMatch(/<h1>stranger@example\.com<\/h1>/)
    expect((await look(page)).split(unverified)).toHaveLength(3)
    expect(await look(listed)).toContain('stranger@example.com')
    expect(await look(listed)).not.toContain('ceo@acme')
    const waiting = await look('applications?filter=all')
    expect(waiting).toMatch(
      /stranger@example\.com[^]*ceo@acme\.example<\/bdi> <small>given by the person, not verified/,
    )
    const payee = await look(`payouts/${stranger.userId}`)
    expect(payee).toMatch(/To <a href="mailto:stranger@example\.com/)
    expect(payee.split('ann@example.com')).toHaveLength(2)
    const { items } = (await made.ask('GET', '/api/admin/contributors', operator)).json
    expect(items).toMatchObject([{ userId: stranger.userId, email: 'stranger@example.com' }, { userId: ann.userId }])
    const found = (await made.ask('GET', '/api/admin/applications', operator)).json.items
    expect(found[0]).toMatchObject({ email: 'ceo@acme.example', accountEmail: 'stranger@example.com' })
  })

  test('have a link from the page of a contributor without earnings to the form for a bonus or a correction', async () => {
    const look = async (path: string) => (await made.ask('GET', path, { headers: cookie })).text
    const [, path, id] = /href="([^"#]*)#([^"]*)"\s*>Record bonus or correction</.exec(
      await look(`/admin/contributors/${ann.userId}`),
    )!
    expect([path, id]).toEqual([`/admin/payouts/${ann.userId}`, 'correct-usd'])
    expect(await look(path!)).toMatch(new RegExp(`<summary>Record a bonus or correction</summary>[^]*id="${id}"`))
  })

  test('propose the requested amount, or the balance if it is lower, on the page of the contributor', async () => {
    await confirm('correct', { usd: '30', reason: 'Bonus' })
    await made.ask('POST', '/api/account/payout-requests', { headers: ann.bearer, json: {} })
    const look = async () => (await made.ask('GET', `/admin/payouts/${ann.userId}`, { headers: cookie })).text
    const lookAtPerson = async () =>
      (await made.ask('GET', `/admin/contributors/${ann.userId}`, { headers: cookie })).text
    expect(await lookAtPerson()).toMatch(/Requested a payout of \$30\.00 on [^]{0,80}: <a[^]{0,120}filter=requests/)
    await confirm('correct', { usd: '5', reason: 'Bonus' })
    expect(await look()).toMatch(/Requested: <strong>\$30\.00<\/strong>[^]*value="30\.00"/)
    await confirm('correct', { usd: '-15', reason: 'Refund' })
    expect(await look()).toMatch(/Requested: <strong>\$30\.00<\/strong>[^]*value="20\.00"/)
    await confirm('record', { usd: '20', reference: 'a' })
    expect(await look()).not.toContain('Requested:')
    expect(await lookAtPerson()).not.toContain('Requested a payout')
  })

  test('say next to the reason of a rejection that it is mailed, unless the service sends no mail', async () => {
    await confirm('correct', { usd: '30', reason: 'Bonus' })
    await made.ask('POST', '/api/account/payout-requests', { headers: ann.bearer, json: {} })
    const readHint = (text: string) =>
      /<span class="hint" id="hint-([^"]+)"\s*>(.*?)<\/span\s*>\s*<input/.exec(text)!.slice(1)
    const text = await open()
    const [id, hint] = readHint(text)
    expect(hint).toBe('The contributor gets it by <span class="whole">e-mail</span>.')
    expect(text).toContain(`aria-describedby="hint-${id}"`)
    const { clock } = made
    const silent = createService({
      stores,
      adminToken,
      clock,
      baseUrl: 'http://127.0.0.1:8787',
      country: async () => 'US',
    })
    const page = await silent.fetch(new Request('http://127.0.0.1:8787/admin/payouts', { headers: cookie }))
    expect(readHint(await page!.text())).toEqual([id, 'The contributor sees it.'])
    const form = { id: id!, reason: 'No bank details' }
    const sent = await made.ask('POST', '/admin/payouts/reject', { form, headers: cookie })
    expect((await made.follow(sent, cookie)).text).toContain(
      '>Payout request rejected. The contributor gets an <span class="whole">e-mail</span>.</p>',
    )
  })

  test('list every open payout request, page by page', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => `person-${n}`)
    const list = JSON.stringify(ids)
    await stores.client.execute({
      sql: 'insert into users (id, created_at) select value, 0 from json_each(?) order by key',
      args: [list],
    })
    await stores.client.execute({
      sql: `insert into payout_requests (id, owner, micros, status, requested_at)
        select id, num, 30000000, 'open', 0 from users where id in (select value from json_each(?)) order by num`,
      args: [list],
    })
    const seen: string[] = []
    let text = ''
    for (let next: string | undefined = ''; next !== undefined;) {
      text = await open(next)
      next = /payouts(\?requests=[\w.]+%7E\w+%7E\w+)" rel="next"/.exec(text)?.[1]
      seen.push(...[...text.matchAll(/id="reason-([^"]+)"/g)].map(([, id]) => id!))
    }
    expect(seen).toEqual(ids.toReversed())
    expect(text).toContain('<a href="/admin/payouts" rel="first">')
    for (const cursor of ['requestedAt.desc~1~n1', 'requestedAt.asc~1~n1', '1~n1'])
      expect(await open(`?requests=${cursor}`)).toContain('<a href="/admin/payouts" rel="first">')
  })

  test('warn before a correction that makes a balance negative', async () => {
    const form = { usd: '-4', reason: 'Refund' }
    expect((await submit('correct', form)).text).toContain('which becomes negative')
    const unwarned = await submit('correct', { ...form, confirmed: ann.userId })
    expect([unwarned.status, unwarned.text.includes('which becomes negative')]).toEqual([200, true])
    expect(await open()).toContain('No contributor has earnings yet.')
    expect(await readResult(await confirm('correct', form))).toBe('taken_off')
    expect(await readResult(await confirm('correct', { ...form, usd: '1' }))).toBe('added')
  })

  test('refuse a form above the balance or with an invalid amount, and keep the input', async () => {
    const refused = await submit('record', { usd: '4', reference: 'transfer-7' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('value="transfer-7"')
    for (const usd of ['0', '-1', '1e3', '1.0000001', 'ten'])
      expect([usd, (await submit('record', { usd, reference: 'a' })).status]).toEqual([usd, 400])
    expect((await confirm('record', { usd: '0', reference: 'a' })).text).toContain('more than 0')
    const nothing = await confirm('correct', { usd: '0', reason: 'x' })
    expect([nothing.status, nothing.text.includes('other than 0')]).toEqual([400, true])
    expect(await open()).toContain('No contributor has earnings yet.')
  })
})
