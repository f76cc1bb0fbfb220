import type * as z from 'zod'
import { adsContract, campaignsContract } from '../ads/contract.ts'
import { contributorsContract } from '../contributors/contract.ts'
import type { RouteShape } from '../http/route.ts'
import { ingestContract } from '../ingest/contract.ts'
import { policyContract } from '../contributors/policy/contract.ts'
import { programContract } from '../ads/program/contract.ts'
import { deviceContract, authContract } from '../auth/contract.ts'
import { telemetryContract } from '../telemetry/contract.ts'
import { tracesContract } from '../traces/contract.ts'

const contracts = {
  ...authContract,
  ...deviceContract,
  ...policyContract,
  ...contributorsContract,
  ...tracesContract,
  ...ingestContract,
  ...telemetryContract,
  ...adsContract,
  ...campaignsContract,
  ...programContract,
}
type Contracts = typeof contracts

/** The routes that take and give JSON; pages, streams and forms are for browsers. */
type JsonName = {
  [K in keyof Contracts]: Contracts[K] extends { reply: z.ZodType }
    ? Contracts[K] extends { form: z.ZodType }
      ? never
      : K
    : never
}[keyof Contracts]

type Part<R, K extends string> = R extends { [P in K]: infer S extends z.ZodType } ? { [P in K]: z.input<S> } : object
type RawBody<R> = R extends { raw: 'json' } ? { body: unknown } : object
/** Sent as `idempotency-key`: 1 to 255 printable ASCII characters, new for each new call and the same when that call is repeated. */
type Key<R> = R extends { idempotent: true } ? { idempotencyKey?: string } : object

/** What a call takes: the route's path parameters, query, body and idempotency key, as far as it has them, and headers of its own. */
export type CallInput<R extends RouteShape> = Part<R, 'params'> &
  Part<R, 'query'> &
  Part<R, 'body'> &
  RawBody<R> &
  Key<R> & { headers?: Record<string, string> }

/** What comes back. `error` is the code that the interface and the contract list; `body` holds what came with it. */
export type CallResult<R extends RouteShape> =
  | {
      readonly ok: true
      readonly status: number
      readonly value: R['reply'] extends z.ZodType ? z.output<R['reply']> : never
    }
  | {
      readonly ok: false
      readonly status: number
      readonly error: string
      readonly body: Readonly<Record<string, unknown>>
      readonly retryAfterMs: number | null
    }

/** One function per JSON route, by the route's name. */
export type Client = { [K in JsonName]: (input: CallInput<Contracts[K]>) => Promise<CallResult<Contracts[K]>> }

/** A call's input as far as it is the same for every route. */
interface SentInput {
  readonly params?: object
  readonly query?: object
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly headers?: Record<string, string>
}

export interface ClientOptions {
  /** The service's address, with its mount path: `https://example.com/tributary`. */
  readonly baseUrl: string
  /** The bearer token, or how to come by it now; null asks without one. */
  readonly token?: string | (() => string | null)
  /** Default: the platform's. */
  readonly fetch?: typeof fetch
  /** Sent as `x-cli-version` (the client version gate). */
  readonly clientVersion?: string
}

/**
 * A client whose calls are typed by the same contracts that the server answers by. Failures of the interface come back as
 * values; it throws only when nothing answered (`TypeError` of fetch) or what answered was not this service.
 *
 * ```ts
 * const client = createClient({ baseUrl: 'http://127.0.0.1:8787', token: 'trb_…' })
 * const known = await client.knownHashes({ body: { hashes: ['ab'] } })
 * if (known.ok) console.log(known.value.known)
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const base = options.baseUrl.replace(/\/+$/, '')
  const send = options.fetch ?? fetch
  const call = async (route: RouteShape, input: SentInput) => {
    const token = typeof options.token === 'function' ? options.token() : (options.token ?? null)
    const response = await send(base + address(route, input.params ?? {}, input.query ?? {}), {
      method: route.method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(options.clientVersion === undefined ? {} : { 'x-cli-version': options.clientVersion }),
        ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(input.idempotencyKey === undefined ? {} : { 'idempotency-key': input.idempotencyKey }),
        ...input.headers,
      },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    })
    const text = await response.text()
    const value: unknown = text === '' ? null : JSON.parse(text)
    if (response.ok) return { ok: true, status: response.status, value }
    const body = (value ?? {}) as Record<string, unknown>
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    return {
      ok: false,
      status: response.status,
      error: String(body['error'] ?? 'unauthorized'),
      body,
      retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
    }
  }
  const calls = Object.entries(contracts as Record<string, RouteShape>)
    .filter(([, route]) => route.sends === 'json' && !('form' in route))
    .map(([name, route]) => [name, (input: object) => call(route, input)] as const)
  return Object.fromEntries(calls) as unknown as Client
}

function address(route: RouteShape, params: object, query: object): string {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  )
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)])
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`
}
