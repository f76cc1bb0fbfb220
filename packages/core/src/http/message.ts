/** Headers of a reply, by lower-case name. */
export type Headers = readonly (readonly [string, string])[]

/** A request in the form that every host creates: not parsed, without platform objects, and with an unread body. */
export interface PlainRequest {
  /** The method in upper case: `GET`. */
  readonly method: string
  /** The unchanged path, which is percent-encoded and starts with `/`. It does not include the query. */
  readonly path: string
  /** Decoded pairs in the order of the request. Each occurrence of a repeated key is a separate pair. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** The headers by lower-case names. A repeated header is joined with `, `, the cookie header with `; `. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The peer's address from the socket or the platform, or null. */
  readonly address: string | null
  /**
   * Opens the body, at most once. The function is null if the request has no body. Throws `BodyReadError` when the
   * sender is too slow or disconnected.
   */
  readonly body: (() => AsyncIterable<Uint8Array>) | null
}

/** A reply that a host sends unchanged. Header names are lower case; `set-cookie` may repeat. */
export interface PlainReply {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null
}

/** Thrown by a host's body that ends early: the client was slower than the host allows, or disconnected. */
export class BodyReadError extends Error {
  readonly kind: 'timeout' | 'aborted'
  constructor(kind: 'timeout' | 'aborted') {
    super(kind === 'timeout' ? 'the body took too long' : 'the client disconnected')
    this.kind = kind
  }
}

/** Thrown when middleware of the app has read the whole body before the service got the request. */
export class BodyAlreadyRead extends Error {
  override readonly name = 'BodyAlreadyRead'
  constructor() {
    super(
      'middleware of the app read the body before the service did, and nothing of it is left: ' +
        'mount the service before the middleware that reads bodies',
    )
  }
}

/** Returns whether a header is `1`. A header that the client and a proxy sent contains both values: `1, 1`, `0, 1`. */
export const isHeaderOne = (headers: PlainRequest['headers'], name: string): boolean =>
  headers[name]?.split(',').some((value) => value.trim() === '1') ?? false

/** Returns the first value of a header of the reply. */
export function replyHeader(reply: Pick<PlainReply, 'headers'>, name: string): string | undefined {
  return reply.headers.find(([key]) => key === name)?.[1]
}

/**
 * Returns the name of one of the service's cookies. The prefix makes browsers reject a cookie with this name from other
 * hosts and over plain http.
 */
export const cookieName = (
  isSecure: boolean,
  purpose: 'session' | 'operator' | 'challenge' | 'browser' | 'sent_code' | 'flash' | 'buyer' = 'session',
): string => `${isSecure ? '__Host-' : ''}tributary_${purpose}`

/**
 * Reads the cookies of a request by name. When a cookie is sent twice, the first value counts (RFC 6265 defines no
 * order).
 */
export function readCookies(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = Object.create(null)
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at < 1) continue
    const name = part.slice(0, at).trim()
    if (!(name in cookies)) cookies[name] = part.slice(at + 1).trim()
  }
  return cookies
}

export interface CookieOptions {
  /** The lifetime of the cookie in seconds. 0 removes the cookie. */
  readonly maxAge: number
  readonly secure: boolean
  readonly sameSite?: 'Lax' | 'Strict'
}

/** Returns a `set-cookie` value for the whole site that scripts cannot read. */
export function writeCookie(name: string, value: string, options: CookieOptions): string {
  const { maxAge, secure, sameSite = 'Lax' } = options
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`
}

/** Returns whether the client accepts HTML, like a browser that shows the reply to a person. Some programs do so too. */
export function asksForPage({ headers }: Pick<PlainRequest, 'headers'>): boolean {
  return /\btext\/html\b/i.test(headers['accept'] ?? '')
}
