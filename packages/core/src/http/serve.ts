import { uuid7 } from '../ids.ts'
import type { Measurements } from '../measurements.ts'
import type { Clock, Logger, Random } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { addressKey } from './address.ts'
import { auditContext, buyerActor } from './audit-context.ts'
import {
  authenticate,
  type Caller,
  type AuthenticationContext,
  type Authenticator,
  type createFailureLimiter,
} from './authenticate.ts'
import { readBytes, readEncoding, type BodyLimits, type createBodyBudget } from './body.ts'
import { Failure, fail } from './failures.ts'
import { browserSession, type Flash, type createFlashes, type FlashOptions } from './flash.ts'
import type { Idempotency } from './idempotency.ts'
import type { FindRoutes } from './match.ts'
import { replyHeader, BodyReadError, type PlainRequest } from './message.ts'
import type { PageRenderer } from './page-renderer.ts'
import { parseBody, parseParameters, readIdempotencyKey } from './parse.ts'
import type { ConsumeRate } from './rate-limit.ts'
import { corsHeaders, standardHeaders, type FailureHeaders } from './replies.ts'
import { Reply, type Mounted, type RateName, type RouteShape } from './route.ts'
import type { SecurityLog } from './security-events.ts'
import { checkClientVersion, type VersionGate } from './version.ts'

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

/**
 * Returns the client's address: the address of the socket, or with `trustedProxies` n the n-th entry from the right of
 * `x-forwarded-for`. If there are fewer entries than trusted proxies, no trusted proxy wrote them, so the socket's
 * address is returned.
 */
export function clientAddress(request: PlainRequest, trustedProxies: number): string | null {
  if (trustedProxies <= 0) return request.address
  const hops = (request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '')
  return hops.at(-trustedProxies)?.slice(0, 64) ?? request.address
}

