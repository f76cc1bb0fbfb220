import { fixture, temporaryDatabase, type Fixture, type Signed, type TemporaryDatabase } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { libsqlStores } from '../../stores/libsql/index.ts'

const adminToken = 'operator-'.repeat(3)
let database: TemporaryDatabase
let made: Fixture
let ann: Signed
let bob: Signed

beforeEach(async () => {
  database = await temporaryDatabase()
  made = fixture({
    stores: libsqlStores(database.client),
    adminToken,
    baseUrl: 'http://127.0.0.1:8787/tributary',
    country: () => 'US',
  })
  ann = await made.signIn('ann@example.com')
  bob = await made.signIn('bob@example.com')
})
afterEach(() => database.close())

const open = (query = '', headers: Record<string, string> = ann.cookie) =>
  made.ask('GET', `/account${query}`, { headers })
const submitForm = (form: Record<string, string>, headers: Record<string, string> = ann.cookie) =>
  made.ask('POST', '/account', { headers, form })
/** Submits a form, follows its redirect, and returns the text of the page. */
const pageAfter = async (form: Record<string, string>): Promise<string> => {
  const reply = await submitForm(form)
  expect(reply.status).toBe(303)
  return (await made.follow(reply, ann.cookie)).text
}
const listMachines = async (who: Signed, of = 'machine'): Promise<{ id: string; label: string }[]> =>
  (await made.ask('GET', '/api/account/machines', { headers: who.cookie })).json.machines.filter(
    ({ kind }: { kind: string }) => kind === of,
  )

test('GET and POST /account redirect to the sign-in page and back', async () => {
  for (const answer of [await open('', {}), await submitForm({ action: 'pause' }, {})]) {
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/tributary/sign-in?next=%2Faccount'])
  }
})

test('POST /account returns 403 for a form of another origin', async () => {
  const answer = await submitForm(
    { action: 'erase', confirmed: 'yes' },
    { ...ann.cookie, 'sec-fetch-site': 'cross-site' },
  )
  expect(answer.status).toBe(403)
  expect((await made.ask('GET', '/api/cli/session', { headers: ann.bearer })).status).toBe(200)
})

test("POST /account signs out the user's own machines immediately, and no machine of another user", async () => {
  const [[own], [strange]] = [await listMachines(ann), await listMachines(bob)]
  const page = (await open()).text
  expect([page.includes(own!.id), page.includes(strange!.id)]).toEqual([true, false])
  expect(await pageAfter({ action: 'revoke', id: strange!.id })).toContain('data-done="unknown_machine"')
  expect((await made.ask('GET', '/api/cli/session', { headers: bob.bearer })).status).toBe(200)
  expect(await pageAfter({ action: 'revoke', id: own!.id })).toContain('data-done="revoked"')
  expect((await made.ask('GET', '/api/cli/session', { headers: ann.bearer })).status).toBe(401)
  expect((await open()).text).toContain('No device is signed in')
})

test('GET and POST /account list the signed-in browsers, mark the current browser, and sign a browser out', async () => {
  const other = await made.signIn('ann@example.com')
  const page = (await open()).text
  expect(page.split('This browser').length).toBe(2)
  const [own] = (await made.ask('GET', '/api/account/machines', { headers: other.cookie })).json.machines.filter(
    ({ current }: { current: boolean }) => current,
  )
  expect(await pageAfter({ action: 'revoke', id: own.id })).toContain('data-done="revoked"')
  expect((await open('', other.cookie)).status).toBe(303)
  expect(await listMachines(ann, 'browser')).toHaveLength(1)
})

