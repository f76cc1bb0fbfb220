import { addressKey } from './address.ts'
import { dropOldest } from '../lists.ts'
import { fail, Failure } from './failures.ts'
import type { PlainRequest } from './message.ts'
import type { ConsumeRate } from './rate-limit.ts'
import { redirect, type CallingBuyer, type Reply, type RouteShape, type User } from './route.ts'
import type { ReportSecurity } from './security-events.ts'

/** The rights of an operator: a `viewer` reads and cannot change anything. */
export type OperatorRole = 'operator' | 'viewer'

export interface CallingOperator {
  readonly name: string
  readonly role: OperatorRole
}

/** An operator who is signed in with a browser. */
export interface SignedInOperator extends CallingOperator {
  readonly sessionHash: string
  /** The time at which the operator signed in with the token, in milliseconds since 1970. */
  readonly signedInAt: number
}

/** Identifies the person or operator of a credential. */
export interface Authenticator {
  /**
   * Returns the person who sent a request, or null. Returns null for an invalid bearer token, even with a valid cookie.
   */
  person(
    request: PlainRequest,
    bearer: string | null,
    now: number,
    report: ReportSecurity,
  ): User | null | Promise<User | null>
  /**
   * Returns the operator to whom the bearer token belongs, or `no` if there is none. Returns `off` when no operator is
   * configured.
   */
  operator(bearer: string | null): CallingOperator | 'no' | 'off'
  /** Returns the buyer to whom the bearer token belongs, or null. */
  buyer(bearer: string): Promise<CallingBuyer | null>
}

/** Returns whether a method is safe (RFC 9110, section 9.2.1). GET and HEAD are the only safe methods of the routes. */
export const isSafeMethod = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** The dependencies of authentication. */
export interface AuthenticationDeps {
  readonly authenticator: Authenticator
  readonly adminLoginLimiter: FailureLimiter
  readonly bearerLimiter: FailureLimiter
  readonly origins: readonly string[]
  /** The path prefix of incoming requests. */
  readonly requestPrefix: string
}

/** The facts about a request that authentication needs. */
export interface AuthenticationContext {
  readonly address: string | null
  readonly now: number
  readonly report: ReportSecurity
}

/** The caller of a route: a person, an operator, a buyer, or anonymous if the route needs no credential. */
export interface Caller {
  readonly user: User | null
  readonly operator: string | null
  readonly buyer: CallingBuyer | null
}

const nobody: Caller = { user: null, operator: null, buyer: null }

/**
 * Identifies the caller as the route requires. Returns a failure when the credential is missing or not valid, and a
 * redirect to the sign-in page when a page needs a session.
 */
export function authenticate(
  route: RouteShape,
  request: PlainRequest,
  context: AuthenticationContext,
  deps: AuthenticationDeps,
): Caller | Failure | Reply | Promise<Caller | Failure | Reply> {
  const { auth } = route
  if (route.form && !route.anyOrigin && !isFromOwnPages(request, deps.origins)) return fail('cross_site_request')
  if (auth === 'none' || auth === 'admin-page' || auth === 'buyer-page') return nobody
  if (auth === 'admin') return authenticateOperator(request, context, deps, !isSafeMethod(request.method))
  if (auth === 'buyer') return authenticateBuyer(request, context, deps)
  const bearer = readBearer(request)
  if (auth === 'any' && bearer === null) return nobody
  if (auth === 'bearer' && bearer === null) return fail('unauthorized')
  if ((auth === 'cookie' || auth === 'page') && bearer !== null) return fail('unauthorized')
  return authenticatePerson(auth, bearer, request, context, deps)
}

/** Identifies the person, or the operator if the route accepts both. */
async function authenticatePerson(
  auth: RouteShape['auth'],
  bearer: string | null,
  request: PlainRequest,
  context: AuthenticationContext,
  deps: AuthenticationDeps,
): Promise<Caller | Failure | Reply> {
  const { address, now, report } = context
  const { authenticator, bearerLimiter, origins, requestPrefix } = deps
  const found = authenticator.person(request, bearer, now, report)
  const user = found instanceof Promise ? await found : found
  // A wrong token of a contributor or a buyer is not a guess of an operator's token.
  if (!user && auth === 'any' && !/^trbb?_/.test(bearer ?? '')) {
    const operator = await authenticateOperator(request, context, deps)
    if (!(operator instanceof Failure) || operator.code !== 'not_found') return operator
  }
  if (!user) {
    const limited = bearer === null ? null : await bearerLimiter.recordFailure(address, now)
    if (limited) return limited
    if (auth === 'optional') return nobody
    if (auth !== 'page') return fail('unauthorized')
    const path = request.path.slice(requestPrefix.length)
    const next = isSafeMethod(request.method) ? path + queryText(request) : path
    return redirect(`/sign-in?next=${encodeURIComponent(next)}`)
  }
  if (user.via === 'cookie' && !isSafeMethod(request.method) && !isFromOwnPages(request, origins))
    return fail('cross_site_request')
  return { ...nobody, user }
}

