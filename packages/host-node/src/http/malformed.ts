import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { PlainReply, Service } from '@tributary/core'
import { FastResponse } from 'srvx'

const refusals = {
  400: ['invalid_request', 'Bad Request'],
  405: ['method_not_allowed', 'Method Not Allowed'],
  408: ['request_timeout', 'Request Timeout'],
  413: ['body_too_large', 'Content Too Large'],
  431: ['headers_too_large', 'Request Header Fields Too Large'],
} as const
type RefusalStatus = keyof typeof refusals

/** The statuses for error codes of node:http's parser. Every other code is 400. */
const statusByCode: Readonly<Record<string, RefusalStatus>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** The longest time that a client may take to read its refusal before the connection is destroyed. */
const readTimeoutMs = 1_000

/** Returns the reply to a malformed request, with the headers and the body of a path without a route. */
function createRefusal(service: Service, status: RefusalStatus): PlainReply & { readonly body: string } {
  const missing = service.missing({ method: 'GET', path: '*', query: [], headers: {}, address: null, body: null })
  return {
    status,
    headers: [...missing.headers, ['connection', 'close']],
    body: JSON.stringify({ ok: false, error: refusals[status][0] }),
  }
}

/** Returns a reply as the text of an HTTP/1.1 message. */
function serializeRefusal(status: RefusalStatus, { headers, body }: ReturnType<typeof createRefusal>): string {
  const all = [
    ...headers,
    ['content-length', String(Buffer.byteLength(body))],
    ['date', new Date().toUTCString()],
  ] as const
  const lines = all.map(([name, value]) => `${name}: ${value}`).join('\r\n')
  return `HTTP/1.1 ${status} ${refusals[status][1]}\r\n${lines}\r\n\r\n${body}`
}

/**
 * Returns the reply that node:http currently sends on a connection. node:http has no documented way to get this reply.
 */
export const findCurrentReply = (socket: Duplex): ServerResponse | null =>
  (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? null

/**
 * Answers input that node:http's parser rejects before there is a request (a head that is malformed, too large or too
 * slow, malformed chunks, CONNECT) with JSON and a request id, and ends the connection. Writes nothing while the reply
 * to an earlier request is outstanding, because the client would mistake the error for that reply.
 */
export function answerMalformed(server: Server, service: Service): void {
  const refusedSockets = new WeakSet<Duplex>()

  function refuse(socket: Duplex, status: RefusalStatus): void {
    // The parser also rejects the bytes that arrive later.
    if (refusedSockets.has(socket)) return
    refusedSockets.add(socket)
    const running = findCurrentReply(socket)
    if (!socket.writable || running?.headersSent) return void socket.destroy()
    socket.on('error', () => undefined)
    if (running?.req.complete)
      return void running.once('finish', () => socket.end()).once('close', () => socket.destroy())
    socket.end(serializeRefusal(status, createRefusal(service, status)))
    setTimeout(() => socket.destroy(), readTimeoutMs).unref()
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return void socket.destroy()
    refuse(socket, statusByCode[error.code ?? ''] ?? 400)
  })
  server.on('connect', (_, socket) => refuse(socket, 405))
}

/** Returns whether a request names exactly one host, as HTTP/1.1 requires (RFC 9112 section 3.2). */
export function hasOneHost({ httpVersion, headers: { host } }: IncomingMessage): boolean {
  return host === undefined ? httpVersion !== '1.1' : !host.includes(',')
}

/** Returns the 400 for a request without exactly one host. It replaces the 400 of node:http, which has no body. */
export function refuseWithoutHost(service: Service): Response {
  const { status, headers, body } = createRefusal(service, 400)
  return new FastResponse(body, { status, headers: headers as [string, string][] })
}
