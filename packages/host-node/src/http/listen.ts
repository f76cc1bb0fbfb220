import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger, Service } from '@tributary/core'
import { answerMalformed, hostless, refuseHostless } from './malformed.ts'
import { createHost, type HostOptions } from './respond.ts'
import { startWorkerLoop } from '../worker/worker-loop.ts'

const silent: Logger = { info() {}, warn() {}, error() {} }

export interface ListenOptions extends HostOptions {
  /** Default 8787; 0 takes a free one. */
  readonly port?: number
  /** Default `127.0.0.1`. */
  readonly hostname?: string
  /**
   * Whether ingest jobs are worked on in this very loop; default true. False where a thread (`serve`), another process
   * (`tributary worker`) or a queue does it: a large batch holds up requests here for some milliseconds at a time.
   */
  readonly worker?: boolean
  /** Milliseconds without a byte either way after which a connection ends, so that nobody holds a reply that they do not read; default 120,000. */
  readonly idleMs?: number
  /**
   * Milliseconds that `close` leaves the listener open while `/readyz` says 503, so that a load balancer sends new
   * connections elsewhere before they are refused here; default 0.
   */
  readonly drainMs?: number
  /** Milliseconds that running requests get once the listener is closed; default 8,000. */
  readonly stopMs?: number
}

/** A server that listens. */
export interface Listening {
  /** `http://127.0.0.1:8787`, without the service's prefix. */
  readonly url: string
  readonly port: number
  /**
   * Not ready from now on, and no new connections after `drainMs`; resolves when what ran is finished, or was cut off after
   * `stopMs`. Call it once or often.
   */
  close(): Promise<void>
}

/**
 * Serves over node:http. Answers go straight to the socket: by way of h3 the quick paths lose a fifth. Throws when the
 * port is taken (`EADDRINUSE`) or not allowed (`EACCES`).
 *
 * ```ts
 * const { url, close } = await listen(service, { port: 0 })
 * ```
 */
export async function listen(service: Service, options: ListenOptions = {}): Promise<Listening> {
  const { port = 8787, hostname = '127.0.0.1', drainMs = 0, stopMs = 8_000, idleMs = 120_000 } = options
  const host = createHost(service, options)
  // Joined rather than dropped: of two different `authorization` lines neither is to be believed.
  const server = createServer({
    joinDuplicateHeaders: true,
    keepAliveTimeout: 65_000,
    headersTimeout: 20_000,
    requestTimeout: 0,
    requireHostHeader: false,
  })
  const serve =
    (continues: boolean) =>
    (req: IncomingMessage, res: ServerResponse): void =>
      hostless(req) ? refuseHostless(res, service) : host.node(req, res, continues ? { continues } : {})
  server.on('request', serve(false)).on('checkContinue', serve(true))
  // An expectation that nobody knows is none (RFC 9110 section 10.1.1 lets a server do so).
  server.on('checkExpectation', serve(false))
  answerMalformed(server, service)
  server.setTimeout(idleMs)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, hostname, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const bound = server.address() as AddressInfo
  const work = options.worker === false ? null : startWorkerLoop(service, options.logger ?? silent)
  let closed: Promise<void> | null = null
  async function end(): Promise<void> {
    await Promise.all([shut(server, stopMs), work?.stop()])
    host.stop()
  }
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${bound.port}`,
    port: bound.port,
    close() {
      host.drain()
      return (closed ??= drainMs > 0 ? sleep(drainMs).then(end) : end())
    },
  }
}

function shut(server: Server, stopMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), stopMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}
