import { check, type Check } from './check.ts'
import { routes } from './contract.ts'
import { makeMatcher } from './matchers.ts'

/** Checks of the documents and probes of every host, and of the metrics of a host with a long-running process. */
export const host: readonly Check[] = [
  ...['/healthz', '/readyz'].map((path) =>
    check('host', `${path} returns 200`, [], async (context) => {
      await context.ask('GET', path).is(200, { ok: true })
      await context.ask('POST', path, { json: {} }).is(405, { ok: false, error: 'method_not_allowed' })
    }),
  ),
  check('host', '/metrics returns Prometheus text', [], async (context) => {
    const { target } = context
    // Without this route, an app around the service may answer. The check ignores such a reply.
    const { status } = await target.request('GET', `${target.prefix ?? ''}/metrics`)
    if (status === 404) context.skip('this host has no /metrics')
    const reply = await context.ask('GET', '/metrics')
    reply
      .is(200)
      .has('content-type', /^text\/plain/)
      .must(/^# (?:HELP|TYPE) \w+/m.test(reply.text), 'lines of # HELP and # TYPE')
  }),
  check('host', '/openapi.json describes every endpoint of the interface', [], async (context) => {
    const reply = await context.ask('GET', '/openapi.json')
    const paths = reply.is(200).json.paths as Record<string, Record<string, unknown>>
    const missing = routes
      .filter(({ id }) => id !== undefined)
      .filter(({ method, path }) => paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] === undefined)
    reply.must(
      missing.length === 0 && /^3\.1/.test(reply.json.openapi),
      'OpenAPI 3.1 with E1 to E20',
      `missing: ${missing.map(({ id }) => id).join(', ')}`,
    )
  }),
  check('host', 'documents contain the routes of operators only for operators', ['operator'], async (context) => {
    for (const path of ['/openapi.json', '/llms.txt']) {
      const [plain, full] = [
        await context.ask('GET', path).is(200),
        await context.ask('GET', path, { as: context.operator() }).is(200),
      ]
      plain.must(!plain.text.includes('/api/admin'), 'no route of operators')
      full.must(full.text.includes('/api/admin/jobs'), 'the routes of operators')
      await context.ask('GET', path, { as: { authorization: `Bearer trb_${'nobody'.repeat(6)}` } }).is(401)
    }
  }),
  check('host', '/docs is a page that lists the endpoints, without scripts', [], async (context) => {
    const reply = await context.ask('GET', '/docs')
    reply
      .is(200)
      .has('content-type', 'text/html; charset=utf-8')
      .must(
        ['/api/ingest', '/api/ad', '/api/v1/feedback'].every((path) => reply.text.includes(path)) &&
          !reply.text.includes('<script'),
        'a page without scripts',
      )
  }),
  check('host', '/privacy is a page', [], async (context) => {
    const reply = await context.ask('GET', '/privacy')
    reply
      .is(200)
      .has('content-type', 'text/html; charset=utf-8')
      .must(reply.text.includes('<h1'), 'a page with a heading')
  }),
  check('host', '/llms.txt lists the endpoints as Markdown', [], async (context) => {
    const reply = await context.ask('GET', '/llms.txt')
    reply
      .is(200)
      .has('content-type', 'text/plain; charset=utf-8')
      .must(reply.text.startsWith('# ') && reply.text.includes('/api/ingest'), 'a text that begins with a heading')
  }),
]

const makeUpgradeFailure = (minVersion: string) => ({
  error: 'upgrade_required',
  minVersion,
  upgradeCommand: makeMatcher('a command', (value) => typeof value === 'string' && value !== ''),
})
const gated = routes.filter((route) => route.requiresClientVersion)
const open = routes.filter(
  (route) =>
    route.id !== undefined && !route.requiresClientVersion && route.method === 'GET' && !route.path.includes(':'),
)

/** Checks of the gate for client versions. */
export const gate: readonly Check[] = [
  ...gated.map(({ id, method, path }) =>
    check(id!, 'an older client gets 426 before its token is checked', ['min-version'], async ({ ask, target }) => {
      for (const version of ['0.0.0', '0.0.1-rc.1', `${target.minVersion!.split('-')[0]}-0`].slice(
        0,
        target.minVersion!.includes('-') ? 2 : 3,
      )) {
        for (const as of [{}, { authorization: 'Bearer trb_nobody' }])
          await ask(method, path, { as, headers: { 'x-cli-version': version } }).is(
            426,
            makeUpgradeFailure(target.minVersion!),
          )
      }
    }),
  ),
  check(
    'client-version',
    'the minimum version and later versions are served',
    ['min-version', 'person'],
    async ({ ask, person, target }) => {
      const { bearer, userId } = await person()
      for (const version of [target.minVersion!, `${target.minVersion}+build.7`, '999.0.0'])
        await ask('GET', '/api/cli/session', { as: bearer, headers: { 'x-cli-version': version } }).is(200, {
          ok: true,
          userId,
        })
    },
  ),
  ...open.map(({ id, path }) =>
    check(id!, 'clients of any version are served', ['min-version'], async ({ ask }) => {
      const reply = await ask('GET', path, { headers: { 'x-cli-version': '0.0.0' } })
      reply.must(reply.status !== 426, 'any answer but 426')
    }),
  ),
]
