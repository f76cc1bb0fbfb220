import { Skip } from './target.ts'
import { madeId, text } from './matchers.ts'
import type { Headers, RunState } from './run-state.ts'

/** A person at the service. */
export interface Person {
  readonly email: string
  readonly userId: string
  /** Headers of a program that has the person's token. */
  readonly bearer: Headers
  /** Headers of the person's browser on one of the service's own pages. */
  readonly cookie: Headers
}

/** Mail to this domain reaches nobody (RFC 2606). */
const domain = 'conformance.example'
const ours = { 'sec-fetch-site': 'same-origin' } as const

/** Returns a person of the run by name, created on first use and erased at the end. */
export function makePerson(stage: RunState, name: string): Promise<Person> {
  return stage.makeOnce(`person ${name}`, async () => {
    const email = `conformance-${stage.run}-${name}@${domain}`
    const cookie = await signInBrowser(stage, email)
    const token = await createToken(stage, cookie)
    const bearer = { authorization: `Bearer ${token}` }
    const { json } = await stage.ask('GET', '/api/cli/session', { as: bearer }).is(200, { ok: true, userId: text })
    stage.addCleanup(() => erase(stage, email, cookie))
    return { email, userId: json.userId, bearer, cookie }
  })
}

/** Erases a person, after a new sign-in if the last sign-in was too long ago. */
async function erase(stage: RunState, email: string, cookie: Headers): Promise<void> {
  if (stage.erased.has(email)) return
  if ((await stage.ask('DELETE', '/api/account', { as: cookie })).status === 200) return
  if ((await stage.ask('DELETE', '/api/account', { as: await signInBrowser(stage, email) })).status !== 200)
    stage.leftovers.add(`the account of ${email}`)
}

/** Signs the operator in as a browser, and returns the cookie. */
export async function signInOperator({ stage }: { readonly stage: RunState }): Promise<{ cookie: string }> {
  const token = encodeURIComponent(operatorHeaders(stage)['authorization']!.slice('Bearer '.length))
  const type = 'application/x-www-form-urlencoded'
  const headers = { 'sec-fetch-site': 'same-origin' }
  const reply = await stage.ask('POST', '/admin/sign-in', { type, headers, body: `token=${token}` }).is(303)
  return { cookie: reply.header('set-cookie')!.split(';')[0]! }
}

/**
 * Signs in with a code that was mailed to the address, from a browser with the headers `before`. Returns the headers of
 * that browser.
 */
export async function signInBrowser(stage: RunState, email: string, before: Headers = {}): Promise<Headers> {
  const { code } = stage.target
  if (!code) throw new Skip('needs --mail, to read sign-in codes')
  const { challenge } = await requestSignInCode(stage, email, { ...before, ...ours })
  const typed = { email, code: await code(email), challenge }
  const verified = await stage
    .ask('POST', '/api/auth/email/verify', { headers: { ...before, ...ours }, json: typed })
    .is(200, { ok: true, userId: madeId })
  return { cookie: verified.cookie('session'), ...ours }
}

/** Requests a code by mail. Returns its challenge, and the cookie that contains the same challenge. */
export async function requestSignInCode(
  stage: RunState,
  email: string,
  headers: Headers = {},
): Promise<{ challenge: string; cookie: string }> {
  const sent = await stage
    .ask('POST', '/api/auth/email', { headers, json: { email } })
    .is(200, { ok: true, challenge: text })
  return { challenge: sent.json.challenge, cookie: sent.cookie('challenge') }
}

/** Creates a token by a device login that the browser approves. */
export async function createToken(stage: RunState, cookie: Headers, machine = 'conformance'): Promise<string> {
  const { json } = await stage.ask('POST', '/api/cli/device/start', { json: { machine } }).is(200)
  await stage.ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: json.userCode } }).is(200)
  return (await stage.ask('GET', `/api/cli/device/poll?deviceCode=${json.deviceCode}`).is(200)).json.token
}

