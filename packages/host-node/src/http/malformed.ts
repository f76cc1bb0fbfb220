import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { PlainReply, Service } from '@tributary/core'

const refusals = {
  400: ['invalid_request', 'Bad Request'],
  405: ['method_not_allowed', 'Method Not Allowed'],
  408: ['request_timeout', 'Request Timeout'],
  413: ['body_too_large', 'Content Too Large'],
  431: ['headers_too_large', 'Request Header Fields Too Large'],
} as const
type Status = keyof typeof refusals

/** What node:http's parser says, by the code of its error; the rest is a request that is none. */
const statuses: Readonly<Record<string, Status>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** How long a client may take to read its refusal before the connection is cut. */
const readMs = 1_000

/** The refusal as a reply in the family of what has no route. */
function refusal(service: Service, status: Status): PlainReply {
  const nothing = service.missing({ method: 'GET', path: '*', query: [], headers: {}, address: null, body: null })
  return {
    status,
    headers: [...nothing.headers, ['connection', 'close']],
    body: JSON.stringify({ ok: false, error: refusals[status][0] }),
  }
}

function lines(status: Status, { headers, body }: PlainReply): string {
  const all = [
    ...headers,
    ['content-length', String(Buffer.byteLength(body as string))],
    ['date', new Date().toUTCString()],
  ]
  return `HTTP/1.1 ${status} ${refusals[status][1]}\r\n${all.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body as string}`
}

/**
 * Answers what node:http's parser refuses before there is a request (a malformed head, one that is too large or too slow, broken
 * chunks, CONNECT) as all else is answered: JSON, a request id. The connection ends with it. Where the reply to an
 * earlier request is still to come, nothing is said but that, since it would pass for that reply.
 */
export function answerMalformed(server: Server, service: Service): void {
  const refused = new WeakSet<Duplex>()

  function refuse(socket: Duplex, status: Status): void {
    // The parser goes on with what still arrives, and finds fault with it again.
    if (refused.has(socket)) return
    refused.add(socket)
    const running = (socket as { _httpMessage?: (ServerResponse & { req?: IncomingMessage }) | null })._httpMessage
    if (!socket.writable || running?.headersSent) return void socket.destroy()
    socket.on('error', () => undefined)
    if (running?.req?.complete)
      return void running.once('finish', () => socket.end()).once('close', () => socket.destroy())
    socket.end(lines(status, refusal(service, status)))
    setTimeout(() => socket.destroy(), readMs).unref()
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return void socket.destroy()
    refuse(socket, statuses[error.code ?? ''] ?? 400)
  })
  server.on('connect', (_, socket) => refuse(socket, 405))
}

/** RFC 9112 section 3.2: a request of HTTP/1.1 names its host once, or is none. */
export function hostless({ httpVersion, headers: { host } }: IncomingMessage): boolean {
  return host === undefined ? httpVersion === '1.1' : host.includes(',')
}

/** Answers a request that names no host, or two, in place of node:http's bare 400. */
export function refuseHostless(res: ServerResponse, service: Service): void {
  const { headers, body } = refusal(service, 400)
  res.writeHead(400, [...headers.flat(), 'content-length', String(Buffer.byteLength(body as string))]).end(body)
}