test('GET /account lists the requesting browser first; one form signs out all other browsers', async () => {
  const signOutOthers = 'Sign out all other browsers'
  const other = await made.signIn('ann@example.com')
  expect((await open()).text).not.toContain(signOutOthers)
  const another = await made.signIn('ann@example.com')
  for (const { cookie } of [ann, other, another]) {
    const { text } = await open('', cookie)
    expect(text.indexOf('This browser')).toBeLessThan(text.indexOf('browser, signed in'))
    expect(text).toContain(signOutOthers)
  }
  const devices = await listMachines(ann)
  expect(await pageAfter({ action: 'revoke_others' })).toContain('data-done="others_revoked"')
  for (const { cookie } of [other, another]) expect((await open('', cookie)).status).toBe(303)
  expect(await listMachines(ann)).toEqual(devices)
})

test('GET /account names the device that was just signed out', async () => {
  const [own] = await listMachines(ann)
  expect(await pageAfter({ action: 'revoke', id: own!.id })).toContain(
    `<bdi>${own!.label}</bdi></strong> is signed out.`,
  )
})

test('POST /account signs out the requesting browser, which then shows that it is signed out', async () => {
  const [own] = await listMachines(ann, 'browser')
  const { status, headers, cookies, flash } = await submitForm({ action: 'revoke', id: own!.id })
  expect([status, headers.get('location')]).toEqual([303, '/tributary/sign-in'])
  expect([cookies['tributary_session'], flash]).toEqual(['', { done: 'signed_out' }])
  expect((await open()).status).toBe(303)
})

// promise: uploads-paused-new-uploads
test('POST /account pauses uploads, independently of a pause by the operator', async () => {
  const readReason = async () =>
    (await made.ask('GET', '/api/traces/upload-policy', { headers: ann.bearer })).json.reason
  await made.ask('POST', '/api/account/terms', {
    headers: ann.bearer,
    json: { termsVersion: '2026-12-01', residencyConfirmed: true },
  })
  expect(await readReason()).toBeNull()
  const paused = await pageAfter({ action: 'pause' })
  expect([
    paused.includes('data-done="paused"'),
    paused.includes('value="resume"'),
    paused.includes('operator'),
  ]).toEqual([true, true, false])
  expect(await readReason()).toBe('contributor_paused')
  await made.ask('POST', `/api/admin/contributors/${ann.userId}`, {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { paused: true },
  })
  const stopped = await pageAfter({ action: 'resume' })
  expect(stopped).toContain('<span class="tag bad">Paused by the operator</span> The operator of this service paused')
  for (const button of ['value="pause"', 'value="resume"']) expect(stopped).not.toContain(button)
  expect(await readReason()).toBe('contributor_paused')
})

test('POST /account stores the consents that are checked, and both are off at first', async () => {
  const listCheckedBoxes = (text: string) =>
    ['attribution', 'pixel'].filter((name) => new RegExp(`name="${name}"[^>]* checked`).test(text))
  expect(listCheckedBoxes((await open()).text)).toEqual([])
  expect(listCheckedBoxes(await pageAfter({ action: 'consent', pixel: 'yes' }))).toEqual(['pixel'])
  expect(listCheckedBoxes(await pageAfter({ action: 'consent', attribution: 'yes' }))).toEqual(['attribution'])
  const { account } = (await made.ask('GET', '/api/account/export', { headers: ann.cookie })).json
  expect(account.contributor.consent).toEqual({ attribution: true, pixel: false })
})

test('POST /account/erase shows an open balance, and erases only when the loss of the balance is accepted', async () => {
  expect((await open('/erase')).text).not.toContain('acceptLoss')
  await made.ask('POST', '/api/admin/corrections', {
    json: { userId: ann.userId, usd: 30.29, reason: 'Bonus' },
    headers: { authorization: `Bearer ${adminToken}` },
  })
  expect((await open('/erase')).text).toMatch(/I lose <strong>\$30\.29<\/strong>/)
  const refused = await submitForm({ action: 'erase', confirmed: 'yes' })
  expect([refused.status, refused.text.includes('id="acceptLoss-error"')]).toEqual([400, true])
  expect((await open()).status).toBe(200)
  expect((await submitForm({ action: 'erase', confirmed: 'yes', acceptLoss: 'yes' })).status).toBe(200)
  expect((await open()).status).toBe(303)
})

