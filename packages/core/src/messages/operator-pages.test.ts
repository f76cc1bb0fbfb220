import { createTestStores, fixture, makeTraces, seedTraces, type Fixture } from '@tributary/test-kit'
import { beforeAll, describe, expect, test } from 'vitest'
import { withFlash } from '../http/flash.fixture.ts'
import type { Flash } from '../http/flash.ts'
import { findUntranslatedWords, pseudoMessages } from './pseudo.fixture.ts'

const adminToken = 'operator-'.repeat(3)
const secret = 'the secret of the test'
const bearer = { authorization: `Bearer ${adminToken}` }
const email = 'jane@example.com'
/** Texts on the pages that are not in the catalog: entered values, ids, and names of protocols. */
const data = [
  /[\w.+-]+@example\.com/,
  /https?:\/\/[\w./-]+/,
  'Øx',
  'zzz',
  'kkk',
  'United States',
  'test machine',
  'Sponsor · ',
  /terms-[0-9a-f]{12}/,
  /\b(?=[0-9a-f-]*\d)[0-9a-f-]{8,36}\b/,
  // Topics of ads, and types of events, are words of the interface.
  /\b(?:ai|apis|backend|cloud|data|databases|devops|editors|frontend|hosting|mobile)\b(?=[,. ])/,
  /\b(?:observability|productivity|security|terminal|testing)\b(?=[,. ])/,
  /\b[a-z]+\.[a-z]+\b/,
]
let made: Fixture
let cookie: { cookie: string }
const ids = { application: '', user: '', campaign: '', report: '', other: '', webhook: '', sale: '' }

const read = async (path: string, flash?: Flash): Promise<string> => {
  const headers = { ...cookie, 'accept': 'text/html', 'accept-language': 'qps' }
  const shown = flash ? await withFlash(headers, flash, { path, secret, now: made.clock() }) : headers
  return (await made.ask('GET', path, { headers: shown })).text
}
const expectTranslated = (page: string): void => {
  expect(page).toContain('⟦')
  expect([...new Set(findUntranslatedWords(page, data))]).toEqual([])
}
const post = async (path: string, json: object): Promise<Record<string, never>> =>
  (await made.ask('POST', path, { headers: bearer, json })).json

