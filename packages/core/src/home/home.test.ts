import { createTestStores, fixture, makeTraces, seedTraces } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { replyHeader } from '../http/message.ts'
import type { ServiceOptions } from '../service/options.ts'
import { defaultTerms } from '../contributors/policy/terms.ts'
import { createScrubber } from '../scrubber/index.ts'

const open = (options: Partial<ServiceOptions> = {}) =>
  fixture({ stores: createTestStores(), baseUrl: 'https://x.example/base', ...options })
const adminToken = 'operator-'.repeat(3)
const makeRequest = (path: string, method = 'GET') =>
  ({ method, path, query: [], headers: { accept: 'text/html' }, address: null, body: null }) as const

describe('GET /', () => {
  test('shows the first steps with the public address, and the configured benefits for contributors', async () => {
    const made = open({
      revenueShare: 0.725,
      adShare: 0.4,
      settleDays: 30,
      minPayoutUsd: 40,
      allowedCountries: ['US', 'DE'],
    })
    const { status, text, headers } = await made.ask('GET', '/')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const words = text.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
    for (const part of [
      'export TRIBUTARY_URL=https://x.example/base',
      'npm run example:contributor -- login',
      'Contributors get 72.5% of the price of a sale.',
      'Your share is available 30 days after the sale.',
      'You get 40% of what sponsors pay',
      'Payouts. You can request a payout once $40.00 is available. We may also pay out smaller amounts.',
      'Payouts go to approved contributors. They are made by hand.',
      'residents of these countries: the United States and Germany.',
      'no such program finds everything.',
    ])
      expect(words).toContain(part)
    expect(text).toContain('href="/base/sign-in?next=%2F"')
    expect(text).not.toContain('id="development"')
  })

  test('says in the words of the default terms what is not redacted', async () => {
    const { text } = await open().ask('GET', '/')
    const limits = defaultTerms(true)
      .split('\n\n')
      .find((paragraph) => paragraph.includes('does not recognize'))
    expect(text).toContain(`<h3>What is not redacted</h3>\n    <p>${limits}</p>`)
  })

  test('shows an example of redacted data, as the scrubber changes it', async () => {
    const { text } = await open().ask('GET', '/')
    const blocks = [...text.matchAll(/<pre[^>]*aria-label="As (?:you upload it|it is stored)">([^]*?)<\/pre>/g)]
    const [before, after] = blocks.map(([, block = '']) => block)
    const scrubbed = createScrubber().scrub([before!])
    expect(scrubbed).toMatchObject({ texts: [after!.replace(/<\/?mark>/g, '')] })
    expect(after!.match(/<mark>/g)).toHaveLength(4)
  })

  test('omits sponsor lines if the service has none, and links to the pages of development', async () => {
    const made = open({ capabilities: { ads: false }, developmentLinks: [{ path: '/dev/mail', text: 'Read <mails>' }] })
    const { text } = await made.ask('GET', '/')
    expect(text).not.toContain('Sponsor lines')
    expect(text).toContain('<a href="/base/dev/mail">Read &lt;mails&gt;</a>')
  })

  test('shows the open steps to a signed-in user until all steps are done and a trace exists', async () => {
    const stores = createTestStores()
    const made = open({ stores, termsVersion: 'v1' })
    const { userId, cookie } = await made.signIn('ann@example.com')
    const readHome = async () => (await made.ask('GET', '/', { headers: cookie })).text
    const first = await readHome()
    expect(first).toContain('Next: accept the terms')
    expect(first).toContain('ann@example.com')
    for (const pitch of ['Sign in or create an account', 'get paid', 'How to start']) expect(first).not.toContain(pitch)

    const standing = await stores.policy.getStanding({ ownerId: userId })
    const ready = { ...standing, termsVersion: 'v1', residencyConfirmed: true, status: 'approved' as const }
    stores.policy.getStanding = async () => ({ ...ready, contactCompleted: true })
    const readyHome = await readHome()
    expect(readyHome).toContain('Next: upload with your command-line client.')
    expect(readyHome).toMatch(/TRIBUTARY_URL=[^]+example:contributor -- login[^]+example:contributor -- setup/)
    await seedTraces(stores.client, userId, [...makeTraces(1, 'ann')])
    const done = await readHome()
    expect(done).toContain('Uploads open')
    expect(done).not.toContain('Steps to your first upload')
    stores.policy.getStanding = async () => ({ ...ready, operatorPaused: true })
    const pausedHome = await readHome()
    expect(pausedHome).toContain('Paused by the operator')
    expect(pausedHome).toContain('The operator of this service paused your uploads. Only the operator can resume them.')
  })

  test('shows the reason to a user whose application was not approved, with a link to apply again', async () => {
    const stores = createTestStores()
    const made = open({ stores, termsVersion: 'v1' })
    const { userId, bearer, cookie } = await made.signIn('ann@example.com')
    const company = { companyName: 'Acme', website: 'https://acme.example', role: 'founder', authorized: true }
    await made.ask('POST', '/api/account/application', {
      headers: bearer,
      json: { ...company, email: 'ann@example.com' },
    })
    const standing = await stores.policy.getStanding({ ownerId: userId })
    const rejected = { ...standing, termsVersion: 'v1', residencyConfirmed: true, status: 'rejected' as const }
    stores.policy.getStanding = async () => rejected
    const application = await stores.contributors.findApplication({ ownerId: userId })
    stores.contributors.findApplication = async () => application && { ...application, reviewReason: 'No <website>' }
    const { text } = await made.ask('GET', '/', { headers: cookie })
    expect(text).toContain('Your application was not approved: <q>No &lt;website&gt;</q>')
    expect(text).toMatch(/<a class="button" href="[^"]*\/apply"\s*>Apply again<\/a/)
    const pending = 'You can log in and preview now; uploading opens when your application is approved.'
    expect(text).not.toContain(pending)
    stores.policy.getStanding = async () => ({ ...rejected, status: 'pending' })
    const waiting = (await made.ask('GET', '/', { headers: cookie })).text
    expect(waiting.split(pending)[1]).toContain('export TRIBUTARY_URL')
  })

  test('shows the balance, traces and last upload of a user with links to their pages', async () => {
    const stores = createTestStores()
    const made = open({ stores, adminToken })
    const { userId, cookie } = await made.signIn('ann@example.com')
    const readFigures = async () => {
      const { text } = await made.ask('GET', '/', { headers: cookie })
      expect(text).toMatch(/href="\/base\/traces".*href="\/base\/jobs".*href="\/base\/earnings"/s)
      return [...text.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)].map(([, name, value]) => `${name}: ${value}`)
    }
    expect(await readFigures()).toEqual(['Available: $0.00', 'Pending: $0.00', 'Traces: 0', 'Last upload (UTC): None'])
    await made.ask('POST', '/api/admin/corrections', {
      json: { userId, usd: 3.507, reason: 'Bonus' },
      headers: { authorization: `Bearer ${adminToken}` },
    })
    await seedTraces(stores.client, userId, [...makeTraces(2, 'ann')])
    expect(await readFigures()).toEqual(['Available: $3.50', 'Pending: $0.00', 'Traces: 2', 'Last upload (UTC): None'])
  })

  test('lists the last uploads with their states, failed uploads first, and collapses the upload instructions', async () => {
    const stores = createTestStores()
    const made = open({ stores, termsVersion: 'v1' })
    const { userId, cookie } = await made.signIn('ann@example.com')
    const standing = await stores.policy.getStanding({ ownerId: userId })
    stores.policy.getStanding = async () => ({
      ...standing,
      termsVersion: 'v1',
      residencyConfirmed: true,
      status: 'approved',
    })
    await seedTraces(stores.client, userId, [...makeTraces(1, 'ann')])
    const job = { source: 'codex', total: 2, enqueuedAt: 1_763_000_000_000 }
    const jobs = ['done', 'failed', 'done'].map((status, n) => ({ ...job, id: `job-${n}`, status }))
    stores.ingest.listJobs = async () => jobs as never
    const { text } = await made.ask('GET', '/', { headers: cookie })
    expect([...text.matchAll(/jobs\/(job-\d)"/g)].map(([, id]) => id)).toEqual(['job-1', 'job-0', 'job-2'])
    expect(text).toContain('<span class="tag bad">Failed</span>')
    expect(text).toContain('<details id="upload">')
    expect(text).not.toContain('Join the waitlist')
  })

  test('redirects an operator to the operator pages, and links them from the overview of a contributor', async () => {
    const made = open({ adminToken })
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
    const [[name, value]] = Object.entries(cookies) as [[string, string]]
    const operatorCookie = `${name}=${value}`
    const { status, headers } = await made.ask('GET', '/', { headers: { cookie: operatorCookie } })
    expect([status, headers.get('location')]).toEqual([303, '/base/admin'])
    const jane = await made.signIn('jane@example.com')
    const both = await made.ask('GET', '/', { headers: { cookie: `${jane.cookie.cookie}; ${operatorCookie}` } })
    expect(both.text).toContain('jane@example.com')
    expect(both.text).toContain(
      'This browser is also signed in as operator <strong><bdi>operator</bdi></strong>. <a href="/base/admin">',
    )
  })

  test('is served at the prefix, with and without a trailing slash, and to HEAD without a body', async () => {
    const { service } = open()
    for (const path of ['/base', '/base/']) expect((await service.handle(makeRequest(path)))?.status).toBe(200)
    expect(await service.handle(makeRequest('/base', 'HEAD'))).toMatchObject({ status: 200, body: null })
    const post = await service.handle(makeRequest('/base', 'POST'))
    expect([post?.status, replyHeader(post!, 'allow')]).toEqual([405, 'GET, HEAD'])
    expect(await service.handle(makeRequest('/'))).toBeNull()
  })

  test('falls through to the app if no prefix is configured, and is answered on a host that serves nothing else', async () => {
    const { service } = open({ baseUrl: 'https://x.example' })
    expect(await service.handle(makeRequest('/'))).toBeNull()
    const page = await service.answerMissing(makeRequest('/'))
    expect([
      page.status,
      String(page.body).includes('TRIBUTARY_URL=<span class="word">https://x.example</span></code>'),
    ]).toEqual([200, true])
  })
})
