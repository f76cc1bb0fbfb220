import { createMeasurements, type StopTimer } from '../measurements.ts'
import { inSpan, markFailed, traceFields, type OpenSpan, type SpanDescription } from '../tracing.ts'
import type { Unavailable } from '../unavailable.ts'
import { authenticateOperator, createFailureLimiter } from './authenticate.ts'
import { createBodyBudget } from './body.ts'
import { fail, Failure } from './failures.ts'
import { createFlashes } from './flash.ts'
import type { FindRoutes, Match } from './match.ts'
import { asksForPage, type PlainReply, type PlainRequest } from './message.ts'
import { plainPageRenderer, type FinishedPage } from './page-renderer.ts'
import { failureReply, preflight, successReply } from './replies.ts'
import { Reply, type Mounted } from './route.ts'
import {
  serve,
  withFlash,
  createContext,
  toFailure,
  pathBelow,
  wellKnownPath,
  type DispatchOptions,
  type DispatchParts,
  type RequestContext,
} from './serve.ts'
import { checkMinVersion } from './version.ts'

export interface Dispatcher {
  /**
   * Answers a request. Returns null when no route matches the path. If `outage` is given, a matching route returns that
   * failure before its first step.
   */
  handle(request: PlainRequest, outage?: Unavailable): Promise<PlainReply | null>
  /**
   * Answers a request for which `handle` returned null, on a host that serves no other routes: with the home page, or
   * with 404 (for a browser, as an HTML page).
   */
  answerMissing(request: PlainRequest): Promise<PlainReply>
  /**
   * Authenticates the operator for a path that the host itself serves. Returns null for an operator, or the reply that
   * refuses the request.
   */
  refuseUnlessOperator(request: PlainRequest): Promise<PlainReply | null>
  /**
   * Finishes a page that the host made with `page`: adds the brand, and uses the language of the request. Returns the
   * page with its headers.
   */
  finishPage(request: PlainRequest, page: string): Promise<FinishedPage>
}

/**
 * Makes the dispatcher. The order of the steps is: path and method, client version,
 * authentication, rate limits, content type, parameters, gate, body, schema, handler. Throws on a `minVersion` that is
 * not a version.
 */
export function createDispatcher(find: FindRoutes, options: DispatchOptions): Dispatcher {
  const { measurements = createMeasurements(), pages = plainPageRenderer, requestPrefix } = options
  checkMinVersion(options.version)
  const parts: DispatchParts = {
    ...options,
    find,
    measurements,
    pages,
    adminLoginLimiter: createFailureLimiter('operator', options.consumeRate),
    bearerLimiter: createFailureLimiter('unknown_bearer', options.consumeRate),
    bodies: createBodyBudget(options.bodyLimits, options.logger),
    flashes: createFlashes(options),
  }
  return {
    handle(request, outage) {
      const path = pathBelow(requestPrefix, request.path) ?? wellKnownPath(options.prefix, request.path)
      // Without a prefix, the home page belongs to the app that embeds the service.
      const isOurs = path !== null && (path !== '/' || requestPrefix !== '')
      return isOurs ? answerPath(path, request, parts, outage) : Promise.resolve(null)
    },
    async answerMissing(request) {
      const isHome = pathBelow(requestPrefix, request.path) === '/'
      return (isHome ? await answerPath('/', request, parts) : null) ?? answerNotFound(request, parts)
    },
    refuseUnlessOperator: (request) => refuseUnlessOperator(request, parts),
    finishPage: (request, page) => pages.finish(page, request.headers['accept-language']),
  }
}

/** Answers a request for a path below the prefix. Returns null when no route has the path. */
function answerPath(
  path: string,
  request: PlainRequest,
  parts: DispatchParts,
  outage?: Unavailable,
): Promise<PlainReply | null> {
  const stopTimer = parts.measurements.startTimer()
  const answer = (match: Match | null): Promise<PlainReply | null> =>
    match ? answerMatch(match, request, parts, stopTimer, outage) : redirectFromSlash(path, request, parts)
  const found = parts.find(path)
  return found instanceof Promise
    ? found.then(answer, (error) => answerFailedMatch(error, request, parts, stopTimer))
    : answer(found)
}

