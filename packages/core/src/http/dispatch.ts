import { auditContext, buyerActor } from './audit-context.ts'
import { uuid7 } from '../ids.ts'
import type { Clock, Logger, Random } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { addressKey, clientAddress } from './address.ts'
import {
  authenticate,
  authenticateOperator,
  createFailureLimiter,
  type AuthenticationContext,
  type Authenticator,
} from './authenticate.ts'
import { createBodyBudget, readEncoding, readBytes, type BodyLimits } from './body.ts'
import { fail, Failure } from './failures.ts'
import { browserSession, createFlashes, type FlashOptions } from './flash.ts'
import { readIdempotencyKey, type Idempotency } from './idempotency.ts'
import type { FindRoutes } from './match.ts'
import { createMeasurements, type Measurements, type StopTimer } from '../measurements.ts'
import { asksForPage, BodyReadError, replyHeader, type PlainReply, type PlainRequest } from './message.ts'
import { plainPageRenderer, type FinishedPage, type PageRenderer } from './page-renderer.ts'
import { parseBody, parseParameters } from './parse.ts'
import type { ConsumeRate } from './rate-limit.ts'
import { corsHeaders, failureReply, preflight, standardHeaders, successReply, type FailureHeaders } from './replies.ts'
import { Reply, type Mounted, type RouteShape } from './route.ts'
import type { SecurityLog } from './security-events.ts'
import { inSpan, markFailed, traceFields } from '../tracing.ts'
import { describeRequest, knownMethod } from './request-span.ts'
import { checkClientVersion, checkMinVersion, type VersionGate } from './version.ts'

export interface DispatchOptions extends FailureHeaders, FlashOptions {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly authenticator: Authenticator
  readonly consumeRate: ConsumeRate
  /** Counts and logs security events; absent: they are not recorded. */
  readonly security?: SecurityLog
  /** Measures requests; absent: they are not measured. */
  readonly measurements?: Measurements
  /** Answers calls with an `Idempotency-Key`; absent: the header is ignored. */
  readonly idempotency?: Idempotency
  readonly version: VersionGate
  /** Makes what a browser shows; absent: pages are sent as they are, and failures are JSON. */
  readonly pages?: PageRenderer
  /** Whether the service is reached over https. */
  readonly secure: boolean
  /** The path of the public address, `` or `/tributary`, which redirects start with. */
  readonly prefix: string
  /** The path prefix of requests as they arrive. */
  readonly requestPrefix: string
  /** Origins that count as our own pages. */
  readonly origins: readonly string[]
  /** The configured origins among them, whose pages may also call across origins. */
  readonly corsOrigins: readonly string[]
  /** The number of proxies whose `x-forwarded-for` entry is believed. */
  readonly trustedProxies: number
  readonly bodyLimits: BodyLimits
}

export interface Dispatcher {
  /** Answers a request; null when no route has its path. With `outage` a route fails with it before its first step. */
  handle(request: PlainRequest, outage?: Unavailable): Promise<PlainReply | null>
  /**
   * Answers a request for which `handle` returned null, on a host without routes of its own: with the home page, else
   * with 404, as a page where a browser asks.
   */
  answerMissing(request: PlainRequest): Promise<PlainReply>
  /**
   * Authenticates the operator for an address that the host serves itself. Returns the reply that refuses anybody else,
   * or null.
   */
  refuseUnlessOperator(request: PlainRequest): Promise<PlainReply | null>
  /**
   * Finishes a page that the host made with `page`: with the brand, in the language of the request. Returns it with its
   * headers.
   */
  finishPage(request: PlainRequest, page: string): Promise<FinishedPage>
}

/** The facts about a request that are not among its parts. */
interface RequestContext extends AuthenticationContext {
  readonly requestId: string
  /** The person who calls, once authenticated. */
  userId: string | null
  /** The person for whom an embedding app's own sign-in vouches, once authenticated. */
  appUserId: string | null
  /** The headers of the reply. */
  readonly replyHeaders: [string, string][]
}

const defaultBodyLimit = 256 * 1024

/**
 * Makes the dispatcher. The order of the steps is: path and method, client version,
 * authentication, rate limits, content type, parameters, gate, body, schema, handler. Throws on a `minVersion` that is
 * not a version.
 */
