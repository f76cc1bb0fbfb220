import { isUtf8 } from 'node:buffer'
import type { Loss } from '../contracts/host.ts'
import { makeHostileEvent, type Hostility } from '../fixtures/hostile.ts'
import type { HostReply, HostUnderTest } from './wire.ts'

/**
 * The gateway in front of the function: an HTTP API with payload 2.0 or 1.0, a function URL, a REST API, a load
 * balancer with multi-value headers or without. Each gateway changes a request as live gateways did in captures:
 * https://github.com/hotsock/voker/pull/8 (captures), and the vendor's pages named in `packages/host-lambda/README.md`.
 */
export type Gateway = 'http' | 'http-1' | 'url' | 'rest' | 'alb' | 'alb-single'

/**
 * The parts of a request that each gateway loses before the request reaches the function. A host cannot restore them.
 */
export const gateways: Readonly<Record<Gateway, readonly Loss[]>> = {
  'http': ['escapes'],
  'http-1': ['escapes', 'order'],
  'url': [],
  'rest': ['order'],
  'alb': ['order'],
  'alb-single': ['order', 'repeats'],
}

/** A request as a client sends it to a gateway. */
export interface Call {
  readonly method: string
  /** Path and query as a client writes them. */
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array | null
}

export interface Stand {
  readonly gateway: Gateway
  /**
   * The stage in the gateway's URL, such as `prod`. Default: none. REST APIs remove the stage from the event's path,
   * but HTTP APIs keep it.
   */
  readonly stage?: string
  /** The unusual gateway behaviour that the documentation does not forbid. */
  readonly hostile?: Hostility
}

type Invoke = (event: unknown) => Promise<unknown>
type Headers = Record<string, string[]>

/** The maximum bytes of events and results: Lambda accepts and returns 6 MB, a load balancer 1 MB. */
const limits = { alb: 1_048_576, lambda: 6_291_556 }
const limitOf = (gateway: Gateway): number => (gateway.startsWith('alb') ? limits.alb : limits.lambda)

/**
 * Creates a host from a function behind a gateway, for the contract tests of a host. Each request becomes an event, and
 * each result is read as the gateway reads it.
 */
export function lambdaHost(invoke: Invoke, stand: Stand): HostUnderTest {
  return {
    async request(method, target, headers = [], body = []) {
      const event = toEvent({ method, target, headers, body: body.length > 0 ? Buffer.concat(body) : null }, stand)
      return event === null ? makeRefusal(400) : invokeWithEvent(invoke, event, stand, method)
    },
    close: async () => undefined,
  }
}

/**
 * Invokes the function with an event and reads its result. Returns the gateway's own error if the event or the result
 * is too large.
 */
export async function invokeWithEvent(
  invoke: Invoke,
  event: object,
  { gateway }: Stand,
  method: string,
): Promise<HostReply> {
  const json = JSON.stringify(event)
  if (Buffer.byteLength(json) > limitOf(gateway)) return makeRefusal(413)
  // The result is serialized, as on the runtime's connection, so that the caller and the function share no object.
  const result = JSON.stringify(await invoke(JSON.parse(json))) ?? ''
  if (Buffer.byteLength(result) > limitOf(gateway)) return makeRefusal(502)
  const reply = parseResult(JSON.parse(result), gateway)
  return method === 'HEAD' ? { ...reply, body: new Uint8Array(0) } : reply
}

const makeRefusal = (status: number): HostReply => ({
  status,
  headers: [['x-gateway', 'refused']],
  body: Buffer.from('{"message":"from the gateway itself"}'),
})

/** Converts a request to its event. Null if the gateway itself refuses the request. */
export function toEvent(
  { method, target, headers: sent, body }: Call,
  { gateway, stage, hostile }: Stand,
): object | null {
  const [path = '/', ...rest] = target.split('?')
  const search = rest.join('?')
  const decodes = gateway === 'http' || gateway === 'http-1'
  const seen = decodes ? decodePath(path) : path
  if (seen === null) return null
  const inside = gateway === 'rest' && stage && seen.startsWith(`/${stage}/`) ? seen.slice(stage.length + 1) : seen
  const headers = groupHeaders(sent)
  const text = body !== null && isUtf8(body) && isText(headers)
  const carried = {
    body: body === null ? null : Buffer.from(body).toString(text ? 'utf8' : 'base64'),
    isBase64Encoded: body !== null && !text,
  }
  headers['x-forwarded-for'] = [[...(headers['x-forwarded-for'] ?? []), '203.0.113.9'].join(', ')]
  if (body !== null) headers['content-length'] = [String(body.length)]
  const event =
    gateway === 'http' || gateway === 'url'
      ? toPayload2({ method, path: inside, search, headers, stage }, gateway)
      : toPayload1({ method, path: inside, search, headers, stage }, gateway)
  const whole = { ...event, ...carried }
  return hostile ? makeHostileEvent(whole, hostile) : whole
}

interface Seen {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: Headers
  readonly stage: string | undefined
}