/** Answers a request whose path has routes. */
function answerMatch(
  match: Match,
  request: PlainRequest,
  parts: DispatchParts,
  stopTimer: StopTimer,
  outage?: Unavailable,
): Promise<PlainReply> {
  const { methods } = match
  const isHead = request.method === 'HEAD'
  const entry = methods.get(isHead ? 'GET' : request.method)
  const mounted = isHead && entry?.route.hasSideEffects ? undefined : entry
  const { route } = entry ?? match.first
  const context = createContext(request, route.path, parts, match.isEmbeddable)
  const allowedOrigin = preflight(request, parts.corsOrigins, methods.keys(), context.replyHeaders)
  if (allowedOrigin) return Promise.resolve(allowedOrigin)
  const matched: MatchedRequest = { request, match, mounted, route, context, parts, outage, stopTimer }
  return inSpan(
    () => describeRequest(request, route.path, context.requestId, parts.secure),
    (span) => answerMatched(matched, span),
    { headers: request.headers, prefer: 'active' },
  )
}

/** Answers a request whose routes could not be loaded. */
function answerFailedMatch(
  error: unknown,
  request: PlainRequest,
  parts: DispatchParts,
  stopTimer: StopTimer,
): Promise<PlainReply> {
  const { replyHeaders, requestId } = createContext(request, '', parts)
  const failure = failureReply(
    anyRoute,
    toFailure(error, { path: 'other' }, requestId, parts.logger),
    replyHeaders,
    parts,
  )
  measureReply(failure, 'other', request, stopTimer, parts)
  return showFailure(failure, null, request, parts)
}

/** A request whose path has routes. */
interface MatchedRequest {
  readonly request: PlainRequest
  readonly match: Match
  /** The route of the request's method, if any. */
  readonly mounted: Mounted | undefined
  /** The route whose envelope is used for failures: the route of `mounted`, or another route of the path. */
  readonly route: Mounted['route']
  readonly context: RequestContext
  readonly parts: DispatchParts
  readonly outage: Unavailable | undefined
  readonly stopTimer: StopTimer
}

/** Runs the route and builds the reply. Logs and measures the request. */
async function answerMatched(matched: MatchedRequest, span: OpenSpan): Promise<PlainReply> {
  const { request, match, mounted, route, context, parts, outage, stopTimer } = matched
  const { requestId, now } = context
  let answer: unknown
  try {
    if (outage && mounted) throw outage
    answer = mounted
      ? await serve(mounted, match.params, request, context, parts)
      : fail('method_not_allowed', {}, [['allow', allowedMethods(match.methods)]])
  } catch (error) {
    answer = toFailure(error, route, requestId, parts.logger)
  }
  reportRefusal(answer, context)
  const built = buildReply(answer, matched)
  const reply = built instanceof Promise ? await built : built
  const { status } = reply
  span.setAttribute('http.response.status_code', status)
  if (status >= 500) markFailed(span, String(status))
  // The log has the route's pattern, because the path may contain an id, a code or a nonce.
  const ms = parts.clock() - now
  parts.logger.info(
    { requestId, method: request.method, route: route.path, status, ms, ...traceFields() },
    'http.request',
  )
  measureReply(reply, route.path, request, stopTimer, parts)
  return request.method === 'HEAD' ? { ...reply, body: null } : reply
}

/** Builds the reply from an answer, in the form of the route. A browser gets a failure as a page. */
function buildReply(answer: unknown, matched: MatchedRequest): PlainReply | Promise<PlainReply> {
  const { request, match, route, context, parts } = matched
  const { replyHeaders, userId } = context
  if (answer instanceof Failure)
    return showFailure(failureReply(route, answer, replyHeaders, parts), match, request, parts, userId, answer.code)
  return answer instanceof Reply && answer.flash
    ? withFlash(answer, answer.flash, request, context, parts).then((flashed) => buildSuccess(flashed, matched))
    : buildSuccess(answer, matched)
}

function buildSuccess(
  answer: unknown,
  { request, route, context, parts }: MatchedRequest,
): PlainReply | Promise<PlainReply> {
  const { pages, prefix } = parts
  const form = { pages, prefix, acceptLanguage: request.headers['accept-language'] }
  return successReply(route, answer, form, withFailureHeaders(answer, context.replyHeaders, parts))
}

function measureReply(
  { status }: PlainReply,
  route: string,
  request: PlainRequest,
  stopTimer: StopTimer,
  { measurements }: DispatchParts,
): void {
  const method = knownMethod(request.method)
  measurements.count('tributary_requests_total', { route, method, status: String(status) })
  stopTimer('tributary_request_seconds', { route, method })
}

