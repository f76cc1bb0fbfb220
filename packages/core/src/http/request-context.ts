import { uuid7 } from '../ids.ts'
import type { Measurements } from '../measurements.ts'
import type { Clock, Logger, Random } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { clientAddress } from './address.ts'
import type { AuthenticationContext, Authenticator, createFailureLimiter } from './authenticate.ts'
import type { BodyLimits, createBodyBudget } from './body.ts'
import { fail, type Failure } from './failures.ts'
import type { createFlashes, FlashOptions } from './flash.ts'
import type { Idempotency } from './idempotency.ts'
import type { FindRoutes } from './match.ts'
import { BodyReadError, type PlainRequest } from './message.ts'
import type { PageRenderer } from './page-renderer.ts'
import type { ConsumeRate } from './rate-limit.ts'
import { corsHeaders, standardHeaders, type FailureHeaders } from './replies.ts'
import type { RouteShape } from './route.ts'
import type { SecurityLog } from './security-events.ts'
import type { VersionGate } from './version.ts'

export interface DispatchOptions extends FailureHeaders, FlashOptions {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly authenticator: Authenticator
  readonly consumeRate: ConsumeRate
  /** Counts and logs security events. Absent: events are not recorded. */
  readonly security?: SecurityLog
  /** Measures requests. Absent: requests are not measured. */
  readonly measurements?: Measurements
  /**
   * Replays the reply when a request with an `Idempotency-Key` is repeated. Without this option, the header is ignored.
   */
  readonly idempotency?: Idempotency
  readonly version: VersionGate
  /** Makes pages for browsers. Absent: pages are sent unchanged, and failures are JSON. */
  readonly pages?: PageRenderer
  /** Whether the service is reached over https. */
  readonly secure: boolean
  /** The path of the public URL, `` or `/tributary`, with which redirects start. */
  readonly prefix: string
  /** The path prefix of incoming requests. */
  readonly requestPrefix: string
  /** The origins whose pages count as pages of the service. */
  readonly origins: readonly string[]
  /** The configured origins among `origins`. Pages of these origins may also call the service across origins. */
  readonly corsOrigins: readonly string[]
  /** The number of proxies whose `x-forwarded-for` entries are trusted. */
  readonly trustedProxies: number
  readonly bodyLimits: BodyLimits
}

/**
 * The options of a dispatcher with their defaults, and the values that are derived from them. Every step of a request
 * gets these options and values.
 */
export interface DispatchParts extends DispatchOptions {
  readonly find: FindRoutes
  readonly measurements: Measurements
  readonly pages: PageRenderer
  readonly adminLoginLimiter: ReturnType<typeof createFailureLimiter>
  readonly bearerLimiter: ReturnType<typeof createFailureLimiter>
  readonly bodies: ReturnType<typeof createBodyBudget>
  readonly flashes: ReturnType<typeof createFlashes>
}

/** The data of a request that `PlainRequest` does not contain. */
export interface RequestContext extends AuthenticationContext {
  readonly requestId: string
  /** The person who calls, once authenticated. */
  userId: string | null
  /** The person whom an embedding app's own sign-in identified. Null before authentication. */
  appUserId: string | null
  /** The headers to add to the reply. */
  readonly replyHeaders: [string, string][]
}

/** Creates the context of a request for a route, by its pattern. */
export function createContext(
  request: PlainRequest,
  route: string,
  parts: DispatchParts,
  isEmbeddable = false,
): RequestContext {
  const now = parts.clock()
  const requestId = readRequestId(request) ?? uuid7(now, parts.random)
  const address = clientAddress(request, parts.trustedProxies)
  const replyHeaders = standardHeaders(requestId, { secure: parts.secure, embeddable: isEmbeddable })
  for (const header of corsHeaders(request, parts.corsOrigins)) replyHeaders.push(header)
  const context: RequestContext = {
    address,
    now,
    requestId,
    userId: null,
    appUserId: null,
    report: (event, userId) =>
      parts.security?.record(event, { userId: userId ?? context.userId, address, requestId, route }),
    replyHeaders,
  }
  return context
}

/** Converts a thrown error to a failure of the route, and logs it unless the client disconnected. */
export function failureOf(
  error: unknown,
  { path: route, unavailable = 'unavailable' }: Pick<RouteShape, 'path' | 'unavailable'>,
  requestId: string,
  logger: Logger,
): Failure {
  if (error instanceof BodyReadError)
    return fail(error.kind === 'timeout' ? 'request_timeout' : 'invalid_body', {}, [['connection', 'close']])
  if (Unavailable.is(error)) {
    logger.warn({ err: error, route, requestId }, 'http.request.unavailable')
    return fail(unavailable)
  }
  logger.error({ err: error, route, requestId }, 'http.request.failed')
  return fail('internal_error')
}

/** Returns the path below the mount prefix, or null for a path outside the prefix. The prefix itself is `/`. */
export function pathBelow(prefix: string, path: string): string | null {
  if (prefix === '') return path
  if (path === prefix) return '/'
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null
}

/**
 * RFC 8414 and RFC 9728 put the path of the public URL after the well-known path of OAuth metadata. Returns the
 * well-known path of such a URL, or null for any other path.
 */
export function wellKnownPath(prefix: string, path: string): string | null {
  const [, known, rest] = /^(\/\.well-known\/oauth-(?:authorization-server|protected-resource))(\/.+)$/.exec(path) ?? []
  return known !== undefined && rest === prefix ? known : null
}

/** Returns the request id that the caller sent, or null if there is no valid request id. */
export function readRequestId({ headers }: Pick<PlainRequest, 'headers'>): string | null {
  const id = headers['x-request-id']
  return id !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(id) ? id : null
}
