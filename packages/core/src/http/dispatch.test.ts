import { Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import { createTestStores, fixture } from '@tributary/test-kit'
import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { createService } from '../service/create.ts'
import { silentLogger } from '../system.ts'
import { Unavailable } from '../unavailable.ts'
import { createDispatcher } from './dispatch.ts'
import type { DispatchOptions } from './serve.ts'
import { createMatcher } from './match.ts'
import { fail } from './failures.ts'
import { Uuid } from './fields.ts'
import { buildRequest, json } from './fixture.ts'
import { BodyReadError, replyHeader } from './message.ts'
import { reply, route, mount, type User } from './route.ts'
import { createConsumeRate } from './rate-limit.ts'

const person: User = { id: 'ada', email: null, via: 'token', signedInAt: null, credential: 'x' }
const Done = z.object({ ok: z.literal(true) })
const contract = {
  readThing: route({
    summary: '',
    method: 'GET',
    path: '/things/:id',
    auth: 'bearer',
    envelope: 'ok',
    params: z.object({ id: Uuid }),
    query: z.object({ limit: z.coerce.number().int().optional() }),
    reply: z.looseObject({}),
    failures: { not_found: 404 },
  }),
  changeThing: route({
    summary: '',
    method: 'PATCH',
    path: '/things/:id',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    params: z.object({ id: Uuid }),
    body: z.object({ on: z.boolean() }),
    reply: Done,
    failures: {},
  }),
  bulk: route({
    id: 'E2',
    summary: '',
    method: 'POST',
    path: '/things/bulk',
    auth: 'bearer',
    envelope: 'ok',
    issues: true,
    bodyLimit: 64,
    body: z.object({ ids: z.array(z.string()).max(3) }),
    reply: Done,
    failures: {},
  }),
  bare: route({
    summary: '',
    method: 'POST',
    path: '/bare',
    auth: 'none',
    envelope: 'bare',
    body: z.object({ name: z.string() }),
    reply: z.unknown(),
    success: [200, 202],
    failures: { gone: 410 },
  }),
  ad: route({
    id: 'E16',
    summary: '',
    method: 'GET',
    path: '/ad',
    auth: 'bearer',
    envelope: 'ad',
    requiresClientVersion: true,
    rates: ['events'],
    query: z.object({ topic: z.enum(['ai']).optional() }),
    reply: z.unknown(),
    failures: { odd: 418 },
  }),
  breaks: route({
    summary: '',
    method: 'GET',
    path: '/breaks',
    auth: 'none',
    envelope: 'ok',
    query: z.object({ how: z.string() }),
    reply: Done,
    failures: {},
  }),
  acts: route({
    summary: '',
    method: 'GET',
    path: '/acts',
    auth: 'none',
    envelope: 'bare',
    hasSideEffects: true,
    reply: Done,
    failures: {},
  }),
  gated: route({
    summary: '',
    method: 'POST',
    path: '/gated',
    auth: 'none',
    envelope: 'ok',
    body: z.object({}),
    reply: Done,
    failures: { closed: 403 },
  }),
}

function open(options: Partial<DispatchOptions> = {}, cookieUser = false) {
  const seen: unknown[] = []
  const mounted = mount(
    contract,
    {
      readThing: ({ params, query, user }) =>
        params.id.startsWith('0') ? fail('not_found') : { id: params.id, limit: query.limit ?? null, user: user.id },
      changeThing: ({ body }) => (seen.push(body), { ok: true as const }),
      bulk: ({ body }) => (seen.push(body), { ok: true as const }),
      bare: ({ body }) =>
        body.name === 'gone' ? fail('gone', { why: 1 }) : reply(202, { name: body.name }, [['location', '/next']]),
      ad: ({ user }) => (user.id === 'odd' ? fail('odd') : { fine: true }),
      breaks: ({ query }) => {
        throw query.how === 'store' ? new Unavailable('locked') : new Error('secret detail')
      },
      acts: () => (seen.push('acted'), { ok: true as const }),
      gated: () => ({ ok: true as const }),
    },
    {},
    { gated: async ({ request }) => (request.headers['x-pass'] ? null : fail('closed')) },
  )
  const limiter = { consume: async () => ({ allowed: true, resetMs: 0 }) }
  const { handle } = createDispatcher(createMatcher(mounted), {
    bodyLimits: { personBodyBytes: null, processBodyBytes: null },
    clock: () => 1_763_700_000_000,
    random: (n) => new Uint8Array(n),
    logger: silentLogger,
    secure: false,
    prefix: '',
    requestPrefix: '',
    origins: ['https://us.example'],
    corsOrigins: [],
    authenticator: {
      person: async (_request, bearer) =>
        bearer === 'good' ? person : bearer === null && cookieUser ? { ...person, via: 'cookie' } : null,
      operator: () => 'off',
      buyer: async () => null,
    },
    hmacCode: async () => [''],
    consumeRate: createConsumeRate(limiter, undefined, silentLogger),
    version: { minVersion: '1.2.0', upgradeCommand: 'up', requireClientVersion: false },
    trustedProxies: 0,
    failureHeaders: [],
    challenge: 'Bearer',
    ...options,
  })
  return { handle, seen }
}

const bearer = { authorization: 'Bearer good' }
const id = '11111111-1111-4111-8111-11111111111F'

describe('handle: paths and methods', () => {
  test('returns null for a path without a route', async () => {
    expect(await open().handle(buildRequest('GET', '/else'))).toBeNull()
    expect(await open().handle(buildRequest('GET', '/things/1/2'))).toBeNull()
    expect(await open().handle(buildRequest('GET', '/things/'))).toBeNull()
  })

  test('with a prefix returns null outside the prefix, and puts the prefix before its redirects', async () => {
    const { handle } = open({ prefix: '/t', requestPrefix: '/t' })
    expect(await handle(buildRequest('POST', '/bare', { json: { name: 'x' } }))).toBeNull()
    expect(await handle(buildRequest('POST', '/tx/bare', { json: { name: 'x' } }))).toBeNull()
    const answer = await handle(buildRequest('POST', '/t/bare', { json: { name: 'x' } }))
    expect(answer?.status).toBe(202)
    expect(replyHeader(answer!, 'location')).toBe('/t/next')
  })

  test('matches requests by the request prefix, and redirects to paths below the prefix of the public address', async () => {
    const { handle } = open({ prefix: '/t', requestPrefix: '' })
    expect(await handle(buildRequest('POST', '/t/bare', { json: { name: 'x' } }))).toBeNull()
    const answer = await handle(buildRequest('POST', '/bare', { json: { name: 'x' } }))
    expect(replyHeader(answer!, 'location')).toBe('/t/next')
  })

  test('returns 405 with Allow for a method without a route, in the error envelope of the path', async () => {
    const answer = await open().handle(buildRequest('DELETE', '/things/bulk'))
    expect([answer?.status, replyHeader(answer!, 'allow'), json(answer)]).toEqual([
      405,
      'POST',
      { ok: false, error: 'method_not_allowed' },
    ])
    expect(json(await open().handle(buildRequest('GET', '/bare')))).toEqual({ error: 'method_not_allowed' })
    expect(replyHeader((await open().handle(buildRequest('PUT', `/things/${id}`)))!, 'allow')).toBe('GET, HEAD, PATCH')
  })

  test('answers HEAD like GET without a body', async () => {
    const answer = await open().handle(buildRequest('HEAD', `/things/${id}`, { headers: bearer }))
    expect([answer?.status, answer?.body]).toEqual([200, null])
  })

  test('returns 405 for HEAD if the GET handler has side effects, and does not call the handler', async () => {
    const { handle, seen } = open()
    const answer = await handle(buildRequest('HEAD', '/acts'))
    expect([answer?.status, replyHeader(answer!, 'allow'), answer?.body, seen]).toEqual([405, 'GET', null, []])
    expect((await handle(buildRequest('GET', '/acts')))?.status).toBe(200)
    expect(seen).toHaveLength(1)
  })
})

describe('handle: order of checks', () => {
  test('checks the client version before the token', async () => {
    const answer = await open().handle(buildRequest('GET', '/ad', { headers: { 'x-cli-version': '1.1.9' } }))
    expect([answer?.status, json(answer)]).toEqual([
      426,
      { error: 'upgrade_required', minVersion: '1.2.0', upgradeCommand: 'up' },
    ])
  })

  test('checks the credential, then the content type, then the path id, then the body', async () => {
    const { handle } = open()
    const wrong = { headers: { 'content-type': 'text/plain' }, bytes: new Uint8Array([1]) }
    expect((await handle(buildRequest('PATCH', '/things/nope', wrong)))?.status).toBe(401)
    expect(
      (await handle(buildRequest('PATCH', '/things/nope', { ...wrong, headers: { ...wrong.headers, ...bearer } })))
        ?.status,
    ).toBe(415)
    const badId = await handle(buildRequest('PATCH', '/things/nope', { headers: bearer, bytes: new Uint8Array([1]) }))
    expect(badId?.status).toBe(400)
    expect(json(badId)).toMatchObject({ error: 'invalid_id', issues: [{ path: ['id'], message: 'not a UUID' }] })
    expect(
      json(await handle(buildRequest('PATCH', `/things/${id}`, { headers: bearer, bytes: new Uint8Array([1]) }))),
    ).toMatchObject({ error: 'invalid_json', issues: [{ path: [], message: 'not JSON in UTF-8' }] })
  })

  test('returns the answer of the gate before it opens the body', async () => {
    const body = vi.fn()
    const answer = await open().handle({
      ...buildRequest('POST', '/gated', { headers: { 'content-type': 'application/json' } }),
      body,
    })
    expect([answer?.status, body.mock.calls.length]).toEqual([403, 0])
  })

  test('returns 429 with rate-limit fields, in the envelope of the route, when the rate limit is exceeded', async () => {
    const consumeRate = createConsumeRate(
      { consume: async ({ key }) => ({ allowed: key.startsWith('person:'), resetMs: 1500 }) },
      undefined,
      silentLogger,
    )
    const answer = await open({ consumeRate }).handle(buildRequest('GET', '/ad', { headers: bearer }))
    expect([answer?.status, json(answer)]).toEqual([429, { ad: null, nonce: null, ttlMs: null, error: 'rate_limited' }])
    expect(['retry-after', 'ratelimit-policy', 'ratelimit'].map((name) => replyHeader(answer!, name))).toEqual([
      '2',
      '"events";q=600;w=60',
      '"events";r=0;t=2',
    ])
  })

  test('runs the handler when the rate limiter fails', async () => {
    const consumeRate = createConsumeRate({ consume: () => Promise.reject(new Error('down')) }, undefined, silentLogger)
    expect((await open({ consumeRate }).handle(buildRequest('GET', '/ad', { headers: bearer })))?.status).toBe(200)
  })
})

describe('handle: authentication', () => {
  test('returns 401 with WWW-Authenticate, and needsLogin in the ad envelope', async () => {
    const answer = await open().handle(buildRequest('GET', '/ad'))
    expect([answer?.status, replyHeader(answer!, 'www-authenticate')]).toEqual([401, 'Bearer'])
    expect(json(answer)).toEqual({ ad: null, nonce: null, ttlMs: null, needsLogin: true })
  })

  test('ignores the session cookie if the authorization header has an invalid bearer or an unknown scheme', async () => {
    const { handle } = open({}, true)
    for (const authorization of ['Bearer bad', 'Basic Zm9v', 'Bearer', 'Bearer a b']) {
      expect(
        (await handle(buildRequest('PATCH', `/things/${id}`, { headers: { authorization }, json: { on: true } })))
          ?.status,
      ).toBe(401)
    }
  })

  // promise: changes-cookie-accepted-own
  test("returns cross_site_request for a change by cookie unless the service's own page sent it", async () => {
    const { handle, seen } = open({}, true)
    const change = (headers: Record<string, string>) =>
      handle(buildRequest('PATCH', `/things/${id}`, { headers, json: { on: true } }))
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      expect(json(await change(headers as Record<string, string>))).toEqual({ ok: false, error: 'cross_site_request' })
    }
    expect(seen).toEqual([])
    for (const headers of [
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://us.example' },
    ]) {
      expect((await change(headers as Record<string, string>))?.status).toBe(200)
    }
  })
})

