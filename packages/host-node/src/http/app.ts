import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Service } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import { H3 } from 'h3'
import { sendNodeResponse } from 'srvx/node'
import { createHost, hostOptionNames, type HostOptions } from './host.ts'

/**
 * Returns the service as an h3 app, to mount in an app of your own. Requests that neither the service nor the host
 * handles fall through to your routes.
 *
 * ```ts
 * const app = new H3().mount('/tributary', toApp(service)).get('/', () => 'our own page')
 * ```
 *
 * Paths are matched as they were sent, so `baseUrl` (or `prefix`) of the service names the mount: here
 * `https://example.com/tributary`.
 */
export function toApp(service: Service, options: HostOptions = {}): H3 {
  checkOptionNames(options, hostOptionNames)
  const host = createHost(service, options)
  return new H3().use(async (event, next) => {
    const node = event.runtime?.node as { req: IncomingMessage; res: ServerResponse } | undefined
    // Without node:http (`app.request` in a test) the service answers the web-standard request.
    const response = node
      ? await host.answer(node.req, node.res)
      : await service.fetch(event.req as unknown as Request, event.req.ip ?? null)
    return response ?? next()
  })
}

/**
 * Returns the service as a listener of node:http, or as middleware of Express and Connect: with a third argument,
 * requests that neither the service nor the host handles fall through to `next`.
 *
 * ```ts
 * http.createServer(toNodeListener(service)).listen(8787)
 * ```
 */
export function toNodeListener(
  service: Service,
  options: HostOptions = {},
): (req: IncomingMessage, res: ServerResponse, next?: () => void) => void {
  checkOptionNames(options, hostOptionNames)
  const host = createHost(service, options)
  return async (req, res, next) => {
    const response = await (next ? host.answer(req, res) : host.answerAll(req, res))
    if (response) await sendNodeResponse(res, response)
    else next!()
  }
}
