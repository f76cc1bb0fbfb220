import { STATUS_CODES, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { PlainReply } from '@tributary/core'
import { FastResponse } from 'srvx'
import { hasBody } from './request.ts'

/** The limits for reading the rest of a request body after the reply was sent (lingering close). */
export interface LingerLimits {
  /**
   * Bytes that are read and discarded, so that a client that sends first and reads later gets its reply. Default: 256
   * MiB.
   */
  readonly lingerBytes: number
  /** The time limit for reading these bytes, in milliseconds. Then the connection ends. Default: 10,000. */
  readonly lingerMs: number
}

export const defaultLingerLimits: LingerLimits = { lingerBytes: 256 * 1024 * 1024, lingerMs: 10_000 }

/** The size up to which reading an unread body costs less than opening a new connection. */
const smallBodyBytes = 64 * 1024

const isEmptyStatus = (status: number): boolean => status === 204 || status === 304 || status < 200

/**
 * Converts a plain reply to srvx's own response, which has flat headers, because a global `Response` would reduce the
 * speed by four fifths. `isClosing` ends the connection after the reply. The rest of a large request body is read after
 * the reply, within `limits`.
 */
export function toResponse(
  req: IncomingMessage,
  { status, headers, body }: PlainReply,
  limits: LingerLimits,
  isClosing = false,
): Response {
  const init = { status, statusText: STATUS_CODES[status] ?? '', headers: [...headers] as [string, string][] }
  const isUnread = !req.complete && hasBody(req)
  const isLarge = isUnread && !(Number(req.headers['content-length']) <= smallBodyBytes)
  const isExpecting = isUnread && req.headers['expect'] !== undefined
  if ((isClosing || isLarge || isExpecting) && !headers.some(([name]) => name === 'connection'))
    init.headers.push(['connection', 'close'])
  if (req.method === 'HEAD' || isEmptyStatus(status)) {
    if (isUnread) discardBody(req, limits.lingerMs)
    return new FastResponse(null, init)
  }
  if (isLarge) {
    // A client that was too slow before does not get the whole time again.
    const lingerMs = status === 408 ? Math.min(limits.lingerMs, 1_000) : limits.lingerMs
    return toStreamResponse(readRestAfter(req, toChunks(body, init.headers), { ...limits, lingerMs }), init)
  }
  if (isUnread) discardBody(req, limits.lingerMs)
  if (body === null || body === '') {
    init.headers.push(['content-length', '0'])
    return new FastResponse(null, init)
  }
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  return isWhole ? new FastResponse(body as BodyInit, init) : toStreamResponse(body, init)
}

/**
 * Converts a reply to a stream. srvx pipes a Node stream as fast as the client reads, and destroys it when the client
 * disconnects. The stream buffers few chunks, because all buffered chunks are written to the socket in one call.
 */
const toStreamResponse = (body: AsyncIterable<Uint8Array>, init: ResponseInit): Response =>
  new FastResponse(Readable.from(body, { highWaterMark: 2 }) as unknown as BodyInit, init)

/** Returns a body as chunks, and adds its length to the headers if it is known. */
function toChunks(
  body: PlainReply['body'],
  headers: [string, string][],
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) return body
  const bytes = Buffer.from(body ?? '')
  if (!headers.some(([name]) => name === 'content-length')) headers.push(['content-length', String(bytes.length)])
  return [bytes]
}

/** Reads and discards a small unread body. Ends the connection if the body does not arrive within `ms`. */
function discardBody(req: IncomingMessage, ms: number): void {
  const timer = setTimeout(() => req.destroy(), ms).unref()
  req.once('close', () => clearTimeout(timer))
  req.resume()
}

/**
 * Yields a reply and then reads the rest of the request, within `limits`. Closing a socket with unread bytes resets the
 * connection, and the reset can overtake the reply (RFC 9112 section 9.6).
 */
async function* readRestAfter(
  req: IncomingMessage,
  reply: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { lingerBytes, lingerMs }: LingerLimits,
): AsyncGenerator<Uint8Array> {
  yield* reply
  await new Promise<void>((resolve) => {
    let bytesLeft = lingerBytes
    const stop = (): void => {
      clearTimeout(timer)
      req.off('data', count).off('end', stop).off('close', stop).off('error', stop)
      req.on('error', () => undefined)
      resolve()
    }
    const count = (chunk: Buffer): void => {
      bytesLeft -= chunk.length
      if (bytesLeft < 0) stop()
    }
    const timer = setTimeout(stop, lingerMs)
    if (req.destroyed || req.readableEnded) return stop()
    req.on('data', count).on('end', stop).on('close', stop).on('error', stop)
    req.resume()
  })
}