describe('handle: request bodies', () => {
  const postBulk = (bytes: Uint8Array | Uint8Array[], headers = {}) =>
    open().handle(buildRequest('POST', '/things/bulk', { headers: { ...bearer, ...headers }, bytes }))
  const encodeText = (value: string) => new TextEncoder().encode(value)

  test('accepts a body at the limit and returns 413 for one more byte, in one chunk or many', async () => {
    const edge = encodeText(`{"ids":[]}${' '.repeat(54)}`)
    expect((await postBulk(edge))?.status).toBe(200)
    const over = encodeText(`{"ids":[]}${' '.repeat(55)}`)
    for (const body of [over, [...over].map((byte) => new Uint8Array([byte]))]) {
      const answer = await postBulk(body)
      expect([answer?.status, replyHeader(answer!, 'x-body-limit')]).toEqual([413, '64'])
    }
    expect((await postBulk(encodeText('{}'), { 'content-length': '65' }))?.status).toBe(413)
  })

  test('applies the limit to the unpacked gzip, and stops unpacking a gzip bomb at the limit', async () => {
    expect((await postBulk(gzipSync('{"ids":["a"]}'), { 'content-encoding': 'gzip' }))?.status).toBe(200)
    // The gzip bomb is endless: a reader that does not stop at the limit never answers.
    const zeros = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(65_536)
      })(),
    )
    const bomb = zeros.pipe(createGzip())
    const answer = await open().handle({
      ...buildRequest('POST', '/things/bulk', {
        headers: { ...bearer, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      }),
      body: () => bomb,
    })
    zeros.destroy()
    expect(answer?.status).toBe(413)
  })

  test('returns invalid_json for damaged gzip, and 415 for an unsupported encoding', async () => {
    const packed = gzipSync('{"ids":["a"]}')
    for (const bytes of [packed.subarray(0, 15), encodeText('plain'), Buffer.concat([packed, encodeText('rest')])]) {
      const answer = await postBulk(bytes, { 'content-encoding': 'gzip' })
      expect(json(answer)).toEqual({ ok: false, error: 'invalid_json' })
      expect(replyHeader(answer!, 'x-error-detail')).toBe('the body is not valid gzip')
    }
    const answer = await postBulk(encodeText('{}'), { 'content-encoding': 'br' })
    expect([answer?.status, replyHeader(answer!, 'accept-encoding')]).toEqual([415, 'gzip'])
  })

  test.each([
    ['invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'not JSON in UTF-8'],
    ['cut', encodeText('{"ids":'), 'not JSON in UTF-8'],
    ['wrong', encodeText('{"ids":[] x}'), 'not JSON: unexpected character at position 10'],
    ['empty', new Uint8Array(0), 'empty body'],
    ['a byte order mark', encodeText('\uFEFFx'), 'not JSON in UTF-8'],
  ])('returns invalid_json for %s', async (_name, bytes, detail) => {
    const answer = await postBulk(bytes)
    expect(json(answer)).toEqual({ ok: false, error: 'invalid_json' })
    expect(replyHeader(answer!, 'x-error-detail')).toBe(detail)
  })

  test('returns all issues in one reply without the sent values, and only one issue for a list that is too long', async () => {
    const answer = json(await postBulk(encodeText('{"ids":[1,"s3cret",2]}'))) as { issues: unknown[] }
    expect(answer).toMatchObject({
      ok: false,
      error: 'invalid_body',
      issues: [{ path: ['ids', 0], code: 'invalid_type' }, { path: ['ids', 2] }],
    })
    expect(JSON.stringify(answer)).not.toContain('s3cret')
    expect(json(await postBulk(encodeText('{"ids":[1,2,3,4]}')))).toMatchObject({
      issues: [{ path: ['ids'], code: 'too_big' }],
    })
  })

  test('refuses prototype keys and deep nesting at any depth, and drops unknown keys', async () => {
    for (const body of ['{"__proto__":{}}', '{"ids":[],"x":[{"constructor":1}]}', '{"ids":[],"\\u0070rototype":1}']) {
      expect(json(await postBulk(encodeText(body)))).toMatchObject({
        error: 'invalid_body',
        issues: [{ code: 'forbidden_key' }],
      })
    }
    const { handle, seen } = open()
    await handle(buildRequest('PATCH', `/things/${id}`, { headers: bearer, json: { on: true, extra: 1 } }))
    expect(seen).toEqual([{ on: true }])
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const deep = await open().handle(
      buildRequest('PATCH', `/things/${id}`, { headers: bearer, bytes: encodeText(nested) }),
    )
    expect(deep?.status).toBe(400)
    expect(json(deep)).toMatchObject({ error: 'invalid_body', issues: [{ code: 'too_deep' }] })
  })

  test('returns 408 when the body arrives too slowly', async () => {
    const yieldThenTimeOut = async function* (): AsyncGenerator<Uint8Array> {
      yield encodeText('{"ids":')
      throw new BodyReadError('timeout')
    }
    for (const encoding of ['identity', 'gzip']) {
      const request = buildRequest('POST', '/things/bulk', {
        headers: { ...bearer, 'content-type': 'application/json', 'content-encoding': encoding },
      })
      const answer = await open().handle({ ...request, body: yieldThenTimeOut })
      expect([answer?.status, json(answer)]).toEqual([408, { ok: false, error: 'request_timeout' }])
    }
  })
})

