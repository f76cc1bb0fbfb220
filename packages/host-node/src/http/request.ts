import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { BodyReadError, type PlainRequest } from '@tributary/core'
import { readParsedBody, serializeParsedBody, removeEncodingHeaders } from './parsed-body.ts'

/**
 * The time limits for a slow sender. They count only the time spent waiting for the sender, and not the time in which
 * nobody reads the body.
 */
export interface BodyDeadlines {
  /**
   * The length in milliseconds of the successive windows in which `bodyBytesPerSecond` is measured. Default: 10,000.
   */
  readonly bodyTimeoutMs: number
  /**
   * The bytes per second that must arrive in each window, so that a slow sender cannot keep a body open. Default:
   * 16,384.
   */
  readonly bodyBytesPerSecond: number
  /** Milliseconds for a whole body. Default: 300,000. */
  readonly bodyMaxMs: number
}

export const defaultBodyDeadlines: BodyDeadlines = {
  bodyTimeoutMs: 10_000,
  bodyBytesPerSecond: 16_384,
  bodyMaxMs: 300_000,
}

const noQuery: readonly (readonly [string, string])[] = []
/** Requests whose client sends the body only after it receives `100 Continue`. */
const awaitingContinue = new WeakSet<IncomingMessage>()

/** Postpones `100 Continue` until the body is read, so that the client of a refused request does not upload it. */
export function postponeContinue(server: Server): void {
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    awaitingContinue.add(req)
    server.emit('request', req, res)
  })
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
}

/** The fields that routers and middleware of an app set on a request of node:http before it reaches a listener. */
export interface MountedRequest extends IncomingMessage {
  /** The target before an outer router stripped its mount path (Express, Connect). */
  readonly originalUrl?: string
  /** The client's address as the app's `trust proxy` determines it (Express). */
  readonly ip?: string
  /** A body that middleware of the app has read and parsed already. */
  readonly body?: unknown
}

/**
 * Converts a request of node:http to a plain request. `prefix` is the path prefix of the service. If an outer router
 * stripped the prefix, the path is read from `originalUrl`.
 */
export function toPlainRequest(
  req: MountedRequest,
  res: ServerResponse,
  deadlines: BodyDeadlines,
  prefix = '',
): PlainRequest {
  const target = toOriginForm(readTarget(req, prefix))
  const queryStart = target.indexOf('?')
  const parsed = hasBody(req) && req.readableDidRead ? serializeParsedBody(req) : null
  const headers = parsed ? removeEncodingHeaders(req.headers, parsed) : req.headers
  return {
    method: (req.method ?? 'GET').toUpperCase(),
    path: queryStart < 0 ? target : target.slice(0, queryStart),
    query: queryStart < 0 ? noQuery : [...new URLSearchParams(target.slice(queryStart + 1))],
    // Node joins repeated headers to one text. The exception is `set-cookie`, which does not belong in a request.
    headers: (headers['set-cookie']
      ? { ...headers, 'set-cookie': headers['set-cookie'].join(', ') }
      : headers) as PlainRequest['headers'],
    address: req.ip ?? peerAddress(req),
    body: parsed ? () => readParsedBody(parsed) : hasBody(req) ? () => openBody(req, res, deadlines) : null,
  }
}

/** Returns the target with the service's prefix, which an outer router may have stripped from `url`. */
function readTarget({ originalUrl, url = '/' }: MountedRequest, prefix: string): string {
  const isBelow = (target: string): boolean => target === prefix || /^[/?]/.test(target.slice(prefix.length))
  return prefix !== '' && originalUrl?.startsWith(prefix) && isBelow(originalUrl) ? originalUrl : url
}

/** Returns whether a request has a body (RFC 9112 section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Returns the target in origin form. A server must also accept the absolute form (RFC 9112 section 3.2.2). */
function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(target)
  if (!absolute) return target === '' ? '/' : target
  return absolute[1]!.startsWith('/') ? absolute[1]! : `/${absolute[1]}`
}

/** Returns the client's address of the socket. An IPv4 address that arrived over IPv6 is returned as IPv4. */
function peerAddress(req: IncomingMessage): string | null {
  const address = req.socket.remoteAddress
  if (address === undefined) return null
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

function openBody(req: IncomingMessage, res: ServerResponse, deadlines: BodyDeadlines): AsyncIterable<Uint8Array> {
  if (awaitingContinue.delete(req)) res.writeContinue()
  return readBody(req, deadlines)
}

/**
 * Yields the body of a request. If the caller leaves the loop early, the rest of the body is not read. Throws
 * `BodyReadError`.
 */
async function* readBody(
  req: IncomingMessage,
  { bodyTimeoutMs, bodyBytesPerSecond, bodyMaxMs }: BodyDeadlines,
): AsyncGenerator<Uint8Array> {
  let waitedMs = 0
  let window = { ms: 0, bytes: 0 }
  for (;;) {
    const chunk = req.read() as Buffer | null
    if (chunk !== null) {
      window.bytes += chunk.length
      yield chunk
      continue
    }
    if (req.readableEnded) return
    if (req.destroyed) throw new BodyReadError('aborted')
    if (waitedMs >= bodyMaxMs) throw new BodyReadError('timeout')
    if (window.ms >= bodyTimeoutMs) {
      if (window.bytes < (bodyBytesPerSecond * window.ms) / 1000) throw new BodyReadError('timeout')
      window = { ms: 0, bytes: 0 }
    }
    const startedAt = performance.now()
    await waitForChange(req, Math.min(bodyTimeoutMs - window.ms, bodyMaxMs - waitedMs))
    const ms = performance.now() - startedAt
    waitedMs += ms
    window.ms += ms
  }
}

/** Resolves when bytes arrive, when the body or the connection ends, or after `ms`. Rejects with `BodyReadError`. */
function waitForChange(req: IncomingMessage, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: BodyReadError): void => {
      clearTimeout(timer)
      req.off('readable', succeed).off('end', succeed).off('close', succeed).off('error', fail)
      if (error) reject(error)
      else resolve()
    }
    const succeed = (): void => settle()
    const fail = (): void => settle(new BodyReadError('aborted'))
    const timer = setTimeout(succeed, Math.max(1, ms))
    req.on('readable', succeed).on('end', succeed).on('close', succeed).on('error', fail)
  })
}
