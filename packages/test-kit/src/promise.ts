import { isDeepStrictEqual } from 'node:util'
import type { impliedFailures, LoadedRoute, RouteShape } from '@tributary/core/adapter'
import { findBodyFault } from './interface-bodies.ts'

/**
 * The part of a reply that a contract describes. `text` is the body of a JSON reply, or null if no body can be read.
 */
export interface Seen {
  readonly status: number
  readonly type: string | null
  readonly text: string | null
  /** The header `x-error-detail`. */
  readonly detail: string | null
}

/**
 * The outcomes that dispatch itself produces, with their statuses: core's `impliedFailures`. They are passed as a
 * parameter, so that observing a service does not load `impliedFailures`.
 */
export type ImpliedOutcome = typeof impliedFailures

/** Returns the name of an outcome in reports: `E9 PATCH /api/traces/:id 409 already_sold`. */
function formatOutcome(route: RouteShape, status: number, code = ''): string {
  return `${route.id ? `${route.id} ` : ''}${route.method} ${route.path} ${status} ${code}`.trim()
}

/**
 * Lists all declared outcomes of a route: its successes, its own failures, and the failures that dispatch adds for a
 * route of its shape (a body that is not JSON, a missing credential). The failures that any route can have at any time,
 * 405 and 503, are not listed, because the host contract tests cover them.
 */
export function listDeclaredOutcomes(route: RouteShape, implied: ImpliedOutcome): string[] {
  const codes = new Set(Object.keys(route.failures))
  const guarded = ['bearer', 'bearer-or-cookie', 'cookie', 'admin', 'any', 'buyer'].includes(route.auth)
  if (guarded) codes.add('unauthorized')
  const changes = route.method !== 'GET'
  if ((route.form && !route.anyOrigin) || (changes && ['bearer-or-cookie', 'cookie', 'page'].includes(route.auth)))
    codes.add('cross_site_request')
  if (route.body || route.form || route.raw === 'json') codes.add('unsupported_content_type').add('body_too_large')
  if (route.body || route.raw === 'json') codes.add('invalid_json').add('invalid_body')
  if (route.params && canRefuse(route.params)) codes.add('invalid_id')
  if (route.query && Object.keys(route.query.shape).length > 0) codes.add(route.badQuery ?? 'invalid_query')
  if (route.requiresClientVersion) codes.add('upgrade_required')
  if (route.idempotent)
    codes.add('invalid_idempotency_key').add('idempotency_in_progress').add('idempotency_key_reused')
  if (route.rates || route.auth === 'admin') codes.add('rate_limited')
  const successes = [...(route.success ?? [200]), ...(route.auth === 'page' ? [303] : [])]
  return [
    ...new Set(successes.map((status) => formatOutcome(route, status))),
    ...[...codes].map((code) => formatOutcome(route, findStatus(route, code, implied) ?? 500, code)),
  ]
}

/**
 * Returns whether a path parameter rejects some texts. A code that may be any text is not rejected: it is looked up,
 * and the outcome is `not_found`.
 */
function canRefuse(params: NonNullable<RouteShape['params']>): boolean {
  const names = Object.keys(params.shape)
  return ['!', '!'.repeat(2000)].some(
    (text) => !params.safeParse(Object.fromEntries(names.map((name) => [name, text]))).success,
  )
}

function findStatus(route: RouteShape, code: string, implied: ImpliedOutcome): number | undefined {
  return route.failures[code] ?? implied[code as keyof ImpliedOutcome]
}

/**
 * Checks a reply against its route's contract. Returns the outcome's name. Throws an error that describes the problem.
 */
