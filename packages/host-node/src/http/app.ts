import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { PlainReply, Service } from '@tributary/core'
import { H3 } from 'h3'
import { FastResponse } from 'srvx'
import { createHost, type HostOptions } from './respond.ts'

/** What h3 calls an answer that went to the socket without it. */
const handled = Symbol.for('h3.handled')

/**
 * The service as an h3 app, to listen with or to mount in an app of yours: a path that is neither the service's nor the
 * host's goes on to your own routes.
 *
 * ```ts
 * const app = new H3().mount('/tributary', toApp(service)).get('/', () => 'our own page')
 * ```
 *
 * Paths are matched as they were sent, so `baseUrl` (or `prefix`) of the service names the mount: here
 * `https://example.com/tributary`.
 */
export function toApp(service: Service, options: HostOptions = {}): H3 {
  const host = createHost(service, options)
  const app = new H3()
  app.use(async (event, next) => {
    const { req } = event
    const node = req.runtime?.node as { req: IncomingMessage; res: ServerResponse } | undefined
    // Without node:http behind it (a test's `app.request`), the web-standard way does the same.
    const reply = node
      ? await host.answer(host.request(node.req))
      : await service.fetch(req as unknown as Request, req.ip ?? null)
    if (!reply) return next()
    if (node && !(reply instanceof Response) && (await host.unread(node.req, node.res, reply))) return handled
    return reply instanceof Response ? reply : response(reply)
  })
  return app
}

/** srvx's own response, made from flat headers: a global `Response` would cost four fifths of the speed. */
function response({ status, headers, body }: PlainReply): Response {
  const init = { status, headers: headers as [string, string][] }
  if (body === null || typeof body === 'string' || body instanceof Uint8Array)
    return new FastResponse(body as BodyInit | null, init)
  return new FastResponse(Readable.from(body) as unknown as BodyInit, init)
}

/**
 * The service as a listener of node:http, or as middleware of Express and Connect when there is a third argument: what
 * is not ours goes on to `next`.
 *
 * ```ts
 * http.createServer(toNodeListener(service)).listen(8787)
 * ```
 */
export function toNodeListener(
  service: Service,
  options: HostOptions = {},
): (req: IncomingMessage, res: ServerResponse, next?: () => void) => void {
  const host = createHost(service, options)
  return (req, res, next) => host.node(req, res, next ? { pass: next } : {})
}
