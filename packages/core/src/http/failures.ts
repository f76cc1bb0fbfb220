/**
 * A failure that a handler returns. A code that the route's contract does not list does not compile. `extra` is added
 * to the body next to `error`, and `headers` to the reply.
 */
export class Failure<Code extends string = string> {
  readonly code: Code
  readonly extra: Readonly<Record<string, unknown>>
  readonly headers: readonly (readonly [string, string])[]
  constructor(
    code: Code,
    extra: Readonly<Record<string, unknown>> = {},
    headers: readonly (readonly [string, string])[] = [],
  ) {
    this.code = code
    this.extra = extra
    this.headers = headers
  }
}

/** Makes a failure: `return fail('not_found')`. */
export function fail<Code extends string>(
  code: Code,
  extra?: Readonly<Record<string, unknown>>,
  headers?: readonly (readonly [string, string])[],
): Failure<Code> {
  return new Failure(code, extra, headers)
}

/** An invalid field of a body, without the value that was sent. */
export interface Issue {
  path: (string | number)[]
  code: string
  message: string
}

/**
 * Makes the failure of a request that is not valid. Its reply is 400 and names the problem of each field: in `issues`,
 * or in the header `x-error-detail` if the interface defines a body without issues.
 */
export function invalid<Code extends string>(code: Code, ...issues: readonly Issue[]): Failure<Code> {
  return new Failure(code, { issues })
}

/** Returns whether the body of a route's 400 reply has `issues`. */
export function hasIssues({ id, issues, envelope }: IssuePlace, code: string): boolean {
  if (envelope === 'oauth') return false
  return id === undefined ? issues !== false : issues === true && code === 'invalid_body'
}

interface IssuePlace {
  readonly id?: string
  readonly issues?: boolean
  readonly envelope: Envelope
}

/** Formats issues as the value of one header, without line breaks and without letters outside ASCII. */
export function formatIssuesHeader(issues: readonly Issue[]): string {
  const parts = issues.slice(0, 5).map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
  return parts
    .join('; ')
    .replace(/[^ -~]/g, '?')
    .slice(0, 1024)
}

/**
 * The failure envelopes of the interface's section 7. `ok` is `{ok:false,error}` and `bare` is `{error}`. `ad` is the
 * envelope of `GET /api/ad`: a reply with 401, 429 or 503 contains an empty ad. `oauth` is `{error,error_description}`
 * (RFC 6749, section 5.2). `rpc` is an error of JSON-RPC 2.0, with the code as its message.
 */
export type Envelope = 'ok' | 'bare' | 'ad' | 'oauth' | 'rpc'

/** The error codes of JSON-RPC 2.0 and of the Model Context Protocol. */
export const rpcErrors = {
  invalid_json: -32700,
  invalid_body: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  header_mismatch: -32020,
  unsupported_protocol_version: -32022,
} as const

/** The first of the codes that JSON-RPC leaves to servers. */
const otherRpcError = -32000

/** The errors of RFC 6749 and RFC 8628 in place of codes that OAuth does not have. */
const oauthErrors: Readonly<Record<string, string>> = {
  method_not_allowed: 'invalid_request',
  request_timeout: 'invalid_request',
  body_too_large: 'invalid_request',
  unsupported_content_type: 'invalid_request',
  rate_limited: 'slow_down',
  internal_error: 'server_error',
  unavailable: 'temporarily_unavailable',
}

/** Returns the name of a failure in the bodies of an envelope. */
export const errorName = (envelope: Envelope, code: string): string =>
  envelope === 'oauth' ? (oauthErrors[code] ?? code) : code

/**
 * The failures that dispatch itself may return on any route, with their statuses. A route adds its own codes in
 * `failures`.
 */
export const implied = {
  invalid_json: 400,
  invalid_body: 400,
  invalid_id: 400,
  invalid_query: 400,
  invalid_idempotency_key: 400,
  unauthorized: 401,
  cross_site_request: 403,
  read_only: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_in_progress: 409,
  body_too_large: 413,
  unsupported_content_type: 415,
  idempotency_key_reused: 422,
  upgrade_required: 426,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const

/** Builds the body of a failure in the envelope of its endpoint. */
export function failureBody(envelope: Envelope, code: string, extra: Failure['extra']): Record<string, unknown> {
  if (code === 'upgrade_required') return { error: code, ...extra }
  if (envelope === 'ok') return { ok: false, error: code, ...extra }
  if (envelope === 'oauth')
    return { error: errorName(envelope, code), error_description: code.replaceAll('_', ' '), ...extra }
  if (envelope === 'rpc') {
    const number = rpcErrors[code as keyof typeof rpcErrors] ?? otherRpcError
    const data = Object.keys(extra).length > 0 ? { data: extra } : {}
    return { jsonrpc: '2.0', id: null, error: { code: number, message: code, ...data } }
  }
  if (envelope === 'ad') {
    const empty = { ad: null, nonce: null, ttlMs: null }
    if (code === 'unauthorized') return { ...empty, needsLogin: true }
    if (code === 'rate_limited' || code === 'unavailable') return { ...empty, error: code, ...extra }
  }
  return { error: code, ...extra }
}
