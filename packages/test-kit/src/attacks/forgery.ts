import type { RouteShape } from '@tributary/core/adapter'
import { check, type Check } from '../conformance/check.ts'
import { routes } from '../conformance/contract.ts'
import { readState, makeVictim } from './victim.ts'

/** The headers that an old or a new browser sends when a page of another site makes the request. */
const origins: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site', 'origin': 'null', 'referer': 'https://evil.example/' },
  { referer: 'https://evil.example/' },
]

const changing = routes.filter(
  ({ method, auth, form, anyOrigin }) =>
    method !== 'GET' && ((form !== undefined && !anyOrigin) || auth === 'cookie' || auth === 'bearer-or-cookie'),
)
const json = { body: '{}', type: 'application/json' }
/** Types that a form of another site can send without a preflight. */
const simpleTypes = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=b']

const fillPath = ({ path }: RouteShape): string => path.replace(/:[a-zA-Z]+/g, '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71')

/** Sends every request that changes something with the victim's cookie, as a page of another site would send it. */
export const forgery: readonly Check[] = [
  ...changing.map((route) =>
    check('API2', `${route.method} ${route.path} from another site`, ['mailbox', 'contributor'], async (context) => {
      const { ask, stage } = context
      const { cookie } = (await makeVictim(stage)).cookie as { cookie: string }
      const before = await readState(context)
      const sent = route.form ? { body: 'a=1', type: 'application/x-www-form-urlencoded' } : json
      for (const headers of origins) {
        const reply = await ask(route.method, fillPath(route), { headers: { cookie, ...headers }, ...sent })
        reply.must(reply.status === 403 || reply.status === 401, "403, or 401 for a page of the operator's")
      }
      if (!route.form) {
        for (const type of simpleTypes) {
          const reply = await ask(route.method, fillPath(route), {
            headers: { cookie, 'sec-fetch-site': 'cross-site' },
            body: '{}',
            type,
          })
          reply.must(reply.status >= 400, 'a refusal')
        }
      }
      const reply = await ask('GET', '/api/traces/access', { headers: { cookie } })
      reply.must((await readState(context)) === before, "the victim's data as it was", 'it was changed')
    }),
  ),
  check(
    'API2',
    "GET of every page and of every operation with the victim's cookie changes nothing",
    ['mailbox', 'contributor'],
    async (context) => {
      const { ask, stage } = context
      const { cookie } = (await makeVictim(stage)).cookie as { cookie: string }
      const before = await readState(context)
      let reply = await ask('GET', '/account', { headers: { cookie, 'sec-fetch-site': 'cross-site' } })
      for (const route of routes) {
        if (route.method === 'GET')
          reply = await ask('GET', fillPath(route), { headers: { cookie, 'sec-fetch-site': 'cross-site' } })
      }
      reply.must((await readState(context)) === before, "the victim's data as it was", 'it was changed')
    },
  ),
  check(
    'API8',
    'another site cannot read a reply: there are no CORS headers, and no preflight succeeds',
    ['mailbox'],
    async ({ ask, own }) => {
      const { cookie } = await own('stranger')
      for (const path of ['/api/traces', '/api/account/export', '/api/cli/session', '/account']) {
        const reply = await ask('GET', path, {
          as: cookie,
          headers: { 'origin': 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        })
        reply.has('access-control-allow-origin', null).has('access-control-allow-credentials', null)
      }
    },
  ),
  check('API2', 'the session cookie is HttpOnly and SameSite', ['mailbox'], async ({ ask, stage, target }) => {
    const email = `conformance-${stage.run}-cookie@conformance.example`
    const headers = { 'sec-fetch-site': 'same-origin' }
    const form = { type: 'application/x-www-form-urlencoded', headers }
    const asked = await ask('POST', '/sign-in', { ...form, body: new URLSearchParams({ email }).toString() }).is(303)
    const challenge = asked
      .all('set-cookie')
      .map((cookie) => cookie.split(';')[0])
      .join('; ')
    const body = new URLSearchParams({ email, code: await target.code!(email) }).toString()
    const signed = await ask('POST', '/sign-in', {
      ...form,
      headers: { ...headers, ...(challenge ? { cookie: challenge } : {}) },
      body,
    }).is(303)
    const session = signed.all('set-cookie').find((cookie) => /session=[^;]{20,}/.test(cookie)) ?? ''
    signed.must(
      /; ?HttpOnly/i.test(session) && /; ?SameSite=(Lax|Strict)/i.test(session),
      "a session's cookie that is HttpOnly and SameSite",
      session.replace(/=[^;]+/, '=…'),
    )
    const as = { cookie: session.split(';')[0]!, ...headers }
    await ask('DELETE', '/api/account', { as }).is(200)
  }),
]
