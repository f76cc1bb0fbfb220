import { createHmacCode } from '../auth/hmac.ts'
import { createAuthenticator } from '../auth/authenticator.ts'
import { createOperatorSession } from '../auth/operator.ts'
import { createDispatcher } from '../http/dispatch.ts'
import { readRequestId } from '../http/serve.ts'
import { fail } from '../http/failures.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { lazy } from '../lazy.ts'
import { createCapabilityRouter, type CapabilityRouter } from '../http/match.ts'
import type { Headers, PlainReply, PlainRequest } from '../http/message.ts'
import type { FinishedPage } from '../http/page-renderer.ts'
import { failureReply, standardHeaders } from '../http/replies.ts'
import { loadReply, type NamedRoute } from '../http/route.ts'
import { createSecurityLog, type SecurityEvent } from '../http/security-events.ts'
import { uuid7 } from '../ids.ts'
import { createCapabilities } from './capabilities.ts'
import { createCountReader } from './counts.ts'
import { resolveOptions } from './resolve-options.ts'
import type { ServiceOptions } from './options.ts'
import type { Queue } from '../ports.ts'
import type { Unavailable } from '../unavailable.ts'
import type { WorkOptions, WorkSummary } from '../work.ts'
import { createPageRenderer } from '../ui/page-renderer.ts'
import type { ServiceWorker } from './worker.ts'
import { startWorkerLoop, type WorkerLoop } from './polling.ts'

/** The whole server as a value. A service starts nothing by itself. */
export interface Service extends Omit<ServiceWorker, 'warmUp'> {
  /**
   * Answers a request. Returns null when no route of the service has its path, so that the embedding app continues with
   * its own routes. A host that lacks something that the service needs, such as its secrets, passes `outage`: every
   * route then answers 503 in the form of its endpoint.
   */
  handle(request: PlainRequest, outage?: Unavailable): Promise<PlainReply | null>
  /** Answers a web-standard request. `address` is the peer's address, which the request itself does not contain. */
  fetch(request: Request, address?: string | null): Promise<Response | null>
  /** Returns the 404 reply for a path without a route, as JSON. */
  missing(request: PlainRequest): PlainReply
  /**
   * Answers a request for which `handle` returned null, on a host that serves no other routes. The root returns the
   * home page. Every other path returns the reply of `missing`, as a page when a browser opens it.
   */
  answerMissing(request: PlainRequest): Promise<PlainReply>
  /**
   * Authenticates the operator for a path that the host serves itself, such as `/metrics`, with the same limit on wrong
   * tokens as `/api/admin`. Returns a reply that refuses everybody else, or null for the operator.
   */
  refuseUnlessOperator(request: PlainRequest): Promise<PlainReply | null>
  /**
   * Finishes a page that the host made with `page` of `@tributary/core/host`: adds the brand, and uses the language of
   * the request. Returns the page with the headers of pages.
   */
  finishPage(request: PlainRequest, page: string): Promise<FinishedPage>
  /**
   * Loads every capability, the scrubber and the worker, which are otherwise loaded on first use. A long-running
   * process calls `load` at its start, so that no request waits, and a load that fails is an error before the first
   * request.
   */
  load(): Promise<void>
  /** Loads every capability and returns its routes as data, for documents, typed clients and tests. */
  routes(): Promise<readonly NamedRoute[]>
  /**
   * Erases a user, for an app that deleted its own user. The user's sessions and tokens end and the account is disabled
   * immediately; a worker then deletes all stored data about them. Returns false when there is no such user.
   */
  erase(userId: string): Promise<boolean>
  /**
   * Revokes every token and session of a user, on this host immediately and on others within 5 seconds, and every
   * device authorization whose token was not fetched. Returns the number of revoked tokens, sessions and
   * authorizations.
   */
  revoke(userId: string): Promise<number>
  /** The URL to which a form of the app's own pages posts to end a browser's session. */
  readonly signOutUrl: string
  /**
   * Sets the path, below the prefix, at which the host serves an interactive API reference: `/docs` then links to it.
   */
  linkInteractiveReference(path: string): void
  /** Makes `/readyz` answer 503 from now on, because the process is about to stop. */
  drain(): void
  /** The public URL without a trailing slash: `https://example.com/tributary`. */
  readonly baseUrl: string
  /** The path prefix of incoming requests, `` or `/tributary`. */
  readonly prefix: string
  /** The number of trusted proxies in front of the service. */
  readonly trustedProxies: number
  /** The number of times that each security event happened in this process, for the host's metrics. */
  readonly securityEvents: Readonly<Record<SecurityEvent, number>>
}

/**
 * Makes the service. Throws on options that cannot work.
 *
 * ```ts
 * const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores: libsqlStores(client) })
 * const response = await service.fetch(new Request('http://127.0.0.1:8787/api/cli/session'))
 * ```
 */
