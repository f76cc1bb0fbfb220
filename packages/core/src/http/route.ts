import type * as z from 'zod'
import type { AuditContext } from '../audit/store.ts'
import type { Envelope, Failure, implied, Issue } from './failures.ts'
import type { Flash } from './flash.ts'
import type { PlainRequest } from './message.ts'
import type { ReportSecurity } from './security-events.ts'

export type { AuditContext } from '../audit/store.ts'

/**
 * The credentials that a route accepts: `none`; `bearer` (a token); `cookie` (a browser's session); `bearer-or-cookie`;
 * `page` (a browser's session, otherwise a redirect to the sign-in page); `optional` (a page that greets a person who
 * is signed in); `admin` (the operator); `any` (no credential, a person's bearer or an operator's token; another
 * credential is refused); `buyer` (a buyer's token). Pages of operators and buyers find their session themselves.
 */
export type Auth =
  | 'none'
  | 'bearer'
  | 'bearer-or-cookie'
  | 'cookie'
  | 'page'
  | 'optional'
  | 'admin'
  | 'admin-page'
  | 'any'
  | 'buyer'
  | 'buyer-page'

/** The names of the rates. `rate-limit.ts` has their default numbers. */
export type RateName =
  | 'person'
  | 'ingest'
  | 'ad_feedback'
  | 'cli_feedback'
  | 'unknown_bearer'
  | 'device_start'
  | 'device_poll'
  | 'mail_code'
  | 'mail_address'
  | 'mail_verify'
  | 'device_code'
  | 'device_code_network'
  | 'device_code_backoff'
  | 'device_view'
  | 'reports'
  | 'events'
  | 'operator'
  | 'mcp'
  | 'telemetry_bytes'
  | 'report_bytes'
  | 'download_bytes'

/**
 * A route as data. Documents, clients, statuses, contract tests and coverage are derived from this data, so that each
 * fact is written only once.
 */
export interface RouteShape {
  /** The number of the endpoint in the interface, such as `E9`, if it has one. */
  readonly id?: string
  /** A verb and its object, in at most 60 characters: `Submit traces`. */
  readonly summary: string
  /** Limits, defaults and side effects that the summary does not mention, in whole sentences. */
  readonly description?: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Literal segments and `:name` segments. */
  readonly path: string
  readonly auth: Auth
  readonly envelope: Envelope
  /** Whether a GET has an effect that a HEAD must not have, such as handing out a token; HEAD then returns 405. */
  readonly hasSideEffects?: true
  /**
   * Whether pages of other origins may load the reply without CORS, as they load an image. It is set for replies that
   * do not reveal anything.
   */
  readonly embeddable?: true
  /** Whether clients that are too old are refused. */
  readonly requiresClientVersion?: true
  readonly rates?: readonly RateName[]
  /** The rate that counts the decoded bytes of the route's bodies. */
  readonly byteRate?: RateName
  /**
   * Whether a call may carry an `Idempotency-Key`. The handler creates its effect only once, with the id `effectId`.
   */
  readonly idempotent?: true
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** The code of an invalid query, if the interface defines such a code. The code is also listed in `failures`. */
  readonly badQuery?: string
  /** The code of an outage, if the interface defines its own code. The code is also listed in `failures`. */
  readonly unavailable?: string
  /** The name of the route as a tool of the Model Context Protocol. A route without this name is not a tool. */
  readonly tool?: string
  /** Fixed arguments of every call of the tool, for a route that can do more than the tool may do. */
  readonly toolArguments?: Readonly<Record<string, string>>
  /** The route's optional request headers, by name. The documents list these headers; the handler itself reads them. */
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly example: string }>>
  /** The schema of a JSON body. With `raw: 'json'`, only the documents and clients use the schema. */
  readonly body?: z.ZodType
  /** The fields of a form of the service's own pages (`application/x-www-form-urlencoded`). */
  readonly form?: z.ZodObject
  /**
   * Whether programs send the form, so that it may come from any origin. Only routes that do not read a cookie may set
   * this. A repeated field is an issue.
   */
  readonly anyOrigin?: true
  /**
   * The handler reads the body itself. `json` keeps the rules for content type and encoding, `bytes` accepts anything.
   */
  readonly raw?: 'json' | 'bytes'
  /** The maximum number of decoded bytes in a body. Default: 256 KiB. */
  readonly bodyLimit?: number
  /**
   * Whether the `invalid_body` reply of an endpoint of the interface has `issues`. Other routes have `issues` in every
   * 400 reply, unless this is false.
   */
  readonly issues?: boolean
  /**
   * The JSON of a success, or the kind of another reply. Only documents and tests read the schema. A contract that
   * needs zod only for this schema loads it by a function, because loading zod takes half of the time of the first
   * request after a cold start.
   */
  readonly reply: LoadedRoute['reply'] | (() => Promise<z.ZodType>)
  /** The kind of `reply` in one word, for code that does not need the schema. `route` sets this property. */
  readonly sends: 'json' | 'page' | 'stream' | 'none'
  /** The content type of a stream, for the documents. The handler itself sends the header. */
  readonly media?: string
  /** The schema of a streamed JSON document, or of one line of JSON Lines: for the documents and clients. */
  readonly content?: z.ZodType
  /** The statuses of a success. Default: `[200]`. */
  readonly success?: readonly number[]
  /**
   * The description and reply of each success status, for the documents. Set only for routes with several success
   * statuses.
   */
  readonly replies?: Readonly<Record<number, { readonly description: string; readonly reply: z.ZodType }>>
  /** The failures in addition to the implied failures, as a map from code to status. */
  readonly failures: Readonly<Record<string, number>>
}

