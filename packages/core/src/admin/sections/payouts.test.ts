import { fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { memoryStores } from '../../stores/memory/index.ts'

const adminToken = 'operator-of-the-test'
let made: Fixture
let ann: Signed
let cookie: Record<string, string>

beforeEach(async () => {
  made = fixture({ stores: memoryStores(), adminToken })
  ann = await made.signIn('ann@example.com')
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  cookie = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
})

const submit = (action: 'record' | 'correct', form: Record<string, string>) =>
  made.ask('POST', `/admin/payouts/${action}`, { form: { userId: ann.userId, ...form }, headers: cookie })
const open = async () => (await made.ask('GET', '/admin/payouts', { headers: cookie })).text
const readResult = async ({ headers }: { headers: Headers }): Promise<string | undefined> =>
  /done=(\w+)/.exec(headers.get('location') ?? '')?.[1]

describe('GET /admin/payouts and its forms', () => {
  test('list balances, record a correction and a payout, and show why one was refused', async () => {
    const empty = await open()
    for (const part of ['No contributor has earnings yet.', 'less than 14 days old']) expect(empty).toContain(part)
    const confirmed = 'yes'
    expect(await readResult(await submit('correct', { usd: '10.5', reason: 'Bonus', confirmed }))).toBe('added')
    const readRefusal = async (form: Record<string, string>) => {
      const { status, text } = await submit('record', { usd: '4', reference: 'b', confirmed, ...form })
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
    expect(await readResult(await submit('record', { usd: '4', reference: 'a', confirmed }))).toBe('recorded')
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
        'There is no contributor with this e-mail address or user ID.',
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
    expect(await readResult(await submit('correct', { userId, usd: '10', reason: 'Bonus', confirmed: 'yes' }))).toBe(
      'added',
    )
    const page = await made.ask('GET', `/admin/payouts/${ann.userId}`, { headers: cookie })
    for (const part of ['Record a payout to ann@example.com', 'value="10.00"', `name="item" value="${ann.userId}"`])
      expect(page.text).toContain(part)
    expect(page.text).toContain('No contact details')
    const contact = { name: 'Ann Lee', email: 'ann@example.com', phone: '+1 555 0100' }
    await made.ask('POST', '/api/account/contact', { headers: ann.bearer, json: contact })
    const { text: payee } = await made.ask('GET', `/admin/payouts/${ann.userId}`, { headers: cookie })
    for (const part of Object.values(contact)) expect(payee).toContain(`>${part}<`)
    const readContributor = async () =>
      (await made.ask('GET', `/admin/contributors/${ann.userId}`, { headers: cookie })).text
    for (const part of ['>Record payout<', ...Object.values(contact)]) expect(await readContributor()).toContain(part)
    const tooMuch = await submit('record', { usd: '10.01', reference: '', confirmed: 'yes', item: ann.userId })
    for (const id of ['usd', 'reference']) expect(tooMuch.text).toContain(`id="record-${id}-error"`)
    for (const name of [userId, ann.userId]) {
      const listed = await submit('record', { userId: name, usd: '10.01', reference: '', confirmed: 'yes' })
      for (const id of ['usd', 'reference']) expect(listed.text).toContain(`id="record-${id}-error"`)
    }
    expect(tooMuch.text).toContain('Enter $10.00 or less. That is the available balance.')
    const form = { usd: '10', reference: 'transfer-1', confirmed: 'yes', item: ann.userId }
    const recorded = `/admin/payouts/${ann.userId}?done=recorded&counts=10-0`
    expect((await submit('record', form)).headers.get('location')).toBe(recorded)
    const after = await made.ask('GET', recorded, { headers: cookie })
    for (const part of ['Payout of $10.00 recorded.', 'Last payout: $10.00 on ', '<bdi>transfer-1</bdi>'])
      expect(after.text).toContain(part)
    const again = await submit('record', { ...form, reference: 'transfer-2' })
    expect(again.text).toContain('The contributor has no available balance.')
    const { text: audit } = await made.ask('GET', '/admin/audit?action=payout.record', { headers: cookie })
    expect(audit).toMatch(/<dt>Reference<\/dt>\s*<dd><bdi>transfer-1</)
    expect((await open()).split('<h2>Payout history</h2>')[1]).toMatch(/ann@example\.com.*\$10\.00.*transfer-1/s)
    const paid = await readContributor()
    for (const part of ['transfer-1', '−$10.00']) expect(paid).toContain(part)
    expect(paid).not.toContain('>Record payout<')
  })

  test('record a payout and a correction once for a form that is submitted twice', async () => {
    const confirmed = 'yes'
    for (let time = 0; time < 2; time++) {
      const form = { usd: '10', reason: 'Bonus', confirmed, idempotencyKey: 'form-1' }
      expect(await readResult(await submit('correct', form))).toBe('added')
    }
    for (let time = 0; time < 2; time++) {
      const form = { usd: '4', reference: 'a', confirmed, idempotencyKey: 'form-2' }
      expect(await readResult(await submit('record', form))).toBe('recorded')
    }
    expect(await open()).toMatch(/data-label="Available"[^<]*>\$6\.00</)
    expect(await open()).toContain('name="idempotencyKey"')
  })

  test('link to a page of older payouts', async () => {
    await submit('correct', { usd: '100', reason: 'Bonus', confirmed: 'yes' })
    for (let n = 1; n <= 21; n++) await submit('record', { usd: '1', reference: `transfer-${n}.`, confirmed: 'yes' })
    const text = await open()
    expect([text.includes('transfer-2.'), text.includes('transfer-1.')]).toEqual([true, false])
    const [, older] = /href="([^"]*paidBefore=\d+)" rel="next"/.exec(text)!
    const page = (await made.ask('GET', older!, { headers: cookie })).text
    expect([page.includes('transfer-2.'), page.includes('transfer-1.')]).toEqual([false, true])
    expect([page.includes('rel="next"'), page.includes('Balances')]).toEqual([false, false])
  })

  test('ask for a confirmation of a correction that makes a balance negative', async () => {
    const form = { usd: '-4', reason: 'Refund', confirmed: 'yes' }
    const { status, text } = await submit('correct', form)
    expect([status, text.includes('id="correct-overdraw-error"')]).toEqual([400, true])
    expect(await open()).toContain('No contributor has earnings yet.')
    expect(await readResult(await submit('correct', { ...form, overdraw: 'yes' }))).toBe('taken_off')
    expect(await readResult(await submit('correct', { ...form, usd: '1' }))).toBe('added')
  })

  test('refuse a form without its confirmation or with an invalid amount, and keep the input', async () => {
    const unconfirmed = await submit('record', { usd: '4', reference: 'transfer-7' })
    expect(unconfirmed.status).toBe(400)
    for (const part of ['Select this box to continue.', 'value="transfer-7"']) expect(unconfirmed.text).toContain(part)
    for (const usd of ['0', '-1', '1e3', '1.0000001', 'ten'])
      expect([usd, (await submit('record', { usd, reference: 'a', confirmed: 'yes' })).status]).toEqual([usd, 400])
    expect((await submit('record', { usd: '0', reference: 'a', confirmed: 'yes' })).text).toContain('more than 0')
    const nothing = await submit('correct', { usd: '0', reason: 'x', confirmed: 'yes' })
    expect([nothing.status, nothing.text.includes('other than 0')]).toEqual([400, true])
    expect(await open()).toContain('No contributor has earnings yet.')
  })
})
