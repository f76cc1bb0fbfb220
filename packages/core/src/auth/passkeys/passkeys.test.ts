import {
  createSoftwarePasskey,
  fixture,
  seededRandom,
  type Answer,
  type AnswerChanges,
  type SoftwarePasskey,
} from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../../service/options.ts'
import { storeKinds } from '../stores.fixture.ts'
import { webAuthnPasskeys } from './verifier.ts'

const minute = 60_000
const origin = 'https://tributary.example'
const tokens = { jane: 'jane-'.repeat(6), joe: 'joe-'.repeat(7), guest: 'guest-'.repeat(5) }
const adminTokens = [
  { name: 'jane', token: tokens.jane },
  { name: 'joe', token: tokens.joe },
  { name: 'guest', token: tokens.guest, role: 'viewer' },
] as const
type Name = keyof typeof tokens
/** The number of hosts so far. Each host gets different random values. */
let hosts = 0

/** A browser of an operator. The browser keeps the cookies that it receives. */
interface Browser {
  open(path: string): Promise<Answer>
  submit(path: string, form: Record<string, string>): Promise<Answer>
  /** Requests a challenge, and returns the reply. */
  challenge(purpose: 'registration' | 'sign_in'): Promise<Answer>
  register(passkey: SoftwarePasskey, changes?: AnswerChanges): Promise<Answer>
  confirm(passkey: SoftwarePasskey, changes?: AnswerChanges): Promise<Answer>
  readonly cookie: () => string
}

/** Returns the id of a passkey. */
async function idOf({ auth }: ServiceOptions['stores'], { credentialId }: SoftwarePasskey): Promise<string> {
  return (await auth.listPasskeys({ operator: null })).find((one) => one.credentialId === credentialId)!.id
}

async function open(
  storesOf: () => Promise<ServiceOptions['stores']>,
  { hasVerifier = true, ...options }: Partial<ServiceOptions> & { readonly hasVerifier?: boolean } = {},
) {
  const stores = await storesOf()
  const random = seededRandom(++hosts)
  const verifier = hasVerifier ? { passkeys: webAuthnPasskeys() } : {}
  const host = fixture({ stores, baseUrl: origin, adminTokens, random, ...verifier, ...options })
  async function signIn(name: Name): Promise<Browser> {
    let cookies: Record<string, string> = {}
    const cookie = () =>
      Object.entries(cookies)
        .map(([key, value]) => `${key}=${value}`)
        .join('; ')
    const keep = (answer: Answer): Answer => {
      cookies = { ...cookies, ...answer.cookies }
      return answer
    }
    const browser: Browser = {
      cookie,
      open: async (path) => keep(await host.ask('GET', path, { headers: { cookie: cookie(), accept: 'text/html' } })),
      submit: async (path, form) =>
        keep(await host.ask('POST', path, { form, headers: { cookie: cookie(), accept: 'text/html' } })),
      challenge: (purpose) =>
        host.ask('POST', '/admin/keys/challenge', { form: { purpose }, headers: { cookie: cookie() } }),
      async register(passkey, changes) {
        const { options: asked } = (await browser.challenge('registration')).json
        const response = JSON.stringify(passkey.create(asked, changes))
        return browser.submit('/admin/keys/register', { name: 'Work laptop', response })
      },
      async confirm(passkey, changes) {
        const { options: asked } = (await browser.challenge('sign_in')).json
        const response = JSON.stringify(passkey.get(asked, changes))
        return browser.submit('/admin/keys/sign_in', { response, next: '/admin/jobs' })
      },
    }
    expect(await browser.submit('/admin/sign-in', { token: tokens[name] })).toMatchObject({ status: 303 })
    return browser
  }
  /** Signs in an operator, who then registers a passkey. */
  async function registered(name: Name, passkey = createSoftwarePasskey({ origin })) {
    const browser = await signIn(name)
    expect((await browser.register(passkey)).flash).toEqual({ done: 'added' })
    return { browser, passkey }
  }
  return { ...host, stores, signIn, registered }
}

