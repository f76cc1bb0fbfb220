import { isUtf8 } from 'node:buffer'
import type { ALBResult, APIGatewayProxyResult, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { PlainReply } from '@tributary/core'
import type { Shape } from './events.ts'

/** The result of the handler, in the shape of its event. */
export type HttpResult = APIGatewayProxyStructuredResultV2 | APIGatewayProxyResult | ALBResult

/**
 * The maximum number of bytes of a whole reply as JSON: 6 MB for Lambda, 1 MB for a load balancer.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html and
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
 */
export const replyLimit: Readonly<Record<Shape, number>> = {
  'v2': 6_291_556,
  'v1': 6_291_556,
  'alb': 1_048_576,
  'alb-single': 1_048_576,
}

/** A body in the form of an event. */
interface EncodedBody {
  readonly body: string
  readonly isBase64Encoded: boolean
}

/** Reads the whole body. Returns null if a stream has more than `limit` bytes, and stops reading the stream. */
export async function readBody(body: PlainReply['body'], limit: number): Promise<string | Uint8Array | null> {
  if (body === null) return ''
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.byteLength
    if (size > limit) return null
    // The source may reuse its buffer.
    parts.push(part.slice())
  }
  return Buffer.concat(parts)
}

const textTypes = /^(?:text\/|application\/(?:json|jsonl|[a-z0-9.-]+\+json|javascript|xml|openmetrics-text)\b)/i

/**
 * Encodes a body for an event. Text is sent as text, so that API Gateway needs no binary media types; all other bodies
 * become base64.
 */
export function encodeBody(body: string | Uint8Array, type: string | undefined): EncodedBody {
  if (typeof body === 'string') return { body, isBase64Encoded: false }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (bytes.length === 0) return { body: '', isBase64Encoded: false }
  const text = type !== undefined && textTypes.test(type) && isUtf8(bytes)
  return { body: bytes.toString(text ? 'utf8' : 'base64'), isBase64Encoded: !text }
}

/**
 * Returns whether a reply with this body fits in an event. JSON takes up to six bytes for a character, so a short body
 * need not be measured.
 */
export function fitsInEvent(body: string, bytesOfHeaders: number, limit: number): boolean {
  const left = limit - bytesOfHeaders - 512
  return body.length * 6 <= left || Buffer.byteLength(JSON.stringify(body)) <= left
}

export const countHeaderBytes = (headers: PlainReply['headers']): number =>
  headers.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(value)) + 8,
    0,
  )

/** Converts a reply to the shape of its gateway. Cookies are not joined. */
export function toResult(
  shape: Shape,
  status: number,
  headers: PlainReply['headers'],
  { body, isBase64Encoded }: EncodedBody,
): HttpResult {
  const plain = headers.filter(([name]) => name !== 'set-cookie')
  const cookies = headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
  if (shape === 'v2') {
    return {
      statusCode: status,
      headers: toHeaderMap(plain),
      ...(cookies.length > 0 ? { cookies } : {}),
      body,
      isBase64Encoded,
    }
  }
  if (shape === 'alb-single') {
    const set = cookies.map((value, n): [string, string] => [varyCase('set-cookie', n), value])
    return {
      statusCode: status,
      statusDescription: String(status),
      headers: { ...toHeaderMap(plain), ...Object.fromEntries(set) },
      body,
      isBase64Encoded,
    }
  }
  const multiValueHeaders: Record<string, string[]> = {}
  for (const [name, value] of headers) (multiValueHeaders[name] ??= []).push(value)
  if (shape === 'alb')
    return { statusCode: status, statusDescription: String(status), multiValueHeaders, body, isBase64Encoded }
  return { statusCode: status, multiValueHeaders, body, isBase64Encoded }
}

function toHeaderMap(headers: PlainReply['headers']): Record<string, string> {
  const all: Record<string, string> = {}
  for (const [name, value] of headers) all[name] = name in all ? `${all[name]}, ${value}` : value
  return all
}

/**
 * Returns the header name in the n-th combination of upper and lower case. A map can contain each name only once.
 * Header names ignore case, so the second of two cookies is sent as `Set-cookie`.
 */
function varyCase(name: string, n: number): string {
  let [letters, bits] = ['', n]
  for (const letter of name) {
    if (letter === '-') letters += letter
    else {
      letters += bits & 1 ? letter.toUpperCase() : letter
      bits >>= 1
    }
  }
  return letters
}
