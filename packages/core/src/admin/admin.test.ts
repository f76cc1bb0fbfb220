import {
  type Answer,
  fixture,
  makeId,
  makeTraces,
  seedTraces,
  temporaryDatabase,
  type Fixture,
  type Signed,
  type TemporaryDatabase,
} from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'
import type { Stores } from '../stores.ts'

const adminToken = 'operator-'.repeat(3)
let database: TemporaryDatabase
let stores: Stores
let made: Fixture
let ann: Signed
let operator: Record<string, string>

beforeEach(async () => {
  database = await temporaryDatabase()
  stores = libsqlStores(database.client)
  made = fixture({ stores, adminToken, baseUrl: 'http://127.0.0.1:8787/tributary', country: () => 'US' })
  ann = await made.signIn('ann@example.com')
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  operator = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
})
afterEach(() => database.close())

const open = (query = '', headers = operator) => made.ask('GET', `/admin${query}`, { headers })
const submitForm = (path: string, form: Record<string, string>, headers = operator) =>
  made.ask('POST', `/admin/${path}`, { headers, form })
const follow = (reply: Answer) => made.follow(reply, operator)
const apply = async (who: Signed, companyName = 'Acme') =>
  (
    await made.ask('POST', '/api/account/application', {
      headers: who.bearer,
      json: { companyName, website: 'https://acme.example', email: who.email, role: 'founder', authorized: true },
    })
  ).json.application.id as string

describe('POST /admin/sign-in', () => {
  test('redirects to the requested page, and never outside /admin', async () => {
    const asked = await open('/payouts/ann%2F1', {})
    expect([asked.status, asked.text.includes('name="next" value="/admin/payouts/ann%2F1"')]).toEqual([401, true])
    const signInFor = async (next: string) =>
      (await made.ask('POST', '/admin/sign-in', { form: { token: adminToken, next } })).headers.get('location')
    expect(await signInFor('/admin/payouts/ann%2F1')).toBe('/tributary/admin/payouts/ann%2F1')
    for (const next of ['', '/traces', '/administrator', '//evil.example', '/admin/../traces', 'https://evil.example'])
      expect([next, await signInFor(next)]).toEqual([next, '/tributary/admin'])
    const wrong = await made.ask('POST', '/admin/sign-in', { form: { token: 'wrong', next: '/admin/payouts' } })
    expect([wrong.status, wrong.text.includes('name="next" value="/admin/payouts"')]).toEqual([401, true])
  })
})

describe('POST /admin/waitlist/notify', () => {
  test('notifies the waitlist of an open country once', async () => {
    await made.ask('POST', '/api/waitlist', { headers: ann.bearer, json: { email: 'ann@example.com', country: 'US' } })
    const page = await open('/waitlist')
    expect([page.text.includes('ann@example.com'), page.text.includes('/admin/waitlist?notify=US')]).toEqual([
      true,
      true,
    ])
    expect(page.text).toContain('/admin/csv/waitlist?"')
    expect(page.text).toMatch(/<h2>People<\/h2>\s*<nav class="filters"/)
    expect(page.text.match(/class="filters"/g)).toHaveLength(1)
    const button = /aria-label="Notify the waitlist of United States"[^>]*>/
    expect(page.text).toMatch(button)
    const question = (await open('/waitlist?notify=US')).text
    for (const part of ['Notify the waitlist of United States?', 'name="country" value="US"', 'Notify 1 person'])
      expect(question).toContain(part)
    expect((await open('/waitlist?notify=DE')).text).not.toContain('/admin/waitlist/notify"')
    expect((await follow(await submitForm('waitlist/notify', { country: 'US' }))).text).toContain(
      'United States: 1 person notified.',
    )
    expect((await open('/waitlist')).text).not.toMatch(button)
    expect((await follow(await submitForm('waitlist/notify', { country: 'US' }))).text).toContain(
      'United States: 0 people notified.',
    )
    expect((await follow(await submitForm('waitlist/notify', { country: 'DE' }))).text).toContain(
      'data-result="country_not_open"',
    )
    expect((await submitForm('waitlist/notify', { country: 'Germany' })).status).toBe(400)
  })
})

