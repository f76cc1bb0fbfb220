import { createTestStores, fixture, seededRandom, type Signed } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../unavailable.ts'
import { buildRequest } from '../http/fixture.ts'
import type { Identity } from '../ports.ts'
import { defaultDigest, silentLogger } from '../system.ts'
import { createAuthenticator } from './authenticator.ts'
import { generateToken } from './rules.ts'
import { storeKinds } from './stores.fixture.ts'
import type { AuthStore } from './store.ts'

const day = 24 * 60 * 60 * 1000

/** Wraps the store and counts calls by method name. A method listed in `broken` fails as in an outage. */
function countCalls(store: AuthStore, broken: string[] = []): { store: AuthStore; calls: Record<string, number> } {
  const calls: Record<string, number> = {}
  const proxy = new Proxy(store, {
    get(target, name: string) {
      const method = target[name as keyof AuthStore] as (...given: unknown[]) => Promise<unknown>
      if (typeof method !== 'function') return method
      return (...given: unknown[]) => {
        calls[name] = (calls[name] ?? 0) + 1
        return broken.includes(name) ? Promise.reject(new Unavailable('locked')) : method.apply(target, given)
      }
    },
  })
  return { store: proxy, calls }
}

describe.each(storeKinds)('%s', (_, open) => {
  test('GET /api/cli/session returns 401 for a token with one changed character, without a store query', async () => {
    const stores = await open()
    const { store, calls } = countCalls(stores.auth)
    const { ask, signIn, clock } = fixture({ stores: { ...stores, auth: store } })
    const [jane] = [await signIn(), await signIn()]
    expect((await ask('GET', '/api/cli/session', { headers: jane.bearer })).json).toEqual({
      ok: true,
      userId: jane.userId,
    })
    clock.advance(6000)
    const before = calls['findCredential']
    for (const token of [
      jane.token.slice(0, -1),
      `${jane.token.slice(0, 8)}!${jane.token.slice(9)}`,
      jane.token.replace(/.$/, (c) => (c === 'a' ? 'b' : 'a')),
      'trb_',
    ]) {
      const refused = await ask('GET', '/api/cli/session', { headers: { authorization: `Bearer ${token}` } })
      expect([refused.status, refused.json, refused.headers.get('www-authenticate')]).toEqual([
        401,
        { ok: false, error: 'unauthorized' },
        'Bearer resource_metadata="http://127.0.0.1:8787/.well-known/oauth-protected-resource"',
      ])
    }
    expect(calls['findCredential']).toBe(before)
    expect((await ask('GET', '/api/cli/session')).status).toBe(401)
    expect((await ask('GET', '/api/cli/session', { headers: jane.cookie })).status).toBe(401)
  })

  test('a request with a bearer and a cookie is authenticated by the bearer', async () => {
    const { ask, signIn } = fixture({ stores: await open() })
    const [jane, john] = [await signIn(), await signIn()]
    const listMachines = async (headers: Record<string, string>) => ask('GET', '/api/account/machines', { headers })
    expect((await listMachines({ ...jane.cookie, authorization: 'Bearer nonsense' })).status).toBe(401)
    expect((await listMachines({ ...jane.cookie, authorization: 'Basic amFuZTpwdw==' })).status).toBe(401)
    const [mine] = (await listMachines({ ...jane.cookie, ...john.bearer })).json.machines
    expect(mine.id).toBe((await listMachines(john.cookie)).json.machines[0].id)
  })

  test('GET /api/cli/session queries the store once in five seconds, records a use hourly, and returns 401 after the expiry', async () => {
    const stores = await open()
    const { store, calls } = countCalls(stores.auth)
    const { ask, signIn, clock } = fixture({ stores: { ...stores, auth: store } })
    const jane = await signIn()
    const readSessionStatus = async () => (await ask('GET', '/api/cli/session', { headers: jane.bearer })).status
    await Promise.all(Array.from({ length: 50 }, readSessionStatus))
    const [finds, touches] = [calls['findCredential']!, calls['renewCredential']!]
    for (let second = 0; second < 5; second++, clock.advance(999)) expect(await readSessionStatus()).toBe(200)
    expect([calls['findCredential'], calls['renewCredential']]).toEqual([finds, touches])
    clock.advance(5000)
    await readSessionStatus()
    expect([calls['findCredential'], calls['renewCredential']]).toEqual([finds + 1, touches])
    clock.advance(day / 24)
    for (let i = 0; i < 3; i++) await readSessionStatus()
    expect(calls['renewCredential']).toBe(touches + 1)
    clock.advance(day)
    const renewing = await ask('GET', '/api/cli/session', { headers: jane.bearer })
    expect(renewing.headers.getSetCookie()).toEqual([])
    expect(calls['renewCredential']).toBe(touches + 2)
    clock.advance(90 * day - 1)
    expect(await readSessionStatus()).toBe(200)
    clock.advance(90 * day)
    expect(await readSessionStatus()).toBe(401)
  })

  test('a cached credential is refused after its expiry', async () => {
    const stores = await open()
    const { ask, signIn, clock } = fixture({
      stores: { ...stores, auth: countCalls(stores.auth, ['renewCredential']).store },
    })
    const jane = await signIn()
    const readMachines = () => ask('GET', '/api/account/machines', { headers: jane.cookie })
    clock.advance(30 * day - 1)
    const last = await readMachines()
    // The use could not be stored, so the browser must not keep the cookie for longer.
    expect([last.status, last.headers.getSetCookie()]).toEqual([200, []])
    clock.advance(1)
    expect((await readMachines()).status).toBe(401)
  })

  test('a session is renewed with its cookie for 30 days after each use, up to 90 days in total', async () => {
    const { ask, signIn, clock } = fixture({ stores: await open() })
    const jane = await signIn()
    const requestMachines = () => ask('GET', '/api/account/machines', { headers: jane.cookie })
    const formatRenewedCookie = (maxAge: number) =>
      `${jane.cookie.cookie}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax`
    clock.advance(day - 5000)
    expect((await requestMachines()).headers.getSetCookie()).toEqual([])
    clock.advance(5000)
    expect((await requestMachines()).headers.getSetCookie()).toEqual([formatRenewedCookie(30 * 24 * 60 * 60)])
    expect((await requestMachines()).headers.getSetCookie()).toEqual([])
    clock.advance(30 * day - 1)
    expect((await requestMachines()).status).toBe(200)
    clock.advance(30 * day - 1)
    expect((await requestMachines()).headers.getSetCookie()).toEqual([formatRenewedCookie(29 * 24 * 60 * 60 + 1)])
    clock.advance(29 * day)
    expect((await requestMachines()).status).toBe(200)
    clock.advance(2)
    expect((await requestMachines()).status).toBe(401)
  })

  test('a token or session that was revoked on one host cannot change anything on another host', async () => {
    const stores = await open()
    const [here, there] = [fixture({ stores }), fixture({ stores })]
    const jane = await here.signIn()
    const read = async (headers: Record<string, string>) =>
      (await there.ask('GET', '/api/traces/access', { headers })).status
    const write = async (headers: Record<string, string>) =>
      (await there.ask('POST', '/api/account/contact', { headers, json: { name: 'Jane', email: jane.email } })).status
    for (const headers of [jane.bearer, jane.cookie]) {
      expect([await read(headers), await write(headers)]).toEqual([200, 200])
      expect(
        (await here.ask('POST', '/api/auth/sign-out', { headers: { ...headers, 'sec-fetch-site': 'same-origin' } }))
          .status,
      ).toBe(200)
      expect(await write(headers)).toBe(401)
      expect(await read(headers)).toBe(401)
    }
  })

  // promise: requests-sent-already-may
  test('a revoked credential is refused for reads on another host within five seconds', async () => {
    const stores = await open()
    const [here, there] = [fixture({ stores }), fixture({ stores })]
    const jane = await here.signIn()
    const read = async () => (await there.ask('GET', '/api/cli/session', { headers: jane.bearer })).status
    expect(await read()).toBe(200)
    await here.ask('POST', '/api/auth/sign-out', { headers: jane.bearer })
    there.clock.advance(4999)
    expect(await read()).toBe(200)
    there.clock.advance(1)
    expect(await read()).toBe(401)
  })

  test('a revoked credential is refused immediately on the same host, and within five seconds on another host', async () => {
    const stores = await open()
    const [here, there] = [fixture({ stores }), fixture({ stores })]
    const [jane, john] = [await here.signIn(), await here.signIn()]
    const ask = async (host: typeof here, { bearer }: Signed) =>
      (await host.ask('GET', '/api/cli/session', { headers: bearer })).status
    expect([await ask(here, jane), await ask(there, jane)]).toEqual([200, 200])
    const listed = (await here.ask('GET', '/api/account/machines', { headers: jane.cookie })).json.machines as {
      id: string
      kind: string
    }[]
    const { id } = listed.find(({ kind }) => kind === 'machine')!
    expect((await here.ask('DELETE', `/api/account/machines/${id}`, { headers: jane.cookie })).json).toEqual({
      ok: true,
    })
    expect(await ask(here, jane)).toBe(401)
    there.clock.advance(5000)
    expect([await ask(there, jane), await ask(there, john), await ask(here, john)]).toEqual([401, 200, 200])
  })

  test("the token and session of an erased user are refused immediately, and other users' tokens and sessions are accepted", async () => {
    const { ask, signIn } = fixture({ stores: await open() })
    const [jane, john] = [await signIn('jane@example.com'), await signIn()]
    const readStatus = async (headers: Record<string, string>) =>
      (await ask('GET', '/api/account/machines', { headers })).status
    expect([await readStatus(jane.bearer), await readStatus(jane.cookie)]).toEqual([200, 200])
    const held = await ask('GET', '/api/account/export', { headers: jane.cookie })
    expect(held.json.account.sessions).toMatchObject({
      user: { id: jane.userId, email: 'jane@example.com' },
      machines: [{ label: 'test machine' }],
    })
    expect((await ask('DELETE', '/api/account', { headers: jane.cookie })).status).toBe(200)
    expect([
      await readStatus(jane.bearer),
      await readStatus(jane.cookie),
      await readStatus(john.bearer),
      await readStatus(john.cookie),
    ]).toEqual([401, 401, 200, 200])
    expect((await signIn('jane@example.com')).userId).not.toBe(jane.userId)
  })

  test('a credential that was read before its revocation is not cached afterwards', async () => {
    const stores = await open()
    let hold: Promise<unknown> = Promise.resolve()
    let resolveRead = (): void => undefined
    const slow: AuthStore = {
      ...stores.auth,
      async findCredential(params) {
        const found = await stores.auth.findCredential(params)
        const held = hold
        hold = Promise.resolve()
        resolveRead()
        await held
        return found
      },
    }
    const { ask, signIn } = fixture({ stores: { ...stores, auth: slow } })
    const jane = await signIn()
    const listed = (await ask('GET', '/api/account/machines', { headers: jane.cookie })).json.machines as {
      id: string
      kind: string
    }[]
    const { id } = listed.find(({ kind }) => kind === 'machine')!
    let release = (): void => undefined
    hold = new Promise<void>((resolve) => (release = resolve))
    const reading = new Promise<void>((resolve) => (resolveRead = resolve))
    const early = ask('GET', '/api/cli/session', { headers: jane.bearer })
    await reading
    expect((await ask('DELETE', `/api/account/machines/${id}`, { headers: jane.cookie })).status).toBe(200)
    release()
    await early
    expect((await ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(401)
  })

  test('a request is authenticated while the store cannot write, and returns 503 while the store does not answer', async () => {
    const stores = await open()
    const jane = await fixture({ stores }).signIn()
    const readOnly = countCalls(stores.auth, ['renewCredential'])
    const { ask } = fixture({ stores: { ...stores, auth: readOnly.store } })
    for (let i = 0; i < 3; i++)
      expect((await ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(200)
    expect(readOnly.calls['renewCredential']).toBe(1)
    const down = fixture({ stores: { ...stores, auth: countCalls(stores.auth, ['findCredential']).store } })
    expect((await down.ask('GET', '/api/cli/session', { headers: jane.bearer })).json).toEqual({
      ok: false,
      error: 'unavailable',
    })
  })

  test('GET /api/cli/session returns 426 to an old client before it checks the token', async () => {
    const { ask } = fixture({ stores: await open(), minVersion: '2.0.0' })
    const old = await ask('GET', '/api/cli/session', {
      headers: { 'x-cli-version': '1.9.9', 'authorization': 'Bearer trb_x' },
    })
    expect([old.status, old.json]).toEqual([
      426,
      { error: 'upgrade_required', minVersion: '2.0.0', upgradeCommand: 'upgrade this client to 2.0.0 or later' },
    ])
  })
})

describe('createAuthenticator', () => {
  const now = 1_700_000_000_000
  const createOn = (store: AuthStore, identity: Identity | null = null) => {
    const options = { logger: silentLogger, secure: false, operator: () => 'off' as const, buyer: async () => null }
    return createAuthenticator({ store, identity, digest: defaultDigest, ...options })
  }
  const report = () => undefined
  const bearers = (count: number): string[] => {
    const random = seededRandom(11)
    return Array.from({ length: count }, () => generateToken(random))
  }
  const jane = { id: 'jane', email: null }

  test('does not query the store for a cookie that cannot be a session', async () => {
    const { store, calls } = countCalls(createTestStores().auth)
    const { person } = createOn(store)
    for (const cookie of ['', 'tributary_session=x', `tributary_session=${'a'.repeat(44)}`])
      expect(await person(buildRequest('GET', '/', { headers: { cookie } }), null, now, report)).toBeNull()
    expect(calls).toEqual({})
  })

  test('refuses a secret that was stored for the other kind of credential', async () => {
    const found = { kind: 'session', user: jane, createdAt: now, expiresAt: now + day, usedAt: now } as const
    const { person } = createOn({ ...createTestStores().auth, findCredential: async () => found })
    expect(await person(buildRequest('GET', '/'), bearers(1)[0]!, now, report)).toBeNull()
    expect(
      await person(
        buildRequest('GET', '/', { headers: { cookie: `tributary_session=${'a'.repeat(43)}` } }),
        null,
        now,
        report,
      ),
    ).toMatchObject({ id: 'jane', via: 'cookie', signedInAt: now })
  })

  test('caches ten thousand credentials, and drops the oldest credential when another credential is added', async () => {
    const reads: string[] = []
    const found = { kind: 'token', user: jane, createdAt: now, expiresAt: now + 90 * day, usedAt: now } as const
    const { person } = createOn({
      ...createTestStores().auth,
      findCredential: async ({ hash }) => (reads.push(hash), found),
    })
    const tokens = bearers(10_001)
    const use = (index: number) => person(buildRequest('GET', '/'), tokens[index]!, now, report)
    for (let index = 0; index < 10_000; index++) await use(index)
    await use(0)
    expect(reads).toHaveLength(10_000)
    await use(10_000)
    await use(1)
    expect(reads).toHaveLength(10_001)
    await use(0)
    expect(reads).toHaveLength(10_002)
  })

  test('reads and stores an account of the app once in five seconds, or sooner if its address changes', async () => {
    const { store, calls } = countCalls(createTestStores().auth)
    let email: string | null = 'Jane@Example.com '
    const { person, forgetUser } = createOn(store, () => ({
      id: 'x'.repeat(128),
      ...(email === null ? {} : { email }),
    }))
    const use = async (at: number) => (await person(buildRequest('GET', '/'), null, at, report))?.email
    expect([await use(now), await use(now), await use(now + 4999)]).toEqual(Array(3).fill('jane@example.com'))
    expect(calls).toEqual({ findUser: 2, upsertUser: 1 })
    await use(now + 5000)
    expect(calls).toEqual({ findUser: 3, upsertUser: 1 })
    email = 'jane@other.example'
    expect(await use(now + 5001)).toBe('jane@other.example')
    expect(calls).toEqual({ findUser: 5, upsertUser: 2 })
    email = null
    expect(await use(now + 5002)).toBeNull()
    expect(calls).toEqual({ findUser: 7, upsertUser: 3 })
    forgetUser('x'.repeat(128))
    await use(now + 5003)
    expect(calls).toEqual({ findUser: 8, upsertUser: 3 })
  })

  test('reads a credential again when the clock was set back before it was cached', async () => {
    const found = { kind: 'token', user: jane, createdAt: now, expiresAt: now + 90 * day, usedAt: now } as const
    const { store, calls } = countCalls({ ...createTestStores().auth, findCredential: async () => found })
    const { person } = createOn(store)
    const [token] = bearers(1)
    for (const at of [now, now - 1, now - 1]) await person(buildRequest('GET', '/'), token!, at, report)
    expect(calls).toEqual({ findCredential: 2 })
  })
})
