import type { PlainReply, PlainRequest } from './message.ts'

/** Builds a request for tests of this folder. The body is `json` if it is given, otherwise the given bytes. */
export function buildRequest(
  method: string,
  target: string,
  options: {
    headers?: Record<string, string>
    json?: unknown
    bytes?: Uint8Array | readonly Uint8Array[]
    address?: string
  } = {},
): PlainRequest {
  const [path = '/', query = ''] = target.split('?', 2)
  const given =
    options.bytes ?? (options.json === undefined ? null : new TextEncoder().encode(JSON.stringify(options.json)))
  const parts = given === null ? null : given instanceof Uint8Array ? [given] : given
  return {
    method,
    path,
    query: [...new URLSearchParams(query)],
    address: options.address ?? '192.0.2.1',
    headers: { ...(parts ? { 'content-type': 'application/json' } : {}), ...options.headers },
    body:
      parts &&
      async function* () {
        yield* parts
      },
  }
}

/** Returns the JSON of a reply. */
export function json(reply: PlainReply | null): unknown {
  return typeof reply?.body === 'string' ? JSON.parse(reply.body) : reply?.body
}