export function createService(options: ServiceOptions): Service {
  const given = resolveOptions(options)
  const resolved = { ...given, queue: { send: queueJob } }
  if (resolved.approval === 'manual' && resolved.operators.length === 0)
    resolved.logger.warn(
      {
        fix: 'set `adminToken` (--admin-token), so that somebody can approve contributors, or `approval` to automatic',
      },
      'service.operator.missing',
    )
  if (!options.country)
    resolved.logger.warn(
      { fix: 'set `country` (--country, --country-header or --country-file), so that somebody can upload' },
      'service.country.missing',
    )
  const workers = new Set<WorkerLoop>()
  const { stores, requestPrefix, clock, random } = resolved
  let isDraining = false
  let interactivePath: string | null = null
  const publicPath = (path: string): string => new URL(resolved.link(path)).pathname
  // Every failure contains the URL at which software agents report problems.
  const failureHeaders: Headers = resolved.capabilities.reports
    ? [['link', `<${publicPath('/.well-known/agent-feedback.json')}>; rel="agent-feedback"`]]
    : []
  const challenge = `Bearer resource_metadata="${resolved.link('/.well-known/oauth-protected-resource')}"`
  const hmacCode = createHmacCode(resolved)
  const hashAddress = async (key: string): Promise<string> => (await hmacCode(`security event address\n${key}`))[0]
  const security = createSecurityLog({ ...resolved, hashAddress }, clock)
  const operator = createOperatorSession({ ...resolved, store: stores.auth })
  const authenticator = createAuthenticator({
    ...resolved,
    store: stores.auth,
    operator: operator.check,
    buyer: async (bearer) =>
      (await import('../traces/buyers/session.ts')).findBuyer(bearer, { ...resolved, store: stores.buyers }),
  })
  const router: CapabilityRouter = createCapabilityRouter(
    createCapabilities(resolved, {
      hmacCode,
      authenticator,
      operator,
      rates: options.rates,
      publicPath: (path) => decodeURI(publicPath(path)),
      handle: (request) => handle(request),
      documents: { routes, isDraining: () => isDraining, interactiveReference: () => interactivePath },
    }),
  )
  const { handle, answerMissing, refuseUnlessOperator, finishPage } = createDispatcher(router.find, {
    ...resolved,
    hmacCode,
    authenticator,
    failureHeaders,
    challenge,
    pages: createPageRenderer(resolved),
    security,
    idempotency: createIdempotency({ ...resolved, store: stores.idempotency }),
  })
  async function routes(): Promise<readonly NamedRoute[]> {
    const mounted = (await router.load()).flatMap((capability) => capability.routes)
    return Promise.all(mounted.map(async ({ name, route }) => ({ name, route: await loadReply(route) })))
  }
  async function queueJob(...params: Parameters<Queue['send']>): Promise<void> {
    await given.queue?.send(...params)
    for (const worker of workers) worker.wake()
  }
  async function work(workOptions: WorkOptions = {}): Promise<WorkSummary> {
    return (await loadWork())(workOptions)
  }
  // A host that handles requests itself, such as the host for Lambda, never needs this module.
  const loadWeb = lazy(() => import('../http/web.ts'))
  const loadWork = lazy(async () => (await import('./work.ts')).createWork(resolved))

  async function checkLanguages(): Promise<void> {
    await (await resolved.languages()).check()
  }

  function missing(request: PlainRequest): PlainReply {
    const headers = standardHeaders(readRequestId(request) ?? uuid7(clock(), random), resolved)
    return failureReply({ envelope: 'ok', failures: {} }, fail('not_found'), headers, { failureHeaders, challenge })
  }

  return {
    handle,
    refuseUnlessOperator,
    finishPage,
    async fetch(request, address = null) {
      const { fromWebRequest, toWebResponse } = await loadWeb()
      const reply = await handle(fromWebRequest(request, address))
      return reply ? toWebResponse(reply) : null
    },
    missing,
    answerMissing,
    work,
    startWorker(workerOptions) {
      const worker = startWorkerLoop(work, resolved.logger, workerOptions)
      workers.add(worker)
      return {
        wake: worker.wake,
        stop() {
          workers.delete(worker)
          return worker.stop()
        },
      }
    },
    async erase(userId) {
      const now = clock()
      const erased = await stores.account.startErasure({ ownerId: userId, id: uuid7(now, random), now })
      authenticator.forgetUser(userId)
      for (const worker of workers) worker.wake()
      return erased
    },
    async revoke(userId) {
      const revoked = await stores.auth.revokeCredentials({ ownerId: userId, kinds: 'all', keptHash: null })
      authenticator.forgetUser(userId)
      return revoked.length
    },
    signOutUrl: resolved.link('/sign-out'),
    ready: () => stores.ready(),
    measure: resolved.measurements.addMeter,
    async load() {
      await Promise.all([router.load(), resolved.scrubber(), loadWork(), checkLanguages()])
    },
    routes,
    linkInteractiveReference: (path) => void (interactivePath = path),
    drain: () => void (isDraining = true),
    baseUrl: resolved.link(''),
    prefix: requestPrefix,
    trustedProxies: resolved.trustedProxies,
    securityEvents: security.counts,
    ...createCountReader(resolved),
  }
}