describe.each(storeKinds)('passkeys of operators: %s', (_, storesOf) => {
  // promise: first-browser-session-operator
  test('a session needs a passkey as soon as the operator has a passkey, and programs continue with the token', async () => {
    const { signIn, registered, ask } = await open(storesOf)
    const other = await signIn('jane')
    expect((await other.open('/admin')).status).toBe(200)
    const { browser, passkey } = await registered('jane')
    expect((await browser.open('/admin')).status).toBe(200)
    const asked = await other.open('/admin/jobs')
    expect([asked.status, asked.text.includes('Confirm with your passkey')]).toEqual([401, true])
    const [csv, sale] = ['/admin/csv/jobs', '/admin/download/sales/019a0000-0000-7000-8000-000000000001']
    expect([(await other.open(csv)).status, (await other.open(sale)).status]).toEqual([401, 401])
    expect((await other.submit('/admin/buyers/create', { name: 'Lab', email: '' })).status).toBe(401)
    expect((await other.submit('/admin/keys/remove', { id: '019a0000-0000-7000-8000-000000000001' })).status).toBe(401)
    expect(await other.confirm(passkey)).toMatchObject({ status: 303 })
    expect((await other.open('/admin/jobs')).status).toBe(200)
    const headers = { authorization: `Bearer ${tokens.jane}` }
    expect((await ask('GET', '/api/admin/jobs', { headers })).status).toBe(200)
    expect((await (await signIn('joe')).open('/admin')).status).toBe(200)
  })

  test('the sign-in continues to the requested page, and changes the secret of the session', async () => {
    const { signIn, registered, ask } = await open(storesOf)
    const { passkey } = await registered('jane')
    const browser = await signIn('jane')
    const before = browser.cookie()
    const confirmed = await browser.confirm(passkey)
    expect(confirmed.headers.get('location')).toBe('/admin/jobs')
    expect(browser.cookie()).not.toBe(before)
    expect((await ask('GET', '/admin', { headers: { cookie: before } })).status).toBe(401)
    const elsewhere = await signIn('jane')
    const { options } = (await elsewhere.challenge('sign_in')).json
    const response = JSON.stringify(passkey.get(options))
    const left = await elsewhere.submit('/admin/keys/sign_in', { response, next: 'https://evil.example/' })
    expect(left.headers.get('location')).toBe('/admin')
    expect((await elsewhere.submit('/admin/keys/sign_in', { response })).status).toBe(303)
  })

  test.each(['ES256', 'EdDSA', 'RS256'] as const)('accepts the algorithm %s', async (algorithm) => {
    const { signIn, registered } = await open(storesOf)
    const { passkey } = await registered('jane', createSoftwarePasskey({ origin, algorithm, counts: false }))
    for (const _ of [1, 2]) expect((await (await signIn('jane')).confirm(passkey)).status).toBe(303)
  })

  test('asks for user verification, and excludes registered passkeys', async () => {
    const { browser, passkey } = await (await open(storesOf)).registered('jane')
    const { json } = await browser.challenge('registration')
    expect(json).toMatchObject({
      ok: true,
      options: {
        rp: { id: 'tributary.example' },
        user: { name: 'jane' },
        authenticatorSelection: { userVerification: 'required' },
        excludeCredentials: [{ id: passkey.credentialId, type: 'public-key', transports: ['internal'] }],
        attestation: 'none',
      },
    })
    expect(Buffer.from(json.options.user.id, 'base64url').toString('base64url')).toBe(json.options.user.id)
    expect(Buffer.from(json.options.challenge, 'base64url').toString('base64url')).toBe(json.options.challenge)
  })

  describe('signInWithPasskey refuses', () => {
    const forged: [string, AnswerChanges][] = [
      ['another origin', { origin: 'https://tributary.example.evil.com' }],
      ['another port of the origin', { origin: `${origin}:8443` }],
      ['another domain', { rpId: 'evil.com' }],
      ['a parent domain', { rpId: 'example' }],
      ['an answer of a frame of another site', { crossOrigin: true }],
      ['the answer to a registration', { type: 'webauthn.create' }],
      ['another challenge', { challenge: 'ab'.repeat(32) }],
      ['an unverified user', { userVerified: false }],
      ['an absent user', { userPresent: false, userVerified: false }],
      [
        'a tampered signature',
        { tamper: (bytes) => Buffer.from(bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte))) },
      ],
      ['an empty signature', { tamper: () => Buffer.alloc(0) }],
      ['a counter that stands still', { counter: 1 }],
      ['a counter that went back', { counter: 0 }],
    ]
    test.each(forged)('%s', async (_name, changes) => {
      const { signIn, registered } = await open(storesOf)
      const { passkey } = await registered('jane')
      const browser = await signIn('jane')
      const denied = await browser.confirm(passkey, changes)
      expect([denied.status, denied.text.includes('The passkey was not accepted.')]).toEqual([401, true])
      expect((await browser.open('/admin')).status).toBe(401)
      expect((await browser.confirm(passkey, { counter: 9 })).status).toBe(303)
    })

    test("an answer to another session's challenge, whether or not it was used before", async () => {
      const { signIn, registered } = await open(storesOf)
      const { passkey } = await registered('jane')
      const [browser, other] = [await signIn('jane'), await signIn('jane')]
      const { options } = (await browser.challenge('sign_in')).json
      const response = JSON.stringify(passkey.get(options))
      await other.challenge('sign_in')
      expect((await other.submit('/admin/keys/sign_in', { response })).status).toBe(401)
      expect((await browser.submit('/admin/keys/sign_in', { response })).status).toBe(303)
      const third = await signIn('jane')
      await third.challenge('sign_in')
      expect((await third.submit('/admin/keys/sign_in', { response })).status).toBe(401)
    })

    test('a second answer to the same challenge', async () => {
      const { signIn, registered } = await open(storesOf)
      const { passkey } = await registered('jane')
      const browser = await signIn('jane')
      const { options } = (await browser.challenge('sign_in')).json
      const response = JSON.stringify(passkey.get(options))
      expect((await browser.submit('/admin/keys/sign_in', { response: '{}' })).status).toBe(401)
      expect((await browser.submit('/admin/keys/sign_in', { response })).status).toBe(401)
    })

    test('a challenge that is older than five minutes', async () => {
      const { signIn, registered, clock } = await open(storesOf)
      const { passkey } = await registered('jane')
      const browser = await signIn('jane')
      const { options } = (await browser.challenge('sign_in')).json
      clock.advance(5 * minute)
      const response = JSON.stringify(passkey.get(options))
      expect((await browser.submit('/admin/keys/sign_in', { response })).status).toBe(401)
    })

    test("another operator's passkey, and a passkey that nobody registered", async () => {
      const { signIn, registered } = await open(storesOf)
      await registered('jane')
      const { passkey } = await registered('joe')
      const browser = await signIn('jane')
      expect((await browser.confirm(passkey)).status).toBe(401)
      expect((await browser.confirm(createSoftwarePasskey({ origin }))).status).toBe(401)
      expect((await browser.open('/admin')).status).toBe(401)
    })

    test.each([
      ['an empty text', ''],
      ['null', 'null'],
      ['a list', '[]'],
      ['no JSON', '{'],
      ['an id that is a number', '{"id":1}'],
      ['an empty response', '{"id":"x","response":{}}'],
      ['no response', '{"id":"x","response":null}'],
      ['a long text', 'x'.repeat(17_000)],
    ])('a value that is not an answer: %s', async (_name, response) => {
      const { signIn, registered } = await open(storesOf)
      await registered('jane')
      const browser = await signIn('jane')
      await browser.challenge('sign_in')
      expect((await browser.submit('/admin/keys/sign_in', { response })).status).toBe(401)
    })

    test('a passkey that was removed since the challenge', async () => {
      const { signIn, registered, stores } = await open(storesOf)
      const { browser, passkey } = await registered('jane')
      await browser.register(createSoftwarePasskey({ origin }))
      const waiting = await signIn('jane')
      const { options } = (await waiting.challenge('sign_in')).json
      const id = await idOf(stores, passkey)
      expect((await browser.submit('/admin/keys/remove', { id, confirmed: 'yes' })).flash).toEqual({
        done: 'removed',
      })
      const response = JSON.stringify(passkey.get(options))
      expect((await waiting.submit('/admin/keys/sign_in', { response })).status).toBe(401)
    })
  })

  describe('register refuses', () => {
    const forged: [string, AnswerChanges][] = [
      ['another origin', { origin: 'https://evil.example' }],
      ['another domain', { rpId: 'evil.example' }],
      ['an answer of a frame of another site', { crossOrigin: true }],
      ['the answer to a sign-in', { type: 'webauthn.get' }],
      ['another challenge', { challenge: 'ab'.repeat(32) }],
      ['an unverified user', { userVerified: false }],
      ['an absent user', { userPresent: false, userVerified: false }],
      ['a public key that is none', { tamper: () => Buffer.from([0xa0]) }],
    ]
    test.each(forged)('%s', async (_name, changes) => {
      const browser = await (await open(storesOf)).signIn('jane')
      expect((await browser.register(createSoftwarePasskey({ origin }), changes)).flash).toEqual({ done: 'denied' })
      expect((await browser.open('/admin/keys')).text).toContain('No passkeys yet')
    })

    test("an answer that was already used, and an answer to another session's challenge", async () => {
      const { signIn } = await open(storesOf)
      const [jane, joe] = [await signIn('jane'), await signIn('joe')]
      const { options } = (await jane.challenge('registration')).json
      await joe.challenge('registration')
      const form = { name: 'Key', response: JSON.stringify(createSoftwarePasskey({ origin }).create(options)) }
      expect((await joe.submit('/admin/keys/register', form)).flash).toEqual({ done: 'denied' })
      expect((await jane.submit('/admin/keys/register', form)).flash).toEqual({ done: 'added' })
      expect((await jane.submit('/admin/keys/register', form)).flash).toEqual({ done: 'denied' })
      await jane.challenge('registration')
      expect((await jane.submit('/admin/keys/register', form)).flash).toEqual({ done: 'denied' })
    })

    test('a challenge that was created for a sign-in, and a challenge that is older than five minutes', async () => {
      const { signIn, registered, clock } = await open(storesOf)
      const { passkey } = await registered('joe')
      const waiting = await signIn('joe')
      const { options: asked } = (await waiting.challenge('sign_in')).json
      const browser = await signIn('jane')
      const created = createSoftwarePasskey({ origin }).create({ ...asked, rp: { id: 'tributary.example' } })
      const form = { name: 'Key', response: JSON.stringify(created) }
      expect((await browser.submit('/admin/keys/register', form)).flash).toEqual({ done: 'denied' })
      const { options } = (await browser.challenge('registration')).json
      clock.advance(5 * minute)
      const late = { name: 'Key', response: JSON.stringify(createSoftwarePasskey({ origin }).create(options)) }
      expect((await browser.submit('/admin/keys/register', late)).flash).toEqual({ done: 'denied' })
      expect(passkey.credentialId).toBeTruthy()
    })

    test('an operator whose sign-in is more than 15 minutes old, until the operator signs in again', async () => {
      const { signIn, registered, clock } = await open(storesOf)
      const { browser, passkey } = await registered('jane')
      const { options } = (await browser.challenge('registration')).json
      clock.advance(15 * minute)
      expect(await browser.challenge('registration')).toMatchObject({
        status: 403,
        json: { ok: false, error: 'reauthentication_required' },
      })
      const form = { name: 'Key', response: JSON.stringify(createSoftwarePasskey({ origin }).create(options)) }
      expect((await browser.submit('/admin/keys/register', form)).flash).toEqual({ done: 'reauthentication_required' })
      const page = await browser.open('/admin/keys')
      expect([
        page.text.includes('sign in again'),
        page.text.includes('data-passkey'),
        page.text.includes('/admin/keys/remove'),
      ]).toEqual([true, false, false])
      const again = await signIn('jane')
      expect((await again.challenge('registration')).status).toBe(401)
      await again.confirm(passkey)
      expect((await again.register(createSoftwarePasskey({ origin }))).flash).toEqual({ done: 'added' })
    })

    test("a registered credential, an operator's eleventh passkey, and an invalid name", async () => {
      const { signIn, registered } = await open(storesOf)
      const { browser, passkey } = await registered('jane')
      expect((await browser.register(passkey)).flash).toEqual({ done: 'exists' })
      expect((await (await signIn('joe')).register(passkey)).flash).toEqual({ done: 'exists' })
      for (let added = 1; added < 10; added++)
        expect((await browser.register(createSoftwarePasskey({ origin }))).flash).toEqual({ done: 'added' })
      expect((await browser.register(createSoftwarePasskey({ origin }))).flash).toEqual({ done: 'too_many' })
      const unnamed = await browser.submit('/admin/keys/register', { name: '', response: '{}' })
      expect([unnamed.status, unnamed.text.includes('Enter a name of at most 64 characters.')]).toEqual([400, true])
    })
  })

  describe('remove', () => {
    const idsOf = (page: Answer): string[] => [...page.text.matchAll(/name="id" value="([^"]+)"/g)].map(([, id]) => id!)

    test('asks for confirmation, and warns if the operator will then sign in only with the token', async () => {
      const { signIn, registered } = await open(storesOf)
      const { browser } = await registered('jane')
      const [id] = idsOf(await browser.open('/admin/keys'))
      const asked = await browser.submit('/admin/keys/remove', { id: id! })
      expect([asked.status, asked.text.includes('the token will be enough to sign in')]).toEqual([200, true])
      expect((await (await signIn('jane')).open('/admin')).status).toBe(401)
      expect((await browser.submit('/admin/keys/remove', { id: id!, confirmed: 'yes' })).flash).toEqual({
        done: 'removed',
      })
      expect((await browser.open('/admin')).status).toBe(200)
      expect((await (await signIn('jane')).open('/admin')).status).toBe(200)
      for (const confirmed of ['yes', ''])
        expect((await browser.submit('/admin/keys/remove', { id: id!, confirmed })).flash).toEqual({
          done: 'not_found',
        })
    })

    test('lets another operator remove a lost passkey, even an operator who was just added to the configuration', async () => {
      const { registered, stores, clock } = await open(storesOf)
      await registered('jane')
      const rescue = { name: 'rescue', token: tokens.joe }
      const helped = await open(async () => stores, { clock, adminTokens: [adminTokens[0], rescue] })
      const helper = await helped.signIn('joe')
      const page = await helper.open('/admin/keys')
      expect(page.text).toContain('Work laptop')
      const [id] = idsOf(page)
      expect((await helper.submit('/admin/keys/remove', { id: id!, confirmed: 'yes' })).flash).toEqual({
        done: 'removed',
      })
      expect((await (await helped.signIn('jane')).open('/admin')).status).toBe(200)
      const audit = await helper.open('/admin/audit')
      expect(audit.text.replace(/<[^>]*>|\s+/g, ' ').replace(/ +/g, ' ')).toContain(
        'rescue removed the passkey Work laptop of jane',
      )
    })

    test('requires a sign-in within the last 15 minutes', async () => {
      const { registered, clock } = await open(storesOf)
      const { browser } = await registered('jane')
      const [id] = idsOf(await browser.open('/admin/keys'))
      clock.advance(15 * minute)
      for (const confirmed of ['yes', ''])
        expect((await browser.submit('/admin/keys/remove', { id: id!, confirmed })).flash).toEqual({
          done: 'reauthentication_required',
        })
    })
  })

  test('a viewer registers and removes passkeys of their own, and cannot see or remove others', async () => {
    const { signIn, registered, stores } = await open(storesOf)
    const { passkey: janes } = await registered('jane')
    const guest = await signIn('guest')
    expect((await guest.open('/admin/keys')).text).toContain('No passkeys yet')
    const id = await idOf(stores, janes)
    for (const confirmed of ['yes', ''])
      expect((await guest.submit('/admin/keys/remove', { id, confirmed })).flash).toEqual({ done: 'not_found' })
    const passkey = createSoftwarePasskey({ origin })
    expect((await guest.register(passkey)).flash).toEqual({ done: 'added' })
    const again = await signIn('guest')
    expect((await again.open('/admin')).status).toBe(401)
    expect((await again.confirm(passkey)).status).toBe(303)
    expect((await again.submit('/admin/buyers/create', { name: 'Lab', email: '' })).status).toBe(403)
    const own = await idOf(stores, passkey)
    expect((await again.submit('/admin/keys/remove', { id: own, confirmed: 'yes' })).flash).toEqual({
      done: 'removed',
    })
  })

  test('the audit log contains the registration, the use and the removal', async () => {
    const { signIn, registered, ask } = await open(storesOf)
    const { passkey } = await registered('jane')
    const browser = await signIn('jane')
    await browser.confirm(passkey)
    const [, id] = /name="id" value="([^"]+)"/.exec((await browser.open('/admin/keys')).text)!
    await browser.submit('/admin/keys/remove', { id: id!, confirmed: 'yes' })
    const headers = { authorization: `Bearer ${tokens.jane}` }
    const { json } = await ask('GET', '/api/admin/audit?actor=jane', { headers })
    expect(
      json.items.map(({ action, after, before }: Record<string, unknown>) => [
        action,
        (after ?? before) && 'Work laptop',
      ]),
    ).toEqual([
      ['operator.remove_passkey', 'Work laptop'],
      ['operator.use_passkey', 'Work laptop'],
      ['operator.sign_in', null],
      ['operator.add_passkey', 'Work laptop'],
      ['operator.sign_in', null],
    ])
  })

  test('challenges are rate-limited, and refunded when they are answered correctly', async () => {
    const { signIn, registered } = await open(storesOf, { rates: { operator: { limit: 3, windowMs: minute } } })
    const { passkey } = await registered('jane')
    for (const _ of [1, 2, 3, 4]) expect((await (await signIn('jane')).confirm(passkey)).status).toBe(303)
    const browser = await signIn('jane')
    for (const _ of [1, 2, 3]) expect((await browser.confirm(passkey, { userVerified: false })).status).toBe(401)
    expect(await browser.challenge('sign_in')).toMatchObject({
      status: 429,
      json: { ok: false, error: 'rate_limited' },
    })
  })

  test('a refused passkey is a security event', async () => {
    const events: string[] = []
    const logger = { info() {}, error() {}, warn: (_: unknown, event?: string) => void events.push(String(event)) }
    const { signIn, registered } = await open(storesOf, { logger })
    const { passkey } = await registered('jane')
    await (await signIn('jane')).confirm(passkey, { userVerified: false })
    await Promise.resolve()
    expect(events).toContain('auth.passkey.denied')
  })
})

