import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import type { ServerRequest } from 'srvx'
import { serve } from 'srvx/node'
import { createHost, hostOptionNames, type HostOptions } from './host.ts'
import { answerMalformed, hasOneHost, refuseWithoutHost, findCurrentReply } from './malformed.ts'
import { postponeContinue } from './request.ts'

export interface ListenOptions extends HostOptions {
  /** The port; 0 chooses a free one. Default: 8787. */
  readonly port?: number
  /** Default `127.0.0.1`. */
  readonly hostname?: string
  /**
   * Whether ingest jobs run in this event loop. Default: true. Set it to false if a thread (`serve`), another process
   * (`tributary worker`) or a queue runs the jobs, because a large batch delays requests here for some milliseconds at
   * a time.
   */
  readonly worker?: boolean
  /**
   * Milliseconds without a byte in either direction after which a connection ends, unless the client has sent a whole
   * request and waits for the reply. Default: 120,000.
   */
  readonly idleMs?: number
  /**
   * Milliseconds that `close` keeps accepting connections while `/readyz` answers 503, so that a load balancer sends
   * new connections elsewhere before they are refused here. Default: 0.
   */
  readonly drainMs?: number
  /** Milliseconds that running requests get after the port is closed. Default: 8,000. */
  readonly stopMs?: number
}

/** A server that listens. */
export interface Listening {
  /** `http://127.0.0.1:8787`, without the service's prefix. */
  readonly url: string
  readonly port: number
  /**
   * Makes the server not ready immediately, and stops accepting connections after `drainMs`. Resolves when running
   * requests have finished, or were cut off after `stopMs`. Idempotent.
   */
  close(): Promise<void>
}

/**
 * Serves over HTTP. Throws when the port is taken (`EADDRINUSE`) or not allowed (`EACCES`).
 *
 * ```ts
 * const { url, close } = await listen(service, { port: 0 })
 * ```
 */
export async function listen(service: Service, options: ListenOptions = {}): Promise<Listening> {
  checkOptionNames(options, {
    ...hostOptionNames,
    port: true,
    hostname: true,
    worker: true,
    idleMs: true,
    drainMs: true,
    stopMs: true,
  })
  const { port = 8787, hostname = '127.0.0.1', drainMs = 0, stopMs = 8_000, idleMs = 120_000 } = options
  const host = createHost(service, options)
  const answer = ({ runtime }: ServerRequest): Response | Promise<Response> => {
    const { req, res } = runtime!.node as { req: IncomingMessage; res: ServerResponse }
    return hasOneHost(req) ? host.answerAll(req, res) : refuseWithoutHost(service)
  }
  const server = serve({
    fetch: answer,
    port,
    hostname,
    silent: true,
    gracefulShutdown: false,
    node: {
      // Two different `authorization` headers are joined to one invalid header, so the service rejects the request.
      joinDuplicateHeaders: true,
      keepAliveTimeout: 65_000,
      headersTimeout: 20_000,
      requestTimeout: 0,
      requireHostHeader: false,
    },
  })
  const http = server.node!.server as Server
  answerMalformed(http, service)
  postponeContinue(http)
  http.setTimeout(idleMs, (socket) => {
    // A client that has sent a whole request may wait longer for the reply: the reply to a large sale takes minutes on
    // a slow machine.
    const running = findCurrentReply(socket)
    if (!running?.req.complete || running.headersSent) socket.destroy()
  })
  await server.ready()
  const worker = options.worker === false ? null : service.startWorker()
  const stop = async (): Promise<void> => {
    await Promise.all([closeServer(http, stopMs), worker?.stop()])
    host.stop()
  }
  let closed: Promise<void> | null = null
  const bound = http.address() as AddressInfo
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${bound.port}`,
    port: bound.port,
    close() {
      host.drain()
      return (closed ??= drainMs > 0 ? sleep(drainMs).then(stop) : stop())
    },
  }
}

/** Closes the port and resolves when every connection has ended; running requests are cut off after `stopMs`. */
function closeServer(server: Server, stopMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), stopMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
