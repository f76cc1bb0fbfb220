import { fromOurPages, addressKey } from './address.ts'
import { fail, type Failure } from './failures.ts'
import type { PlainRequest } from './message.ts'
import type { ReportSecurity } from './security-events.ts'
import { redirect, type Reply, type RouteShape, type User } from './route.ts'
import type { ConsumeRate } from './rate-limit.ts'

/** Tells who asks. */
export interface Authenticator {
  /** Null: nobody. A bearer that nobody has is nobody, whatever the cookie says. */
  person(request: PlainRequest, bearer: string | null, now: number, report: ReportSecurity): Promise<User | null>
  /** The operator whose token the bearer is; `off` when no admin token is configured. */
  operator(bearer: string | null): { readonly name: string } | 'no' | 'off'
}

/** Whether requests with a method only read (RFC 9110, section 9.2.1), as far as we serve it. */
export const isSafeMethod = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** The person a route is called by; null where the route asks for none; else the refusal or the way to the sign-in page. */
export async function authenticate(
  route: RouteShape,
  request: PlainRequest,
  now: number,
  who: Authenticator,
  origins: readonly string[],
  prefix: string,
  {
    guesses,
    address,
    report,
  }: { readonly guesses: AdminLoginLimiter; readonly address: string | null; readonly report: ReportSecurity },
): Promise<{ user: User | null; operator?: string } | Failure | Reply> {
  const { auth } = route
  if (route.form && !fromOurPages(request, origins)) return fail('cross_site_request')
  if (auth === 'none' || auth === 'admin-page') return { user: null }
  const bearer = bearerOf(request.headers['authorization'])
  if (auth === 'admin') {
    const stopped = guesses.blocked(address, now)
    if (stopped && bearer !== null) return stopped
    const operator = who.operator(bearer)
    if (operator === 'off') return fail('not_found')
    if (operator !== 'no') return { user: null, operator: operator.name }
    if (bearer === null) return fail('unauthorized')
    report('auth.admin.denied')
    return (await guesses.recordFailure(address, now)) ?? fail('unauthorized')
  }
  if (auth === 'bearer' ? bearer === null : bearer !== null && (auth === 'cookie' || auth === 'page'))
    return fail('unauthorized')
  const user = await who.person(request, bearer, now, report)
  if (!user) {
    if (auth === 'optional') return { user: null }
    if (auth !== 'page') return fail('unauthorized')
    const back = isSafeMethod(request.method) ? request.path.slice(prefix.length) + queryText(request) : route.path
    return redirect(`/sign-in?next=${encodeURIComponent(back)}`)
  }
  if (user.via === 'cookie' && !isSafeMethod(request.method) && !fromOurPages(request, origins))
    return fail('cross_site_request')
  return { user }
}

/** The token of a bearer header. Any other scheme counts as a bearer that nobody has, so that it cannot fall back to the cookie. */
function bearerOf(header: string | undefined): string | null {
  if (header === undefined) return null
  return /^bearer +([^\s]+)$/i.exec(header.trim())?.[1] ?? ''
}

function queryText(request: PlainRequest): string {
  const text = new URLSearchParams(request.query.map(([name, value]) => [name, value])).toString()
  return text === '' ? '' : `?${text}`
}

/** Who guesses the operator's token, by address. */
export interface AdminLoginLimiter {
  /** The refusal for an address that has guessed too often, whatever it brings now; else null. */
  blocked(address: string | null, now: number): Failure<'rate_limited'> | null
  /** Counts a wrong token; the refusal when it was one too many. */
  recordFailure(address: string | null, now: number): Promise<Failure<'rate_limited'> | null>
}

/** Addresses that are remembered as stopped; beyond these the oldest are asked of the limiter again. */
const most = 10_000

/**
 * Only wrong tokens are counted, in the limiter that all hosts share, so the operator's own calls cost nothing. An address
 * that used up its guesses is not compared any more until there is room for one: a right guess must not look otherwise.
 */
export function createAdminLoginLimiter(consumeRate: ConsumeRate): AdminLoginLimiter {
  const until = new Map<string, { readonly at: number; readonly refusal: Failure<'rate_limited'> }>()
  return {
    blocked(address, now) {
      const key = addressKey(address)
      const stop = until.get(key)
      if (stop && now < stop.at) return stop.refusal
      if (stop) until.delete(key)
      return null
    },
    async recordFailure(address, now) {
      const key = addressKey(address)
      const refusal = await consumeRate('operator', key, now)
      if (!refusal) return null
      const seconds = Number(refusal.headers.find(([name]) => name === 'retry-after')?.[1] ?? 1)
      until.set(key, { at: now + seconds * 1000, refusal })
      if (until.size > most) until.delete(until.keys().next().value!)
      return refusal
    },
  }
}