function toPayload2({ method, path, search, headers, stage = '$default' }: Seen, gateway: 'http' | 'url'): object {
  const { cookie, ...others } = headers
  const cookies = cookie?.flatMap((line) => line.split('; '))
  const joined = Object.fromEntries(Object.entries(others).map(([name, values]) => [name, values.join(',')]))
  const query = new URLSearchParams(search)
  const single = Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name).join(',')]))
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: search,
    ...(cookies ? { cookies } : {}),
    headers: { ...joined, ...(gateway === 'url' && cookies ? { cookie: cookies.join('; ') } : {}) },
    ...(search ? { queryStringParameters: single } : {}),
    requestContext: {
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '203.0.113.9', userAgent: 'test' },
      stage,
      requestId: 'id',
      timeEpoch: 1,
    },
  }
}

function toPayload1({ method, path, search, headers, stage = 'live' }: Seen, gateway: Gateway): object {
  const balancer = gateway.startsWith('alb')
  // API Gateway decodes the query, but a load balancer does not.
  const pairs =
    search === ''
      ? []
      : balancer
        ? search.split('&').map((pair) => [...pair.split('='), ''].slice(0, 2) as [string, string])
        : [...new URLSearchParams(search)]
  const query: Headers = {}
  for (const [name, value] of pairs) (query[name] ??= []).push(value)
  const keepLast = (map: Headers): Record<string, string> =>
    Object.fromEntries(Object.entries(map).map(([name, values]) => [name, values.at(-1)!]))
  const none = pairs.length === 0
  const both = {
    headers: keepLast(headers),
    multiValueHeaders: headers,
    queryStringParameters: none ? null : keepLast(query),
    multiValueQueryStringParameters: none ? null : query,
  }
  const common = { httpMethod: method, path }
  const context = { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:us-east-1:0:targetgroup/a/b' } }
  if (gateway === 'alb')
    return {
      requestContext: context,
      ...common,
      ...both,
      headers: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: query,
    }
  if (gateway === 'alb-single')
    return { requestContext: context, ...common, headers: both.headers, queryStringParameters: keepLast(query) }
  return {
    ...(gateway === 'http-1' ? { version: '1.0' } : {}),
    resource: '/{proxy+}',
    ...common,
    ...both,
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: {
      stage,
      path: `/${stage}${path}`,
      httpMethod: method,
      identity: { sourceIp: '203.0.113.9' },
      requestId: 'id',
    },
  }
}

/** Decodes a path as HTTP APIs do: twice, and cut at a question mark. */
function decodePath(path: string): string | null {
  try {
    return decodeURIComponent(decodeURIComponent(path)).split('?', 1)[0]!
  } catch {
    return null
  }
}

function groupHeaders(sent: Call['headers']): Headers {
  const headers: Headers = {}
  for (const [name, value] of sent) (headers[name.toLowerCase()] ??= []).push(value)
  return headers
}

/**
 * Returns whether a gateway passes a body as text. Gateways do not inspect bodies, but a body that is not valid text
 * would be damaged, so here it is not passed as text.
 */
function isText(headers: Headers): boolean {
  const type = headers['content-type']?.[0] ?? ''
  return headers['content-encoding'] === undefined && /^(?:text\/|application\/(?:json|javascript|xml))/i.test(type)
}

interface Result {
  readonly statusCode?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>
  readonly cookies?: readonly string[]
  readonly body?: string
  readonly isBase64Encoded?: boolean
}

/** Reads a function's result as its gateway does. Throws if the gateway would answer 502. */
export function parseResult(result: unknown, gateway: Gateway): HostReply {
  const {
    statusCode,
    headers = {},
    multiValueHeaders = {},
    cookies = [],
    body = '',
    isBase64Encoded = false,
    ...rest
  } = result as Result
  const other = Object.keys(rest).filter((name) => name !== 'statusDescription')
  if (
    !Number.isInteger(statusCode) ||
    statusCode === undefined ||
    typeof body !== 'string' ||
    typeof isBase64Encoded !== 'boolean' ||
    other.length > 0
  )
    throw new Error(`a malformed result: ${JSON.stringify(result).slice(0, 300)}`)
  const two = gateway === 'http' || gateway === 'url'
  const many = gateway === 'alb' || gateway === 'rest' || gateway === 'http-1'
  if (many && Object.keys(headers).length > 0)
    throw new Error('headers beside multiValueHeaders: one of the two is lost')
  if (!many && Object.keys(multiValueHeaders).length > 0) throw new Error(`${gateway} knows no multiValueHeaders`)
  if (two ? 'set-cookie' in headers : cookies.length > 0) throw new Error('a cookie in the wrong place')
  const lines = Object.entries(many ? multiValueHeaders : headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name.toLowerCase(), one]),
  )
  for (const [, value] of lines) if (typeof value !== 'string') throw new Error('a header value is not a string')
  const set = cookies.map((value): [string, string] => ['set-cookie', value])
  return {
    status: statusCode,
    headers: [...lines, ...set],
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  }
}