beforeAll(async () => {
  const stores = createTestStores()
  made = fixture({
    baseUrl: 'http://localhost:1/base',
    stores,
    adminToken,
    secret,
    messages: { qps: pseudoMessages },
    brand: { name: 'Øx' },
    country: () => 'US',
  })
  const jane = await made.signIn(email)
  ids.user = jane.userId
  await made.ask('POST', '/api/account/application', {
    headers: jane.bearer,
    json: { companyName: 'zzz', website: 'https://zzz.example', email, role: 'zzz', authorized: true },
  })
  const other = await made.signIn('kim@example.com')
  await made.ask('POST', '/api/account/application', {
    headers: other.bearer,
    json: { companyName: 'kkk', website: 'https://kkk.example', email: other.email, role: 'kkk', authorized: true },
  })
  const { items } = (await made.ask('GET', '/api/admin/applications', { headers: bearer })).json
  ids.application = items.find(({ userId }: { userId: string }) => userId === ids.user).id
  await post(`/api/admin/applications/${items.at(-1).id}`, { decision: 'reject', reason: 'zzz' })
  await seedTraces(stores.client, jane.userId, [
    ...makeTraces(3, 'jane', 0, { title: 'zzz', model: 'zzz', source: 'codex_jsonl', redactions: '{"email":1}' }),
  ])
  for (const n of [1, 2, 3]) {
    const id = `019a0000-0000-7000-8000-00000000000${n}`
    const job = { source: 'codex_jsonl', total: 2, parts: 1, bytes: 9, enqueuedAt: made.clock() }
    await stores.ingest.enqueueJob({ ownerId: jane.userId, id, ...job })
  }
  const lease = { now: made.clock(), leaseUntil: made.clock() + 1000 }
  const claim = (await stores.ingest.claimJob({ lease: 'first', ...lease }))!
  await stores.ingest.failJob({ claim, message: 'zzz', usdPerMillionTokens: 1, now: made.clock() })
  await stores.ingest.claimJob({ lease: 'second', ...lease })
  ids.sale = (await post('/api/admin/sales', { buyer: 'zzz', usd: 10, filter: { minTokens: 0 } }))['saleId']!
  await post('/api/admin/corrections', { userId: ids.user, usd: 5, reason: 'zzz' })
  await post('/api/admin/payouts', { userId: ids.user, usd: 1, reference: 'zzz' })
  const campaign = { name: 'zzz', brandName: 'zzz', title: 'zzz', text: 'zzz', url: 'https://zzz.example' }
  ids.campaign = (await post('/api/admin/campaigns', { ...campaign, cpmUsd: 1, budgetUsd: 1, topics: ['ai'] }))[
    'campaign'
  ]!['id']
  const device = 'zzz-device-1'
  await made.ask('POST', '/api/program/claim', { headers: jane.bearer, json: { deviceId: device } })
  const served = await made.ask('GET', `/api/ad?d=${device}&topic=ai`, { headers: jane.bearer })
  made.clock.advance(1500)
  await made.ask('GET', `/api/ad/imp/${served.json.nonce}`)
  for (const [n, name] of (['report', 'other'] as const).entries()) {
    const json = {
      reporter: { agent_vendor: 'zzz', agent_product: 'zzz' },
      subject: { surface: `zzz ${n}`, kind: 'docs_page' },
      signal: { category: 'bug', severity: 'high', reproducibility: 'always', confidence: 0.5 },
      content: { title: 'zzz', summary: 'zzz', hypothesis: 'zzz' },
      evidence: [{ type: 'log_excerpt', content: 'zzz' }],
    }
    ids[name] = (await made.ask('POST', '/api/v1/feedback', { json })).json.receipt.feedback_id
  }
  await made.ask('POST', '/api/cli/feedback', { headers: jane.bearer, json: { message: 'zzz' } })
  ids.webhook = (await post('/api/admin/webhooks', { url: 'https://zzz.example/', description: 'zzz' }))['webhook']![
    'id'
  ]
  await post(`/api/admin/webhooks/${ids.webhook}/test`, {})
  await made.ask('PATCH', `/api/admin/campaigns/${ids.campaign}`, { headers: bearer, json: { status: 'paused' } })
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  const [[name, value]] = Object.entries(cookies) as [[string, string]]
  cookie = { cookie: `${name}=${value}` }
})