export function createDispatcher(find: FindRoutes, options: DispatchOptions): Dispatcher {
  const { random, logger, prefix, requestPrefix, failureHeaders } = options
  const { measurements = createMeasurements(), pages = plainPageRenderer } = options
  checkMinVersion(options.version)
  const adminLoginLimiter = createFailureLimiter('operator', options.consumeRate)
  const bearerLimiter = createFailureLimiter('unknown_bearer', options.consumeRate)
  const bodies = createBodyBudget(options.bodyLimits, logger)
  const flashes = createFlashes(options)

  function handle(request: PlainRequest, outage?: Unavailable): Promise<PlainReply | null> {
    const path = pathBelow(requestPrefix, request.path) ?? wellKnownPath(prefix, request.path)
    // An app that embeds the service without a prefix has a home page of its own.
    const isOurs = path !== null && (path !== '/' || requestPrefix !== '')
    return isOurs ? answerPath(path, request, outage) : Promise.resolve(null)
  }

  /** Answers a request for a path below the prefix; null when no route has it. */
  async function answerPath(path: string, request: PlainRequest, outage?: Unavailable): Promise<PlainReply | null> {
    const stopTimer = measurements.startTimer()
    let match
    try {
      const found = find(path)
      match = found instanceof Promise ? await found : found
    } catch (error) {
      const { replyHeaders, requestId } = contextOf(request, '')
      const failure = failureReply(anyRoute, failureOf(error, 'other', requestId), replyHeaders, options)
      measureReply(failure, 'other', request, stopTimer)
      return showFailure(failure, request)
    }
    if (!match) return redirectFromSlash(path, request)

    const { methods, params } = match
    const isHead = request.method === 'HEAD'
    const entry = methods.get(isHead ? 'GET' : request.method)
    const mounted = isHead && entry?.route.hasSideEffects ? undefined : entry
    const { route } = entry ?? [...methods.values()][0]!
    const isEmbeddable = [...methods.values()].some((one) => one.route.embeddable)
    const context = contextOf(request, route.path, isEmbeddable)
    const { replyHeaders, requestId, now } = context

    const allowedOrigin = preflight(request, options.corsOrigins, methods.keys(), replyHeaders)
    if (allowedOrigin) return allowedOrigin

    const reply = await inSpan(
      () => describeRequest(request, route.path, requestId, options.secure),
      async (span) => {
        const answer = mounted
          ? await (outage ? Promise.reject(outage) : serve(mounted, params, request, context)).catch((error: unknown) =>
              failureOf(error, route.path, requestId),
            )
          : fail('method_not_allowed', {}, [['allow', allowedMethods(methods)]])
        reportRefusal(answer, context)
        const reply =
          answer instanceof Failure
            ? showFailure(failureReply(route, answer, replyHeaders, options), request, context.userId, answer.code)
            : successReply(
                route,
                await withFlash(answer, request, context),
                { pages, prefix, acceptLanguage: request.headers['accept-language'] },
                withFailureHeaders(answer, replyHeaders),
              )
        const built = reply instanceof Promise ? await reply : reply
        const { method } = request
        const { status } = built
        span.setAttribute('http.response.status_code', status)
        if (status >= 500) markFailed(span, String(status))
        // The route's pattern, not the path: a path may hold an id, a code or a nonce.
        const fields = { requestId, method, route: route.path, status, ms: options.clock() - now, ...traceFields() }
        logger.info(fields, 'http.request')
        return built
      },
      { headers: request.headers, prefer: 'active' },
    )
    measureReply(reply, route.path, request, stopTimer)
    return isHead ? { ...reply, body: null } : reply
  }

  function measureReply({ status }: PlainReply, route: string, request: PlainRequest, stopTimer: StopTimer): void {
    const method = knownMethod(request.method)
    measurements.count('tributary_requests_total', { route, method, status: String(status) })
    stopTimer('tributary_request_seconds', { route, method })
  }

  /** Returns a failure as a page where a browser asks. `userId` is who was authenticated. */
  async function showFailure(
    reply: PlainReply,
    request: PlainRequest,
    userId: string | null = null,
    code: string | null = null,
  ): Promise<PlainReply> {
    if (!asksForPage(request)) return reply
    const path = pathBelow(requestPrefix, request.path) ?? ''
    const { method, headers } = request
    const hasPage = code === 'cross_site_request' && (await find(path))?.methods.get('GET')?.route.sends === 'page'
    return pages.showFailure(reply, { method, path, hasPage, headers, userId, code, secure: options.secure })
  }

  /**
   * Redirects from the address of a page with slashes at its end to the one without; null when there is no such page.
   */
  async function redirectFromSlash(path: string, request: PlainRequest): Promise<PlainReply | null> {
    const without = path.replace(/\/+$/, '')
    if (without === '' || without === path || !(request.method === 'GET' || request.method === 'HEAD')) return null
    const match = await find(without)
    if (match?.methods.get('GET')?.route.sends !== 'page') return null
    const query = new URLSearchParams(request.query.map(([name, value]) => [name, value])).toString()
    const { replyHeaders } = contextOf(request, '')
    const location = `${prefix}${without}${query === '' ? '' : `?${query}`}`
    return {
      status: 308,
      headers: [...replyHeaders, ['cache-control', 'no-store'], ['location', location]],
      body: null,
    }
  }

  async function answerMissing(request: PlainRequest): Promise<PlainReply> {
    const home = pathBelow(requestPrefix, request.path) === '/' ? await answerPath('/', request) : null
    if (home) return home
    const reply = failureReply(anyRoute, fail('not_found'), contextOf(request, '').replyHeaders, options)
    const answer = await showFailure(reply, request)
    return request.method === 'HEAD' ? { ...answer, body: null } : answer
  }

  /**
   * Runs the steps of a route, from the client version to the handler. Returns the handler's answer or the first
   * failure.
   */
  async function serve(
    mounted: Mounted,
    pathParams: Readonly<Record<string, string>>,
    request: PlainRequest,
    context: RequestContext,
  ): Promise<unknown> {
    const { route } = mounted
    const { address, now, report, requestId } = context
    if (route.sends === 'page') await pages.check()

    const outdated = route.requiresClientVersion
      ? await checkClientVersion(request.headers['x-cli-version'], options.version)
      : null
    if (outdated) return outdated

    const caller = await authenticate(route, request, context)
    if (caller instanceof Failure || caller instanceof Reply) return caller
    const { user, operator, buyer } = caller
    if (user) context.userId = user.id
    if (user?.credential === null) context.appUserId = user.id
    if (user?.renewed) context.replyHeaders.push(['set-cookie', user.renewed])

    const personKey = user?.id ?? (buyer ? `buyer ${buyer.id}` : null)
    const limited = personKey !== null || route.rates ? await consumeRates(route, personKey, address, now) : null
    if (limited) return limited

    const encoding = encodingOf(route, request)
    if (encoding instanceof Failure) return encoding
    const key = readIdempotencyKey(route, request)
    if (key instanceof Failure) return key
    const parameters = parseParameters(route, pathParams, request)
    if (parameters instanceof Failure) return parameters

    const flash = route.sends === 'page' && request.method === 'GET' ? await readFlash(request, context) : null

    const actor = operator ?? (buyer && buyerActor(buyer))
    const audit = actor === null ? undefined : auditContext({ actor, requestId, address, now }, random)
    const getPersonKey = (): string => personKey ?? addressKey(address)
    const answer = async (countedRequest: PlainRequest): Promise<unknown> => {
      const input = {
        user,
        ...parameters,
        body: undefined as unknown,
        request: countedRequest,
        flash,
        address,
        requestId,
        report,
        audit,
        buyer: buyer ?? undefined,
        now,
      }
      const refusal = mounted.precheck ? await mounted.precheck(input as never) : null
      if (refusal) return refusal

      if ((route.body && !route.raw) || route.form) {
        const bytes = await readBytes(countedRequest, encoding, route.bodyLimit ?? defaultBodyLimit)
        if (bytes instanceof Failure) return bytes
        const overRate = route.byteRate
          ? await options.consumeRate(route.byteRate, getPersonKey(), now, bytes.byteLength)
          : null
        if (overRate) return overRate
        const body = parseBody(bytes, route)
        if (body instanceof Failure) return body
        input.body = body.value
      }

      if (!route.idempotent) return mounted.run(input as never)
      const run = (effectId: string): unknown => mounted.run({ ...input, effectId } as never)
      const effectId = uuid7(now, random)
      if (key === null || !options.idempotency) return run(effectId)
      return options.idempotency({ route, user, operator, key, body: input.body, effectId, now }, run)
    }
    return request.body ? bodies.run(request, getPersonKey(), answer) : answer(request)
  }

  /** Returns what the page says about the form before it, and removes it from the browser. */
  async function readFlash(request: PlainRequest, { now, appUserId, replyHeaders }: RequestContext) {
    const session = browserSession(request, { secure: options.secure, appUserId })
    const flash = await flashes.read(request, { path: pathBelow(requestPrefix, request.path) ?? '', session, now })
    if (flash) replyHeaders.push(['set-cookie', flashes.end])
    return flash
  }

  /** Returns the answer with the cookie that hands its flash to the next page. */
  async function withFlash(answer: unknown, request: PlainRequest, { now, appUserId }: RequestContext) {
    if (!(answer instanceof Reply) || !answer.flash) return answer
    const { status, body, headers, flash } = answer
    const session = browserSession(request, { secure: options.secure, appUserId, reply: headers })
    const [path = ''] = (replyHeader(answer, 'location') ?? '').split(/[?#]/, 1)
    return new Reply(status, body, [...headers, ['set-cookie', await flashes.write(flash, { path, session, now })]])
  }

  function contextOf(request: PlainRequest, route: string, isEmbeddable = false): RequestContext {
    const now = options.clock()
    const requestId = readRequestId(request) ?? uuid7(now, random)
    const address = clientAddress(request, options.trustedProxies)
    const context: RequestContext = {
      authenticator: options.authenticator,
      adminLoginLimiter,
      bearerLimiter,
      origins: options.origins,
      requestPrefix,
      address,
      now,
      requestId,
      userId: null,
      appUserId: null,
      report: (event, userId) =>
        options.security?.record(event, {
          userId: userId ?? context.userId,
          address,
          requestId,
          route,
        }),
      replyHeaders: [
        ...standardHeaders(requestId, { secure: options.secure, embeddable: isEmbeddable }),
        ...corsHeaders(request, options.corsOrigins),
      ],
    }
    return context
  }

  async function consumeRates(
    route: RouteShape,
    personKey: string | null,
    address: string | null,
    now: number,
  ): Promise<Failure | null> {
    // A message to `any` is counted by its own rates; the call that it makes counts for the person.
    const isCounted = personKey !== null && route.auth !== 'any'
    let limited: Failure | null = isCounted ? await options.consumeRate('person', personKey, now) : null
    for (const name of route.rates ?? [])
      limited ??= await options.consumeRate(name, personKey ?? addressKey(address), now)
    return limited
  }

  /** Converts what a step threw to a failure, and logs it unless the client broke off. */
  function failureOf(error: unknown, route: string, requestId: string): Failure {
    if (error instanceof BodyReadError)
      return fail(error.kind === 'timeout' ? 'request_timeout' : 'invalid_body', {}, [['connection', 'close']])
    if (Unavailable.is(error)) {
      logger.warn({ err: error, route, requestId }, 'http.request.unavailable')
      return fail('unavailable')
    }
    logger.error({ err: error, route, requestId }, 'http.request.failed')
    return fail('internal_error')
  }

  /** Joins the headers of failures to a page that reports one. */
  function withFailureHeaders(answer: unknown, replyHeaders: [string, string][]): [string, string][] {
    if (answer instanceof Reply && answer.status >= 400)
      for (const [name, value] of failureHeaders) replyHeaders.push([name, value])
    return replyHeaders
  }

  async function refuseUnlessOperator(request: PlainRequest): Promise<PlainReply | null> {
    const context = contextOf(request, '')
    const caller = await authenticateOperator(request, context)
    if (!(caller instanceof Failure)) return null
    reportRefusal(caller, context)
    // A host's own address exists without an operator too.
    const failure = caller.code === 'not_found' ? fail('unauthorized') : caller
    return failureReply(anyRoute, failure, context.replyHeaders, options)
  }

  return {
    handle,
    answerMissing,
    refuseUnlessOperator,
    finishPage: (request, page) => pages.finish(page, request.headers['accept-language']),
  }
}

/** The form of failures when no route matches. */
const anyRoute = { envelope: 'ok', failures: {} } as const

function reportRefusal(answer: unknown, { report }: RequestContext): void {
  const isRateLimited =
    answer instanceof Failure ? answer.code === 'rate_limited' : answer instanceof Reply && answer.status === 429
  if (isRateLimited) report('rate.limited')
  if (answer instanceof Failure && answer.code === 'cross_site_request') report('auth.cross_site.refused')
}

function allowedMethods(methods: ReadonlyMap<string, Mounted>): string {
  return [...methods]
    .flatMap(([method, { route }]) => (method === 'GET' && !route.hasSideEffects ? ['GET', 'HEAD'] : [method]))
    .join(', ')
}

function encodingOf(route: RouteShape, request: PlainRequest): 'plain' | 'gzip' | Failure {
  if (route.form) return readEncoding(request, 'application/x-www-form-urlencoded')
  return route.body || route.raw === 'json' ? readEncoding(request, 'application/json') : 'plain'
}

/** Returns the path below the mount prefix, or null when it lies outside. The prefix itself is `/`. */
function pathBelow(prefix: string, path: string): string | null {
  if (prefix === '') return path
  if (path === prefix) return '/'
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null
}

/**
 * Returns the path of OAuth metadata that is asked for as RFC 8414 and RFC 9728 build its URL: the path of the public
 * address comes after the well-known one. Null for any other path.
 */
function wellKnownPath(prefix: string, path: string): string | null {
  const [, known, rest] = /^(\/\.well-known\/oauth-(?:authorization-server|protected-resource))(\/.+)$/.exec(path) ?? []
  return known !== undefined && rest === prefix ? known : null
}

/** Returns the request id that the caller sent when it is a valid one, else null. */
export function readRequestId({ headers }: Pick<PlainRequest, 'headers'>): string | null {
  const id = headers['x-request-id']
  return id !== undefined && /^[A-Za-z0-9._-]{1,128}$/.test(id) ? id : null
}