/**
 * Identifies the operator by bearer token. An address that sent too many wrong tokens is refused before its token is
 * compared, so that a right token gets the same reply as a wrong token. With `changes` a viewer is refused.
 */
export async function authenticateOperator(
  request: PlainRequest,
  { address, now, report }: AuthenticationContext,
  { authenticator, adminLoginLimiter }: AuthenticationDeps,
  changes = false,
): Promise<Caller | Failure<'unauthorized' | 'not_found' | 'rate_limited' | 'read_only'>> {
  const bearer = readBearer(request)
  const blocked = bearer === null ? null : adminLoginLimiter.blocked(address, now)
  if (blocked) return blocked
  const operator = authenticator.operator(bearer)
  if (operator === 'off') return fail('not_found')
  if (operator !== 'no')
    return changes && operator.role === 'viewer' ? fail('read_only') : { ...nobody, operator: operator.name }
  if (bearer === null) return fail('unauthorized')
  report('auth.admin.denied')
  return (await adminLoginLimiter.recordFailure(address, now)) ?? fail('unauthorized')
}

/** Identifies the buyer by bearer token. */
async function authenticateBuyer(
  request: PlainRequest,
  { address, now }: AuthenticationContext,
  { authenticator, bearerLimiter }: AuthenticationDeps,
): Promise<Caller | Failure<'unauthorized' | 'rate_limited'>> {
  const bearer = readBearer(request)
  if (bearer === null) return fail('unauthorized')
  const buyer = await authenticator.buyer(bearer)
  return buyer ? { ...nobody, buyer } : ((await bearerLimiter.recordFailure(address, now)) ?? fail('unauthorized'))
}

/**
 * Reads the bearer token. Another scheme counts as a token that is not valid, so that it cannot fall back to the
 * cookie.
 */
function readBearer({ headers }: PlainRequest): string | null {
  const { authorization } = headers
  if (authorization === undefined) return null
  return /^bearer +([^\s]+)$/i.exec(authorization.trim())?.[1] ?? ''
}

function queryText({ query }: PlainRequest): string {
  const text = new URLSearchParams(query.map(([name, value]) => [name, value])).toString()
  return text === '' ? '' : `?${text}`
}

/** Limits wrong tokens by address. */
export interface FailureLimiter {
  /** Returns the failure for an address that has sent too many wrong tokens before this request, or null. */
  blocked(address: string | null, now: number): Failure<'rate_limited'> | null
  /** Counts a wrong token. Returns the failure when the limit is exceeded. */
  recordFailure(address: string | null, now: number): Promise<Failure<'rate_limited'> | null>
}

/**
 * The maximum number of blocked addresses that are kept in memory. When there are more, the oldest is dropped. The next
 * wrong token of a dropped address is counted again by the limiter that all hosts share.
 */
const maxBlocked = 10_000

/**
 * Creates the limiter. Only wrong tokens are counted, so a right token and any token of a blocked address need no call
 * of the shared limiter.
 */
export function createFailureLimiter(rate: 'operator' | 'unknown_bearer', consumeRate: ConsumeRate): FailureLimiter {
  const blocks = new Map<string, { readonly until: number; readonly failure: Failure<'rate_limited'> }>()

  function findBlock(key: string, now: number): Failure<'rate_limited'> | null {
    const block = blocks.get(key)
    if (block && now < block.until) return block.failure
    blocks.delete(key)
    return null
  }

  return {
    blocked: (address, now) => findBlock(addressKey(address), now),
    async recordFailure(address, now) {
      const key = addressKey(address)
      const blocked = findBlock(key, now)
      if (blocked) return blocked
      const failure = await consumeRate(rate, key, now)
      if (!failure) return null
      const seconds = Number(failure.headers.find(([name]) => name === 'retry-after')?.[1] ?? 1)
      blocks.set(key, { until: now + seconds * 1000, failure })
      dropOldest(blocks, maxBlocked)
      return failure
    },
  }
}

/**
 * Returns whether a request with a cookie comes from the service's own pages: the browser sends `sec-fetch-site`
 * `same-origin` or `none`, or an `origin` that is the service's own or is configured.
 */
export function isFromOwnPages(request: PlainRequest, origins: readonly string[]): boolean {
  const site = request.headers['sec-fetch-site']
  if (site === 'same-origin' || site === 'none') return true
  const origin = request.headers['origin']
  return origin !== undefined && origins.includes(origin)
}
