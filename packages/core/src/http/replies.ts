import { formatIssuesHeader, failureBody, hasIssues, implied, type Failure, type Issue } from './failures.ts'
import type { Headers, PlainReply, PlainRequest } from './message.ts'
import type { PageRenderer } from './page-renderer.ts'
import { Reply, type RouteShape } from './route.ts'

/**
 * Returns the headers of every reply. `secure`: the service is reached over https, and browsers must not use http for a
 * year; other hosts of the domain are not included. `embeddable`: pages of other origins may load the reply without
 * CORS, like an image.
 */
export function standardHeaders(
  requestId: string,
  { secure, embeddable = false }: { readonly secure: boolean; readonly embeddable?: boolean },
): [string, string][] {
  const headers: [string, string][] = [
    ['x-request-id', requestId],
    ...constantHeaders,
    embeddable ? anyOrigin : sameOrigin,
  ]
  if (secure) headers.push(httpsOnly)
  return headers
}

// All replies share these pairs, which must therefore never be changed.
const constantHeaders: [string, string][] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
]
const anyOrigin: [string, string] = ['cross-origin-resource-policy', 'cross-origin']
const sameOrigin: [string, string] = ['cross-origin-resource-policy', 'same-origin']
const httpsOnly: [string, string] = ['strict-transport-security', 'max-age=31536000']

/**
 * Adds the headers that forbid caches to keep a reply. RFC 6749, section 5.1, requires `pragma` of the token endpoint,
 * for caches of HTTP/1.0.
 */
function pushNoStore(headers: [string, string][], { envelope }: Pick<RouteShape, 'envelope'>): void {
  headers.push(['cache-control', 'no-store'])
  if (envelope === 'oauth') headers.push(['pragma', 'no-cache'])
}

function hasHeader(headers: Headers, name: string): boolean {
  return headers.some(([key]) => key === name)
}

/**
 * Builds the reply of a success from the handler's answer. A page is finished in the language of `acceptLanguage`, so
 * its result is a promise.
 */
export function successReply(
  route: RouteShape,
  answer: unknown,
  {
    pages,
    prefix,
    acceptLanguage,
  }: { readonly pages: PageRenderer; readonly prefix: string; readonly acceptLanguage: string | undefined },
  base: [string, string][],
): PlainReply | Promise<PlainReply> {
  const custom = answer instanceof Reply ? answer : null
  const status = custom?.status ?? 200
  const body = custom ? custom.body : answer
  const own: Headers = custom?.headers ?? []
  const headers = base
  for (const [name, value] of own)
    headers.push([name, name === 'location' && value.startsWith('/') ? prefix + value : value])
  if (!hasHeader(own, 'cache-control')) pushNoStore(headers, route)
  if (body === null || body === undefined || route.sends === 'none') return { status, headers, body: null }
  if (route.sends === 'page') return pageReply({ status, headers, body: body as string }, own, pages, acceptLanguage)
  if (route.sends === 'stream')
    return { status, headers, body: body as string | Uint8Array | AsyncIterable<Uint8Array> }
  headers.push(['content-type', 'application/json'])
  return { status, headers, body: JSON.stringify(body) }
}

async function pageReply(
  { status, headers, body }: { readonly status: number; readonly headers: [string, string][]; readonly body: string },
  own: Headers,
  pages: PageRenderer,
  acceptLanguage: string | undefined,
): Promise<PlainReply> {
  const page = await pages.finish(body, acceptLanguage)
  for (const header of page.headers) if (!hasHeader(own, header[0])) headers.push([...header])
  return { status, headers, body: page.body }
}

/** The headers that are added to every failure, besides the failure's own headers. */
export interface FailureHeaders {
  /** Headers of every failure: the agent-feedback discovery link. */
  readonly failureHeaders: Headers
  /** The `www-authenticate` of a 401. It tells clients where they learn how to get a token (RFC 9728). */
  readonly challenge: string
}

/** Builds the reply of a failure in the envelope of its endpoint. */
export function failureReply(
  route: Pick<RouteShape, 'failures' | 'envelope' | 'id' | 'issues'>,
  { code, extra, headers: own }: Failure,
  base: [string, string][],
  { failureHeaders, challenge }: FailureHeaders,
): PlainReply {
  const status = route.failures[code] ?? implied[code as keyof typeof implied]
  const headers = base
  for (const header of own) headers.push([...header])
  const { issues, ...rest } = extra
  const isInHeader = Array.isArray(issues) && !hasIssues(route, code)
  if (isInHeader) headers.push(['x-error-detail', formatIssuesHeader(issues as Issue[])])
  for (const header of failureHeaders) headers.push([...header])
  pushNoStore(headers, route)
  headers.push(['content-type', 'application/json'])
  if (status === 401) headers.push(['www-authenticate', challenge])
  if (status === 503 && !hasHeader(own, 'retry-after')) headers.push(['retry-after', '1'])
  return {
    status: status ?? 500,
    headers,
    body: JSON.stringify(failureBody(route.envelope, code, isInHeader ? rest : extra)),
  }
}

/**
 * Returns the headers that let a page of a configured origin read the reply (Fetch standard, CORS). Never sends `*`.
 */
export function corsHeaders(request: PlainRequest, origins: readonly string[]): [string, string][] {
  if (origins.length === 0) return []
  const origin = request.headers['origin']
  // Caches must store replies to different origins separately, including the replies to refused origins.
  if (origin === undefined || !origins.includes(origin)) return [['vary', 'origin']]
  return [
    ['vary', 'origin'],
    ['access-control-allow-origin', origin],
    ['access-control-allow-credentials', 'true'],
    [
      'access-control-expose-headers',
      'x-request-id, x-body-limit, x-error-detail, retry-after, ratelimit, ratelimit-policy, x-next-cursor, idempotency-replayed',
    ],
  ]
}

/** Returns the reply to a CORS preflight request from a configured origin, or null for any other request. */
export function preflight(
  request: PlainRequest,
  origins: readonly string[],
  methods: Iterable<string>,
  base: [string, string][],
): PlainReply | null {
  const origin = request.headers['origin']
  if (request.method !== 'OPTIONS' || origin === undefined || !origins.includes(origin)) return null
  if (request.headers['access-control-request-method'] === undefined) return null
  return {
    status: 204,
    body: null,
    headers: [
      ...base,
      ['access-control-allow-methods', [...methods].join(', ')],
      [
        'access-control-allow-headers',
        'authorization, content-type, content-encoding, idempotency-key, mcp-protocol-version, ' +
          'x-ad-attribution-context, x-ad-device-context, x-cli-version, x-do-not-track, x-request-id',
      ],
      ['access-control-max-age', '600'],
    ],
  }
}
