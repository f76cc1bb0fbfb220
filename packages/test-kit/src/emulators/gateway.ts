import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { invokeWithEvent, toEvent, type Stand } from './lambda-client.ts'

/** An HTTP server in front of a function. */
export interface HttpGateway {
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts an HTTP server in front of a Lambda function. It converts every request to an event of the gateway, and every
 * result to a reply.
 */
export async function startGateway(invoke: (event: unknown) => Promise<unknown>, stand: Stand): Promise<HttpGateway> {
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of req) parts.push(part as Buffer)
    const pairs = Array.from(
      { length: req.rawHeaders.length / 2 },
      (_, i) => [req.rawHeaders[2 * i]!, req.rawHeaders[2 * i + 1]!] as const,
    )
    const method = req.method ?? 'GET'
    const event = toEvent(
      { method, target: req.url ?? '/', headers: pairs, body: parts.length > 0 ? Buffer.concat(parts) : null },
      stand,
    )
    if (event === null) return void res.writeHead(400).end()
    try {
      const reply = await invokeWithEvent(invoke, event, stand, method)
      res.writeHead(reply.status, reply.headers.flat()).end(reply.body)
    } catch {
      res.writeHead(502, { 'content-type': 'application/json' }).end('{"message":"Internal server error"}')
    }
  }
  const server = createServer((req, res) => void serve(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
