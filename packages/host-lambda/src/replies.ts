import { isUtf8 } from 'node:buffer'
import type { ALBResult, APIGatewayProxyResult, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { PlainReply } from '@tributary/core'
import type { Shape } from './events.ts'

/** What the handler resolves with: the shape follows the event's. */
export type HttpResult = APIGatewayProxyStructuredResultV2 | APIGatewayProxyResult | ALBResult

/**
 * Bytes of a whole reply as JSON. Lambda: 6 MB; a load balancer takes 1 MB of it.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html and
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html
 */
export const replyLimit: Readonly<Record<Shape, number>> = {
  'v2': 6_291_556,
  'v1': 6_291_556,
  'alb': 1_048_576,
  'alb-single': 1_048_576,
}

/** A body as an event carries it. */
interface Carried {
  readonly body: string
  readonly isBase64Encoded: boolean
}

/** The whole body in one piece; null when a stream has more than `limit` bytes, which are then not all read. */
export async function gathered(body: PlainReply['body'], limit: number): Promise<string | Uint8Array | null> {
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

const texts = /^(?:text\/|application\/(?:json|jsonl|[a-z0-9.-]+\+json|javascript|xml|openmetrics-text)\b)/i

/** Text as text, so that it needs no binary media types in API Gateway; everything else in base64. */
export function carried(body: string | Uint8Array, type: string | undefined): Carried {
  if (typeof body === 'string') return { body, isBase64Encoded: false }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (bytes.length === 0) return { body: '', isBase64Encoded: false }
  const text = type !== undefined && texts.test(type) && isUtf8(bytes)
  return { body: bytes.toString(text ? 'utf8' : 'base64'), isBase64Encoded: !text }
}

/** Whether the body surely fits, or by its JSON does. Of a text's characters a JSON string may take up to six bytes. */
export function fits(body: string, headerBytes: number, limit: number): boolean {
  const left = limit - headerBytes - 512
  return body.length * 6 <= left || Buffer.byteLength(JSON.stringify(body)) <= left
}

export const sizeOf = (headers: PlainReply['headers']): number =>
  headers.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(value)) + 8,
    0,
  )

/** The reply as its gateway wants it: every cookie in a place of its own. */
export function resultOf(
  shape: Shape,
  status: number,
  headers: PlainReply['headers'],
  { body, isBase64Encoded }: Carried,
): HttpResult {
  const plain = headers.filter(([name]) => name !== 'set-cookie')
  const cookies = headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
  if (shape === 'v2') {
    return {
      statusCode: status,
      headers: singles(plain),
      ...(cookies.length > 0 ? { cookies } : {}),
      body,
      isBase64Encoded,
    }
  }
  if (shape === 'alb-single') {
    const set = cookies.map((value, at): [string, string] => [spelling('set-cookie', at), value])
    return {
      statusCode: status,
      statusDescription: String(status),
      headers: { ...singles(plain), ...Object.fromEntries(set) },
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

function singles(headers: PlainReply['headers']): Record<string, string> {
  const all: Record<string, string> = {}
  for (const [name, value] of headers) all[name] = name in all ? `${all[name]}, ${value}` : value
  return all
}

/** A map holds a name once, but header names differ in case alone: of two cookies the second is `Set-cookie`. */
function spelling(name: string, at: number): string {
  let [letters, bits] = ['', at]
  for (const letter of name) {
    if (letter === '-') letters += letter
    else {
      letters += bits & 1 ? letter.toUpperCase() : letter
      bits >>= 1
    }
  }
  return letters
}
