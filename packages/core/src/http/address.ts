import type { PlainRequest } from './message.ts'

/**
 * The caller's address: the socket's, or with `trustedProxies` n the n-th from the right of `x-forwarded-for`. Fewer
 * entries than trusted proxies means that nobody trusted wrote them, so the socket's stands.
 */
export function callerAddress(request: PlainRequest, trustedProxies: number): string | null {
  if (trustedProxies <= 0) return request.address
  const hops = (request.headers['x-forwarded-for'] ?? '').split(',').map((hop) => hop.trim()).filter((hop) => hop !== '')
  return hops.at(-trustedProxies)?.slice(0, 64) ?? request.address
}

/**
 * Whether a change asked for by cookie comes from our own pages (decisions section 3): the browser says so itself in
 * `sec-fetch-site`, or names an origin that is ours or configured.
 */
export function fromOurPages(request: PlainRequest, origins: readonly string[]): boolean {
  const site = request.headers['sec-fetch-site']
  if (site === 'same-origin' || site === 'none') return true
  const origin = request.headers['origin']
  return origin !== undefined && origins.includes(origin)
}