describe('handle: replies', () => {
  test('sends Strict-Transport-Security for a year over HTTPS, and none over HTTP', async () => {
    const reply = async (baseUrl: string, path: string) =>
      createService({ baseUrl, stores: createTestStores() }).handle(buildRequest('GET', path))
    for (const path of ['/api/cli/session', '/sign-in', '/assets/tributary.css', '/api/ad/imp/x']) {
      expect(replyHeader((await reply('https://t.example', path))!, 'strict-transport-security')).toBe(
        'max-age=31536000',
      )
      expect(replyHeader((await reply('http://127.0.0.1:8787', path))!, 'strict-transport-security')).toBeUndefined()
    }
  })

  test('allows other origins to load the reply to an impression, and no other reply', async () => {
    const { handle } = createService({ baseUrl: 'https://t.example', stores: createTestStores() })
    const readResourcePolicy = async (path: string) =>
      replyHeader((await handle(buildRequest('GET', path)))!, 'cross-origin-resource-policy')
    expect([
      await readResourcePolicy('/api/ad/imp/x'),
      await readResourcePolicy('/api/cli/session'),
      await readResourcePolicy('/sign-in'),
    ]).toEqual(['cross-origin', 'same-origin', 'same-origin'])
  })

  test('sends a request id and security headers with every reply, and accepts only a valid request id', async () => {
    const { handle } = open()
    const answer = await handle(
      buildRequest('GET', `/things/${id}?limit=3`, { headers: { ...bearer, 'x-request-id': 'a.B-9_' } }),
    )
    expect(json(answer)).toEqual({ id: id.toLowerCase(), limit: 3, user: 'ada' })
    expect(Object.fromEntries(answer!.headers)).toEqual({
      'x-request-id': 'a.B-9_',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
      'content-type': 'application/json',
    })
    for (const strange of ['', 'a b', 'é', 'x'.repeat(129)]) {
      const reply = await handle(
        buildRequest('GET', `/things/${id}`, { headers: { ...bearer, 'x-request-id': strange } }),
      )
      expect(replyHeader(reply!, 'x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    }
  })

  test('refuses a repeated, invalid or unknown query parameter with its name and the reason', async () => {
    for (const [query, name, reason] of [
      ['limit=1&limit=2', 'limit', 'sent twice'],
      ['limit=x', 'limit', 'expected number'],
      ['limits=1', 'limits', 'did you mean limit?'],
      ['else=1&else=2', 'else', 'the parameters are limit'],
    ]) {
      const answer = await open().handle(buildRequest('GET', `/things/${id}?${query}`, { headers: bearer }))
      expect(answer?.status).toBe(400)
      expect(json(answer)).toMatchObject({
        error: 'invalid_query',
        issues: [{ path: [name], message: expect.stringContaining(reason!) }],
      })
    }
  })

  test('ignores an unknown query parameter of an endpoint of the interface, and names the problem of an invalid parameter', async () => {
    const { handle } = open()
    expect((await handle(buildRequest('GET', '/ad?else=1', { headers: bearer })))?.status).not.toBe(400)
    const answer = await handle(buildRequest('GET', '/ad?topic=x', { headers: bearer }))
    expect([answer?.status, json(answer)]).toEqual([400, { error: 'invalid_query' }])
    expect(replyHeader(answer!, 'x-error-detail')).toMatch(/^topic: /)
  })

  test('returns the status and fields of a declared failure, 500 without details for a bug, and 503 for an unavailable store', async () => {
    const gone = await open().handle(buildRequest('POST', '/bare', { json: { name: 'gone' } }))
    expect([gone?.status, json(gone)]).toEqual([410, { error: 'gone', why: 1 }])
    const error = vi.fn()
    const { handle } = open({ logger: { ...silentLogger, error } })
    const bug = await handle(buildRequest('GET', '/breaks?how=bug'))
    expect([bug?.status, json(bug), error.mock.calls.length]).toEqual([500, { ok: false, error: 'internal_error' }, 1])
    expect([gone!, bug!].map((answer) => replyHeader(answer, 'retry-after'))).toEqual([undefined, undefined])
    const away = await handle(buildRequest('GET', '/breaks?how=store'))
    expect([away?.status, json(away), replyHeader(away!, 'retry-after')]).toEqual([
      503,
      { ok: false, error: 'unavailable' },
      '1',
    ])
  })

  test('returns 503 in the form of the route during an outage of the host, before any other step, and null without a route', async () => {
    const { handle, seen } = open()
    const outage = new Unavailable('no secrets')
    const bare = await handle(buildRequest('POST', '/bare', { json: { name: 'x' } }), outage)
    expect([bare?.status, json(bare), replyHeader(bare!, 'retry-after')]).toEqual([503, { error: 'unavailable' }, '1'])
    const ok = await handle(buildRequest('GET', `/things/${id}`), outage)
    expect([ok?.status, json(ok)]).toEqual([503, { ok: false, error: 'unavailable' }])
    await handle(buildRequest('GET', '/acts'), outage)
    expect(seen).toEqual([])
    expect(await handle(buildRequest('GET', '/nowhere'), outage)).toBeNull()
  })
})

describe('handle: outages', () => {
  test('returns 503 with the code of E15 and E17 while the store or the host is not available', async () => {
    const stores = createTestStores()
    const { service, signIn, ask } = fixture({ stores })
    const { bearer } = await signIn()
    const { deviceCode } = (await ask('POST', '/api/cli/device/start', { json: { machine: 'm' } })).json
    const away = new Unavailable('away')
    stores.auth.findCredential = () => Promise.reject(away)
    stores.auth.pollDeviceToken = () => Promise.reject(away)
    for (const [target, error] of [
      ['/api/ad/config?d=device-1', 'config_unavailable'],
      [`/api/cli/device/poll?deviceCode=${deviceCode}`, 'device_login_unavailable'],
      ['/api/traces/access', 'unavailable'],
    ] as const)
      for (const outage of [undefined, away]) {
        const answer = await service.handle(buildRequest('GET', target, { headers: bearer }), outage)
        expect([answer?.status, replyHeader(answer!, 'retry-after'), json(answer)]).toMatchObject([503, '1', { error }])
      }
  })
})

describe('handle: CORS', () => {
  const ask = (origin: string, corsOrigins = ['https://app.example']) =>
    open({ corsOrigins }).handle(
      buildRequest('OPTIONS', `/things/${id}`, { headers: { origin, 'access-control-request-method': 'PATCH' } }),
    )

  test('allows cross-origin calls from configured origins only, each by name', async () => {
    expect((await ask('https://app.example', []))?.status).toBe(405)
    expect((await ask('https://else.example'))?.status).toBe(405)
    const allowed = await ask('https://app.example')
    expect([
      allowed?.status,
      replyHeader(allowed!, 'access-control-allow-origin'),
      replyHeader(allowed!, 'access-control-allow-methods'),
    ]).toEqual([204, 'https://app.example', 'GET, PATCH'])
    const read = (origin: string) =>
      open({ corsOrigins: ['https://app.example'] }).handle(
        buildRequest('GET', `/things/${id}`, { headers: { ...bearer, origin } }),
      )
    expect(replyHeader((await read('https://app.example'))!, 'access-control-allow-origin')).toBe('https://app.example')
    expect(replyHeader((await read('https://else.example'))!, 'access-control-allow-origin')).toBeUndefined()
    expect(replyHeader((await read('https://else.example'))!, 'vary')).toBe('origin')
  })
})