describe('makeChallenge', () => {
  const [, storesOf] = storeKinds[0]!

  test('is only for operators who are signed in', async () => {
    const { ask, signIn, registered } = await open(storesOf)
    const purposes = ['registration', 'sign_in'] as const
    for (const purpose of purposes)
      expect((await ask('POST', '/admin/keys/challenge', { form: { purpose } })).status).toBe(401)
    expect((await ask('POST', '/admin/keys/challenge', { form: {} })).status).toBe(401)
    const headers = { authorization: `Bearer ${tokens.jane}` }
    for (const purpose of purposes)
      expect((await ask('POST', '/admin/keys/challenge', { form: { purpose }, headers })).status).toBe(401)
    const { browser } = await registered('jane')
    expect((await browser.challenge('sign_in')).status).toBe(401)
    expect((await (await signIn('jane')).challenge('registration')).status).toBe(401)
  })

  test('returns 400 for an unknown purpose, and 403 to a page of another site', async () => {
    const { ask, signIn } = await open(storesOf)
    const cookie = (await signIn('jane')).cookie()
    const path = '/admin/keys/challenge'
    expect(await ask('POST', path, { form: { purpose: 'payment' }, headers: { cookie } })).toMatchObject({
      status: 400,
      json: { ok: false, error: 'invalid_body', issues: [{ path: ['purpose'] }] },
    })
    const headers = { cookie, 'sec-fetch-site': 'same-site' }
    expect((await ask('POST', path, { form: { purpose: 'registration' }, headers })).status).toBe(403)
  })

  test('returns 401 without operators, and POST /admin/keys/sign_in returns 404', async () => {
    const { ask } = await open(storesOf, { adminTokens: [] })
    expect((await ask('POST', '/admin/keys/challenge', { form: { purpose: 'registration' } })).status).toBe(401)
    const form = { response: '{}' }
    expect((await ask('POST', '/admin/keys/sign_in', { form })).status).toBe(404)
  })
})

