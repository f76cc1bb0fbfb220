import { auditContext } from '../admin/audit/rules.ts'
import { uuid7 } from '../ids.ts'
import type { Clock, Logger, Random } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { addressKey, callerAddress } from './address.ts'
import { standardHeaders, failed, success, type Headers, corsHeaders, preflight } from './replies.ts'
import { packing, readBytes, openBodies, type BodyLimits } from './body.ts'
import { fail, Failure } from './failures.ts'
import { createAdminLoginLimiter, authenticate, type Authenticator } from './authenticate.ts'
import { type Idempotency, keyOf } from './idempotency.ts'
import { createMatcher } from './match.ts'
import { BodyBroken, type PlainReply, type PlainRequest } from './message.ts'
import { parseBody, parseParameters } from './parse.ts'
import { Reply, type Mounted, type RouteShape, type User } from './route.ts'
import type { ReportSecurity, SecurityLog } from './security-events.ts'
import type { ConsumeRate } from './rate-limit.ts'
import { checkGate, versionGate, type VersionGate } from './version.ts'

export interface DispatchOptions {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly who: Authenticator
  readonly consumeRate: ConsumeRate
  /** Counts and logs what concerns security; absent: nothing does. */
  readonly security?: SecurityLog
  /** Answers calls with an `Idempotency-Key`; absent: the key is not looked at. */
  readonly idempotency?: Idempotency
  readonly version: VersionGate
  /** Whether the service is reached over https. */
  readonly secure: boolean
  /** Where the service is mounted: `` or `/tributary`. */
  readonly prefix: string
  /** Origins that count as our own pages. */
  readonly origins: readonly string[]
  /** The configured ones among them, whose pages may also call across origins. */
  readonly corsOrigins: readonly string[]
  /** Proxies whose `x-forwarded-for` entry is believed. */
  readonly trustedProxies: number
  readonly bodyLimits: BodyLimits
  /** Joined to every failure: the agent-feedback discovery link (decisions section 10). */
  readonly failureHeaders: Headers
}

/** What is known of a request beside itself. `userId` is set once it is known who asks. */
interface Asks {
  readonly now: number
  readonly requestId: string
  readonly address: string | null
  readonly report: ReportSecurity
  userId: string | null
}

const defaultBodyLimit = 256 * 1024

