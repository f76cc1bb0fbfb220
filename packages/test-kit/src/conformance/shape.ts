import type { RouteShape } from '@tributary/core/adapter'
import { check, type Check, type Need } from './check.ts'
import type { Context } from './context.ts'
import { routes } from './contract.ts'
import { matchIssues } from './matchers.ts'
import { makeBuyer } from './people.ts'
import type { Headers } from './run-state.ts'

/**
 * Checks that follow from a route's shape. They run on every route in the contracts, so a new route is checked without
 * a change in this file. Checks of a single route are in the files of its capability.
 */
const stranger = { authorization: `Bearer trb_${'nobody'.repeat(6)}` }
const id = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'

const programs = routes.filter(
  ({ path, form, reply }) =>
    (path.startsWith('/api/') || path.startsWith('/.well-known/')) && !form && reply !== 'page',
)
const guarded = programs.filter(({ auth }) => ['bearer', 'bearer-or-cookie', 'cookie', 'admin', 'buyer'].includes(auth))
const bodied = programs.filter(({ body, raw }) => body !== undefined || raw === 'json')
const changing = programs.filter(
  ({ auth, method }) => method !== 'GET' && ['bearer-or-cookie', 'cookie'].includes(auth),
)

const nameSection = ({ id: number, path }: RouteShape, section: number): string =>
  number ?? (path.includes('/v1/') || path.includes('well-known') ? 'reports' : `decisions ${section}`)
const formatTitle = ({ method, path }: RouteShape): string => `${method} ${path}`
const fillPath = ({ path }: RouteShape): string => path.replace(':secret', '0'.repeat(64)).replace(/:[a-zA-Z]+/g, id)

/** Returns the expected body of a failure, in the envelope of its endpoint. */
function makeFailure({ envelope, issues }: RouteShape, error: string): Record<string, unknown> {
  if (envelope === 'ad' && error === 'unauthorized') return { ad: null, nonce: null, ttlMs: null, needsLogin: true }
  return {
    ...(envelope === 'ok' ? { ok: false } : {}),
    error,
    ...(error === 'invalid_body' && issues ? { issues: matchIssues() } : {}),
  }
}

/** Returns the requirements for a request to pass authentication and the gate of `POST /api/ingest`. */
function listNeeds({ auth, path }: RouteShape): Need[] {
  if (auth === 'admin' || auth === 'buyer') return ['operator']
  if (['none', 'optional', 'admin-page', 'buyer-page'].includes(auth)) return []
  if (auth === 'cookie' || auth === 'page') return ['mailbox']
  return path === '/api/ingest' || path === '/api/ingest/uploads' ? ['contributor'] : ['person']
}

async function makeCredential(route: RouteShape, context: Context): Promise<Headers> {
  if (route.auth === 'buyer') return (await makeBuyer(context.stage)).bearer
  const [need] = listNeeds(route)
  if (need === undefined) return {}
  if (need === 'operator') return context.operator()
  if (need === 'mailbox') return (await context.own('main')).cookie
  return (await (need === 'contributor' ? context.contributor() : context.person())).bearer
}

const operated = guarded.find(({ auth }) => auth === 'admin')

/** Checks of requests without a credential and with an unknown token. */
export const unauthorized: readonly Check[] = guarded.map((route) =>
  check(
    nameSection(route, 3),
    `${formatTitle(route)} without a credential returns 401 in its envelope`,
    [],
    async ({ ask, target }) => {
      const { status } = await ask(route.method, fillPath(route))
      // A service without an operator has no routes for operators.
      const [wanted, error] =
        route.auth === 'admin' && target.adminToken === undefined && status === 404
          ? ([404, 'not_found'] as const)
          : ([401, 'unauthorized'] as const)
      // An address that guesses an operator's token is blocked for a minute, so only one guess is made for all of these
      // routes.
      const guesses = route.auth === 'admin' && route !== operated ? [{}] : [{}, stranger]
      for (const as of guesses) await ask(route.method, fillPath(route), { as }).is(wanted, makeFailure(route, error))
    },
  ),
)

