import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlainRequest } from '@tributary/core'
import { readBody, type Patience } from './body.ts'

const none: readonly (readonly [string, string])[] = []

/**
 * A request of node:http as a plain one, without a web `Request` in between. With `continues` a client that waits for
 * `100 Continue` gets it when the body is opened, so a refusal before that spares it the upload.
 */
export function plainRequest(req: IncomingMessage, patience: Patience, continues?: ServerResponse): PlainRequest {
  const target = originForm(req.url ?? '/')
  const at = target.indexOf('?')
  const { headers } = req
  return {
    method: (req.method ?? 'GET').toUpperCase(),
    path: at < 0 ? target : target.slice(0, at),
    query: at < 0 ? none : [...new URLSearchParams(target.slice(at + 1))],
    // Node joins repeated headers to text, `set-cookie` apart, which no request has business with.
    headers: (headers['set-cookie']
      ? { ...headers, 'set-cookie': headers['set-cookie'].join(', ') }
      : headers) as PlainRequest['headers'],
    address: peer(req),
    body: hasBody(req) ? () => opened(req, patience, continues) : null,
  }
}

function opened(
  req: IncomingMessage,
  patience: Patience,
  continues: ServerResponse | undefined,
): AsyncIterable<Uint8Array> {
  continues?.writeContinue()
  return readBody(req, patience)
}

/** RFC 9112 section 3.2.2: a server must take the absolute form too, which clients send to proxies. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(target)
  if (!absolute) return target === '' ? '/' : target
  return absolute[1]!.startsWith('/') ? absolute[1]! : `/${absolute[1]}`
}

/** The socket's address; one of IPv4 that came in over an IPv6 socket is told as IPv4. */
function peer(req: IncomingMessage): string | null {
  const address = req.socket.remoteAddress
  if (address === undefined) return null
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}

/** RFC 9112 section 6.3: a request has a body when it says so. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