describe('POST /admin/contributors/review', () => {
  test('approves an application on the page of its contributor, and refuses a rejection without a reason', async () => {
    const id = await apply(ann)
    const path = `/contributors/${ann.userId}`
    const page = (await open(path)).text
    expect(page).toContain('Application to review')
    expect(page).toContain('aria-label="Approve Acme"')
    expect(page).not.toContain('Pause')
    const form = { id, item: ann.userId }
    const refused = await submitForm('contributors/review', { ...form, decision: 'reject' })
    expect([refused.status, refused.text.includes(`id="reason-${id}-error"`)]).toEqual([400, true])
    const approved = await submitForm('contributors/review', { ...form, decision: 'approve' })
    expect([approved.headers.get('location'), approved.flash]).toEqual([
      `/tributary/admin${path}`,
      { done: 'approved', about: id },
    ])
    const after = (await follow(approved)).text
    expect(after).toContain('Application of <bdi>Acme</bdi> approved.')
    expect(after).toContain('aria-label="Pause uploads of ann@example.com"')
    expect(after).not.toContain('aria-label="Approve Acme"')
    const again = await submitForm('contributors/review', { ...form, decision: 'approve' })
    expect((await follow(again)).text).toContain('data-result="already_reviewed"')
  })
})

test('GET /admin/audit shows the reason of a rejection', async () => {
  const id = await apply(ann)
  await submitForm('applications/review', { id, decision: 'reject', reason: 'The website is missing' })
  expect((await open('/audit')).text).toContain('>The website is missing<')
})

test('GET /admin/audit shows the reason of a withdrawal, which GET /api/admin/audit does not return', async () => {
  await seedTraces(database.client, ann.userId, makeTraces(1, 'ann'))
  const form = { id: makeId('ann', 0), reason: 'A name was left in', confirmed: 'yes' }
  expect((await submitForm('buyers/withdraw', form)).status).toBe(303)
  expect((await open('/audit')).text).toMatch(/<dt>Reason<\/dt>\s*<dd><bdi>A name was left in</)
  const headers = { authorization: `Bearer ${adminToken}` }
  const { json } = await made.ask('GET', '/api/admin/audit?action=trace.withdraw', { headers })
  expect(json.items.map(({ after }: { after: object }) => after)).toEqual([{ removals: 0 }])
})

describe('POST /admin/waitlist/remove', () => {
  test('removes a person once, after a confirmation', async () => {
    await made.ask('POST', '/api/waitlist', { headers: ann.bearer, json: { email: 'ann@example.com', country: 'FR' } })
    expect((await open('/waitlist')).text).toContain(`/admin/waitlist?remove=${ann.userId}"`)
    expect((await open(`/waitlist?remove=${ann.userId}`)).text).toContain('Remove this person from the waitlist?')
    const remove = async () => (await follow(await submitForm('waitlist/remove', { userId: ann.userId }))).text
    expect(await remove()).toContain('data-result="removed"')
    expect(await remove()).toContain('data-result="not_found"')
    expect((await open('/waitlist')).text).not.toContain('ann@example.com')
  })
})

