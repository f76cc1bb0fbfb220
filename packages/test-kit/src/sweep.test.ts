import { beforeAll, describe, expect, test } from 'vitest'
import type { RateLimiter } from '@tributary/core'
import { impliedFailures, type RouteShape } from '@tributary/core/adapter'
import { createTestStores } from './fixtures/database.ts'
import { fixture, type Fixture, type Signed } from './fixtures/service.ts'
import { listDeclaredOutcomes } from './promise.ts'

/**
 * Checks on every route the replies that dispatch sends because of the route's shape. A new route is checked without a
 * change in this file, and a route that bypasses the order of dispatch fails.
 */
const adminToken = 'the-operator-of-this-test'
let full = false
const limiter: RateLimiter = { consume: async () => ({ allowed: !full, resetMs: 1000 }) }
const viewer = { name: 'guest', token: 'a-viewer-of-this-test', role: 'viewer' } as const
const open = {
  adminToken,
  adminTokens: [viewer],
  approval: 'automatic',
  country: () => 'US',
  ingestLimit: 4096,
} as const

const plain = fixture({ ...open, stores: createTestStores() })
const gated = fixture({ ...open, stores: createTestStores(), minVersion: '9.0.0' })
const limited = fixture({ ...open, stores: createTestStores(), limiter, rates: {} })
// Without a prefix the app serves its own home page.
const routes = (await plain.service.routes()).map(({ route }) => route).filter(({ path }) => path !== '/')

let jane: Signed
let joe: Signed
let operator: { cookie: string }
let buyer: { authorization: string }
let buyerCookie: { cookie: string }
beforeAll(async () => {
  const { cookies } = await plain.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  operator = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
  const made = await plain.ask('POST', '/api/admin/buyers', {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { name: 'Lab' },
  })
  buyer = { authorization: `Bearer ${made.json.token}` }
  const signedIn = await plain.ask('POST', '/buyer/sign-in', { form: { token: made.json.token } })
  buyerCookie = { cookie: `tributary_buyer=${signedIn.cookies['tributary_buyer']}` }
  jane = await signInContributor(plain)
  joe = await signInContributor(limited)
})

/** Creates a person who passes every gate, with accepted terms, an approved application and the claimed device. */
async function signInContributor({ ask, signIn }: Fixture): Promise<Signed> {
  const person = await signIn()
  const { json: policy } = await ask('GET', '/api/traces/upload-policy', { headers: person.bearer })
  await ask('POST', '/api/account/terms', {
    headers: person.bearer,
    json: { termsVersion: policy.termsVersion, residencyConfirmed: true },
  })
  const application = {
    companyName: 'Example',
    website: 'https://example.com',
    email: person.email,
    role: 'engineer',
    authorized: true,
  }
  await ask('POST', '/api/account/application', { headers: person.bearer, json: application })
  await ask('POST', '/api/program/claim', { headers: person.bearer, json: { deviceId: uuid } })
  return person
}

interface Shot {
  readonly headers?: Record<string, string>
  /** Whether the request is sent with `headers` only, without the credential of the person. */
  readonly alone?: true
  readonly body?: string
  readonly params?: string
  readonly query?: string
}

const hasBody = (route: RouteShape): boolean => Boolean(route.body || route.form || route.raw === 'json')
const chooseMediaType = (route: RouteShape): string =>
  route.form ? 'application/x-www-form-urlencoded' : 'application/json'
const uuid = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'

function makeCredential({ auth }: RouteShape, person: Signed): Record<string, string> {
  if (auth === 'admin') return { authorization: `Bearer ${adminToken}` }
  if (auth === 'buyer') return buyer
  if (auth === 'buyer-page') return buyerCookie
  if (auth === 'admin-page') return operator
  if (auth === 'bearer' || auth === 'bearer-or-cookie') return person.bearer
  return auth === 'cookie' || auth === 'page' ? person.cookie : {}
}

