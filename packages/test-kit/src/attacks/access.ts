import type { RouteShape } from '@tributary/core/adapter'
import { makeCampaign } from '../conformance/campaign.ts'
import { check, type Check } from '../conformance/check.ts'
import { routes } from '../conformance/contract.ts'
import { createToken } from '../conformance/people.ts'
import type { CheckRequest } from '../conformance/run-state.ts'
import { actors, makeHeaders, readState, makeVictim, type Actor, type Victim } from './victim.ts'

const unknownId = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'

/** Bodies that would read or change the victim's data, by method and path. */
const bodies: Readonly<Record<string, (victim: Victim) => Record<string, unknown>>> = {
  'POST /api/traces/bulk': ({ traceId }) => ({ ids: [traceId], action: 'exclude' }),
  'DELETE /api/traces/bulk': ({ traceId }) => ({ ids: [traceId] }),
  'PATCH /api/traces/:id': () => ({ sellExcluded: true }),
  'POST /api/traces/known': () => ({ hashes: ['0'.repeat(64)] }),
  'POST /api/program/claim': ({ deviceId }) => ({ deviceId }),
  'POST /api/ingest/uploads': () => ({ bytes: 100 }),
  'PATCH /api/account': () => ({ paused: true }),
  'POST /api/account/terms': () => ({ termsVersion: 'an-older-one', residencyConfirmed: true }),
  'POST /api/account/contact': () => ({ name: 'Somebody else', email: 'else@conformance.example' }),
  'PUT /api/account/consent': () => ({ attribution: true, pixel: true }),
  'POST /api/cli/device/start': () => ({ machine: 'attack' }),
  'POST /api/cli/device/approve': () => ({ userCode: 'BBBB-BBBB' }),
  'POST /api/cli/device/deny': () => ({ userCode: 'BBBB-BBBB' }),
  'POST /api/auth/email/verify': ({ email }) => ({ email, code: '000000' }),
  'POST /api/admin/sales': ({ traceId }) => ({ buyer: 'attack', traceIds: [traceId], usd: 1 }),
  'POST /api/admin/applications/:id': () => ({ decision: 'reject' }),
  'POST /api/admin/contributors/:userId': () => ({ paused: true }),
  'PATCH /api/admin/reports/:id': () => ({ status: 'spam' }),
  'PATCH /api/admin/campaigns/:id': () => ({ status: 'paused' }),
  'POST /api/ad/feedback': ({ deviceId }) => ({ deviceId, token: 'x'.repeat(40), vote: 'up' }),
  'POST /traces': ({ traceId }) => ({ ids: traceId, action: 'delete', confirmed: 'yes' }),
  'POST /account': ({ machineId }) => ({ action: 'revoke', id: machineId }),
  'POST /contact': () => ({ name: 'Somebody else', email: 'else@conformance.example' }),
  'POST /device': () => ({ code: 'BBBB-BBBB', decision: 'approved' }),
  'POST /admin/applications/review': ({ applicationId }) => ({ id: applicationId, decision: 'reject' }),
  'POST /admin/contributors/pause': ({ userId }) => ({ userId, paused: 'yes' }),
  'POST /admin/jobs/retry': ({ jobId }) => ({ jobId }),
  'POST /admin/sales/sell': () => ({ buyer: 'attack', usd: '1' }),
}

