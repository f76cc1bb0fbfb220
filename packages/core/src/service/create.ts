import { resolveOptions, type ServiceOptions } from './options.ts'
import { standardHeaders, failed, type Headers } from '../http/replies.ts'
import { createDispatcher, requestIdOf } from '../http/dispatch.ts'
import { fail } from '../http/failures.ts'
import { lazy } from '../http/lazy.ts'
import { securityLog, type SecurityEvent } from '../http/security-events.ts'
import type { PlainReply, PlainRequest } from '../http/message.ts'
import type { RouteShape } from '../http/route.ts'
import { fromWeb, toWeb } from '../http/web.ts'
import { uuid7 } from '../ids.ts'
import type { WorkSummary, WorkOptions } from '../ingest/worker.ts'
import { mountCapabilities } from './capabilities.ts'
import { createHmacCode } from '../auth/hmac.ts'
import { createOperatorSession } from '../auth/operator.ts'
import { createIdentification } from '../auth/identify.ts'

/** The whole server as a value. It starts nothing by itself. */
export interface Service {
  /** Answers a request, or null when the path is not one of ours: the embedding app goes on to its own routes. */
  handle(request: PlainRequest): Promise<PlainReply | null>
  /** The same for web-standard requests. `address` is the peer's, where the platform tells it. */
  fetch(request: Request, address?: string | null): Promise<Response | null>
  /** The 404 of a host that has no routes of its own; its front door leads to the traces. */
  missing(request: PlainRequest): PlainReply
  /**
   * Works on ingest jobs, and sends what must go out (mails, telemetry, network impressions), until nothing is due; with
   * `wait`, until the signal is aborted; each of the two then waits by itself. Any number of workers may run, anywhere.
   */
  work(options?: WorkOptions): Promise<WorkSummary>
  /** Resolves when the stores answer; throws `Unavailable`. */
  ready(): Promise<void>
  /**
   * Loads what else is loaded when it is first asked for, so that nobody waits for it and what does not load is known at the start.
   * For a process that stays; a function that may start for a single request leaves it out.
   */
  load(): Promise<void>
  /** The path before every address of the service, `` or `/tributary`. */
  readonly prefix: string
  /** How often each security event happened in this process, for the host's metrics. */
  readonly securityEvents: Readonly<Record<SecurityEvent, number>>
  /** Every route as data, by name. */
  readonly routes: readonly { readonly name: string; readonly route: RouteShape }[]
}

/**
 * Makes the service. Throws on options that cannot work.
 *
 * ```ts
 * const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores: memoryStores() })
 * const response = await service.fetch(new Request('http://127.0.0.1:8787/api/cli/session'))
 * ```
 */
export function createService(options: ServiceOptions): Service {
  const resolved = resolveOptions(options)
  const path = (own: string): string => new URL(resolved.link(own)).pathname
  // Whoever meets a failure learns where to report it (decisions section 10).
  const failureHeaders: Headers = [['link', `<${path('/.well-known/agent-feedback.json')}>; rel="agent-feedback"`]]
  const hashCode = createHmacCode({
    ...resolved,
    configured: resolved.secrets,
    stored: resolved.stores.sessions.secret,
  })
  const hashAddress = async (key: string): Promise<string> => (await hashCode(`security event address\n${key}`))[0]
  const security = securityLog({ ...resolved, hashAddress }, resolved.clock)
  const operator = createOperatorSession({ ...resolved, store: resolved.stores.sessions })
  const who = createIdentification({ ...resolved, store: resolved.stores.sessions, operator: operator.check })
  const { mounted, parts } = mountCapabilities(resolved, {
    keyed: hashCode,
    who,
    operator,
    rates: options.rates,
    path: (own) => decodeURI(path(own)),
  })
  const work = lazy(async () => (await import('./work.ts')).createWork(resolved))
  const keys = lazy(async () =>
    (await import('../http/idempotency.ts')).idempotency({ ...resolved, store: resolved.stores.idempotency }),
  )
  const handle = createDispatcher(mounted, {
    ...resolved,
    who,
    failureHeaders,
    security,
    idempotency: async (call, run) => (await keys())(call, run),
  })
  return {
    handle,
    async fetch(request, address = null) {
      const reply = await handle(fromWeb(request, address))
      return reply ? toWeb(reply) : null
    },
    missing(request) {
      const base = standardHeaders(
        requestIdOf(request.headers['x-request-id']) ?? uuid7(resolved.clock(), resolved.random),
        resolved,
      )
      const front = request.path === resolved.prefix || request.path === `${resolved.prefix}/`
      if (front && (request.method === 'GET' || request.method === 'HEAD')) {
        return {
          status: 303,
          headers: [...base, ['cache-control', 'no-store'], ['location', `${resolved.prefix}/traces`]],
          body: null,
        }
      }
      return failed({ envelope: 'ok', failures: {} }, fail('not_found'), base, failureHeaders)
    },
    work: async (given = {}) => (await work())(given),
    ready: () => resolved.stores.ready(),
    async load() {
      await Promise.all([...parts, resolved.scrubber, work, keys].map((part) => part()))
    },
    prefix: resolved.prefix,
    securityEvents: security.counts,
    routes: mounted,
  }
}
