import { errorName, hasIssues, implied, type Envelope } from './failures.ts'
import { firstOf } from '../lists.ts'
import type { RouteShape } from './route.ts'

/** A JSON Schema as a plain object. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Returns a reference to a component of the OpenAPI document: `#/components/schemas/<name>`. */
const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const text: JsonSchema = { type: 'string' }
const issue = {
  ...createObjectSchema({
    path: {
      type: 'array',
      items: { anyOf: [text, { type: 'integer' }] },
      description: 'the keys and indexes that lead to the field',
    },
    code: text,
    message: text,
  }),
  examples: [{ path: ['id'], code: 'invalid_format', message: 'not a UUID' }],
}
const issues: JsonSchema = { type: 'array', minItems: 1, maxItems: 100, items: schemaRef('Issue') }

/** The additional fields of failure bodies, by code. The body of every other code has only `error`. */
const extraFields: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  upgrade_required: { minVersion: text, upgradeCommand: text },
  terms_required: { acceptUrl: text },
  contributor_approval_required: { status: text, applyUrl: text },
  country_unknown: { policy: schemaRef('UploadPolicy') },
}

/**
 * Returns every failure code that a route may answer, with its status: the codes of the route itself, and the codes
 * that the dispatcher returns for the route.
 */
function listFailures(route: RouteShape): Readonly<Record<string, number>> {
  const codes: (keyof typeof implied)[] = ['internal_error']
  if (!route.unavailable) codes.push('unavailable')
  const isAuthenticated = !['none', 'admin-page', 'buyer-page', 'optional'].includes(route.auth)
  if (isAuthenticated && route.auth !== 'page') codes.push('unauthorized')
  if (isAuthenticated || route.rates?.length) codes.push('rate_limited')
  const takesCookie = route.auth === 'cookie' || route.auth === 'bearer-or-cookie' || route.auth === 'page'
  if ((takesCookie && route.method !== 'GET') || (route.form && !route.anyOrigin)) codes.push('cross_site_request')
  if (route.auth === 'admin' && route.method !== 'GET') codes.push('read_only')
  if (route.params) codes.push('invalid_id')
  if (route.query && !route.badQuery) codes.push('invalid_query')
  if (route.requiresClientVersion) codes.push('upgrade_required')
  if (route.body || route.raw === 'json') codes.push('invalid_json', 'invalid_body')
  if (route.body || route.raw || route.form) codes.push('body_too_large', 'request_timeout')
  if (route.body || route.raw === 'json' || route.form) codes.push('unsupported_content_type')
  if (route.idempotent) codes.push('invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_key_reused')
  return { ...Object.fromEntries(codes.map((code) => [code, implied[code]])), ...route.failures }
}

/** Returns the failure codes of a route by status. */
export function codesByStatus(route: RouteShape): Map<number, string[]> {
  const byStatus = new Map<number, string[]>()
  for (const [code, status] of Object.entries(listFailures(route)))
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  return byStatus
}

/** Returns the schema of a failure with one of `codes`. Adds a further schema that is needed to `components`. */
export function failureSchema(
  route: RouteShape,
  codes: readonly string[],
  components: Record<string, JsonSchema>,
): JsonSchema {
  if (route.envelope === 'rpc') {
    components['RpcError'] ??= rpcError
    return schemaRef('RpcError')
  }
  const base = route.envelope === 'ok' ? 'Error' : route.envelope === 'oauth' ? 'OAuthError' : 'BareError'
  const statuses = listFailures(route)
  const schemas: JsonSchema[] = []
  const add = (name: keyof typeof envelopes, added: readonly string[]) => {
    if (added.length === 0) return
    components[name] ??= envelopes[name]
    const names = [...new Set(added.map((code) => errorName(route.envelope, code)))]
    schemas.push({ allOf: [schemaRef(name), { properties: { error: { type: 'string', enum: names } } }] })
  }
  const plain = codes.filter((code) => !findSpecialSchema(route.envelope, code))
  const withIssues = plain.filter((code) => statuses[code] === 400 && hasIssues(route, code))
  const invalidBase = base === 'Error' ? 'Invalid' : 'BareInvalid'
  add(
    base,
    plain.filter((code) => !withIssues.includes(code)),
  )
  add(invalidBase, withIssues)
  if (withIssues.length > 0) components['Issue'] ??= issue
  for (const code of codes) {
    const own = findSpecialSchema(route.envelope, code)
    if (!own) continue
    components[own.name] ??= own.schema
    schemas.push(schemaRef(own.name))
  }
  return schemas.length === 1 ? firstOf(schemas) : { anyOf: schemas }
}

const envelopes = {
  Error: createObjectSchema({ ok: { type: 'boolean', const: false }, error: text }),
  BareError: createObjectSchema({ error: text }),
  Invalid: createObjectSchema({ ok: { type: 'boolean', const: false }, error: text, issues }),
  BareInvalid: createObjectSchema({ error: text, issues }),
  OAuthError: createObjectSchema({ error: text, error_description: text }),
}

const rpcError = createObjectSchema({
  jsonrpc: { type: 'string', const: '2.0' },
  id: { type: ['string', 'integer', 'null'] },
  error: {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { type: 'integer' }, message: text, data: { type: 'object' } },
  },
})

/**
 * Returns the schema of a code whose body has more than `error`, by the same rule as `failureBody`. Returns null for
 * other codes.
 */
function findSpecialSchema(
  envelope: Envelope,
  code: string,
): { readonly name: string; readonly schema: JsonSchema } | null {
  const name = code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const error: JsonSchema = { type: 'string', const: code }
  const noAd = { ad: { type: 'null' }, nonce: { type: 'null' }, ttlMs: { type: 'null' } }
  if (envelope === 'ad' && code === 'unauthorized')
    return { name: `Ad${name}`, schema: createObjectSchema({ ...noAd, needsLogin: { type: 'boolean', const: true } }) }
  if (envelope === 'ad' && (code === 'rate_limited' || code === 'unavailable'))
    return { name: `Ad${name}`, schema: createObjectSchema({ ...noAd, error }) }
  const fields = extraFields[code]
  if (!fields) return null
  if (envelope === 'ok' && code !== 'upgrade_required')
    return { name, schema: createObjectSchema({ ok: { type: 'boolean', const: false }, error, ...fields }) }
  return { name: code === 'upgrade_required' ? name : `Bare${name}`, schema: createObjectSchema({ error, ...fields }) }
}

/** Returns the schema of an object that requires all its properties. */
function createObjectSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties }
}