const paths = [...new Set(programs.map(({ path }) => path))]

/** Checks that `allow` lists the methods of a path, and HEAD if GET is one of them. */
export const methods: readonly Check[] = paths.map((path) => {
  const own = programs.filter((route) => route.path === path)
  const route = own[0]!
  const has = own.flatMap(({ method, hasSideEffects }) =>
    method === 'GET' && !hasSideEffects ? ['GET', 'HEAD'] : [method],
  )
  const other = (['PUT', 'PATCH', 'DELETE', 'POST'] as const).find((method) => !has.includes(method))!
  return check(nameSection(route, 1), `${path} has ${has.join(', ')} and no other method`, [], async ({ ask }) => {
    const reply = await ask(other, fillPath(route)).is(405, makeFailure(route, 'method_not_allowed'))
    const allow = (reply.header('allow') ?? '').split(', ')
    reply.must(
      allow.length === has.length && has.every((method) => allow.includes(method)),
      `allow: ${has.join(', ')}`,
      `it is ${allow.join(', ')}`,
    )
  })
})

/** Checks of bodies that are invalid for every route. */
export const bodies: readonly Check[] = bodied.map((route) =>
  check(
    nameSection(route, 1),
    `${formatTitle(route)} refuses other content types, broken JSON, prototype keys and a body that is too large`,
    listNeeds(route),
    async (context) => {
      const as = await makeCredential(route, context)
      const send = (body: string, type = 'application/json') =>
        context.ask(route.method, fillPath(route), { as, body, type })
      await send('{}', 'text/plain').is(415, makeFailure(route, 'unsupported_content_type'))
      await send('{"a":').is(400, makeFailure(route, 'invalid_json'))
      await send('{"a":{"__proto__":{"b":1}}}').is(400, makeFailure(route, 'invalid_body'))
      // The compressed body has a few hundred bytes. The limit of a batch depends on the host, and the checks of
      // uploads test it.
      const limit = route.bodyLimit ?? 256 * 1024
      if (route.raw) return
      const large = await context.ask(route.method, fillPath(route), { as, body: ' '.repeat(limit + 1), gzip: true })
      large.is(413, makeFailure(route, 'body_too_large')).has('x-body-limit', String(limit))
    },
  ),
)

const refusesValue = (schema: RouteShape['params'], value: string): boolean =>
  schema !== undefined &&
  !schema.safeParse(Object.fromEntries(Object.keys(schema.shape).map((name) => [name, value]))).success

/** A text that is longer than all ids, for paths in which an id may be any text. */
const endless = 'x'.repeat(1000)

/** Checks that a path with a value that is not an id is refused before the service looks anything up. */
export const ids: readonly Check[] = programs
  .filter(({ params }) => refusesValue(params, endless))
  .map((route) =>
    check(
      nameSection(route, 1),
      `${formatTitle(route)} returns an error for an invalid id`,
      listNeeds(route),
      async (context) => {
        const as = await makeCredential(route, context)
        const body = bodied.includes(route) ? { body: '{}' } : {}
        const wrong = refusesValue(route.params, 'no-id') ? 'no-id' : endless
        await context
          .ask(route.method, route.path.replace(/:[a-zA-Z]+/g, wrong), { as, ...body })
          .is(400, makeFailure(route, 'invalid_id'))
      },
    ),
  )

const shown = routes.filter(({ reply, method }) => reply === 'page' && method === 'GET')

/** Checks of queries with a repeated name. Such a query is ambiguous, so neither value is used. */
export const queries: readonly Check[] = [...programs, ...shown]
  .filter(({ query }) => query !== undefined && Object.keys(query.shape).length > 0)
  .map((route) =>
    check(
      nameSection(route, 1),
      `${formatTitle(route)} returns 400 for a repeated query parameter`,
      [...listNeeds(route), 'repeats'],
      async (context) => {
        const as = await makeCredential(route, context)
        const name = Object.keys(route.query!.shape)[0]!
        await context
          .ask(route.method, `${fillPath(route)}?${name}=a&${name}=b`, { as })
          .is(400, makeFailure(route, route.badQuery ?? 'invalid_query'))
      },
    ),
  )

