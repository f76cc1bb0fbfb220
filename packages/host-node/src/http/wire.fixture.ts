import { request as httpRequest } from 'node:http'
import type { HostReply } from '@tributary/test-kit'

/**
 * Sends a request exactly as given: header names keep their case and may be repeated, and several body parts are sent
 * as chunks.
 */
export function sendRequest(
  base: string,
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[] = [],
  body: readonly Uint8Array[] = [],
): Promise<HostReply> {
  const { hostname, port } = new URL(base)
  const flat = [['host', `${hostname}:${port}`], ...headers].flat()
  if (body.length === 1) flat.push('content-length', String(body[0]!.length))
  if (body.length > 1) flat.push('transfer-encoding', 'chunked')
  return new Promise((resolve, reject) => {
    const req = httpRequest({ host: hostname, port, method, path: target, headers: flat, agent: false }, (res) => {
      const parts: Buffer[] = []
      res
        .on('data', (part: Buffer) => parts.push(part))
        .on('error', reject)
        .on('end', () =>
          resolve({
            status: res.statusCode ?? 0,
            body: Buffer.concat(parts),
            headers: toPairs(res.rawHeaders),
          }),
        )
    })
    req.on('error', reject)
    for (const part of body) req.write(part)
    req.end()
  })
}

function toPairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!.toLowerCase(), raw[2 * i + 1]!])
}