async function sendRequest(
  { service }: Fixture,
  route: RouteShape,
  { headers = {}, body, params = uuid, query = '' }: Shot,
) {
  const path = route.path.replace(/:[a-zA-Z]+/g, params)
  const type = hasBody(route) && !('content-type' in headers) ? { 'content-type': chooseMediaType(route) } : {}
  const own = route.form ? { 'sec-fetch-site': 'same-origin' } : {}
  const sent = body ?? (hasBody(route) ? '{}' : null)
  const request = new Request(`http://127.0.0.1:8787${path}${query}`, {
    method: route.method,
    headers: { ...type, ...own, ...headers },
    body: sent,
  })
  const response = await service.fetch(request, '192.0.2.1')
  const text = await response!.text()
  return {
    status: response!.status,
    json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
    headers: response!.headers,
  }
}

/** Returns the name of a failure in the bodies of its envelope. OAuth has one error for most of these codes. */
function nameError({ envelope }: RouteShape, status: number, code: string): string | true {
  if (envelope === 'ad' && status === 401) return true
  if (envelope !== 'oauth') return code
  return status === 429 ? 'slow_down' : 'invalid_request'
}

/** Tests each route that declares a failure. The request that `shot` returns must provoke the failure. */
function testRoutes(
  code: string,
  status: number,
  shot: (route: RouteShape) => Shot,
  at = plain,
  person = (): Signed => jane,
): void {
  const declaring = routes.filter(
    (route) =>
      listDeclaredOutcomes(route, impliedFailures).some((name) => name.endsWith(` ${status} ${code}`)) &&
      !(code in route.failures),
  )
  describe(`returns ${status} ${code}`, () => {
    test.each(declaring.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
      const given = shot(route)
      const reply = await sendRequest(at, route, {
        ...given,
        headers: { ...(given.alone ? {} : makeCredential(route, person())), ...given.headers },
      })
      const error = reply.json['error'] as string | { readonly message: string } | undefined
      const name = typeof error === 'object' ? error.message : error
      expect([reply.status, name ?? reply.json['needsLogin']]).toEqual([status, nameError(route, status, code)])
    })
  })
}

describe('returns 401 unauthorized without a valid credential', () => {
  const guarded = routes.filter(({ auth }) => ['bearer', 'bearer-or-cookie', 'cookie', 'admin', 'any'].includes(auth))
  test.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    const none = route.auth === 'any' ? [] : [{}]
    for (const headers of [...none, { authorization: 'Bearer trb_nobody' }, { authorization: 'Basic YTpi' }] as Record<
      string,
      string
    >[]) {
      const reply = await sendRequest(plain, route, { headers })
      expect(reply.status).toBe(401)
      expect(reply.headers.get('www-authenticate')).toBe(
        'Bearer resource_metadata="http://127.0.0.1:8787/.well-known/oauth-protected-resource"',
      )
    }
  })
})

describe('redirects to the sign-in page (303) without a session', () => {
  const pages = routes.filter(({ auth }) => auth === 'page')
  test.each(pages.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    const reply = await sendRequest(plain, route, {})
    expect(reply.status).toBe(303)
    expect(reply.headers.get('location')).toMatch(/^\/sign-in\?next=%2F/)
  })
})

