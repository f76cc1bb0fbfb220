import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2, LambdaFunctionURLEvent } from 'aws-lambda'
import type { PlainRequest } from '@tributary/core'

/**
 * The shape of an event, which the reply must have too: API Gateway or a function URL with payload 2.0, API Gateway
 * with payload 1.0, or a load balancer whose target group has multi-value headers on or off.
 */
export type Shape = 'v2' | 'v1' | 'alb' | 'alb-single'

/** The HTTP events that the handler accepts. */
export type HttpEvent = APIGatewayProxyEventV2 | LambdaFunctionURLEvent | APIGatewayProxyEvent | ALBEvent

/** The error for an event that is not an HTTP event. The message describes the event's fields, never their values. */
export class UnsupportedEvent extends Error {
  override readonly name = 'UnsupportedEvent'
}

type Loose = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the shape of an event, by its fields. Throws `UnsupportedEvent`. */
export function detectEventShape(event: unknown): Shape {
  if (!isObject(event)) throw new UnsupportedEvent('the event is not an object')
  const context = isObject(event['requestContext']) ? event['requestContext'] : {}
  if (event['version'] === '2.0' && isObject(context['http']) && typeof event['rawPath'] === 'string') return 'v2'
  if (typeof event['httpMethod'] === 'string' && typeof event['path'] === 'string') {
    if (isObject(context['elb'])) return isObject(event['multiValueHeaders']) ? 'alb' : 'alb-single'
    if (isObject(event['requestContext'])) return 'v1'
  }
  throw new UnsupportedEvent(
    `not an HTTP event of API Gateway, a function URL or a load balancer: ${describeEvent(event, context)}`,
  )
}

function describeEvent(event: Loose, context: Loose): string {
  const [first] = Array.isArray(event['Records']) ? (event['Records'] as unknown[]) : []
  if (isObject(first) && first['eventSource'] === 'aws:sqs') return 'an SQS event; use toQueueHandler'
  if (event['source'] === 'aws.events' || 'detail-type' in event) return 'a scheduled event; use toScheduleHandler'
  if ('connectionId' in context) return 'a WebSocket event, which is not supported'
  return `its fields are ${Object.keys(event).slice(0, 12).join(', ') || 'none'}`
}

/**
 * Converts an event to a plain request. `basePath` is the path before the service's paths in events (a stage, a mapped
 * base path); it is replaced by the service's `prefix`. Returns null for a path outside `basePath`.
 */
export function toPlainRequest(event: HttpEvent, shape: Shape, basePath: string, prefix: string): PlainRequest | null {
  const v2 = shape === 'v2' ? (event as APIGatewayProxyEventV2) : null
  const other = event as APIGatewayProxyEvent
  const path = mapPath(v2 ? v2.rawPath : other.path, basePath, prefix)
  if (path === null) return null
  const headers = v2 ? joinHeaders(v2.headers ?? {}, null) : joinHeaders(other.headers ?? {}, other.multiValueHeaders)
  // API Gateway moves the cookies out of the headers; a function URL has them in both places.
  if (v2?.cookies && v2.cookies.length > 0) headers['cookie'] = v2.cookies.join('; ')
  const { body, isBase64Encoded } = event
  const packed = isBase64Encoded === true ? 'base64' : 'utf8'
  // The gateway's content-length is the length of the body as it arrived, or of its base64 text.
  delete headers['transfer-encoding']
  if (body) headers['content-length'] = String(Buffer.byteLength(body, packed))
  return {
    method: (v2 ? v2.requestContext.http.method : other.httpMethod).toUpperCase(),
    path,
    headers,
    query: v2 ? [...new URLSearchParams(v2.rawQueryString ?? '')] : readQuery(other, shape !== 'v1'),
    address: v2 ? parseAddress(v2.requestContext.http.sourceIp) : readClientAddress(other, shape, headers),
    body: body ? () => yieldChunk(Buffer.from(body, packed)) : null,
  }
}

async function* yieldChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function mapPath(path: string, basePath: string, prefix: string): string | null {
  if (basePath !== '' && path !== basePath && !path.startsWith(`${basePath}/`)) return null
  // HTTP APIs decode the path, so characters that a path cannot contain are encoded again.
  const rest = path
    .slice(basePath.length)
    .replace(/[^\u0021-\u007e]+|[?#]/g, (found) => encodeURIComponent(found.toWellFormed()))
  return prefix + (rest === '' ? '/' : rest)
}

/**
 * Joins headers into one map with lower-case names; the values of a repeated name are joined. The multi-value map
 * contains every header.
 */
function joinHeaders(
  single: Readonly<Record<string, string | undefined>>,
  many: Readonly<Record<string, readonly string[] | undefined>> | null | undefined,
): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  const add = (name: string, value: string): void => {
    const key = name.toLowerCase()
    headers[key] = key in headers ? headers[key] + (key === 'cookie' ? '; ' : ', ') + value : value
  }
  if (many) for (const [name, values] of Object.entries(many)) for (const value of values ?? []) add(name, value)
  else for (const [name, value] of Object.entries(single)) if (value !== undefined) add(name, value)
  return headers
}

/** Reads the query as pairs. API Gateway decodes names and values, a load balancer does not. */
function readQuery(event: APIGatewayProxyEvent, encoded: boolean): [string, string][] {
  const read = encoded ? decodeQueryPart : (text: string): string => text
  const many = event.multiValueQueryStringParameters
  if (many)
    return Object.entries(many).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [read(name), read(value)]),
    )
  return Object.entries(event.queryStringParameters ?? {}).map(([name, value]) => [read(name), read(value ?? '')])
}

/** Decodes a name or value of a form-encoded query. A malformed escape is kept, as in `URLSearchParams`. */
function decodeQueryPart(text: string): string {
  return new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('')!
}

function readClientAddress(
  event: APIGatewayProxyEvent,
  shape: Shape,
  headers: Readonly<Record<string, string>>,
): string | null {
  if (shape === 'v1') return parseAddress(event.requestContext.identity?.sourceIp)
  // A load balancer appends its peer's address to the header that the client sent.
  return parseAddress(headers['x-forwarded-for']?.split(',').at(-1))
}

/** Returns the IP address without the port that a load balancer can add, or null when the text is not an address. */
function parseAddress(text: string | undefined): string | null {
  const bare = (text ?? '')
    .trim()
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/^\[([0-9a-f:.]+)\](?::\d+)?$/i, '$1')
  return /^[0-9a-f.:]{2,45}$/i.test(bare) ? bare : null
}
