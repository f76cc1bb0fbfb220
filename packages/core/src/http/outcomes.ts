import { implied, type Envelope } from './failures.ts'
import type { RouteShape } from './route.ts'

/** JSON Schema as plain data. */
export type Schema = Readonly<Record<string, unknown>>

const text: Schema = { type: 'string' }
const issues: Schema = {
  type: 'array',
  maxItems: 100,
  items: {
    type: 'object',
    required: ['path', 'code', 'message'],
    properties: { path: { type: 'array', items: { anyOf: [text, { type: 'integer' }] } }, code: text, message: text },
  },
}

/** What stands beside `error` for the codes that carry more (interface section 7). */
const extras: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  upgrade_required: { minVersion: text, upgradeCommand: text },
  terms_required: { acceptUrl: text },
  contributor_approval_required: { status: text, applyUrl: text },
  country_unknown: { policy: { type: 'object', description: 'the upload policy, in the shape of E11' } },
}

/** Every failure code that a route may answer, with its status: its own and those that dispatch answers for it. */
export function failuresOf(route: RouteShape): Readonly<Record<string, number>> {
  const codes: (keyof typeof implied)[] = ['internal_error', 'unavailable']
  const asks = route.auth !== 'none' && route.auth !== 'admin-page' && route.auth !== 'optional'
  if (asks && route.auth !== 'page') codes.push('unauthorized')
  if (asks) codes.push('rate_limited')
  if (route.rates?.length) codes.push('rate_limited')
  const byCookie = route.auth === 'cookie' || route.auth === 'bearer-or-cookie' || route.auth === 'page'
  if ((byCookie && route.method !== 'GET') || route.form) codes.push('cross_site_request')
  if (route.params) codes.push('invalid_id')
  if (route.query && !route.badQuery) codes.push('invalid_query')
  if (route.gated) codes.push('upgrade_required')
  if (route.body || route.raw === 'json') codes.push('invalid_json', 'invalid_body')
  if (route.body || route.raw || route.form) codes.push('body_too_large', 'request_timeout')
  if (route.body || route.raw === 'json' || route.form) codes.push('unsupported_content_type')
  if (route.idempotent) codes.push('invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_key_reused')
  return { ...Object.fromEntries(codes.map((code) => [code, implied[code]])), ...route.failures }
}

/** The failures of a route by status, each with the body of its family. */
export function failureSchemas(route: RouteShape): Map<number, Schema> {
  const byStatus = new Map<number, string[]>()
  for (const [code, status] of Object.entries(failuresOf(route)))
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  const schemas = new Map<number, Schema>()
  for (const [status, codes] of byStatus) {
    const plain = codes.filter((code) => !special(route, code))
    const bodies = codes
      .filter((code) => special(route, code))
      .map((code) => bodyOf(route.envelope, [code], extra(route, code)))
    if (plain.length > 0) bodies.unshift(bodyOf(route.envelope, plain, {}))
    schemas.set(status, bodies.length === 1 ? bodies[0]! : { anyOf: bodies })
  }
  return schemas
}

const extra = (route: RouteShape, code: string): Readonly<Record<string, Schema>> =>
  code === 'invalid_body' && route.issues ? { issues } : (extras[code] ?? {})

const special = (route: RouteShape, code: string): boolean =>
  Object.keys(extra(route, code)).length > 0 ||
  (route.envelope === 'ad' && ['unauthorized', 'rate_limited', 'unavailable'].includes(code))

/** The same rule as `failureBody`, said as a schema. */
function bodyOf(envelope: Envelope, codes: string[], more: Readonly<Record<string, Schema>>): Schema {
  const error: Schema = { type: 'string', enum: codes }
  const empty = { ad: { type: 'null' }, nonce: { type: 'null' }, ttlMs: { type: 'null' } }
  const [code] = codes
  if (envelope === 'ad' && code === 'unauthorized') return object({ ...empty, needsLogin: { const: true } })
  if (envelope === 'ad' && (code === 'rate_limited' || code === 'unavailable')) return object({ ...empty, error })
  if (envelope === 'ok' && code !== 'upgrade_required') return object({ ok: { const: false }, error, ...more })
  return object({ error, ...more })
}

/** An object all of whose properties are required. */
export function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', required: Object.keys(properties), properties }
}