describe('returns 200 for a page with its credential', () => {
  // The person has no items, so a page of one item would return 404. A page for people on the waitlist redirects other
  // people.
  const pages = routes.filter(
    ({ method, path, reply, failures }) =>
      method === 'GET' && reply === 'page' && !('not_found' in failures) && path !== '/waitlist/leave',
  )
  test.each(pages.map((route) => [`GET ${route.path}`, route] as const))('%s', async (_, route) => {
    const reply = await sendRequest(plain, route, { headers: makeCredential(route, jane) })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})

describe('returns 400 with errors for an empty form', () => {
  const forms = routes.filter(({ form, success }) => form && success?.includes(400))
  test.each(forms.map((route) => [`POST ${route.path}`, route] as const))('%s', async (_, route) => {
    const fresh = await plain.signIn()
    const reply = await sendRequest(plain, route, { headers: makeCredential(route, fresh), body: 'nothing=1' })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
  })
})

describe('returns 401 as a page with www-authenticate to a browser without the session of an operator or a buyer', () => {
  const pages = routes.filter(({ auth, success }) => auth.endsWith('-page') && success?.includes(401))
  test.each(pages.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    const reply = await sendRequest(plain, route, route.form ? { body: 'token=wrong' } : {})
    expect(['content-type', 'www-authenticate'].map((name) => reply.headers.get(name))).toEqual([
      'text/html; charset=utf-8',
      'Bearer resource_metadata="http://127.0.0.1:8787/.well-known/oauth-protected-resource"',
    ])
    expect(reply.status).toBe(401)
  })
})

describe('an operator with the role viewer', () => {
  const reads = routes.filter(({ auth, method }) => auth === 'admin' && method === 'GET')
  test.each(reads.map((route) => [`reads GET ${route.path}`, route] as const))('%s', async (_, route) => {
    const reply = await sendRequest(plain, route, { headers: { authorization: `Bearer ${viewer.token}` } })
    expect([200, 400, 404]).toContain(reply.status)
  })

  const changes = routes.filter(({ auth, method }) => auth === 'admin' && method !== 'GET')
  test.each(changes.map((route) => [`is refused ${route.method} ${route.path}`, route] as const))(
    '%s',
    async (_, route) => {
      const reply = await sendRequest(plain, route, { headers: { authorization: `Bearer ${viewer.token}` } })
      expect([reply.status, reply.json]).toEqual([403, { ok: false, error: 'read_only' }])
    },
  )

  // A viewer may sign in and out, and may change their own passkeys.
  const forms = routes.filter(
    ({ auth, form, path }) => auth === 'admin-page' && form && !/^\/admin\/(?:sign-|keys\/)/.test(path),
  )
  test.each(forms.map((route) => [`is refused POST ${route.path}`, route] as const))('%s', async (_, route) => {
    const { cookies } = await plain.ask('POST', '/admin/sign-in', { form: { token: viewer.token } })
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
    const reply = await sendRequest(plain, route, { headers: { cookie: cookie.join('; ') }, body: 'nothing=1' })
    expect([reply.status, reply.json]).toEqual([403, { ok: false, error: 'read_only' }])
  })
})

testRoutes('cross_site_request', 403, () => ({
  alone: true,
  headers: { ...jane.cookie, 'sec-fetch-site': 'cross-site' },
}))
testRoutes('unsupported_content_type', 415, () => ({ headers: { 'content-type': 'text/plain' } }))
testRoutes('body_too_large', 413, (route) => ({
  body: `"${'x'.repeat((route.path === '/api/ingest' ? 4096 : (route.bodyLimit ?? 256 * 1024)) + 1)}"`,
}))
testRoutes('invalid_json', 400, () => ({ body: '{"a":' }))
testRoutes('invalid_body', 400, () => ({ body: '{"__proto__":1}' }))
testRoutes('invalid_idempotency_key', 400, () => ({ headers: { 'idempotency-key': 'x'.repeat(256) } }))
testRoutes('invalid_id', 400, () => ({ params: '!'.repeat(2000) }))
testRoutes('invalid_query', 400, (route) => {
  const name = Object.keys(route.query!.shape)[0]!
  return { query: `?${name}=a&${name}=b` }
})
testRoutes('upgrade_required', 426, () => ({ headers: { 'x-cli-version': '8.9.9' } }), gated)

describe('returns 400 for NUL in a query parameter', () => {
  const queried = routes.flatMap((route) => Object.keys(route.query?.shape ?? {}).map((name) => [route, name] as const))
  test.each(queried.map(([route, name]) => [`${route.method} ${route.path}?${name}`, route, name] as const))(
    '%s',
    async (_, route, name) => {
      const headers = makeCredential(route, jane)
      for (const value of ['%00', 'a%00b'])
        expect((await sendRequest(plain, route, { headers, query: `?${name}=${value}` })).status).toBe(400)
    },
  )
})

describe('a rate limiter that refuses every call', () => {
  beforeAll(() => {
    full = true
    return () => void (full = false)
  })
  // The limiter counts an operator's request only if the token is wrong.
  testRoutes(
    'rate_limited',
    429,
    ({ auth }) => (auth === 'admin' ? { alone: true, headers: { authorization: 'Bearer wrong' } } : {}),
    limited,
    () => joe,
  )
})

test('every path returns 405 with Allow for a method without a route', async () => {
  for (const route of routes) {
    const reply = await sendRequest(plain, { ...route, method: 'PROPFIND' as 'GET' }, {})
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')?.split(', ')).toContain(route.method)
  }
})