export function checkReply(route: LoadedRoute, method: string, seen: Seen, implied: ImpliedOutcome): string {
  const failContract = (what: string): never => {
    throw new Error(
      `${formatOutcome(route, seen.status)} breaks its contract: ${what}\n${seen.text?.slice(0, 500) ?? ''}`,
    )
  }
  const json =
    seen.text !== null && method !== 'HEAD' && seen.type === 'application/json'
      ? (JSON.parse(seen.text) as Record<string, unknown>)
      : null
  const declared = (route.success ?? [200]).includes(seen.status)
  const away = seen.status === 303 && (route.auth === 'page' || route.form !== undefined)
  if (declared || seen.status < 400) {
    if (!declared && !away) failContract(`status ${seen.status} is not declared`)
    const isEmpty = seen.status === 204 || (seen.status === 202 && route.envelope === 'rpc')
    if (declared && typeof route.reply !== 'string' && method !== 'HEAD' && !isEmpty) {
      const parsed = route.reply.safeParse(json)
      if (!parsed.success) failContract(parsed.error.message)
      if (!isDeepStrictEqual(parsed.data, json))
        failContract(`undeclared fields; declared are ${JSON.stringify(parsed.data)}`)
    }
    const fault = json && findBodyFault(route.id, { status: seen.status, code: null, body: json })
    if (fault) failContract(fault)
    return formatOutcome(route, seen.status)
  }
  if (method === 'HEAD') return formatOutcome(route, seen.status)
  // A failure in a browser is a page, which does not contain a code.
  if (seen.type === 'text/html; charset=utf-8') {
    const statuses = [...Object.values(route.failures), ...Object.values(implied)]
    return statuses.includes(seen.status)
      ? formatOutcome(route, seen.status)
      : failContract('a status that is not declared')
  }
  if (json === null) return failContract('a failure that is neither JSON nor a page')
  const code = readCode(route, seen.status, json, implied)
  if (typeof code !== 'string') return failContract('a failure without `error`')
  if (findStatus(route, code, implied) !== seen.status) failContract(`\`${code}\` with ${seen.status} is not declared`)
  const family = code !== 'upgrade_required' && route.envelope === 'ok'
  if (family ? json['ok'] !== false : 'ok' in json) failContract(`the body is not of the family \`${route.envelope}\``)
  if ('issues' in json) checkIssues(json['issues'], failContract)
  else if (seen.status === 400 && (route.envelope === 'ok' || route.envelope === 'bare') && !seen.detail)
    failContract('a 400 without `issues` and without `x-error-detail`')
  const fault = findBodyFault(route.id, { status: seen.status, code, body: json })
  if (fault) failContract(fault)
  return formatOutcome(route, seen.status, code)
}

/** Returns the code of a failure. OAuth has one error for several codes, whose statuses differ. */
function readCode(
  route: RouteShape,
  status: number,
  json: Readonly<Record<string, unknown>>,
  implied: ImpliedOutcome,
): unknown {
  if (route.envelope === 'ad' && json['needsLogin'] === true) return 'unauthorized'
  const { error } = json
  if (route.envelope === 'rpc') {
    const { code, message } = (error ?? {}) as { readonly code?: number; readonly message?: unknown }
    return rpcNames[code ?? 0] ?? message
  }
  if (route.envelope !== 'oauth' || typeof error !== 'string' || typeof json['error_description'] !== 'string')
    return error
  const [code, name] = oauthNames[status] ?? []
  return error === name ? code : findStatus(route, error, implied) === status ? error : undefined
}

/** The failures whose message is a sentence of the protocol's SDK, by their codes. */
const rpcNames: Readonly<Record<number, string>> = {
  [-32601]: 'method_not_found',
  [-32602]: 'invalid_params',
  [-32020]: 'header_mismatch',
  [-32022]: 'unsupported_protocol_version',
}

/** The code for each error of RFC 6749 or RFC 8628 by status, if OAuth does not define the code. */
const oauthNames: Readonly<Record<number, readonly [code: string, error: string]>> = {
  405: ['method_not_allowed', 'invalid_request'],
  408: ['request_timeout', 'invalid_request'],
  413: ['body_too_large', 'invalid_request'],
  415: ['unsupported_content_type', 'invalid_request'],
  429: ['rate_limited', 'slow_down'],
  500: ['internal_error', 'server_error'],
  503: ['unavailable', 'temporarily_unavailable'],
}

function checkIssues(issues: unknown, broken: (what: string) => never): void {
  if (!Array.isArray(issues) || issues.length < 1 || issues.length > 100)
    return broken('`issues` must be a list of 1 to 100')
  for (const issue of issues as Record<string, unknown>[]) {
    const { path, code, message, ...rest } = issue
    const places = Array.isArray(path) && path.every((part) => typeof part === 'string' || Number.isInteger(part))
    if (!places || typeof code !== 'string' || typeof message !== 'string' || Object.keys(rest).length > 0)
      broken('an issue is {path, code, message}')
  }
}