test('POST /account/erase asks for confirmation, then erases all data of this user and no data of others', async () => {
  expect((await submitForm({ action: 'erase' })).headers.get('location')).toBe('/tributary/account/erase')
  const asked = await open('/erase')
  expect([asked.status, asked.text.includes('Delete your account?'), asked.text.includes('ann@example.com')]).toEqual([
    200,
    true,
    true,
  ])
  expect((await made.ask('GET', '/api/cli/session', { headers: ann.bearer })).status).toBe(200)
  const gone = await submitForm({ action: 'erase', confirmed: 'yes' })
  expect([gone.status, gone.text.includes('role="status"'), gone.headers.get('set-cookie')]).toEqual([
    200,
    true,
    expect.stringContaining('Max-Age=0'),
  ])
  expect((await made.ask('GET', '/api/cli/session', { headers: ann.bearer })).status).toBe(401)
  expect((await open()).status).toBe(303)
  expect((await open('', bob.cookie)).status).toBe(200)
})

// promise: delete-account-must-signed
test('POST /account/erase asks for another sign-in when the last sign-in was 15 minutes ago', async () => {
  made.clock.advance(15 * 60_000 - 1)
  expect((await open('/erase')).text).toContain('Delete your account?')
  made.clock.advance(1)
  const asked = await open('/erase')
  expect([
    asked.text.includes('Sign in again to delete your account'),
    asked.text.includes('Delete my account</button>'),
  ]).toEqual([true, false])
  expect((await submitForm({ action: 'erase', confirmed: 'yes' })).headers.get('location')).toBe(
    '/tributary/account/erase',
  )
  expect((await open()).status).toBe(200)
  const form = { email: 'ann@example.com', next: '/account/erase' }
  const sent = await made.ask('POST', '/sign-in', { form, headers: ann.cookie })
  const headers = { cookie: `${ann.cookie.cookie}; tributary_challenge=${sent.cookies['tributary_challenge']}` }
  const signedIn = await made.ask('POST', '/sign-in', {
    form: { ...form, code: made.mailer.code('ann@example.com') },
    headers,
  })
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/tributary/account/erase'])
  const cookie = { cookie: `tributary_session=${signedIn.cookies['tributary_session']}` }
  expect((await open('/erase', cookie)).text).toContain('Delete your account?')
  expect((await submitForm({ action: 'erase', confirmed: 'yes' }, cookie)).status).toBe(200)
})

test('DELETE /api/account accepts a browser session that signed in within the last 15 minutes', async () => {
  const erase = async (headers: Record<string, string>) => {
    const { status, json } = await made.ask('DELETE', '/api/account', { headers })
    return [status, json]
  }
  expect(await erase(ann.bearer)).toEqual([403, { ok: false, error: 'browser_required' }])
  expect(await erase({ ...ann.bearer, ...ann.cookie })).toEqual([403, { ok: false, error: 'browser_required' }])
  made.clock.advance(15 * 60_000)
  expect(await erase(ann.cookie)).toEqual([403, { ok: false, error: 'reauthentication_required' }])
  expect((await open()).status).toBe(200)
  expect(await erase((await made.signIn('ann@example.com')).cookie)).toEqual([200, { ok: true }])
  expect((await made.ask('GET', '/api/cli/session', { headers: ann.bearer })).status).toBe(401)
})

test.each([[{}], [{ action: 'sell' }], [{ action: 'revoke' }], [{ action: 'revoke', id: 'x' }]] as [
  Record<string, string>,
][])('POST /account with %j changes nothing and shows an error', async (form) => {
  const { status, text } = await submitForm(form)
  expect([status, text.includes('role="alert"')]).toEqual([400, true])
  expect(await listMachines(ann)).toHaveLength(1)
})
