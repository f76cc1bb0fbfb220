import type * as z from 'zod'
import type { Codes, ReplySchema, RouteShape } from '../http/route.ts'
import { routes, type Contracts, type RouteName } from './contracts.ts'
import { sendRequest, type RequestOptions, type RequestResult } from './request.ts'

export { sendRequest } from './request.ts'
export type { OutgoingRequest, RequestOptions, RequestResult, TransportError } from './request.ts'
export type { RouteName } from './contracts.ts'
export { balanceParts, decimalsOf, formatUsd, toDollars, toMicros } from '../money.ts'

type Part<R, K extends string> = R extends { [P in K]: infer S extends z.ZodType } ? { [P in K]: z.input<S> } : object
type Query<R> = R extends { query: infer S extends z.ZodObject }
  ? object extends z.input<S>
    ? { query?: z.input<S> }
    : keyof S['shape'] extends never
      ? object
      : { query: z.input<S> }
  : object
/** Bytes are sent unchanged. They contain JSON that is already compressed, and `headers` has the `content-encoding`. */
type Body<R> = R extends { raw: 'bytes' }
  ? { body: Uint8Array }
  : R extends { raw: 'json'; body: infer S extends z.ZodType }
    ? { body: z.input<S> | Uint8Array }
    : Part<R, 'body'>
/**
 * The value of the `idempotency-key` header. Use a new key for each call, and the same key to repeat a call. A call
 * with a key is retried.
 */
type Key<R> = R extends { idempotent: true } | { headers: { 'idempotency-key': unknown } }
  ? { idempotencyKey?: string }
  : object

/** The options of every call, apart from the input of its route. */
export interface CallOptions {
  readonly headers?: Record<string, string>
  /** Ends the call, including its waits: the result is `aborted`. */
  readonly signal?: AbortSignal
  /** The timeout of one attempt in milliseconds, instead of the client's timeout. */
  readonly timeoutMs?: number
  /** Whether the call may be repeated. Default: a GET, or a call with an idempotency key. */
  readonly retry?: boolean
}

/** The input of a call: the path parameters, query, body and idempotency key that the route has. */
export type CallInput<R extends RouteShape> = Part<R, 'params'> & Query<R> & Body<R> & Key<R> & CallOptions

type Value<R extends RouteShape> =
  ReplySchema<R> extends infer S extends z.ZodType
    ? z.output<S>
    : R extends { media: 'application/jsonl'; content: infer S extends z.ZodType }
      ? AsyncIterable<z.output<S>>
      : R extends { content: infer S extends z.ZodType }
        ? z.output<S>
        : R extends { reply: 'stream' }
          ? string
          : null

/** The result of a call. `error` is a code that the contract of the route lists, or one of the transport. */
export type CallResult<R extends RouteShape> = RequestResult<Value<R>, Codes<R>>

type Call<R extends RouteShape> =
  object extends CallInput<R>
    ? (input?: CallInput<R>) => Promise<CallResult<R>>
    : (input: CallInput<R>) => Promise<CallResult<R>>

/** One function per route for programs, by the route's name. */
export type Client = { readonly [K in RouteName]: Call<Contracts[K]> }

export interface ClientOptions extends RequestOptions {
  /** The URL of the service with its mount path: `https://example.com/tributary`. */
  readonly baseUrl: string
  /** The bearer token, or a function that returns the token for each call. If null, no token is sent. */
  readonly token?: string | null | (() => string | null)
  /** The value of the `x-cli-version` header, with which the service checks whether the client is too old. */
  readonly clientVersion?: string
}

/** The parts of a call's input that all routes have in common. */
interface AnyInput extends CallOptions {
  readonly params?: Record<string, unknown>
  readonly query?: Record<string, unknown>
  readonly body?: unknown
  readonly idempotencyKey?: string
}

/**
 * Creates a client whose calls have the types of the service's contracts. Every outcome is a value: a call never
 * throws.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'http://127.0.0.1:8787', token: 'trb_…' })
 * const known = await client.knownHashes({ body: { hashes: ['ab'] } })
 * if (known.ok) console.log(known.value.known)
 * else console.error(known.error)
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const base = options.baseUrl.replace(/\/+$/, '')
  const call = (route: string, input: AnyInput = {}) => {
    const [method, path] = route.split(' ') as [string, string]
    const { body, idempotencyKey, signal, timeoutMs } = input
    const token = typeof options.token === 'function' ? options.token() : (options.token ?? null)
    return sendRequest(
      base + buildAddress(path, input),
      {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(options.clientVersion === undefined ? {} : { 'x-cli-version': options.clientVersion }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...input.headers,
        },
        ...(body === undefined ? {} : { body: body instanceof Uint8Array ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
        isRepeatable: input.retry ?? (method === 'GET' || idempotencyKey !== undefined),
      },
      timeoutMs === undefined ? options : { ...options, timeoutMs },
    )
  }
  const calls = Object.entries(routes).map(([name, route]) => [name, (input?: AnyInput) => call(route, input)])
  return Object.fromEntries(calls) as Client
}

function buildAddress(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`
}

/**
 * Yields the pages of a list in order, and ends after a page that failed.
 *
 * ```ts
 * for await (const page of paginate(client.listTraces, { query: { limit: 200 } })) {
 *   if (!page.ok) throw new Error(page.error)
 *   for (const trace of page.value.traces) console.log(trace.id)
 * }
 * ```
 */
export async function* paginate<Input extends { readonly query?: object }, Value, Code extends string>(
  call: (input: Input) => Promise<RequestResult<Value, Code>>,
  input: Input,
): AsyncGenerator<RequestResult<Value, Code>, void> {
  for (let cursor: string | null = null; ;) {
    const page: RequestResult<Value, Code> = await call(
      cursor === null ? input : { ...input, query: { ...input.query, cursor } },
    )
    yield page
    if (!page.ok) return
    cursor = (page.value as { nextCursor?: string | null } | null)?.nextCursor ?? page.headers.get('x-next-cursor')
    if (cursor === null) return
  }
}
