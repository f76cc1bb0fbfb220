import type { IncomingHttpHeaders } from 'node:http'
import { BodyAlreadyRead } from '@tributary/core'

/** The bytes of a body that the app has read, or the reason for which the bytes are missing. */
export type ParsedBody = Uint8Array | BodyAlreadyRead

/**
 * Returns the bytes of a body that middleware of the app has read. An object is serialized as a form if the request's
 * content type is a form, and otherwise as JSON. Text and bytes are not changed.
 */
export function serializeParsedBody(req: {
  readonly headers: IncomingHttpHeaders
  readonly body?: unknown
}): ParsedBody {
  const { body, headers } = req
  if (body instanceof Uint8Array) return body
  if (typeof body === 'string') return Buffer.from(body)
  if (typeof body !== 'object' || body === null) return new BodyAlreadyRead()
  const isForm = headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded')
  return Buffer.from(isForm ? serializeForm(body) : JSON.stringify(body))
}

/**
 * Returns an object as a form. `qs`, which Express uses, parses a repeated field to a list, or to an object by index if
 * it has 20 values or more.
 */
function serializeForm(body: object): string {
  const pairs = Object.entries(body).flatMap(([name, value]: [string, unknown]) =>
    (typeof value === 'object' && value !== null ? Object.values(value) : [value]).map((one) => [name, String(one)]),
  )
  return new URLSearchParams(pairs).toString()
}

/** Yields the bytes of a body. Throws `BodyAlreadyRead` if the app has consumed the bytes. */
export async function* readParsedBody(body: ParsedBody): AsyncGenerator<Uint8Array> {
  if (body instanceof BodyAlreadyRead) throw body
  yield body
}

/** Returns the headers for a decoded body: without `content-encoding`, and with its current length. */
export function removeEncodingHeaders(headers: IncomingHttpHeaders, body: ParsedBody): IncomingHttpHeaders {
  const { 'content-encoding': _encoding, 'transfer-encoding': _transfer, ...others } = headers
  return { ...others, 'content-length': String(body instanceof Uint8Array ? body.byteLength : 0) }
}