/** A route with the schema of its reply. */
export interface LoadedRoute extends Omit<RouteShape, 'reply'> {
  readonly reply: z.ZodType | 'page' | 'stream' | 'none'
}

/** A route as it is declared; `route` adds the properties that can be derived from the declaration. */
export type RouteDeclaration = Omit<RouteShape, 'sends'>

/**
 * Declares a route and returns it with its exact type.
 *
 * ```ts
 * route({ ..., body: z.object({ sellExcluded: z.boolean() }) })
 * ```
 */
export function route<const R extends RouteDeclaration>(declaration: R): R & Pick<RouteShape, 'sends'> {
  return { ...declaration, sends: typeof declaration.reply === 'string' ? declaration.reply : 'json' }
}

/** Returns a route with the schema of its reply. Returns the same object unless the schema has to be loaded. */
export async function loadReply(route: RouteShape): Promise<LoadedRoute> {
  return typeof route.reply === 'function' ? { ...route, reply: await route.reply() } : (route as LoadedRoute)
}

/** A form for its handler: the value if the form is valid, otherwise the issues by field and the entered texts. */
export interface Form<Value> {
  readonly fields: Readonly<Record<string, string>>
  readonly value: Value | null
  readonly issues: readonly Issue[]
}

/** The person who sent a request, and the credential that identified the person. */
export interface User {
  readonly id: string
  readonly email: string | null
  readonly via: 'token' | 'cookie'
  /** The stored hash of the token or session that sign-out ends. Null for the sign-in of an embedding app. */
  readonly credential: string | null
  /**
   * The time at which the person signed in with this browser, in milliseconds since 1970. It is null for a token, or
   * when the time is unknown.
   */
  readonly signedInAt: number | null
  /**
   * A `set-cookie` value to send with the reply: the session was extended, so the browser must keep its cookie longer
   * too.
   */
  readonly renewed?: string
}

/** The buyer who sent a request. */
export interface CallingBuyer {
  readonly id: string
  readonly name: string
}

/** A success other than a plain 200 with a JSON body: another status, headers, a page, a stream. */
export class Reply<Body = unknown> {
  readonly status: number
  readonly body: Body
  readonly headers: readonly (readonly [string, string])[]
  /** The message that the page after the redirect shows once. */
  readonly flash: Flash | null
  constructor(
    status: number,
    body: Body,
    headers: readonly (readonly [string, string])[] = [],
    flash: Flash | null = null,
  ) {
    this.status = status
    this.body = body
    this.headers = headers
    this.flash = flash
  }
}

/** Makes a success with the given status and headers: `return reply(202, {...})`. */
export function reply<Body>(status: number, body: Body, headers?: readonly (readonly [string, string])[]): Reply<Body> {
  return new Reply(status, body, headers)
}

/**
 * Redirects a browser with 303 to one of the service's own paths. Dispatch adds the mount prefix. `flash` is the
 * message that the page there shows once.
 */
