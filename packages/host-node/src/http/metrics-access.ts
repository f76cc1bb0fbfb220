import type { PlainReply, PlainRequest, Service } from '@tributary/core'

/**
 * The access to `/metrics`: `true` for everybody, `local` for this machine and operators, `false` for nobody, so that
 * nothing is counted.
 */
export type MetricsAccess = boolean | 'local'

/**
 * Returns whether the host name of a request is a name of the loopback interface. Other names are refused because they
 * may also resolve to this machine: a page with that host name could then read the reply (DNS rebinding).
 */
function hasLoopbackHost({ headers }: Pick<PlainRequest, 'headers'>): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:[a-z0-9-]+\.)*localhost)(?::\d+)?$/i.test(headers['host'] ?? '')
}

/**
 * Returns whether a request comes from this machine without a proxy. With a trusted proxy the result is always false,
 * because a request through a proxy that sets no header looks like a request from this machine.
 */
export function isLocal(request: Pick<PlainRequest, 'headers' | 'address'>, trustedProxies = 0): boolean {
  const { address, headers } = request
  if (trustedProxies > 0 || !hasLoopbackHost(request)) return false
  if (headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined || headers['via'] !== undefined)
    return false
  return address !== null && (address === '::1' || /^(?:::ffff:)?127\./.test(address))
}

/**
 * Returns the reply that refuses the metrics, or null if the caller may read them. Routes, traffic and versions are not
 * public, so other machines need an operator's token.
 */
export async function refuseMetrics(
  service: Pick<Service, 'refuseUnlessOperator' | 'trustedProxies'>,
  access: MetricsAccess,
  request: PlainRequest,
): Promise<PlainReply | null> {
  return access === true || isLocal(request, service.trustedProxies) ? null : service.refuseUnlessOperator(request)
}