/**
 * Returns a failure as a page if a browser shows it to a person. Programs may accept HTML too, so the failure of a path
 * without pages is JSON unless a browser opens the path. `userId` is the authenticated user.
 */
async function showFailure(
  reply: PlainReply,
  match: Match | null,
  request: PlainRequest,
  { pages, requestPrefix, secure }: DispatchParts,
  userId: string | null = null,
  code: string | null = null,
): Promise<PlainReply> {
  const path = pathBelow(requestPrefix, request.path) ?? ''
  const { method, headers } = request
  const isPage = match ? match.first.route.sends === 'page' : !path.startsWith('/api/')
  if (!asksForPage(request) || !(isPage || headers['sec-fetch-mode'] === 'navigate')) return reply
  const hasPage = code === 'cross_site_request' && match?.methods.get('GET')?.route.sends === 'page'
  return pages.showFailure(reply, { method, path, hasPage, headers, userId, code, secure })
}

/** Redirects a page's path with trailing slashes to the path without them. Returns null when there is no such page. */
async function redirectFromSlash(
  path: string,
  request: PlainRequest,
  parts: DispatchParts,
): Promise<PlainReply | null> {
  const without = path.replace(/\/+$/, '')
  if (without === '' || without === path || !(request.method === 'GET' || request.method === 'HEAD')) return null
  const match = await parts.find(without)
  if (match?.methods.get('GET')?.route.sends !== 'page') return null
  const query = new URLSearchParams(request.query.map(([name, value]) => [name, value])).toString()
  const { replyHeaders } = createContext(request, '', parts)
  const location = `${parts.prefix}${without}${query === '' ? '' : `?${query}`}`
  return { status: 308, headers: [...replyHeaders, ['cache-control', 'no-store'], ['location', location]], body: null }
}

async function answerNotFound(request: PlainRequest, parts: DispatchParts): Promise<PlainReply> {
  const reply = failureReply(anyRoute, fail('not_found'), createContext(request, '', parts).replyHeaders, parts)
  const answer = await showFailure(reply, null, request, parts)
  return request.method === 'HEAD' ? { ...answer, body: null } : answer
}

/** Adds the headers of failures to a page that reports a failure. */
function withFailureHeaders(
  answer: unknown,
  replyHeaders: [string, string][],
  { failureHeaders, challenge }: DispatchParts,
): [string, string][] {
  if (answer instanceof Reply && answer.status >= 400) {
    for (const [name, value] of failureHeaders) replyHeaders.push([name, value])
    if (answer.status === 401) replyHeaders.push(['www-authenticate', challenge])
  }
  return replyHeaders
}

async function refuseUnlessOperator(request: PlainRequest, parts: DispatchParts): Promise<PlainReply | null> {
  const context = createContext(request, '', parts)
  const caller = await authenticateOperator(request, context, parts)
  if (!(caller instanceof Failure)) return null
  reportRefusal(caller, context)
  // `not_found` means that no operator is configured. The reply is 401 because the path exists: the host serves it.
  const failure = caller.code === 'not_found' ? fail('unauthorized') : caller
  return failureReply(anyRoute, failure, context.replyHeaders, parts)
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

const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Returns the method of a request, or `_OTHER` for an unknown method, so that the number of span names and metric
 * labels is limited.
 */
const knownMethod = (method: string): string => (knownMethods.has(method) ? method : '_OTHER')

/**
 * Describes the span of a request by OpenTelemetry's stable conventions for HTTP servers, without values that may be
 * personal or secret: the client's address, the query, and a path with parameters, which may be an id, a code or the
 * secret of an upload.
 */
function describeRequest(
  { method, path, headers }: PlainRequest,
  route: string,
  requestId: string,
  isSecure: boolean,
): SpanDescription {
  const known = knownMethod(method)
  const userAgent = headers['user-agent']
  return {
    name: `tributary ${known} ${route}`,
    kind: 'SERVER',
    attributes: {
      'http.request.method': known,
      'http.route': route,
      'url.scheme': isSecure ? 'https' : 'http',
      ...(route.includes(':') ? {} : { 'url.path': path }),
      ...(userAgent === undefined ? {} : { 'user_agent.original': userAgent.slice(0, 256) }),
      'tributary.request.id': requestId,
    },
  }
}