/** Converts a thrown error to a failure of the route, and logs it unless the client disconnected. */
export function toFailure(
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

const defaultBodyLimit = 256 * 1024

/**
 * Runs the steps of a route, from the client version to the handler. Returns the handler's answer or the first failure.
 */
export async function serve(
  mounted: Mounted,
  pathParams: Readonly<Record<string, string>>,
  request: PlainRequest,
  context: RequestContext,
  parts: DispatchParts,
): Promise<unknown> {
  const { route } = mounted
  if (route.sends === 'page') await parts.pages.check()

  const outdated = route.requiresClientVersion
    ? await checkClientVersion(request.headers['x-cli-version'], parts.version)
    : null
  if (outdated) return outdated

  const found = authenticate(route, request, context, parts)
  const caller = found instanceof Promise ? await found : found
  if (caller instanceof Failure || caller instanceof Reply) return caller
  noteCaller(caller, context)

  const personKey = caller.user?.id ?? (caller.buyer ? `buyer ${caller.buyer.id}` : null)
  for (const name of listRates(route, personKey)) {
    const limited = await parts.consumeRate(name, personKey ?? addressKey(context.address), context.now)
    if (limited) return limited
  }

  const head = readHead(route, pathParams, request)
  if (head instanceof Failure) return head
  const flash = route.sends === 'page' && request.method === 'GET' ? await readFlash(request, context, parts) : null
  const call = { mounted, caller, personKey, context, parts, flash, head }
  return request.body
    ? parts.bodies.run(request, bodyKey(call), async (counted) => answerCall(call, counted))
    : answerCall(call, request)
}

/** Adds the caller to the context. If the session was extended, adds its cookie to the reply. */
function noteCaller({ user }: Caller, context: RequestContext): void {
  if (!user) return
  context.userId = user.id
  if (user.credential === null) context.appUserId = user.id
  if (user.renewed) context.replyHeaders.push(['set-cookie', user.renewed])
}

/** Returns the rates by which a call is counted. */
function listRates({ auth, rates }: RouteShape, personKey: string | null): readonly RateName[] {
  // A message to a route with auth `any` is counted by the route's own rates; the call that the message makes counts
  // for the person.
  if (personKey === null || auth === 'any') return rates ?? noRates
  return rates ? ['person', ...rates] : personRate
}

const noRates: readonly RateName[] = []
const personRate: readonly RateName[] = ['person']

/** The parts of a request that are read before its body. */
interface Head {
  readonly encoding: 'plain' | 'gzip'
  readonly idempotencyKey: Exclude<ReturnType<typeof readIdempotencyKey>, Failure>
  readonly parameters: Exclude<ReturnType<typeof parseParameters>, Failure>
}

/** Reads the content type, the idempotency key and the parameters. Returns the first failure. */
function readHead(
  route: RouteShape,
  pathParams: Readonly<Record<string, string>>,
  request: PlainRequest,
): Head | Failure {
  const encoding = requireEncoding(route, request)
  if (encoding instanceof Failure) return encoding
  const idempotencyKey = readIdempotencyKey(route, request)
  if (idempotencyKey instanceof Failure) return idempotencyKey
  const parameters = parseParameters(route, pathParams, request)
  return parameters instanceof Failure ? parameters : { encoding, idempotencyKey, parameters }
}

function requireEncoding(route: RouteShape, request: PlainRequest): 'plain' | 'gzip' | Failure {
  if (route.form) return readEncoding(request, 'application/x-www-form-urlencoded')
  return route.body || route.raw === 'json' ? readEncoding(request, 'application/json') : 'plain'
}

/** A request that passed every check before its gate and body. */
interface Call {
  readonly mounted: Mounted
  readonly caller: Caller
  /** The key of the person or buyer whose calls are counted. Null means that the calls of the address are counted. */
  readonly personKey: string | null
  readonly context: RequestContext
  readonly parts: DispatchParts
  readonly flash: Awaited<ReturnType<typeof readFlash>>
  readonly head: Head
}

/** Returns the person or address for whom bytes of the body are counted. */
const bodyKey = ({ personKey, context }: Call): string => personKey ?? addressKey(context.address)

/** Runs the route's own gate, reads the body, and runs the handler. */
function answerCall(call: Call, request: PlainRequest): unknown {
  const { precheck, route } = call.mounted
  const input = createInput(call, request)
  const hasInput = route.form !== undefined || (route.body !== undefined && route.raw === undefined)
  // Without a gate and a body there is nothing to wait for.
  return precheck || hasInput ? answerAfterChecks(call, request, input, hasInput) : runHandler(call, input)
}

async function answerAfterChecks(
  call: Call,
  request: PlainRequest,
  input: ReturnType<typeof createInput>,
  hasInput: boolean,
): Promise<unknown> {
  const refusal = await call.mounted.precheck?.(input as never)
  if (refusal) return refusal
  if (hasInput) {
    const read = await readBody(call, request)
    if (read instanceof Failure) return read
    input.body = read.value
  }
  return runHandler(call, input)
}

/** Returns the input of the gate and the handler, without the body. */
function createInput({ caller: { user, operator, buyer }, context, parts, flash, head }: Call, request: PlainRequest) {
  const { params, query } = head.parameters
  const { address, now, report, requestId } = context
  const actor = operator ?? (buyer && buyerActor(buyer))
  const audit = actor === null ? undefined : auditContext({ actor, requestId, address, now }, parts.random)
  const body: unknown = undefined
  return {
    user,
    params,
    query,
    body,
    flash,
    address,
    requestId,
    report,
    audit,
    buyer: buyer ?? undefined,
    now,
    request,
  }
}

/** Reads and checks the body. */
async function readBody(call: Call, request: PlainRequest): Promise<{ readonly value: unknown } | Failure> {
  const { head, context, parts } = call
  const { route } = call.mounted
  const bytes = await readBytes(request, head.encoding, route.bodyLimit ?? defaultBodyLimit)
  if (bytes instanceof Failure) return bytes
  const overRate = route.byteRate
    ? await parts.consumeRate(route.byteRate, bodyKey(call), context.now, bytes.byteLength)
    : null
  return overRate ?? parseBody(bytes, route)
}

/** Runs the handler, at most once for each idempotency key. */
function runHandler({ mounted, caller, context, parts, head }: Call, input: { readonly body: unknown }): unknown {
  const { route } = mounted
  if (!route.idempotent) return mounted.run(input as never)
  const run = (effectId: string): unknown => mounted.run({ ...input, effectId } as never)
  const effectId = uuid7(context.now, parts.random)
  const { idempotencyKey: key, parameters } = head
  if (key === null || !parts.idempotency) return run(effectId)
  const { user, operator } = caller
  const values = parameters.params as Readonly<Record<string, string>>
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => values[name]!)
  return parts.idempotency({ route: { ...route, path }, user, operator, key, body: input.body, effectId }, run)
}

/** Returns the flash for the page, and removes the flash from the browser. */
async function readFlash(request: PlainRequest, context: RequestContext, parts: DispatchParts) {
  const { now, appUserId, replyHeaders } = context
  const session = browserSession(request, { secure: parts.secure, appUserId })
  const path = pathBelow(parts.requestPrefix, request.path) ?? ''
  const flash = await parts.flashes.read(request, { path, session, now })
  if (flash) replyHeaders.push(['set-cookie', parts.flashes.end])
  return flash
}

/** Returns the answer with the cookie that passes the flash to the next page. */
export async function withFlash(
  { status, body, headers }: Reply,
  flash: Flash,
  request: PlainRequest,
  { now, appUserId }: RequestContext,
  { flashes, secure }: DispatchParts,
): Promise<Reply> {
  const session = browserSession(request, { secure, appUserId, reply: headers })
  const [path = ''] = (replyHeader({ headers }, 'location') ?? '').split(/[?#]/, 1)
  return new Reply(status, body, [...headers, ['set-cookie', await flashes.write(flash, { path, session, now })]])
}
