import { createTestStores, fixture, type Answer, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { withFlash } from '../http/flash.fixture.ts'
import { englishMessages } from '../messages/index.ts'
import { journey } from './policy/pages.ts'
import type { Step } from './policy/rules.ts'

const adminToken = 'operator-'.repeat(3)
const secret = 'the secret of the test'
const draft = {
  companyName: 'Acme',
  website: 'https://acme.example',
  email: 'ann@acme.example',
  role: 'founder',
  authorized: 'yes',
}
let made: Fixture
let stores: ReturnType<typeof createTestStores>
let ann: Signed
let termsVersion: string
beforeEach(async () => {
  stores = createTestStores()
  made = fixture({
    stores,
    adminToken,
    secret,
    brand: { name: 'Acme', supportEmail: 'help@example.com' },
    country: () => 'US',
    baseUrl: 'https://example.com/tributary',
    termsText: 'First line <b>.\n\n## A heading\n\nLast line.',
  })
  ann = await made.signIn()
  termsVersion = (await made.ask('GET', '/api/traces/upload-policy', { headers: ann.bearer })).json.termsVersion
})
const wordsOf = (text: string) => text.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
const noticeOf = (text: string) => wordsOf(/<p class="notice done"[^>]*>(.*?)<\/p>/s.exec(text)?.[1] ?? '').trim()
const open = (path: string, headers: Record<string, string> = ann.cookie) => made.ask('GET', path, { headers })
const send = (path: string, form: Record<string, string>) => made.ask('POST', path, { headers: ann.cookie, form })
const follow = (reply: Answer) => made.follow(reply, ann.cookie)

test('POST /terms, /apply and /contact redirect a new user to the next onboarding step', async () => {
  const terms = await send('/terms', { termsVersion, accepted: 'yes', residencyConfirmed: 'yes' })
  expect([terms.status, terms.headers.get('location')]).toEqual([303, '/tributary/apply'])
  expect((await follow(terms)).text).toContain('data-done="terms"')
  const applied = await send('/apply', draft)
  expect([applied.status, applied.headers.get('location')]).toEqual([303, '/tributary/contact'])
  const pendingText = wordsOf((await follow(applied)).text)
  expect(pendingText).toContain(
    'Application submitted. We are reviewing your application. You get an e-mail when it is decided.',
  )
  expect(wordsOf((await open('/traces')).text)).not.toContain('Next: add contact details')
  const contact = await send('/contact', { name: 'Ann', email: 'ann@acme.example' })
  expect([contact.status, contact.headers.get('location')]).toEqual([303, '/tributary/contact'])
  expect((await follow(contact)).text).toContain('data-done="contact"')
  const { application } = (await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json
  await made.ask('POST', `/api/admin/applications/${application.id}`, {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { decision: 'approve' },
  })
  const ready = await open('/apply')
  expect(ready.text).toContain('data-status="approved"')
  expect(ready.text).toContain('npm run example:contributor')
  expect((await made.ask('GET', '/api/traces/upload-policy', { headers: ann.bearer })).json.eligible).toBe(true)
})

test('the steps promise an e-mail about the decision only if the service sends mails', () => {
  const steps: Step[] = [
    { id: 'terms', state: 'done' },
    { id: 'application', state: 'waiting' },
    { id: 'contact', state: 'open' },
    { id: 'upload', state: 'open' },
  ]
  const readText = (mailer: object | null) =>
    journey(
      steps,
      {
        here: 'contact',
        done: 'application',
        pausedBy: null,
        hasUploads: false,
        hasDevice: false,
        isOnWaitlist: false,
        waiting: null,
        reviewReason: null,
      },
      {
        prefix: '',
        link: String,
        allowedCountries: ['US'],
        mailer,
        brand: {},
        clientCommand: null,
        clientUrl: null,
        developmentLinks: [],
      },
    ).text
  expect(readText({})).toContain(englishMessages['steps.nextWaitMail'])
  expect(readText(null)).toContain(englishMessages['steps.nextWait'])
  expect(readText(null)).not.toContain('You get an e-mail')
})

test('GET /terms shows the terms to anyone, and POST /terms accepts the terms from a signed-in user only', async () => {
  const page = await made.ask('GET', '/terms')
  expect(page.status).toBe(200)
  expect(page.text).toContain('<p>First line &lt;b&gt;.</p><h2>A heading</h2><p>Last line.</p>')
  // The operator's own terms may state the shares.
  expect(page.text).not.toContain('not part of the terms')
  expect([page.text.includes('name="accepted"'), page.text.includes('/tributary/sign-in?next=%2Fterms')]).toEqual([
    false,
    true,
  ])
  for (const path of ['/apply', '/contact', '/waitlist']) {
    expect((await made.ask('GET', path)).headers.get('location')).toBe(
      `/tributary/sign-in?next=${encodeURIComponent(path)}`,
    )
  }
  const away = await made.ask('POST', '/terms', { form: { termsVersion, accepted: 'yes' } })
  expect([away.status, away.headers.get('location')]).toEqual([303, '/tributary/sign-in?next=%2Fterms'])
})

test('GET /apply links to the terms until the person accepts them, and then shows the form', async () => {
  const early = await open('/apply')
  expect(early.text).not.toContain('name="companyName"')
  expect(early.text).toContain('href="/tributary/terms">Read and accept the terms</a>')
  await send('/terms', { termsVersion, accepted: 'yes' })
  expect((await open('/apply')).text).toContain('name="companyName"')
})

test('POST /terms returns 400 without acceptance; without confirmed residency it accepts the terms, but the step stays open', async () => {
  const refused = await send('/terms', { termsVersion })
  expect([refused.status, refused.text.includes('id="accepted-error"')]).toEqual([400, true])
  expect(wordsOf(refused.text)).toContain('The terms are not accepted yet. Select the box below the terms.')
  const half = await send('/terms', { termsVersion, accepted: 'yes' })
  expect(half.headers.get('location')).toBe('/tributary/terms')
  const halfText = wordsOf((await follow(half)).text)
  expect(halfText).toContain(
    'Terms accepted. To upload, confirm that you live in the United States, or join the waitlist. ',
  )
  expect(halfText).toMatch(/Confirm your country of residence\s*residency not confirmed/)
  const halfPage = (await open('/terms')).text
  expect([halfPage.includes('type="checkbox"'), halfPage.includes('id="accepted"')]).toEqual([true, false])
  expect((await made.ask('GET', '/api/traces/upload-policy', { headers: ann.bearer })).json).toMatchObject({
    termsAccepted: true,
    reason: 'residency_required',
  })
  await send('/terms', { termsVersion, accepted: 'yes', residencyConfirmed: 'yes' })
  const done = await open('/terms')
  expect([done.status, done.text.includes('name="accepted"')]).toEqual([200, false])
})

test('POST /terms leads a person on the waitlist to the application, and does not ask for a residence', async () => {
  await send('/waitlist', { email: 'ann@acme.example', country: 'DE' })
  const hint = 'You are on the waitlist. Leave this box empty until you live there. View your waitlist entry'
  expect(wordsOf((await open('/terms')).text)).toContain(
    `I live in the United States, where uploads are open. ${hint} `,
  )
  const contact = { name: 'Ann', email: 'ann@acme.example' }
  const early = await follow(await send('/contact', contact))
  expect(noticeOf(early.text)).toBe('Contact details saved. Next: accept the terms.')

  const accepted = await send('/terms', { termsVersion, accepted: 'yes' })
  expect(accepted.headers.get('location')).toBe('/tributary/apply')
  const apply = await follow(accepted)
  expect(noticeOf(apply.text)).toBe('Terms accepted. Next: apply as a contributor.')
  // The answer to the form comes before the state on the waitlist.
  expect(wordsOf(apply.text)).toMatch(/Next: apply as a contributor\. +You are on the waitlist\./)
  expect(apply.text).toContain('name="companyName"')
  const terms = (await open('/terms')).text
  expect(wordsOf(terms)).toContain(`${hint} Confirm residency`)
  expect(terms).toContain('<button class="second">Confirm residency</button>')

  const applied = await send('/apply', draft)
  expect(applied.headers.get('location')).toBe('/tributary/apply')
  expect(noticeOf((await follow(applied)).text)).toBe(
    'Application submitted. We are reviewing your application. You get an e-mail when it is decided.',
  )
  const { application } = (await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json
  await made.ask('POST', `/api/admin/applications/${application.id}`, {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { decision: 'approve' },
  })
  const late = await follow(await send('/contact', contact))
  expect(noticeOf(late.text)).toBe('Contact details saved.')
  expect(wordsOf(late.text)).toContain('You can upload once uploads open in your country')
})

test('POST /apply completes a web address that was entered without https://', async () => {
  await made.ask('POST', '/terms', { headers: ann.cookie, form: { termsVersion: '1', accepted: 'yes' } })
  const form = {
    companyName: 'Acme',
    website: 'acme.example/about',
    directoryUrl: 'directory.example',
    email: 'ann@example.com',
    role: 'founder',
    authorized: 'yes',
  }
  expect((await send('/apply', form)).status).toBe(303)
  const { application } = (await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json
  expect(application).toMatchObject({
    website: 'https://acme.example/about',
    directoryUrl: 'https://directory.example',
  })
})

test('POST /apply, /contact and /waitlist return 400 with an error at each invalid field and the submitted values', async () => {
  const wrong = await send('/apply', {
    companyName: '"><script>',
    website: 'acme',
    directoryUrl: 'javascript:1',
    email: 'ann@',
    role: 'founder',
  })
  expect(wrong.status).toBe(400)
  for (const name of ['website', 'directoryUrl', 'email', 'authorized'])
    expect(wrong.text).toContain(`id="${name}-error"`)
  for (const name of ['companyName', 'role']) expect(wrong.text).not.toContain(`id="${name}-error"`)
  expect(wrong.text).toContain('value="&quot;&gt;&lt;script&gt;"')
  expect(wrong.text).toContain('value="founder"')
  expect(wrong.text).not.toContain('"><script>')
  expect(wrong.text).toContain('<title>Error: Apply as a contributor · Acme</title>')
  expect(wrong.text).toContain('Nothing was saved. 4 fields need attention:')
  const linked = [...wrong.text.matchAll(/<li><a href="#(\w+)">/g)].map(([, id]) => id)
  expect(linked).toEqual(['website', 'directoryUrl', 'email', 'authorized'])
  const missing = await send('/contact', { phone: 'x'.repeat(65) })
  expect(missing.status).toBe(400)
  for (const name of ['name', 'email', 'phone']) expect(missing.text).toContain(`id="${name}-error"`)
  const waitlist = await send('/waitlist', { email: 'nobody', country: 'Germany' })
  expect([
    waitlist.status,
    waitlist.text.includes('value="nobody"'),
    waitlist.text.includes('id="country-error"'),
  ]).toEqual([400, true, true])
})

test('POST /apply returns 409 for a second application, and GET /apply shows the form again after a rejection', async () => {
  await send('/terms', { termsVersion, accepted: 'yes', residencyConfirmed: 'yes' })
  await send('/apply', draft)
  expect((await open('/apply')).text).not.toContain('name="companyName"')
  const again = await send('/apply', draft)
  expect([again.status, again.text.includes('role="alert"')]).toEqual([409, true])
  const { application } = (await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json
  await made.ask('POST', `/api/admin/applications/${application.id}`, {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { decision: 'reject', reason: 'Say more' },
  })
  const page = await open('/apply')
  expect(page.text).toContain('data-status="rejected"')
  expect(page.text).toContain('<q>Say more</q>')
  expect(page.text).toContain('value="https://acme.example"')
})

test('POST /waitlist and /contact confirm the saved data', async () => {
  expect((await follow(await send('/waitlist', { email: 'ann@acme.example', country: 'de' }))).text).toContain(
    'role="status"',
  )
  await send('/contact', { name: 'Ann', email: 'ann@acme.example', phone: '+1 555 0100' })
  expect((await open('/contact')).text).toContain('value="+1 555 0100"')
})

test('GET / and /apply show the upload commands as the next step of an approved user without contact details', async () => {
  await send('/terms', { termsVersion, accepted: 'yes', residencyConfirmed: 'yes' })
  await send('/apply', draft)
  const { application } = (await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json
  await made.ask('POST', `/api/admin/applications/${application.id}`, {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { decision: 'approve' },
  })
  const flash = { path: '/apply', secret, secure: true, now: made.clock() }
  const justApplied = await withFlash(ann.cookie, { done: 'application' }, flash)
  for (const [path, headers] of [
    ['/', ann.cookie],
    ['/apply', justApplied],
  ] as const) {
    const { text } = await open(path, headers)
    expect(wordsOf(text)).toContain('Next: upload with your command-line client.')
    expect(wordsOf(text)).toContain('npm run example:contributor -- upload')
    expect(text).toContain('<a href="/tributary/#upload">Upload with your client</a>')
  }
})

describe('GET /apply, /contact, /account and / for an approved user', () => {
  const operator = { authorization: `Bearer ${adminToken}` }
  beforeEach(async () => {
    await send('/terms', { termsVersion, accepted: 'yes', residencyConfirmed: 'yes' })
    await send('/apply', draft)
    const { application } = (await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json
    const headers = operator
    await made.ask('POST', `/api/admin/applications/${application.id}`, { headers, json: { decision: 'approve' } })
  })

  test('show a pause by the operator instead of the commands, with the support address', async () => {
    await made.ask('POST', `/api/admin/contributors/${ann.userId}`, { headers: operator, json: { paused: true } })
    for (const path of ['/apply', '/contact', '/terms', '/']) {
      const { text } = await open(path)
      expect(text).toContain('Paused by the operator')
      expect(text).toContain('href="mailto:help@example.com"')
      for (const part of ["You're ready to upload", 'npm run example:contributor']) expect(text).not.toContain(part)
    }
    expect((await open('/account')).text).toContain('href="mailto:help@example.com"')
  })

  test('show the submitted application, and no steps or commands after the first upload', async () => {
    expect((await open('/contact')).text).toContain('Steps to your first upload')
    vi.spyOn(stores.ingest, 'listJobs').mockResolvedValue([{} as never])
    for (const path of ['/apply', '/contact', '/terms']) {
      const { text } = await open(path)
      for (const part of ['Steps to your first upload', 'npm run example:contributor']) expect(text).not.toContain(part)
    }
    const { text } = await open('/apply')
    expect(wordsOf(text)).toMatch(/What you submitted.*https:\/\/acme\.example.*ann@acme\.example.*Decided \(UTC\)/)
    const contact = (await open('/contact')).text
    expect(contact).toMatch(/href="\/tributary\/account"\s+aria-current="page"/)
    expect(contact).toMatch(/class="trail"><a href="\/tributary\/account">Account</)
  })
})

test('GET /account and / name the next step of a user who cannot upload yet', async () => {
  const { text } = await open('/account')
  expect(text).toContain('Not open yet')
  expect(text).toMatch(/Step 1 of 4<\/span>\s*<a href="\/tributary\/terms">Read and accept the terms</)
  expect(text).not.toContain('value="pause"')
  expect((await open('/')).text).toContain('<a class="button" href="/tributary/terms">Read and accept the terms</a>')
})

test('GET /sign-in says why the waitlist needs an account', async () => {
  const { text } = await made.ask('GET', '/sign-in?next=%2Fwaitlist')
  expect(wordsOf(text)).toContain('The waitlist needs an account, so that you can change your entry or leave.')
})

test('GET /waitlist lists countries by name and selects the country of the entry', async () => {
  await send('/waitlist', { email: 'ann@acme.example', country: 'de' })
  const { text } = await open('/waitlist')
  expect(text).toContain('<option value="DE" selected>Germany</option>')
  const names = [...text.matchAll(/<option value="[A-Z]{2}"[^>]*>(.*?)</g)].map(([, name]) => name!)
  expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b)))
  expect(wordsOf(text)).toContain('So far, uploads are open only in the United States.')
})

test('GET /terms shows the default terms', async () => {
  const plain = fixture({ stores: createTestStores() })
  const { text } = await plain.ask('GET', '/terms')
  expect(text).toContain(
    '<h2>Changes of these terms</h2><p>If these terms change, you are asked to accept them again before your next upload.</p>',
  )
  expect(wordsOf(text).match(/after 24 hours/g)).toHaveLength(1)
  expect(wordsOf(text)).toContain('The figures here are not part of the terms above')
  expect(wordsOf(text)).toMatch(
    /Shares that apply today .* Payouts\. You can request a payout once \$25\.00 is available\. We may also pay out smaller amounts\./,
  )
})

test('POST /apply confirms the approval if applications are approved automatically', async () => {
  made = fixture({ stores: createTestStores(), approval: 'automatic', country: () => 'US' })
  ann = await made.signIn()
  await send('/terms', { termsVersion, accepted: 'yes', residencyConfirmed: 'yes' })
  const { text } = await follow(await send('/apply', draft))
  expect(text).toContain('You are approved.')
  expect(text).not.toContain('Application submitted.')
})