/** Checks of unknown query parameters. Only the numbered endpoints, which have an `id`, ignore them. */
export const misspeltQueries: readonly Check[] = programs
  .filter(({ id, query }) => id === undefined && query !== undefined && Object.keys(query.shape).length > 0)
  .map((route) =>
    check(
      nameSection(route, 1),
      `${formatTitle(route)} returns 400 for an unknown query parameter, with the nearest name`,
      listNeeds(route),
      async (context) => {
        const as = await makeCredential(route, context)
        const name = Object.keys(route.query!.shape).toSorted((a, b) => b.length - a.length)[0]!
        const reply = await context.ask(route.method, `${fillPath(route)}?${name}s=a`, { as })
        reply.is(400, makeFailure(route, 'invalid_query'))
        const { path, message } = reply.json.issues[0]
        reply.must(
          path[0] === `${name}s` && (name.length === 1 || message.includes(`did you mean ${name}?`)),
          `an issue of ${name}s that names ${name}`,
        )
      },
    ),
  )

/** Checks of requests from other sites' pages, with which browsers also send a cookie. */
export const crossSite: readonly Check[] = changing.map((route) =>
  check(
    nameSection(route, 3),
    `${formatTitle(route)} by cookie from another site returns 403`,
    ['mailbox'],
    async ({ ask, own }) => {
      const { cookie } = (await own('main')).cookie as { cookie: string }
      for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        await ask(route.method, fillPath(route), { as: { cookie }, headers }).is(
          403,
          makeFailure(route, 'cross_site_request'),
        )
      }
    },
  ),
)

const pages = routes.filter(({ auth, method }) => auth === 'page' && method === 'GET')

/**
 * Checks that a page redirects a person who is not signed in to the sign-in page, which returns to the page afterwards.
 */
export const signIns: readonly Check[] = pages.map((route) =>
  check(
    'sign-in',
    `${formatTitle(route)} redirects to the sign-in page without a session`,
    [],
    async ({ ask, target }) => {
      const path = route.path.replace(/:[a-zA-Z]+/g, 'device-1')
      const reply = await ask('GET', path).is(303)
      const [to, next] = (reply.header('location') ?? '').split('?next=')
      reply.must(
        to!.endsWith('/sign-in') && decodeURIComponent(next ?? '') === path,
        `location: ${target.prefix ?? ''}/sign-in?next=${encodeURIComponent(path)}`,
        `it is ${reply.header('location')}`,
      )
    },
  ),
)

const forms = routes.filter(({ form, anyOrigin }) => form !== undefined && !anyOrigin)

/** Checks of forms from other sites. Forms have no CSRF token, so the service checks from which site a form is sent. */
export const forged: readonly Check[] = forms.map((route) =>
  check(
    'sign-in',
    `${formatTitle(route)} refuses a form from another site, JSON, and more than 256 KiB`,
    route.auth === 'page' ? ['mailbox'] : [],
    async ({ ask, own }) => {
      const body = { body: 'a=1', type: 'application/x-www-form-urlencoded' }
      for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
        await ask('POST', fillPath(route), { ...body, headers }).is(403, makeFailure(route, 'cross_site_request'))
      }
      const as = route.auth === 'page' ? (await own('main')).cookie : { 'sec-fetch-site': 'same-origin' }
      await ask('POST', fillPath(route), { as, json: {} }).is(415, makeFailure(route, 'unsupported_content_type'))
      const large = await ask('POST', fillPath(route), { ...body, as, body: 'a'.repeat(256 * 1024 + 1), gzip: true })
      large.is(413, makeFailure(route, 'body_too_large')).has('x-body-limit', String(256 * 1024))
    },
  ),
)