describe('the pseudo-locale in the pages of operators', () => {
  test.each([
    '',
    '/applications?filter=all',
    '/applications',
    '/contributors',
    '/contributors?q=nobody',
    '/contributors/:user',
    '/waitlist',
    '/jobs',
    '/jobs?filter=failed',
    '/sales',
    '/sales?source=',
    '/sales/:sale',
    '/sales?minTokens=x',
    '/sales?minTokens=999999999',
    '/sales?source=codex_jsonl&minTokens=1&from=2020-01-01&to=2030-01-01&buyer=zzz&usd=x',
    '/sales?source=codex_jsonl&minTokens=1&from=2020-01-01&to=2030-01-01&buyer=zzz&usd=1',
    '/payouts',
    '/payouts/:user',
    '/campaigns',
    '/campaigns/new',
    '/campaigns/:campaign',
    '/reports',
    '/reports?q=nothing',
    '/reports?from=x',
    '/reports/:report',
    '/feedback',
    '/buyers',
    '/buyers/new',
    '/buyers/withdrawal',
    '/audit',
    '/audit?actor=zzz',
    '/webhooks',
    '/webhooks/new',
    '/webhooks/:webhook',
    '/webhooks/:webhook?confirm=delete',
    '/outbox',
    '/nothing',
  ])('covers every text of /admin%s', async (path) => {
    expectTranslated(await read(`/admin${path.replace(/:(\w+)/, (_, name: string) => ids[name as 'user'])}`))
  })

  test('covers the rows of the jobs', async () => {
    const page = await read('/admin/jobs')
    for (const status of ['failed', 'parsing', 'queued'] as const)
      expect(page).toContain(pseudoMessages[`admin.word.${status}`])
    expect(page.match(/<code>019a0000-/g)).toHaveLength(3)
  })

  test.each([
    ['applications', ['approved', 'rejected', 'already_reviewed', 'not_found', 'idempotency_in_progress']],
    ['contributors', ['paused', 'resumed', 'not_found', 'approved', 'rejected', 'already_reviewed']],
    ['jobs', ['retried', 'not_failed', 'upload_gone', 'not_found']],
    ['sales', ['sold', 'sold_fewer', 'idempotency_key_reused']],
    ['payouts', ['recorded', 'added', 'taken_off']],
    ['campaigns', ['created', 'saved', 'paused', 'active', 'corrected', 'correction_too_large', 'not_found']],
    ['reports', ['changed', 'merged', 'separated', 'same_report', 'already_merged', 'not_duplicate', 'not_found']],
    [
      'webhooks',
      ['created', 'rotated', 'enabled', 'disabled', 'tested', 'deleted', 'redelivered', 'too_many_webhooks'],
    ],
  ] as const)('covers every notice of /admin/%s', async (section, notices) => {
    for (const done of notices) {
      const page = await read(`/admin/${section}`, { done, counts: [3, 4] })
      expect(page).toContain(`data-result="${done}"`)
      expectTranslated(page)
    }
  })

  test.each([
    ['applications/review', { decision: 'reject' }],
    ['contributors/review', { decision: 'reject', id: ':application', item: ':user' }],
    ['payouts/record', { userId: 'nobody', usd: '1', reference: 'zzz' }],
    ['payouts/correct', {}],
    [
      'campaigns/create',
      { item: 'new', text: 'x'.repeat(300), startsAt: '2030-01-02T00:00', endsAt: '2030-01-01T00:00' },
    ],
    ['reports/merge', { item: ':report' }],
    ['webhooks/create', { item: 'new', url: 'x' }],
    ['webhooks/create', { item: 'new', url: 'https://zzz.example/new', which: 'selected' }],
    ['sales/sell', { buyer: 'zzz zzz', usd: '1', until: '0', traces: '9', tokens: '9' }],
  ])('covers every text of an invalid form of /admin/%s', async (path, fields) => {
    const form = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        String(value).replace(/^:(\w+)$/, (_, id: string) => ids[id as 'report']),
      ]),
    )
    const headers = { ...cookie, 'accept': 'text/html', 'accept-language': 'qps' }
    const { status, text } = await made.ask('POST', `/admin/${path}`, { form, headers })
    expect([status, text.includes('role="alert"') || text.includes('class="error"')]).toEqual([400, true])
    expectTranslated(text)
  })

  test('covers every text of the sign-in', async () => {
    const headers = { 'accept': 'text/html', 'accept-language': 'qps' }
    expectTranslated((await made.ask('GET', '/admin', { headers })).text)
    const flash = { path: '/admin', secret, now: made.clock() }
    const signedOut = await withFlash(headers, { done: 'signed_out' }, flash)
    expectTranslated((await made.ask('GET', '/admin', { headers: signedOut })).text)
    for (const token of ['', 'wrong'])
      expectTranslated((await made.ask('POST', '/admin/sign-in', { form: { token }, headers })).text)
  })
})

test('every link of the pages of operators leads to a page or a file', async () => {
  const shape = (path: string): string => path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':id').replace(/\?.*/, '')
  await post('/api/admin/buyers', { name: 'zzz' })
  const opened = new Map([['/admin', 200]])
  // The map grows while it is iterated, because each opened page links to further pages.
  for (const path of opened.keys()) {
    const reply = await made.ask('GET', path, { headers: { ...cookie, accept: 'text/html' } })
    opened.set(path, reply.status)
    for (const [, href = ''] of reply.text.matchAll(/href="\/base(\/admin[^"#]*)/g))
      if (![...opened.keys()].some((one) => shape(one) === shape(href))) opened.set(href.replaceAll('&amp;', '&'), 0)
  }
  expect([...opened].filter(([, status]) => status !== 200)).toEqual([])
  expect(opened.size).toBeGreaterThan(30)
})