/** Operations that end the caller's account or session. */
const ending = new Set(['DELETE /api/account', 'POST /api/auth/sign-out', 'POST /sign-out'])
/** Ids of the victim's data, by the path that contains an id. */
const ids: readonly (readonly [path: RegExp, id: (victim: Victim) => string])[] = [
  [/^\/api\/traces\/:id/, ({ traceId }) => traceId],
  [/^\/api\/ingest\/jobs\/|^\/api\/admin\/jobs\//, ({ jobId }) => jobId],
  [/^\/api\/account\/machines\//, ({ machineId }) => machineId],
  [/^\/api\/admin\/contributors\//, ({ userId }) => userId],
  [/^\/api\/admin\/applications\//, ({ applicationId }) => applicationId],
  [/^\/earn\//, ({ deviceId }) => deviceId],
]

const formatTitle = ({ method, path }: RouteShape): string => `${method} ${path}`

/** Builds the request of an operation on the victim's data. */
function requestOf(route: RouteShape, victim: Victim): { path: string; isAimed: boolean; body: CheckRequest } {
  const id = ids.find(([path]) => path.test(route.path))?.[1](victim)
  const path = route.path.replace(':secret', '0'.repeat(64)).replace(/:[a-zA-Z]+/g, id ?? unknownId)
  const json = bodies[formatTitle(route)]?.(victim)
  if (route.form) {
    return {
      path,
      isAimed: id !== undefined,
      body: {
        body: new URLSearchParams(json as Record<string, string>).toString(),
        type: 'application/x-www-form-urlencoded',
      },
    }
  }
  const hasBody = route.method !== 'GET' && (json !== undefined || route.body !== undefined || route.raw !== undefined)
  return { path, isAimed: id !== undefined, body: hasBody ? { json: json ?? {} } : {} }
}

/** Returns whether an operation is for operators, so that everybody else must be refused. */
const isOperators = ({ auth }: RouteShape): boolean => auth === 'admin' || auth === 'admin-page'
const isAttack = (route: RouteShape, actor: Actor): boolean =>
  !(isOperators(route) && actor === 'operator') && !(route.auth === 'buyer' && actor === 'buyer')
/**
 * Returns whether an operation signs somebody in. Such an operation answers everybody who knows an address or a code,
 * and reveals nothing about a person.
 */
const isSignIn = ({ path }: RouteShape): boolean => path === '/sign-in' || path.startsWith('/admin/sign-')

/** Calls each operation as each actor, and checks that no data of the victim is read or changed. */
export const access: readonly Check[] = routes.flatMap((route) =>
  actors
    .filter((actor) => isAttack(route, actor))
    .map((actor) =>
      check(
        isOperators(route) ? 'API5' : 'API1',
        `${formatTitle(route)} by ${actor}`,
        ['mailbox', 'contributor', 'operator'],
        async (context) => {
          const { stage, ask } = context
          const victim = await makeVictim(stage)
          const as = await makeHeaders(
            context,
            actor,
            ending.has(formatTitle(route)) ? formatTitle(route).replace(/\W+/g, '-').toLowerCase() : null,
          )
          const before = route.method === 'GET' && !route.hasSideEffects ? null : await readState(context)
          const { path, isAimed, body } = requestOf(route, victim)
          // With another origin a form would be refused for that reason alone, and the attack would prove nothing.
          const headers = route.form ? { 'sec-fetch-site': 'same-origin' } : {}
          const reply = await ask(route.method, path, { as, headers, ...body })
          const leaked = victim.secrets.find(
            (secret) => reply.text.includes(secret) && !JSON.stringify(body).includes(secret),
          )
          reply.must(leaked === undefined, "nothing of the victim's", "a text of the victim's is in it")
          reply.must(reply.status < 500, 'an answer below 500')
          if (isOperators(route) && !isSignIn(route))
            reply.must(reply.status === 401 || reply.status === 404, 'a refusal, 401 or 404')
          if (isAimed) reply.must(reply.status >= 300, "a refusal of what is the victim's")
          if (before !== null)
            reply.must((await readState(context)) === before, "the victim's data as it was", 'it was changed')
        },
      ),
    ),
)

/** Checks that the attacked routes are exactly the routes in the documents. */
export const inventory: readonly Check[] = [
  check('API9', 'documents for other readers contain no route of operators', ['person'], async ({ ask, person }) => {
    for (const as of [{}, (await person()).bearer])
      for (const path of ['/openapi.json', '/llms.txt'])
        (await ask('GET', path, { as }).is(200)).must(
          !(await ask('GET', path, { as })).text.includes('/api/admin'),
          'no route of operators',
        )
  }),
  check('API9', 'every operation of /openapi.json is attacked', ['operator'], async ({ ask, operator }) => {
    const reply = await ask('GET', '/openapi.json', { as: operator() }).is(200)
    const paths = reply.json.paths as Record<string, Record<string, unknown>>
    const known = new Set(
      routes.map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:([a-zA-Z]+)/g, '{$1}')}`),
    )
    const methods = ['get', 'post', 'put', 'patch', 'delete']
    const listed = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((name) => methods.includes(name))
        .map((name) => `${name} ${path}`),
    )
    const missing = listed.filter(
      (operation) =>
        !known.has(operation) && !/ \/(healthz|readyz|metrics|openapi\.json|docs|llms\.txt)$/.test(operation),
    )
    reply.must(listed.length > 40 && missing.length === 0, 'operations that are all attacked', missing.join(', '))
  }),
]

/** Attacks on links that need no credential: with revoked links, and with the tokens of other people. */
export const links: readonly Check[] = [
  check(
    'API1',
    'the link of an account export stops working when the token that requested the export is revoked',
    ['mailbox'],
    async ({ ask, own, stage, target, eventually }) => {
      const { cookie } = await own('exporter')
      const as = { authorization: `Bearer ${await createToken(stage, cookie)}` }
      const { id } = (await ask('POST', '/api/account/exports', { as }).is(202)).json.export
      await target.work?.()
      const readUrl = async (): Promise<string> => {
        const reply = await ask('GET', `/api/account/exports/${id}`, { as }).is(200)
        reply.must(reply.json.export.status === 'ready', 'a ready export')
        return reply.json.export.url
      }
      await eventually(readUrl, stage.scheduledMs)
      const url = await readUrl()
      const at = url.indexOf('/api/account/exports/files/')
      if (at < 0) return // The link leads to another store, not to the service.
      await ask('GET', url.slice(at)).is(200)
      await ask('POST', '/api/auth/sign-out', { as }).is(200)
      await ask('GET', url.slice(at)).is(404)
      await ask('GET', `/api/account/exports/${id}`, { as: cookie }).is(404)
    },
  ),
  check(
    'API1',
    'only the unchanged token of a sponsor opens the campaign, and this token opens nothing else',
    ['operator', 'person'],
    async ({ ask, operator, person, stage }) => {
      const as = operator()
      const start = async (name: string) => {
        const json = { ...makeCampaign(stage.run, name), startsAt: '2099-01-01T00:00:00Z' }
        const { id } = (await ask('POST', '/api/admin/campaigns', { as, json }).is(201)).json.campaign
        stage.addCleanup(() =>
          stage.ask('PATCH', `/api/admin/campaigns/${id}`, { as: operator(), json: { status: 'paused' } }).is(200),
        )
        return { id, text: json.text }
      }
      const [mine, foreign] = [await start('mine'), await start('foreign')]
      const { token } = (await ask('POST', `/api/admin/campaigns/${mine.id}/sponsor-link`, { as }).is(200)).json
      const page = await ask('GET', `/sponsor/${token}`).is(200)
      page.must(page.text.includes(mine.text) && !page.text.includes(foreign.text), 'its own campaign alone')
      const own = (await person()).bearer['authorization']!.slice(7)
      const strange = [
        own,
        own.replace('trb_', 'trbs_'),
        `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`,
        token.toLowerCase(),
        `${token}%00`,
        '%27%20or%201=1--',
        foreign.id,
      ]
      for (const one of strange) for (const suffix of ['', '.csv']) await ask('GET', `/sponsor/${one}${suffix}`).is(404)
      const sponsor = { authorization: `Bearer ${token}` }
      for (const path of [`/api/admin/campaigns/${mine.id}`, '/api/buyer/sales', '/api/traces', '/api/cli/session'])
        await ask('GET', path, { as: sponsor }).is(401)
      await ask('DELETE', `/api/admin/campaigns/${mine.id}/sponsor-link`, { as }).is(200)
      await ask('GET', `/sponsor/${token}`).is(404)
    },
  ),
]