export function redirect(
  path: string,
  flash: Flash | null = null,
  headers: readonly (readonly [string, string])[] = [],
): Reply<never> {
  return new Reply(303, null as never, [['location', path], ...headers], flash)
}

type Out<S> = S extends z.ZodType ? z.output<S> : undefined
type UserFor<A extends Auth> = A extends 'none' | 'admin' | 'admin-page' | 'buyer' | 'buyer-page'
  ? null
  : A extends 'optional' | 'any'
    ? User | null
    : User

/** The input of every handler. `now` is the request's time in milliseconds since 1970, read once. */
export interface Input<R extends RouteShape> {
  readonly user: UserFor<R['auth']>
  readonly params: Out<R['params']>
  readonly query: Out<R['query']>
  readonly body: R['form'] extends z.ZodType
    ? Form<z.output<R['form']>>
    : R['raw'] extends string
      ? undefined
      : Out<R['body']>
  readonly request: PlainRequest
  /** The message that a page shows about the previous form. */
  readonly flash: Flash | null
  /**
   * The id of the item that the call creates, a UUID version 7. Every call with the same idempotency key gets the same
   * id.
   */
  readonly effectId: R['idempotent'] extends true ? string : undefined
  /** The caller's address after `trustedProxies`, or null. */
  readonly address: string | null
  readonly requestId: string
  /** Reports a security event of this request. */
  readonly report: ReportSecurity
  /** The operator or the buyer who sent the request, for the audit log. */
  readonly audit: R['auth'] extends 'admin' | 'buyer'
    ? AuditContext
    : R['auth'] extends 'any'
      ? AuditContext | undefined
      : undefined
  readonly buyer: R['auth'] extends 'buyer' ? CallingBuyer : undefined
  readonly now: number
}

/** The input of a precheck: everything except the body, which is not read yet. */
export type GateInput<R extends RouteShape> = Omit<Input<R>, 'body' | 'effectId'>

export type Codes<R extends RouteShape> = (keyof R['failures'] & string) | keyof typeof implied
/** The schema of a reply, including a schema that is loaded later. */
export type ReplySchema<R extends Pick<RouteShape, 'reply'>> = R['reply'] extends () => Promise<infer S>
  ? S
  : R['reply']
type Success<R extends RouteShape> =
  ReplySchema<R> extends z.ZodType
    ? z.input<ReplySchema<R>>
    : R['reply'] extends 'stream'
      ? string | Uint8Array | AsyncIterable<Uint8Array>
      : string
export type Answer<R extends RouteShape> = Success<R> | Reply<Success<R> | null> | Failure<Codes<R>>

/** One function per route of a contract, by the same name. */
export type Handlers<C extends Record<string, RouteShape>, Deps> = {
  [K in keyof C]: (input: Input<C[K]>, deps: Deps) => Promise<Answer<C[K]>> | Answer<C[K]>
}

/** Checks that must answer before the body is read, by the route's name. Null lets the request continue. */
type Prechecks<C extends Record<string, RouteShape>, Deps> = {
  [K in keyof C]?: (input: GateInput<C[K]>, deps: Deps) => Promise<Failure<Codes<C[K]>> | null>
}

/** A route with the name of its handler: an element of `Service.routes`. */
export interface NamedRoute {
  readonly name: string
  readonly route: LoadedRoute
}

/** A route with its handler, ready for dispatch. */
export interface Mounted {
  readonly name: string
  readonly route: RouteShape
  readonly precheck: ((input: never) => Promise<Failure | null>) | null
  readonly run: (input: never) => Promise<unknown> | unknown
}

/** Binds a contract to its handlers and their dependencies. */
export function mount<C extends Record<string, RouteShape>, Deps>(
  contract: C,
  handlers: Handlers<C, Deps>,
  deps: Deps,
  prechecks: Prechecks<C, Deps> = {},
): Mounted[] {
  return Object.entries(contract).map(([name, shape]) => {
    const precheck = prechecks[name]
    const handler = handlers[name] as (input: never, deps: Deps) => unknown
    return {
      name,
      route: shape,
      precheck: precheck ? (input: never) => precheck(input, deps) as Promise<Failure | null> : null,
      run: (input: never) => handler(input, deps),
    }
  })
}
