import { createTestStores, fixture, type Fixture } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'

const adminToken = 'operator-'.repeat(3)
let made: Fixture
let operator: Record<string, string>
beforeEach(async () => {
  made = fixture({ stores: createTestStores(), adminToken, baseUrl: 'http://127.0.0.1:8787/tributary' })
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  operator = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
})

const hostile = {
  reporter: { agent_vendor: '<b>v', agent_product: 'p"' },
  subject: { surface: '<img src=x onerror=alert(1)>', domain: 'javascript:alert(1)' },
  signal: { category: 'bug', severity: 'high' },
  content: { title: '<script>alert(1)</script>', summary: '</td><h1>', hypothesis: '&lt;' },
  evidence: [{ type: 'log_excerpt', content: '<iframe src="https://evil.example">' }],
}
const readPage = async (query = '') => (await made.ask('GET', `/admin/reports${query}`, { headers: operator })).text
const submitForm = (form: Record<string, string>, headers = operator, name = 'status') =>
  made.ask('POST', `/admin/reports/${name}`, { headers, form })

const unsafe = ['<script>alert', '<img src=x', '<iframe', '</td><h1>', '<b>v', 'href="javascript:']
async function send(changes: object = {}): Promise<string> {
  const { json } = await made.ask('POST', '/api/v1/feedback', { json: { ...hostile, ...changes } })
  return json.receipt.feedback_id as string
}
const sendTitledReport = (title: string, surface = 'GET /docs') => send({ content: { title }, subject: { surface } })

test('GET /admin/reports and GET /admin/reports/:id show hostile reports escaped and without links', async () => {
  expect(await readPage()).toContain('data-empty')
  const id = await send()
  const duplicate = await send({ reporter: { agent_vendor: 'x', agent_product: 'y' } })
  const list = await readPage()
  const page = await readPage(`/${id}`)
  for (const part of unsafe) expect([list.includes(part), page.includes(part)]).toEqual([false, false])
  for (const part of [
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '<span class="tag bad">High</span>',
    '1 duplicate',
    `/admin/reports/${id}`,
  ])
    expect(list).toContain(part)
  for (const part of ['&lt;iframe', '<dt>Hypothesis</dt>', id, `Not a duplicate: report ${duplicate}`])
    expect(page).toContain(part)
  expect(page.match(/<pre/g)).toHaveLength(2)
  const origins = [...page.matchAll(/data-origin>[^]*?\/admin\/reports\/([0-9a-f-]{36})/g)]
  expect(origins.map(([, origin]) => origin)).toEqual([duplicate])
})

test('POST /admin/reports/status updates a report, and the filter shows its new status', async () => {
  const id = await send()
  const done = await submitForm({ id, status: 'investigating', item: id })
  expect(done.headers.get('location')).toBe(`/tributary/admin/reports/${id}`)
  expect((await made.follow(done, operator)).text).toContain('data-result="changed"')
  expect(await readPage('?filter=open')).toContain('Nothing matches this filter.')
  expect(await readPage('?filter=investigating')).toContain(`/admin/reports/${id}`)
  expect(await readPage(`/${id}`)).toMatch(/<option value="investigating"\s+selected>/)
  expect(await readPage(`/${id}`)).toMatch(/<h2>History<\/h2>[^]*?>operator<[^]*?>Open<[^]*?→[^]*?>Investigating</)
  const gone = await submitForm({ id: '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', status: 'spam' })
  expect((await made.follow(gone, operator)).text).toContain('data-result="not_found"')
  expect((await submitForm({ id, status: 'closed' })).status).toBe(400)
  for (const name of ['status', 'merge', 'separate']) {
    const form = { id, into: id, status: 'spam' }
    expect((await submitForm(form, {} as never, name)).status).toBe(401)
    expect((await submitForm(form, { ...operator, 'sec-fetch-site': 'cross-site' } as never, name)).status).toBe(403)
  }
})

describe('GET /admin/reports', () => {
  test('searches by words, kind and dates, with counts, and keeps the search in the links to other statuses', async () => {
    await sendTitledReport('The parser drops a line')
    await send({ content: { title: 'A flag is missing' }, subject: { surface: 'upload', kind: 'cli_command' } })
    const found = await readPage('?q=PARSER+line')
    expect([found.includes('drops a line'), found.includes('A flag')]).toEqual([true, false])
    expect(found).toContain('href="/tributary/admin/reports?q=PARSER+line&amp;filter=spam"')
    expect(found).toMatch(/Open <span class="count">1<\/span>/)
    expect(await readPage()).toMatch(/Open <span class="count">2<\/span>/)
    expect(await readPage('?kind=cli_command')).toContain('A flag is missing')
    expect(await readPage('?from=2026-11-20&to=2026-11-20')).toContain('A flag is missing')
    expect(await readPage('?from=2026-11-21')).toContain('data-empty')
    expect(await readPage('?from=soon&q=parser')).toContain('drops a line')
  })
})

describe('POST /admin/reports/merge and separate', () => {
  test('merge a report into another report found by a search, and separate it again', async () => {
    const [kept, merged] = [await sendTitledReport('The first title'), await sendTitledReport('The second title')]
    const page = await readPage(`/${merged}`)
    expect(page).toMatch(new RegExp(`type="radio"\\s+name="into"\\s+value="${kept}"`))
    expect(page).not.toContain('This report is closed.')
    await submitForm({ id: kept, status: 'resolved' })
    expect(await readPage(`/${merged}`)).toContain('This report is closed.')
    await submitForm({ id: kept, status: 'open' })
    expect(await readPage(`/${merged}?q=nothing`)).toContain('No other report matches.')
    const unchosen = await submitForm({ id: merged, item: merged }, operator, 'merge')
    expect([unchosen.status, unchosen.text.includes('Select the report to keep')]).toEqual([400, true])
    const done = await submitForm({ id: merged, into: kept, item: merged }, operator, 'merge')
    expect([done.headers.get('location'), done.flash]).toEqual([`/tributary/admin/reports/${kept}`, { done: 'merged' }])
    expect(await readPage(`/${kept}`)).toContain(`Not a duplicate: report ${merged}`)
    expect(await readPage(`/${merged}`)).toContain('This report is a duplicate of')
    const readResult = async (form: Record<string, string>, name: string) =>
      (await submitForm(form, operator, name)).flash?.done
    expect(await readResult({ id: merged, into: await sendTitledReport('Third'), item: merged }, 'merge')).toBe(
      'already_merged',
    )
    expect(await readResult({ id: kept, into: merged, item: kept }, 'merge')).toBe('same_report')
    const separated = await submitForm({ id: merged, item: kept }, operator, 'separate')
    expect([separated.headers.get('location'), separated.flash?.done]).toEqual([
      `/tributary/admin/reports/${merged}`,
      'separated',
    ])
    expect(await readResult({ id: merged, item: merged }, 'separate')).toBe('not_duplicate')
    expect(await readPage(`/${kept}`)).toContain('No duplicates.')
  })
})
