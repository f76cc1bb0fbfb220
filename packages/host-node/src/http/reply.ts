import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlainReply } from '@tributary/core'
import { hasBody } from './request.ts'

/** What happens to a body that nobody read to its end before the reply went out. */
export interface Lingering {
  /** Bytes that are read and thrown away, so that a client that sends first and reads then gets its reply; default 256 MiB. */
  readonly lingerBytes: number
  /** Milliseconds for it; then the connection ends; default 10,000. */
  readonly lingerMs: number
}

export const lingering: Lingering = { lingerBytes: 256 * 1024 * 1024, lingerMs: 10_000 }

/** A rest that is cheaper to read than a new connection is to make. */
const smallRest = 64 * 1024

const emptyStatus = (status: number): boolean => status === 204 || status === 304 || status < 200

/** The header lines as node:http takes them without copying them into an object: name, value, name, value. */
function lines(reply: PlainReply, head: boolean): string[] {
  const flat: string[] = []
  let sized = false
  for (const [name, value] of reply.headers) {
    flat.push(name, value)
    if (name === 'content-length' || name === 'transfer-encoding') sized = true
  }
  const { body, status } = reply
  if (sized || head || emptyStatus(status)) return flat
  if (body === null) flat.push('content-length', '0')
  else if (typeof body === 'string') flat.push('content-length', String(Buffer.byteLength(body)))
  else if (body instanceof Uint8Array) flat.push('content-length', String(body.byteLength))
  return flat
}

/**
 * Sends a plain reply. Text and bytes go out in one write; a stream as fast as the client takes it, and its source is
 * told when the client leaves. Resolves when all is handed to the socket, or at once for what needs no waiting.
 */
export function sendReply(
  req: IncomingMessage,
  res: ServerResponse,
  reply: PlainReply,
  lingers: Lingering,
  closing = false,
): void | Promise<void> {
  const head = req.method === 'HEAD'
  const flat = lines(reply, head)
  const { body } = reply
  const rest = !req.complete && hasBody(req)
  const large = rest && !(Number(req.headers['content-length']) <= smallRest)
  const expecting = rest && req.headers['expect'] !== undefined
  if ((large || closing || expecting) && !reply.headers.some(([name]) => name === 'connection'))
    flat.push('connection', 'close')
  res.writeHead(reply.status, flat)
  if (!large && rest) dropSlow(req, lingers.lingerMs)
  if (body === null || head || typeof body === 'string' || body instanceof Uint8Array) {
    const whole = head ? null : (body as string | Uint8Array | null)
    if (!large) return void res.end(whole ?? undefined)
    if (whole === null || whole.length === 0) res.flushHeaders()
    else res.write(whole)
    // Who was too slow to be waited for is not waited for again.
    return linger(
      req,
      res,
      reply.status === 408 ? { ...lingers, lingerMs: Math.min(lingers.lingerMs, 1_000) } : lingers,
    )
  }
  return stream(res, body).then(
    () => (large ? linger(req, res, lingers) : void res.end()),
    () => void res.destroy(),
  )
}

async function stream(res: ServerResponse, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of source) {
    if (res.destroyed) return
    if (!res.write(chunk)) await drained(res)
  }
}

function drained(res: ServerResponse): Promise<void> {
  if (res.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })
}

/** Ends a connection whose small rest of a body does not arrive. */
function dropSlow(req: IncomingMessage, ms: number): void {
  const timer = setTimeout(() => req.destroy(), ms).unref()
  req.once('close', () => clearTimeout(timer))
  req.resume()
}

/**
 * Reads and forgets what a client still sends after its reply went out, within bounds; closing a socket with unread
 * bytes resets it, and the reset overtakes the reply (RFC 9112 section 9.6). The reply is complete by its
 * content-length before it is ended here.
 */
function linger(req: IncomingMessage, res: ServerResponse, { lingerBytes, lingerMs }: Lingering): Promise<void> {
  return new Promise((resolve) => {
    let left = lingerBytes
    const done = (): void => {
      clearTimeout(timer)
      req.off('data', count).off('end', done).off('close', done).off('error', done)
      req.on('error', () => undefined)
      res.end()
      resolve()
    }
    const count = (chunk: Buffer): void => {
      left -= chunk.length
      if (left < 0) done()
    }
    const timer = setTimeout(done, lingerMs)
    if (req.destroyed || req.readableEnded) return done()
    req.on('data', count).on('end', done).on('close', done).on('error', done)
    req.resume()
  })
}
