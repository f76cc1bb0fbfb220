import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Service } from '@tributary/core'
import type { HostUnderTest } from '../emulators/wire.ts'

/** A client of one origin. */
export interface Transport {
  readonly request: HostUnderTest['request']
  /** Closes the connections. */
  close(): void
}

/** The number of bytes after which a reply is not read further. */
const mostBytes = 32 * 1024 * 1024

/**
 * Sends requests over HTTP or HTTPS to the origin of a URL. Header names keep their case and their repetitions, and
 * connections are reused. Rejects when no answer comes within `timeoutMs` (default 30,000).
 */
export function overHttp(address: string, { timeoutMs = 30_000 }: { readonly timeoutMs?: number } = {}): Transport {
  const { protocol, hostname, port, host } = new URL(address)
  const secure = protocol === 'https:'
  const agent = secure
    ? new HttpsAgent({ keepAlive: true, maxSockets: 8 })
    : new HttpAgent({ keepAlive: true, maxSockets: 8 })
  const open = (options: RequestOptions) => (secure ? httpsRequest(options) : httpRequest(options))
  const send: HostUnderTest['request'] = (method, target, headers = [], body = []) =>
    new Promise((resolve, reject) => {
      const flat = [['host', host], ...headers].flat()
      if (body.length === 1) flat.push('content-length', String(body[0]!.length))
      if (body.length > 1) flat.push('transfer-encoding', 'chunked')
      // This header says that a POST has no body, because a gateway may otherwise wait for one.
      if (body.length === 0 && method !== 'GET' && method !== 'HEAD') flat.push('content-length', '0')
      const req = open({
        hostname: hostname.replace(/^\[|\]$/g, ''),
        ...(port === '' ? {} : { port }),
        method,
        path: target,
        headers: flat,
        agent,
      })
      req.setTimeout(timeoutMs, () => req.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
      // A server may close an idle connection at the moment when it is reused. Then the server has not read the
      // request.
      req.on('error', (error: NodeJS.ErrnoException) =>
        req.reusedSocket && error.code === 'ECONNRESET' ? resolve(send(method, target, headers, body)) : reject(error),
      )
      req.on('response', (res) => {
        const parts: Buffer[] = []
        let size = 0
        res.on('error', reject)
        res.on('data', (part: Buffer) => {
          parts.push(part)
          if ((size += part.length) > mostBytes) res.destroy(new Error(`the reply is larger than ${mostBytes} bytes`))
        })
        res.on('end', () =>
          resolve({ status: res.statusCode ?? 0, headers: toPairs(res.rawHeaders), body: Buffer.concat(parts) }),
        )
      })
      for (const part of body) req.write(part)
      req.end()
    })
  return { close: () => agent.destroy(), request: send }
}

/** Sends requests to a service in this process by its web-standard function. `address` is the address of the caller. */
export function overFetch(
  service: Pick<Service, 'fetch' | 'answerMissing'>,
  address = '192.0.2.1',
): HostUnderTest['request'] {
  return async (method, target, headers = [], body = []) => {
    const url = new URL(`http://127.0.0.1${target}`)
    const request = new Request(url, {
      method,
      headers: headers as [string, string][],
      body: body.length > 0 ? Buffer.concat(body) : null,
    })
    const reply = await service.fetch(request, address)
    if (reply)
      return { status: reply.status, headers: [...reply.headers], body: new Uint8Array(await reply.arrayBuffer()) }
    const missing = await service.answerMissing({
      method,
      path: url.pathname,
      query: [...url.searchParams],
      headers: Object.fromEntries(request.headers),
      address,
      body: null,
    })
    return {
      status: missing.status,
      headers: missing.headers,
      body: method === 'HEAD' ? new Uint8Array(0) : Buffer.from(String(missing.body ?? '')),
    }
  }
}

function toPairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!.toLowerCase(), raw[2 * i + 1]!])
}
