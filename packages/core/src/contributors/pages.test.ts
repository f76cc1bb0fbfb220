import { fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, expect, test } from 'vitest'
import { memoryStores } from '../stores/memory/index.ts'

const adminToken = 'operator-'.repeat(3)
const draft = {
  companyName: 'Acme',
  website: 'https://acme.example',
  email: 'ann@acme.example',
  role: 'founder',
  authorized: 'yes',
}
let made: Fixture
let ann: Signed
let termsVersion: string
beforeEach(async () => {
  made = fixture({
    stores: memoryStores(),
    adminToken,
    country: () => 'US',
    baseUrl: 'https://example.com/tributary',
    termsText: 'First line <b>.\n\n## A heading\n\nLast line.',
  })
  ann = await made.signIn()
  termsVersion = (await made.ask('GET', '/api/traces/upload-policy', { headers: ann.bearer })).json.termsVersion
})
const open = (path: string, headers: Record<string, string> = ann.cookie) => made.ask('GET', path, { headers })
const send = (path: string, form: Record<string, string>) => made.ask('POST', path, { headers: ann.cookie, form })
const follow = (reply: { headers: Headers }) => open(reply.headers.get('location')!.replace('/tributary', ''))

test('a newcomer is led from the terms to the upload, page by page', async () => {
  const terms = await send('/terms', { termsVersion, accepted: 'yes', residencyConfirmed: 'yes' })
  expect([terms.status, terms.headers.get('location')]).toEqual([303, '/tributary/apply?done=terms'])
  expect((await follow(terms)).text).toContain('You accepted the terms. Next: apply as a contributor.')
  const applied = await send('/apply', draft)
  expect([applied.status, applied.headers.get('location')]).toEqual([303, '/tributary/contact?done=application'])
  expect((await follow(applied)).text).toContain('Your application is in. Next: leave a contact.')
  const contact = await send('/contact', { name: 'Ann', email: 'ann@acme.example' })
  expect([contact.status, contact.headers.get('location')]).toEqual([303, '/tributary/contact?done=contact'])
  expect((await follow(contact)).text).toContain('Your contact is saved. Next: your application is reviewed')
  const { application } = (await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json
  await made.ask('POST', `/api/admin/applications/${application.id}`, {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { decision: 'approve' },
  })
  const ready = await open('/apply')
  expect(ready.text).toContain('is approved. You are a contributor.')
  expect(ready.text).toContain('npm run example:contributor')
  expect((await made.ask('GET', '/api/traces/upload-policy', { headers: ann.bearer })).json.eligible).toBe(true)
})

test('anyone reads the terms; only a person signed in can accept them', async () => {
  const page = await made.ask('GET', '/terms')
  expect(page.status).toBe(200)
  expect(page.text).toContain('<p>First line &lt;b&gt;.</p><h2>A heading</h2><p>Last line.</p>')
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

test('the terms want their box ticked; without residency they are accepted and the step stays open', async () => {
  const refused = await send('/terms', { termsVersion })
  expect([refused.status, refused.text.includes('id="accepted-error"')]).toEqual([400, true])
  const half = await send('/terms', { termsVersion, accepted: 'yes' })
  expect(half.headers.get('location')).toBe('/tributary/terms?done=terms')
  expect((await follow(half)).text).toContain('Next: accept the terms and confirm where you live.')
  expect((await made.ask('GET', '/api/traces/upload-policy', { headers: ann.bearer })).json).toMatchObject({
    termsAccepted: true,
    reason: 'residency_required',
  })
  await send('/terms', { termsVersion, accepted: 'yes', residencyConfirmed: 'yes' })
  const done = await open('/terms')
  expect([done.text.includes('You have accepted these terms'), done.text.includes('name="accepted"')]).toEqual([
    true,
    false,
  ])
})

test('an application with mistakes says them beside their fields and keeps what was typed', async () => {
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

test('a second application is told so, and after a rejection the form is back with what was written', async () => {
  await send('/apply', draft)
  expect((await open('/apply')).text).not.toContain('name="companyName"')
  const again = await send('/apply', draft)
  expect([again.status, again.text.includes('You have applied already')]).toEqual([409, true])
  const { application } = (await made.ask('GET', '/api/traces/access', { headers: ann.bearer })).json
  await made.ask('POST', `/api/admin/applications/${application.id}`, {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { decision: 'reject', reason: 'Say more' },
  })
  const page = await open('/apply')
  expect(page.text).toContain('was turned down. The reason given: <q>Say more</q>')
  expect(page.text).toContain('value="https://acme.example"')
})

test('the waitlist and the contact say that they were kept', async () => {
  expect((await follow(await send('/waitlist', { email: 'ann@acme.example', country: 'de' }))).text).toContain(
    'You are on the waitlist.',
  )
  await send('/contact', { name: 'Ann', email: 'ann@acme.example', phone: '+1 555 0100' })
  expect((await open('/contact')).text).toContain('value="+1 555 0100"')
})

test('the default terms are there, and the front door of a host leads to the traces', async () => {
  const plain = fixture({ stores: memoryStores() })
  expect((await plain.ask('GET', '/terms')).text).toContain('What we take out first')
  const at = (path: string, method = 'GET') =>
    made.service.missing({ method, path, query: [], headers: {}, address: null, body: null })
  for (const path of ['/tributary', '/tributary/'])
    expect(at(path)).toMatchObject({
      status: 303,
      headers: expect.arrayContaining([['location', '/tributary/traces']]),
    })
  expect([at('/').status, at('/tributary/x').status, at('/tributary/', 'POST').status]).toEqual([404, 404, 404])
})
