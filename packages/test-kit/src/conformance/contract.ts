import { createService } from '@tributary/core'
import { impliedFailures, type LoadedRoute } from '@tributary/core/adapter'
import type { SqlClient } from '@tributary/core/libsql'
import { lazyLibsqlStores } from '@tributary/core/libsql-lazy'
import { createFinder } from '../coverage.ts'
import { checkReply } from '../promise.ts'
import type { Answer } from './answer.ts'

// Nobody operates this service, so advice to operators in its log would mislead.
const silent = { info() {}, warn() {}, error() {} }

const reject = () => Promise.reject(new Error('the service that only lists its routes has no database'))
const unused: SqlClient = { execute: reject, batch: reject, close() {} }

/** Every route of the service, as its contracts declare them. */
export const routes: readonly LoadedRoute[] = (
  await createService({ baseUrl: 'http://127.0.0.1', stores: lazyLibsqlStores(unused), logger: silent }).routes()
).map(({ route }) => route)

const find = createFinder(routes.map((route) => ({ name: '', route })))

/** Paths that belong to a host and not to the service. */
const hostPaths = ['/metrics', '/docs/interactive', '/docs/scalar.js', '/llms-full.txt'] as const

/** The paths with the same reply for everybody, which may be cached. */
const cacheablePaths: ReadonlySet<string> = new Set([
  '/assets/tributary.css',
  '/assets/charts.js',
  '/assets/campaign-preview.js',
  '/assets/passkeys.js',
  '/assets/page.js',
  '/api/v1/policy',
  '/.well-known/agent-feedback.json',
])

/**
 * Checks the conditions for every reply, and the contract of its route. `path` is below the mount. Returns the name of
 * the outcome, or null when no contract describes it. Throws `Broken`.
 */
export function checkEveryReply(answer: Answer, path: string): string | null {
  const { status, sent } = answer
  const own = hostPaths.some((one) => one === path) || path.startsWith('/dev/')
  const asked = sent.headers.find(([name]) => name.toLowerCase() === 'x-request-id')?.[1]
  answer.has(
    'x-request-id',
    asked !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(asked) ? asked : /^[A-Za-z0-9._-]{1,128}$/,
  )
  answer.has('x-content-type-options', 'nosniff').has('referrer-policy', 'no-referrer')
  answer.has('cross-origin-opener-policy', 'same-origin')
  answer.has('cross-origin-resource-policy', find('GET', path)?.embeddable ? 'cross-origin' : 'same-origin')
  answer.must(!answer.all('access-control-allow-origin').includes('*'), 'never access-control-allow-origin: *')
  const route = find(sent.method, path)
  answer.has('cache-control', own || (cacheablePaths.has(path) && status === 200) ? /./ : /\bno-store\b/)
  if (status === 401)
    answer.has('www-authenticate', /^Bearer resource_metadata="https?:[^"]+\/\.well-known\/oauth-protected-resource"$/)
  if (status === 405) answer.has('allow', /^[A-Z]+(?:, [A-Z]+)*$/)
  if (status === 413) answer.has('x-body-limit', /^[1-9]\d*$/)
  if (status === 429 || status === 503) answer.has('retry-after', /^[1-9]\d*$/)
  if (status === 204 || sent.method === 'HEAD') answer.must(answer.body.length === 0, 'no body', 'there is one')
  if (status >= 400 && !own) answer.has('link', /^<[^>]*\/\.well-known\/agent-feedback\.json>; rel="agent-feedback"$/)
  if (answer.header('content-type')?.startsWith('text/html'))
    answer.has('content-security-policy', /default-src 'none'/).has('x-frame-options', 'DENY')
  if (own || (sent.method === 'HEAD' && (!route || status === 405))) return null
  if (!route) {
    // If a path does not have the method of a request, the reply has the envelope of another route of the path. Another
    // check tests this envelope.
    const code = status === 405 ? 'method_not_allowed' : 'not_found'
    if (status < 400) return null
    const { ok, error } = answer.json
    answer.must((error.message ?? error) === code && (status === 405 || ok === false), `${status} ${code}`)
    return null
  }
  const type = answer.header('content-type')
  let met: string
  try {
    met = checkReply(
      route,
      sent.method,
      { status, type, text: answer.text, detail: answer.header('x-error-detail') },
      impliedFailures,
    )
  } catch (error) {
    throw answer.broken(
      `what the contract of ${route.method} ${route.path} allows`,
      error instanceof Error ? error.message.split('\n')[0]! : String(error),
    )
  }
  if (answer.status === 429 && answer.json['error'] === 'rate_limited')
    answer.has('ratelimit', /./).has('ratelimit-policy', /;q=\d+;w=\d+/)
  return met
}
