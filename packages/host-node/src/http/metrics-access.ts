import type { PlainRequest, Service } from '@tributary/core'
import type { Page } from './pages.ts'

/** Who may read `/metrics`: everybody; this machine and the operator; `false`: nobody, and nothing is counted. */
export type MetricsAccess = boolean | 'local'

/** Whether a request names this machine as it is called here. A name of somebody's own may lead here too, with their page's script behind it. */
export function namedHere({ headers }: PlainRequest): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:[a-z0-9-]+\.)*localhost)(?::\d+)?$/i.test(headers['host'] ?? '')
}

/** Whether a request comes from this very machine, by its own name and through no proxy that says so. */
function near(request: PlainRequest): boolean {
  const { address, headers } = request
  if (!namedHere(request)) return false
  if (headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined || headers['via'] !== undefined)
    return false
  return address !== null && (address === '::1' || /^(?:::ffff:)?127\./.test(address))
}

const unread = (status: number, error: string, headers: Page['headers'] = []): Page => ({
  status,
  type: 'application/json',
  body: JSON.stringify({ ok: false, error }),
  headers,
})

/**
 * The refusal of a request for the metrics, or null. Routes, traffic and the version of Node are nobody's business, so from
 * elsewhere they take the operator's token. The service judges it: who may list one job, and with the same limit on guesses.
 */
export async function kept(service: Service, who: MetricsAccess, request: PlainRequest): Promise<Page | null> {
  if (who === true || near(request)) return null
  const { authorization } = request.headers
  if (authorization === undefined) return unread(401, 'unauthorized', [['www-authenticate', 'Bearer']])
  const path = `${service.prefix}/api/admin/jobs`
  const reply = await service.handle({ ...request, method: 'GET', path, query: [['limit', '1']], body: null })
  if (reply?.status === 200) return null
  if (reply?.status === 429)
    return unread(
      429,
      'rate_limited',
      reply.headers.filter(([name]) => /^r(?:etry-after|atelimit)/.test(name)),
    )
  if (reply && reply.status >= 500) return unread(503, 'unavailable')
  return unread(401, 'unauthorized', [['www-authenticate', 'Bearer']])
}
