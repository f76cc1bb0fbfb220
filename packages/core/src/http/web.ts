import { readChunks } from './body.ts'
import { BodyAlreadyRead, type PlainReply, type PlainRequest } from './message.ts'

/** Converts a web-standard request. `address` is the peer's address, which a `Request` does not contain. */
export function fromWebRequest(request: Request, address: string | null = null): PlainRequest {
  const url = new URL(request.url)
  const headers: Record<string, string> = {}
  request.headers.forEach((value, name) => (headers[name] = value))
  const { body } = request
  return {
    method: request.method.toUpperCase(),
    path: url.pathname,
    query: [...url.searchParams],
    headers,
    address,
    body: body ? () => openBody(request, body as ReadableStream<Uint8Array>) : null,
  }
}

function openBody(request: Request, body: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  if (request.bodyUsed || body.locked) throw new BodyAlreadyRead()
  return readChunks(body)
}

/** Converts a plain reply to a web-standard reply. Each cookie keeps its own `set-cookie` header. */
export function toWebResponse(reply: PlainReply): Response {
  const headers = new Headers()
  for (const [name, value] of reply.headers) headers.append(name, value)
  const { body, status } = reply
  if (body === null || typeof body === 'string') return new Response(body, { status, headers })
  if (body instanceof Uint8Array) return new Response(body as Uint8Array<ArrayBuffer>, { status, headers })
  const iterator = body[Symbol.asyncIterator]()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
  return new Response(stream, { status, headers })
}