/** The order of decisions section 1: path and method, version, who, rate, content type, gate, size and JSON, schema, handler. Throws on a version gate that cannot work. */
export function createDispatcher(
  mounted: readonly Mounted[],
  options: DispatchOptions,
): (request: PlainRequest) => Promise<PlainReply | null> {
  const { clock, random, logger, prefix } = options
  checkGate(options.version)
  const guessed = createAdminLoginLimiter(options.consumeRate)
  const find = createMatcher(mounted)
  const bodies = openBodies(options.bodyLimits, logger)

  async function serve(
    one: Mounted,
    raw: Readonly<Record<string, string>>,
    request: PlainRequest,
    asks: Asks,
    base: [string, string][],
  ): Promise<unknown> {
    const { route } = one
    const { now, requestId, address, report } = asks
    const old = route.gated ? versionGate(request.headers['x-cli-version'], options.version) : null
    if (old) return old
    const asked = await authenticate(route, request, now, options.who, options.origins, prefix, {
      guesses: guessed,
      address,
      report,
    })
    if (asked instanceof Failure || asked instanceof Reply) return asked
    const { user, operator = null } = asked
    asks.userId = user?.id ?? null
    if (user?.renewed) base.push(['set-cookie', user.renewed])
    const limited = await overRate(route, user, address, now)
    if (limited) return limited
    const packed = packingOf(route, request)
    if (packed instanceof Failure) return packed
    const key = keyOf(route, request)
    if (key instanceof Failure) return key
    const given = parseParameters(route, raw, request)
    if (given instanceof Failure) return given
    const audit = operator === null ? undefined : auditContext({ actor: operator, requestId, address, now }, random)
    const personKey = user?.id ?? addressKey(address)
    return bodies.during(request, personKey, async (counted) => {
      const input = {
        user,
        ...given,
        body: undefined as unknown,
        request: counted,
        address,
        requestId,
        report,
        audit,
        now,
      }
      const closed = one.gate ? await one.gate(input as never) : null
      if (closed) return closed
      if ((route.body && !route.raw) || route.form) {
        const bytes = await readBytes(counted, packed, route.bodyLimit ?? defaultBodyLimit)
        if (bytes instanceof Failure) return bytes
        const over = route.byteRate ? await options.consumeRate(route.byteRate, personKey, now, bytes.byteLength) : null
        const body = over ?? parseBody(bytes, route)
        if (body instanceof Failure) return body
        input.body = body.value
      }
      if (!route.idempotent) return one.run(input as never)
      const run = (effectId: string): unknown => one.run({ ...input, effectId } as never)
      const effectId = uuid7(now, random)
      if (key === null || !options.idempotency) return run(effectId)
      return options.idempotency({ route, user, operator, key, body: input.body, effectId, now }, run)
    })
  }

  async function overRate(
    route: RouteShape,
    user: User | null,
    address: string | null,
    now: number,
  ): Promise<Failure | null> {
    let limited: Failure | null = user ? await options.consumeRate('person', user.id, now) : null
    for (const name of route.rates ?? [])
      limited ??= await options.consumeRate(name, user?.id ?? addressKey(address), now)
    return limited
  }

  function outage(error: unknown, route: string, requestId: string): Failure {
    if (error instanceof BodyBroken)
      return fail(error.kind === 'timeout' ? 'request_timeout' : 'invalid_body', {}, [['connection', 'close']])
    if (Unavailable.is(error)) {
      logger.warn({ err: error, route, requestId }, 'the store does not answer')
      return fail('unavailable')
    }
    logger.error({ err: error, route, requestId }, 'a handler failed')
    return fail('internal_error')
  }

  return async (request) => {
    const path = inside(request.path, prefix)
    const match = path === null ? null : find(path)
    if (!match) return null
    const now = clock()
    const requestId = requestIdOf(request.headers['x-request-id']) ?? uuid7(now, random)
    const embeddable = [...match.methods.values()].some(({ route }) => route.embeddable)
    const base = [
      ...standardHeaders(requestId, { secure: options.secure, embeddable }),
      ...corsHeaders(request, options.corsOrigins),
    ]
    const asked = preflight(request, options.corsOrigins, [...match.methods.keys()].join(', '), base)
    if (asked) return asked
    const head = request.method === 'HEAD'
    const named = match.methods.get(head ? 'GET' : request.method)
    const { route } = named ?? [...match.methods.values()][0]!
    const one = head && route.acts ? undefined : named
    const address = callerAddress(request, options.trustedProxies)
    const asks: Asks = {
      now,
      requestId,
      address,
      userId: null,
      report: (event, userId) =>
        options.security?.record(event, { userId: userId ?? asks.userId, address, requestId, route: one?.name ?? '' }),
    }
    const answer = one
      ? await Promise.resolve(serve(one, match.params, request, asks, base)).catch((error: unknown) =>
          outage(error, one.name, requestId),
        )
      : fail('method_not_allowed', {}, [['allow', allowed(match.methods)]])
    if (answer instanceof Failure ? answer.code === 'rate_limited' : answer instanceof Reply && answer.status === 429)
      asks.report('rate.limited')
    if (answer instanceof Failure && answer.code === 'cross_site_request') asks.report('auth.cross_site.refused')
    // A page that says no is a failure too.
    if (answer instanceof Reply && answer.status >= 400)
      for (const header of options.failureHeaders) base.push([...header])
    const reply =
      answer instanceof Failure
        ? failed(route, answer, base, options.failureHeaders)
        : success(route, answer, prefix, base)
    return head ? { ...reply, body: null } : reply
  }
}

function allowed(methods: ReadonlyMap<string, Mounted>): string {
  return [...methods]
    .flatMap(([method, { route }]) => (method === 'GET' && !route.acts ? ['GET', 'HEAD'] : [method]))
    .join(', ')
}

function packingOf(route: RouteShape, request: PlainRequest): 'plain' | 'gzip' | Failure {
  if (route.form) return packing(request, 'application/x-www-form-urlencoded')
  return route.body || route.raw === 'json' ? packing(request, 'application/json') : 'plain'
}

/** The path below the mount prefix, or null when it lies outside. */
function inside(path: string, prefix: string): string | null {
  if (prefix === '') return path
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null
}

/** A request id that the caller sent, when it is one (decisions section 1). */
export function requestIdOf(header: string | undefined): string | null {
  return header !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : null
}