/** Returns the person who runs the checks: the holder of the given token, or a person that the run creates. */
export function getRunPerson(stage: RunState): Promise<Person> {
  const { token } = stage.target
  if (token === undefined) return makePerson(stage, 'main')
  return stage.makeOnce('person given', async () => {
    const bearer = { authorization: `Bearer ${token}` }
    const session = await stage.ask('GET', '/api/cli/session', { as: bearer })
    if (session.status === 401) throw new Skip('the service does not know the given --token')
    return { email: '', userId: session.is(200, { ok: true, userId: text }).json.userId, bearer, cookie: {} }
  })
}

export const application = {
  companyName: 'Conformance',
  incubatorBatch: 'W26',
  website: 'https://conformance.example',
  directoryUrl: 'https://conformance.example/d',
  role: 'engineer',
  authorized: true,
}

/** Accepts the current terms and confirms the residency. */
export async function acceptTerms(stage: RunState, { bearer }: Person): Promise<void> {
  const { json } = await stage.ask('GET', '/api/traces/upload-policy', { as: bearer }).is(200)
  await stage
    .ask('POST', '/api/account/terms', {
      as: bearer,
      json: { termsVersion: json.termsVersion, residencyConfirmed: true },
    })
    .is(200)
}

/**
 * Submits an application, and approves it if the service requires an operator's approval. Skips if this is not
 * possible.
 */
export async function approveContributor(stage: RunState, { bearer, email }: Person): Promise<void> {
  const { json } = await stage
    .ask('POST', '/api/account/application', { as: bearer, json: { ...application, email } })
    .is(200)
  if (json.status === 'approved') return
  const { adminToken } = stage.target
  if (adminToken === undefined) throw new Skip('needs --admin-token, since this service approves nobody by itself')
  await stage
    .ask('POST', `/api/admin/applications/${json.application.id}`, {
      as: operatorHeaders(stage),
      json: { decision: 'approve', reason: 'conformance' },
    })
    .is(200)
}

/** Returns the headers of the operator. */
export function operatorHeaders({ target: { adminToken } }: RunState): Headers {
  if (adminToken === undefined) throw new Skip('needs --admin-token')
  return { authorization: `Bearer ${adminToken}` }
}

/** A buyer that the run created. */
export interface RunBuyer {
  readonly id: string
  readonly name: string
  readonly token: string
  readonly bearer: Headers
}

/** Creates a buyer by name, once. Its token is revoked when the run ends. */
export function makeBuyer(stage: RunState, label = 'main'): Promise<RunBuyer> {
  return stage.makeOnce(`buyer ${label}`, async () => {
    const name = `Conformance buyer ${label} ${stage.run}`
    const as = operatorHeaders(stage)
    const { id, token } = (await stage.ask('POST', '/api/admin/buyers', { as, json: { name } }).is(200)).json
    stage.leftovers.add('buyers named "Conformance", without a token')
    stage.addCleanup(() => stage.ask('POST', `/api/admin/buyers/${id}/revoke`, { as }).is(200))
    return { id, name, token, bearer: { authorization: `Bearer ${token}` } }
  })
}

/** Creates a person who may upload. Skips if the service's country, or the given account, does not allow this. */
export function makeContributor(stage: RunState): Promise<Person> {
  return stage.makeOnce('contributor', async () => {
    const person = await getRunPerson(stage)
    if (stage.target.token === undefined) {
      await acceptTerms(stage, person)
      await approveContributor(stage, person)
    }
    const policy = (await stage.ask('GET', '/api/traces/upload-policy', { as: person.bearer }).is(200)).json
    const access = (await stage.ask('GET', '/api/traces/access', { as: person.bearer }).is(200)).json
    if (policy.eligible !== true || access.status !== 'approved') {
      throw new Skip(
        `needs somebody who may upload; here the policy says ${policy.reason ?? 'eligible'} and the application is ${access.status}`,
      )
    }
    return person
  })
}
