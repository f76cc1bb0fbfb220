import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger, PlainReply, PlainRequest, Service } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import type { Registry } from 'prom-client'
import { createMetrics, type MetricSources } from './metrics.ts'
import type { MetricsAccess } from './metrics-access.ts'
import type { HostPages } from './page.ts'
import { createHostPages } from './pages.ts'
import { defaultBodyDeadlines, toPlainRequest, type BodyDeadlines } from './request.ts'
import { defaultLingerLimits, toResponse, type LingerLimits } from './response.ts'

/** Settings of a host for requests. Each has a default. */
export interface HostOptions extends Partial<BodyDeadlines>, Partial<LingerLimits>, MetricSources {
  readonly logger?: Logger
  /**
   * The access to `GET /metrics`: `true` means everybody, `local` means this machine and operators with their token,
   * and `false` means nobody, so that nothing is counted. Default: false. With `registry`, a registry of `prom-client`,
   * the metrics are added to the app's own metrics, and the app's endpoint shows them. `/metrics` of the service then
   * answers only the callers that `access` allows, by default nobody. A registry can have the metrics of one service.
   */
  readonly metrics?: MetricsAccess | { readonly registry: Registry; readonly access?: MetricsAccess }
  /** Other pages of the host by path, without parameters. */
  readonly pages?: HostPages
}

/** The names of these options, for `checkOptionNames`. */
export const hostOptionNames = {
  ...defaultBodyDeadlines,
  ...defaultLingerLimits,
  logger: true,
  metrics: true,
  pages: true,
  verificationFailures: true,
  sources: true,
}

/** A service together with the host's own pages, bound to node:http. */
export interface Host {
  /** Answers a request. Null if the path belongs neither to the service nor to the host. */
  answer(req: IncomingMessage, res: ServerResponse): Promise<Response | null>
  /** Answers every request. A path that belongs neither to the service nor to the host gets a 404. */
  answerAll(req: IncomingMessage, res: ServerResponse): Promise<Response>
  /** Makes `/readyz` return 503 from now on, and closes each connection after its next reply. */
  drain(): void
  stop(): void
}

/** Binds a service to node:http without starting a server. */
export function createHost(service: Service, options: HostOptions = {}): Host {
  const { logger, metrics: given = false, verificationFailures = {}, sources = [] } = options
  if (typeof given === 'object') checkOptionNames(given, { registry: true, access: true }, 'metrics.')
  const { access: metricsAccess = false, registry } = typeof given === 'object' ? given : { access: given }
  const settings = { ...defaultBodyDeadlines, ...defaultLingerLimits, ...withoutUndefined(options) }
  const metrics =
    metricsAccess === false && !registry ? null : createMetrics(service, registry, { verificationFailures, sources })
  let isDraining = false
  const answerPage = createHostPages(service, {
    metricsAccess,
    metrics,
    ...(options.pages ? { pages: options.pages } : {}),
  })

  /** Answers a request. A path without a route gets the answer of `answerMissing`. */
  async function answer<Missing extends PlainReply | null>(
    req: IncomingMessage,
    res: ServerResponse,
    answerMissing: (request: PlainRequest) => Missing | Promise<Missing>,
  ): Promise<Response | Extract<Missing, null>> {
    const request = toPlainRequest(req, res, settings, service.prefix)
    try {
      const reply = (await (answerPage(request) ?? service.handle(request))) ?? (await answerMissing(request))
      return reply === null ? (reply as Extract<Missing, null>) : toResponse(req, reply, settings, isDraining)
    } catch (error) {
      logger?.error({ err: error }, 'http.request.failed')
      return toResponse(req, internalError, settings, true)
    }
  }

  return {
    answer: (req, res) => answer(req, res, () => null),
    answerAll: (req, res) => answer(req, res, service.answerMissing),
    drain() {
      isDraining = true
      service.drain()
    },
    stop: () => metrics?.stop(),
  }
}

const internalError: PlainReply = {
  status: 500,
  headers: [['content-type', 'application/json']],
  body: '{"ok":false,"error":"internal_error"}',
}

/** Removes options that are set to `undefined`, so that they do not replace defaults. */
function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}