describe('GET /admin and its forms', () => {
  test('return 401 with the sign-in page and change nothing without an operator session', async () => {
    const id = await apply(ann)
    for (const headers of [{}, ann.cookie, { cookie: 'tributary_operator=9999999999999.' + '0'.repeat(64) }]) {
      const page = await open('', headers)
      expect([page.status, page.text.includes('Operator token'), page.text.includes('Acme')]).toEqual([
        401,
        true,
        false,
      ])
      expect((await submitForm('applications/review', { id, decision: 'approve' }, headers as never)).status).toBe(401)
    }
    expect((await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json.status).toBe('pending')
  })

  test('return 403 for a form from another site', async () => {
    const id = await apply(ann)
    const reply = await submitForm(
      'applications/review',
      { id, decision: 'approve' },
      { ...operator, 'sec-fetch-site': 'cross-site' },
    )
    expect(reply).toMatchObject({ status: 403, json: { ok: false, error: 'cross_site_request' } })
    expect((await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json.status).toBe('pending')
  })

  test('return 404 when the service has no admin token', async () => {
    made = fixture({ stores, baseUrl: 'http://127.0.0.1:8787/tributary' })
    expect((await open()).status).toBe(404)
    expect((await submitForm('sales/sell', { buyer: 'x' })).status).toBe(404)
  })
})

describe('POST /admin/:section/:action with an idempotency key', () => {
  const headers = { authorization: `Bearer ${adminToken}` }
  test.each([
    ['contributors/sign_out', async () => ({ userId: ann.userId })],
    [
      'buyers/revoke',
      async () => {
        const { json } = await made.ask('POST', '/api/admin/buyers', { headers, json: { name: 'Lab' } })
        return { id: json.id, name: 'Lab' }
      },
    ],
    [
      'buyers/withdraw',
      async () => {
        await seedTraces(database.client, ann.userId, makeTraces(1, 'ann'))
        return { id: makeId('ann', 0), reason: 'A name was left in' }
      },
    ],
    [
      'campaigns/end',
      async () => {
        const campaign = { name: 'C', brandName: 'B', title: 'T', text: 'A line', url: 'https://x.example/' }
        const json = { ...campaign, topics: [], cpmUsd: 10, budgetUsd: 5 }
        return { id: (await made.ask('POST', '/api/admin/campaigns', { headers, json })).json.campaign.id }
      },
    ],
  ] as const)('%s shows the same question until it is confirmed, and then acts once', async (path, prepare) => {
    const form = { ...(await prepare()), idempotencyKey: 'form' }
    const [first, second] = [await submitForm(path, form), await submitForm(path, form)]
    expect([first.status, first.text.includes('name="confirmed"'), second.text]).toEqual([200, true, first.text])
    const confirmed = { ...form, confirmed: 'yes' }
    const [done, again] = [await submitForm(path, confirmed), await submitForm(path, confirmed)]
    expect([done.status, again.status, again.flash]).toEqual([303, 303, done.flash])
    expect(done.flash?.done).not.toMatch(/idempotency|not_found/)
  })

  test('buyers/create, which shows a secret, takes no key: each submission answers for itself', async () => {
    const form = { name: 'Lab', email: '', idempotencyKey: 'form' }
    const [created, again] = [await submitForm('buyers/create', form), await submitForm('buyers/create', form)]
    expect([created.status, created.text.includes('trbb_'), again.flash?.done]).toEqual([200, true, 'buyer_exists'])
    const stored = await database.client.execute('select reply from idempotency_keys')
    expect(stored.rows).toEqual([])
  })
})

test('GET /admin shows the overview, and GET /admin/:section shows a section', async () => {
  for (const [path, title] of [
    ['', 'Overview'],
    ['/contributors', 'Contributors'],
    ['/jobs', 'Uploads'],
    ['/sales', 'Sales'],
  ]) {
    const page = await open(path)
    expect([page.status, page.text.includes(`<h1>${title}</h1>`)]).toEqual([200, true])
  }
  expect(await open('/none')).toMatchObject({ status: 404, json: { ok: false, error: 'not_found' } })
  for (const path of ['/none', '/sales/none', '/contributors/nobody']) {
    const { status, text } = await open(path, { ...operator, accept: 'text/html' })
    expect([path, status, text.includes('Go to the overview'), text.includes('aria-label="Sections"')]).toEqual([
      path,
      404,
      true,
      true,
    ])
  }
  expect((await open('/applications?cursor=junk&filter=junk')).status).toBe(200)
  expect((await open('/jobs?cursor=junk')).status).toBe(200)
})

test('POST /admin/applications/review reviews an application once and shows the applicant the reason', async () => {
  const bob = await made.signIn()
  const id = await apply(ann, '<script>alert("Acme")</script>')
  await apply(bob, 'Bobco')
  expect((await open('/applications')).text).toContain('&lt;script&gt;alert(&quot;Acme&quot;)&lt;/script&gt;')
  const rejected = await submitForm('applications/review', { id, decision: 'reject', reason: 'Too <early>' })
  expect([rejected.status, rejected.headers.get('location'), rejected.flash]).toEqual([
    303,
    '/tributary/admin/applications',
    { done: 'rejected', about: id },
  ])
  expect((await open('/applications')).text).not.toContain('&lt;script&gt;')
  expect((await open('/applications?filter=all')).text).toContain('&lt;script&gt;')
  expect((await follow(rejected)).text).toContain('data-result="rejected"')
  expect((await open('/applications?filter=rejected')).text).toContain('Too &lt;early&gt;')
  expect((await open('/applications?filter=pending')).text).not.toContain('&lt;script&gt;')
  expect(
    (await submitForm('applications/review', { id, decision: 'approve', filter: 'pending' })).headers.get('location'),
  ).toBe('/tributary/admin/applications?filter=pending')
  expect(
    (await submitForm('applications/review', { id, decision: 'approve', filter: 'junk' })).headers.get('location'),
  ).toBe('/tributary/admin/applications')
  expect((await follow(await submitForm('applications/review', { id, decision: 'approve' }))).text).toContain(
    'data-result="already_reviewed"',
  )
  expect(
    (await follow(await submitForm('applications/review', { id: makeId('x', 1), decision: 'approve' }))).text,
  ).toContain('data-result="not_found"')
  expect((await made.ask('GET', '/apply', { headers: ann.cookie })).text).toContain('<q>Too &lt;early&gt;</q>')
  expect((await made.ask('GET', '/api/traces/access', { headers: bob.bearer })).json.status).toBe('pending')
  expect((await open('/applications?filter=rejected')).text).toContain('Approve after all')
  const reconsidered = await submitForm('applications/review', { id, decision: 'approve', reconsider: 'yes' })
  expect((await follow(reconsidered)).text).toContain('data-result="approved"')
  expect((await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json.status).toBe('approved')
  const bobs = (await stores.contributors.findApplication({ ownerId: bob.userId }))!.id
  const unexplained = await submitForm('applications/review', { id: bobs, decision: 'reject', filter: 'pending' })
  expect([unexplained.status, unexplained.text.includes(`id="reason-${bobs}-error">Enter a reason.`)]).toEqual([
    400,
    true,
  ])
  expect((await made.ask('GET', '/api/traces/access', { headers: bob.bearer })).json.status).toBe('pending')
  const wrong = await submitForm('applications/review', { id: bobs, decision: 'reject', reason: 'x'.repeat(2001) })
  expect([wrong.status, wrong.text.includes('2,000 characters')]).toEqual([400, true])
})

test('GET /admin/applications says that an applicant was rejected before, and that they applied again', async () => {
  const id = await apply(ann)
  const { text: first } = await open('/applications')
  expect(first).not.toContain('Rejected before')
  expect(first).toMatch(/The applicant gets an <span class="whole">e-mail<\/span> of each decision\./)
  await submitForm('applications/review', { id, decision: 'reject', reason: 'Too <early>' })
  await apply(ann)
  expect((await open('/applications')).text).toContain('Rejected before: <bdi>Too &lt;early&gt;</bdi>')
  const bob = await made.signIn('bob@example.com')
  const unexplained = await apply(bob)
  await made.ask('POST', `/api/admin/applications/${unexplained}`, {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { decision: 'reject' },
  })
  await apply(bob)
  expect((await open('/applications')).text).toContain('Rejected before, without a reason')
  const { text } = await open('/applications?filter=rejected')
  expect(text).not.toContain('Approve after all')
  expect(text).toMatch(new RegExp(`contributors/${ann.userId}"\\s*>Applied again<`))
})

test('GET /admin/applications is sorted by company', async () => {
  await apply(ann, 'Beta')
  await apply(await made.signIn('bob@example.com'), 'Alpha')
  const { text } = await open('/applications')
  const [, link] = /<a href="\/tributary\/admin(\/applications\?[^"]*sort=companyName[^"]*)"/.exec(text)!
  const sorted = await open(link!.replaceAll('&amp;', '&').replace('desc', 'asc'))
  expect(sorted.text).toMatch(/aria-sort="ascending"[^>]*>\s*<a [^>]*>Company</)
  expect(sorted.text.indexOf('<bdi>Alpha')).toBeLessThan(sorted.text.indexOf('<bdi>Beta'))
})

test('GET /admin/contributors is sorted by the verified address, and shows when each account was created', async () => {
  const zoe = await made.signIn('zoe@example.com')
  for (const person of [zoe, await made.signIn('bob@example.com'), ann]) await apply(person)
  const { text } = await open('/contributors')
  expect(text).toMatch(/aria-sort="descending"[^>]*>\s*<a [^>]*>Signed up \(UTC\)</)
  const [, link] = /<a href="\/tributary\/admin(\/contributors\?[^"]*sort=email[^"]*)"/.exec(text)!
  const sorted = await open(link!.replaceAll('&amp;', '&').replace('desc', 'asc'))
  expect(sorted.text).toMatch(/aria-sort="ascending"[^>]*>\s*<a [^>]*>Contributor</)
  expect([...sorted.text.matchAll(/>(\w+)@example\.com<\/bdi><\/a>/g)].map(([, name]) => name)).toEqual([
    'ann',
    'bob',
    'zoe',
  ])
  const row = new RegExp(`${zoe.userId}"[^]*?data-label="Signed up \\(UTC\\)">\\s*<time datetime="2`)
  expect(sorted.text).toMatch(row)
})

test('GET /admin/contributors links a pending application to its review, and says what pausing does', async () => {
  await apply(ann)
  const link = new RegExp(
    `href="/tributary/admin/contributors/${ann.userId}"\\s*aria-label="Review the application of Acme`,
  )
  const { text } = await open('/contributors')
  expect(text).toMatch(link)
  expect(text).toContain('Pausing takes effect immediately')
  const page = `/contributors/${ann.userId}`
  expect((await open(page)).text).not.toContain('Pausing takes effect immediately')
  const id = (await stores.contributors.findApplication({ ownerId: ann.userId }))!.id
  await submitForm('applications/review', { id, decision: 'approve' })
  expect((await open(page)).text).toContain('Pausing takes effect immediately')
  expect((await open('/contributors')).text).not.toMatch(link)
})

test('GET /admin/contributors has a link that clears the search', async () => {
  expect((await open('/contributors?filter=pending')).text).not.toContain('Clear search')
  expect((await open('/contributors?filter=pending&q=ann')).text).toMatch(
    /href="\/tributary\/admin\/contributors\?filter=pending"\s*>Clear search</,
  )
})

test('GET /admin lists applications, contributors and jobs in pages', async () => {
  for (let i = 0; i < 27; i++) {
    await stores.auth.upsertUser({ id: `person-${i}`, email: null, now: 0 })
    await stores.contributors.submitApplication({
      ownerId: `person-${i}`,
      application: {
        id: makeId('a', i),
        status: 'pending',
        companyName: `Company ${i};`,
        incubatorBatch: null,
        website: 'https://a.example',
        directoryUrl: null,
        email: 'a@a.example',
        role: 'r',
      },
      now: 0,
    })
  }
  for (const section of ['applications', 'contributors']) {
    const first = await open(`/${section}${section === 'applications' ? '?filter=pending' : ''}`)
    expect([first.text.includes('Company 26;'), first.text.includes('Company 0;')]).toEqual([true, false])
    const next = /href="\/tributary\/admin(\/[^"]*)" rel="next"/.exec(first.text)![1]!.replaceAll('&amp;', '&')
    const second = await open(next)
    expect([
      second.text.includes('Company 26;'),
      second.text.includes('Company 0;'),
      second.text.includes('rel="next"'),
    ]).toEqual([false, true, false])
  }
})

test('POST /admin/contributors/pause pauses and resumes a contributor', async () => {
  await apply(ann)
  const readReason = async () =>
    (await made.ask('GET', '/api/traces/upload-policy', { headers: ann.bearer })).json.reason
  await made.ask('POST', '/api/account/terms', {
    headers: ann.bearer,
    json: { termsVersion: '2026-12-01', residencyConfirmed: true },
  })
  const paused = await follow(await submitForm('contributors/pause', { userId: ann.userId, paused: 'yes' }))
  expect(paused.text).toContain('data-result="paused"')
  expect(paused.text).toContain('<bdi>ann@example.com</bdi> paused.')
  expect(await readReason()).toBe('contributor_paused')
  const since = /Paused<\/span>\s*<span\s*>by <bdi>operator<\/bdi> since /
  expect((await open(`/contributors/${ann.userId}`)).text).toMatch(since)
  expect((await follow(await submitForm('contributors/pause', { userId: ann.userId, paused: 'no' }))).text).toContain(
    'data-result="resumed"',
  )
  expect(await readReason()).toBeNull()
  expect((await follow(await submitForm('contributors/pause', { userId: 'nobody', paused: 'yes' }))).text).toContain(
    'data-result="not_found"',
  )
  expect((await submitForm('contributors/pause', { userId: ann.userId })).status).toBe(400)
})

test('POST /admin/jobs/retry queues a failed job again, and no other job', async () => {
  const num = '(select num from users where id = ?)'
  for (const [n, status] of ['failed', 'done'].entries()) {
    await database.client.execute({
      sql:
        'insert into jobs (id, owner, source, status, parts, total, enqueued_at, next_at, finished_at, ' +
        `error_message, error_stage, error_class)
        values (?, ${num}, 'mixed', ?, 1, 1, ?, 0, ?, ?, 'redacting', 'detector_timeout')`,
      args: [
        makeId('job', n),
        ann.userId,
        status,
        made.clock(),
        made.clock(),
        status === 'failed' ? 'It broke.' : null,
      ],
    })
  }
  const page = await open('/jobs?filter=failed')
  expect([page.text.includes(makeId('job', 0)), page.text.includes(makeId('job', 1))]).toEqual([true, false])
  expect(page.text).toContain('<small>1 trace not processed</small>')
  const job = await open(`/jobs/${makeId('job', 0)}`)
  expect(job.text).toMatch(
    /<h1>Upload from several sources<\/h1>[\s\S]*It broke\.[\s\S]*No trace of this upload was processed/,
  )
  expect(job.text).toContain(`/admin/contributors/${ann.userId}`)
  expect(job.text).toContain('<code>ingest.job.attempt_failed</code>')
  expect((await open(`/jobs/${makeId('job', 9)}`)).status).toBe(404)
  expect(job.text).toMatch(/Detector did not answer[\s\S]*redacting traces[\s\S]*Check that the configured detector/)
  expect((await open('/jobs?filter=all&errorClass=detector_timeout')).text).toContain(
    'Detector did not answer, while redacting traces',
  )
  expect((await open('/jobs?filter=all&errorClass=upload_gone')).text).not.toContain(makeId('job', 0))
  expect((await follow(await submitForm('jobs/retry', { jobId: makeId('job', 0) }))).text).toContain(
    'data-result="retried"',
  )
  expect(
    (await stores.ingest.listAllJobs({ status: 'queued', cursor: null, limit: 10 })).items.map(({ id }) => id),
  ).toEqual([makeId('job', 0)])
  const queued = { jobId: makeId('job', 0), lease: 'l', now: made.clock(), leaseUntil: made.clock() + 1_000 }
  const claim = (await stores.ingest.claimJob(queued))!
  await stores.ingest.releaseJob({ claim, dueAt: made.clock(), end: 'unavailable' })
  for (const path of ['/jobs', `/jobs/${makeId('job', 0)}`])
    expect((await open(path)).text).toContain('the database or the blob store did not answer')
  expect((await follow(await submitForm('jobs/retry', { jobId: makeId('job', 1) }))).text).toContain(
    'data-result="not_failed"',
  )
  expect((await follow(await submitForm('jobs/retry', { jobId: makeId('job', 9) }))).text).toContain(
    'data-result="not_found"',
  )
})

// promise: control-bidirectional-characters-removed
test('no page shows control or bidirectional characters of stored text', async () => {
  const hostile = 'left\u202eright\u2066in\u200bvisible\u0007bell\u001b[31mred'
  const clean = 'leftrightinvisiblebell[31mred'
  await made.ask('POST', '/api/cli/feedback', { headers: ann.bearer, json: { message: hostile } })
  await made.ask('POST', '/api/v1/feedback', {
    json: {
      reporter: { agent_vendor: 'v', agent_product: 'p' },
      subject: { surface: 's' },
      content: { title: hostile, summary: hostile },
      evidence: [{ type: 'other', content: hostile }],
    },
  })
  const id = await apply(ann)
  await submitForm('applications/review', { id, decision: 'reject', reason: hostile })
  const pages = await Promise.all(
    ['feedback', 'reports', 'applications?filter=all', 'outbox'].map((section) => open(`/${section}`)),
  )
  const texts = [...pages, await made.ask('GET', '/apply', { headers: ann.cookie })].map(({ text }) => text)
  // oxlint-disable-next-line no-control-regex -- the test searches for control characters
  for (const text of texts) expect(text).not.toMatch(/[\u0000-\u0008\u000e-\u001f\u200b\u202a-\u202e\u2066-\u2069]/)
  for (const at of [0, 1, 2, 4]) expect(texts[at]).toContain(clean)
})
