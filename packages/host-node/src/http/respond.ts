import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger, PlainReply, PlainRequest, Service } from '@tributary/core'
import { patience, type Patience } from './body.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createHostPages, type HostPagesOptions, type Page } from './pages.ts'
import { lingering, sendReply, type Lingering } from './reply.ts'
import { hasBody, plainRequest } from './request.ts'
import type { MetricsFor } from './metrics-access.ts'

/** How a host treats requests; everything has a default. */
export interface HostOptions extends Partial<Patience>, Partial<Lingering> {
  /** The address in the documents; default: `http://localhost` and the service's prefix. */
  readonly baseUrl?: string
  readonly logger?: Logger
  /**
   * Whether requests are counted and `GET /metrics` answers, and to whom: `local` is this machine and, from elsewhere, the
   * operator's token. Default true: everybody who reaches it.
   */
  readonly metrics?: MetricsFor
  /** Ingest jobs by status, for `/metrics`. */
  readonly jobs?: () => Promise<Readonly<Record<string, number>>>
  /** Further pages of the host itself by path, without parameters. */
  readonly pages?: Readonly<Record<string, (request: PlainRequest) => Page>>
}

/** A service with the host's own addresses beside it, ready to answer one request after another. */
export interface Host {
  /** Null: neither the service's nor the host's. */
  answer(request: PlainRequest): PlainReply | Promise<PlainReply | null> | null
  /** Answers over node:http. `pass` is called for what is not ours; without it that is a 404. */
  node(req: IncomingMessage, res: ServerResponse, how?: { pass?: () => void; continues?: boolean }): void
  request(req: IncomingMessage): PlainRequest
  /** Sends a reply to a request whose body nobody read to its end, which needs care at the socket; false when it was. */
  unread(req: IncomingMessage, res: ServerResponse, reply: PlainReply): Promise<boolean>
  /** From now on not ready, and connections end with their reply. */
  drain(): void
  stop(): void
}

/** Binds a service to this host's ways. Starts nothing. */
export function createHost(service: Service, options: HostOptions = {}): Host {
  const { logger } = options
  const slowness: Patience = {
    bodyTimeoutMs: options.bodyTimeoutMs ?? patience.bodyTimeoutMs,
    bodyBytesPerSecond: options.bodyBytesPerSecond ?? patience.bodyBytesPerSecond,
    bodyMaxMs: options.bodyMaxMs ?? patience.bodyMaxMs,
  }
  const lingers: Lingering = {
    lingerBytes: options.lingerBytes ?? lingering.lingerBytes,
    lingerMs: options.lingerMs ?? lingering.lingerMs,
  }
  const metrics: Metrics | null = options.metrics === false ? null : createMetrics(service, options.jobs)
  let draining = false
  const ownOptions: HostPagesOptions = {
    metricsFor: options.metrics ?? true,
    baseUrl: options.baseUrl ?? `http://localhost${service.prefix}`,
    metrics,
    draining: () => draining,
    ...(logger ? { logger } : {}),
    ...(options.pages ? { pages: options.pages } : {}),
  }
  const own = createHostPages(service, ownOptions)

  function counted(request: PlainRequest, reply: PlainReply | null, since: number): PlainReply | null {
    if (reply) metrics?.count(request.path, request.method, reply.status, performance.now() - since)
    return reply
  }

  async function served(request: PlainRequest): Promise<PlainReply | null> {
    const since = metrics ? performance.now() : 0
    return counted(request, await service.handle(request), since)
  }

  const answer = (request: PlainRequest): ReturnType<Host['answer']> => own(request) ?? served(request)

  function node(
    req: IncomingMessage,
    res: ServerResponse,
    { pass, continues = false }: { pass?: () => void; continues?: boolean } = {},
  ): void {
    const request = plainRequest(req, slowness, continues ? res : undefined)
    const send = (reply: PlainReply | null): void | Promise<void> => {
      if (!reply && pass) return pass()
      return sendReply(req, res, reply ?? service.missing(request), lingers, draining)
    }
    const failed = (error: unknown): void => {
      logger?.error({ err: error, path: request.path }, 'the host failed')
      if (res.headersSent) res.destroy()
      else
        res
          .writeHead(500, { 'connection': 'close', 'content-type': 'application/json' })
          .end('{"ok":false,"error":"internal_error"}')
    }
    try {
      const reply = answer(request)
      if (reply instanceof Promise) reply.then(send).catch(failed)
      else Promise.resolve(send(reply)).catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  return {
    answer,
    node,
    request: (req) => plainRequest(req, slowness),
    async unread(req, res, reply) {
      if (req.complete || !hasBody(req)) return false
      await sendReply(req, res, reply, lingers, draining)
      return true
    },
    drain: () => void (draining = true),
    stop: () => metrics?.stop(),
  }
}