describe('a service that cannot verify passkeys', () => {
  const [, storesOf] = storeKinds[0]!

  test.each([
    ['has no verifier', { hasVerifier: false }, 'cannot verify passkeys'],
    ['has an IP address', { baseUrl: 'https://192.0.2.1' }, 'https address with a domain name'],
    ['has no https', { baseUrl: 'http://tributary.example' }, 'https address with a domain name'],
  ])('shows the reason and refuses operators with a passkey when the service %s', async (_, options, text) => {
    const { registered, stores, clock } = await open(storesOf)
    await registered('jane')
    const plain = await open(async () => stores, { clock, ...options })
    const jane = await plain.signIn('jane')
    const refused = await jane.open('/admin')
    expect([refused.status, refused.text.includes(text), refused.text.includes('data-passkey')]).toEqual([
      401,
      true,
      false,
    ])
    expect(await jane.challenge('sign_in')).toMatchObject({ status: 503, json: { error: 'passkeys_unavailable' } })
    expect((await jane.submit('/admin/keys/sign_in', { response: '{"id":"x","response":{}}' })).status).toBe(401)
    const joe = await plain.signIn('joe')
    const page = await joe.open('/admin/keys')
    expect([page.status, page.text.includes(text), page.text.includes('data-passkey')]).toEqual([200, true, false])
  })

  test('names the domain of the passkeys after the base URL changed, and accepts none of these passkeys', async () => {
    const { registered, stores, clock } = await open(storesOf)
    const { passkey } = await registered('jane')
    const moved = await open(async () => stores, { clock, baseUrl: 'https://other.example' })
    const jane = await moved.signIn('jane')
    const refused = await jane.open('/admin')
    expect([refused.status, refused.text.includes('Your passkeys belong to <bdi>tributary.example</bdi>')]).toEqual([
      401,
      true,
    ])
    expect((await jane.challenge('sign_in')).json.options.allowCredentials).toEqual([])
    const changes = [
      {},
      { origin: 'https://other.example' },
      { origin: 'https://other.example', rpId: 'tributary.example' },
    ]
    for (const change of changes) expect((await jane.confirm(passkey, change)).status).toBe(401)
  })

  test('works on localhost without https', async () => {
    const baseUrl = 'http://localhost:8787'
    const { registered, signIn } = await open(storesOf, { baseUrl })
    const { passkey } = await registered('jane', createSoftwarePasskey({ origin: baseUrl }))
    expect((await (await signIn('jane')).confirm(passkey)).status).toBe(303)
  })
})
