import type * as z from 'zod'
import { nearestName } from '../option-names.ts'
import { Failure, invalid, type Issue } from './failures.ts'
import type { PlainRequest } from './message.ts'
import type { Form, RouteShape } from './route.ts'
import { sanitizeText } from './text.ts'

/**
 * Parses path and query parameters by the schemas of the route. A query key that is sent twice is ambiguous, so it is
 * refused. A key that the route does not know is refused too, because a filter with a misspelt name would have no
 * effect. Pages and the endpoints of the interface ignore unknown keys, because mail programs and search engines add
 * such keys. A value with NUL or a lone surrogate is refused here for every route: no stored text contains them, and
 * Postgres does not accept them in JSON.
 */
export function parseParameters(
  route: RouteShape,
  raw: Readonly<Record<string, string>>,
  request: PlainRequest,
): { params: unknown; query: unknown } | Failure {
  const params = route.params ? check(route.params, raw) : { value: undefined }
  if ('issues' in params) return invalid('invalid_id', ...params.issues)
  if (!route.query) return { params: params.value, query: undefined }
  const refuse = (...issues: Issue[]) => invalid(route.badQuery ?? 'invalid_query', ...issues)
  const isStrict = route.sends !== 'page' && route.id === undefined
  const sent = new Map<string, string>()
  for (const [name, value] of request.query) {
    if (!Object.hasOwn(route.query.shape, name)) {
      if (isStrict) return refuse(describeUnknownName('parameter', name, Object.keys(route.query.shape)))
      continue
    }
    if (sent.has(name)) return refuse({ path: [name], code: 'repeated', message: 'sent twice' })
    if (sanitizeText(value) !== value) return refuse(reportUnsafeText(name))
    sent.set(name, value)
  }
  const query = check(route.query, Object.fromEntries(sent))
  return 'issues' in query ? refuse(...query.issues) : { params: params.value, query: query.value }
}

const reportUnsafeText = (name: string): Issue => ({
  path: [name],
  code: 'invalid_format',
  message: 'contains NUL or a lone surrogate',
})

/** Returns the issue of a parameter or an argument with an unknown name. The issue suggests a known name. */
export function describeUnknownName(kind: 'parameter' | 'argument', name: string, known: readonly string[]): Issue {
  const nearest = nearestName(name, known)
  const all = known.length === 0 ? 'there are none here' : `the ${kind}s are ${known.join(', ')}`
  const help = nearest === null ? all : `did you mean ${nearest}?`
  return { path: [sanitizeText(name).slice(0, 64)], code: `unknown_${kind}`, message: `unknown ${kind}; ${help}` }
}

const keyIssue = { path: ['idempotency-key'], code: 'invalid_format', message: '1 to 255 printable ASCII characters' }

/**
 * Returns the idempotency key of a call, 1 to 255 printable ASCII characters. Returns null if there is no key or the
 * route does not accept keys.
 */
export function readIdempotencyKey(
  route: RouteShape,
  request: PlainRequest,
): string | Failure<'invalid_idempotency_key'> | null {
  const header = route.idempotent ? request.headers['idempotency-key'] : undefined
  if (header === undefined) return null
  return /^[ -~]{1,255}$/.test(header) ? header : invalid('invalid_idempotency_key', keyIssue)
}

/** Parses the body by the schema of the route. */
export function parseBody(
  bytes: Uint8Array,
  route: RouteShape,
): { value: unknown } | Failure<'invalid_json' | 'invalid_body'> {
  if (route.form) return { value: parseForm(bytes, route.form, route.anyOrigin) }
  const parsed = parseJson(bytes)
  if (parsed instanceof Failure) return parsed
  const place = findForbiddenKey(parsed.value)
  const checked = place ? { issues: [place] } : check(route.body!, parsed.value)
  return 'issues' in checked ? invalid('invalid_body', ...checked.issues) : checked
}

/**
 * Reads `application/x-www-form-urlencoded`. Empty fields count as absent. The last value of a repeated field counts,
 * unless the schema has a list for it (as for checkboxes), or `isStrict` makes it an issue.
 */
export function parseForm<S extends z.ZodObject>(bytes: Uint8Array, schema: S, isStrict = false): Form<z.output<S>> {
  const fields: Record<string, string> = {}
  const lists: Record<string, string[]> = {}
  const repeated: Issue[] = []
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
    if (!Object.hasOwn(schema.shape, name) || value.trim() === '') continue
    if (unwrapSchema(schema.shape[name] as unknown as Inner)._zod.def.type === 'array')
      (lists[name] ??= []).push(sanitizeText(value.trim()))
    else {
      if (isStrict && name in fields) repeated.push({ path: [name], code: 'repeated', message: 'sent twice' })
      fields[name] = sanitizeText(value.trim())
    }
  }
  const checked = check(schema, { ...fields, ...lists })
  const issues = 'issues' in checked ? [...repeated, ...checked.issues] : repeated
  return 'issues' in checked || issues.length > 0
    ? { fields, value: null, issues }
    : { fields, value: checked.value, issues: [] }
}

/**
 * The maximum nesting depth of a body. The contracts need six levels; much deeper bodies are attempts to overflow the
 * stack.
 */
const maxDepth = 64
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** Parses UTF-8 JSON strictly: a broken byte sequence is not JSON. */
export function parseJson(bytes: Uint8Array): { value: unknown } | Failure<'invalid_json'> {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)) }
  } catch (error) {
    return refuseInvalidJson(bytes, error)
  }
}

/**
 * Returns an issue with the position at which the JSON stops being valid. The text at this position is omitted, because
 * it may be secret.
 */
function refuseInvalidJson(bytes: Uint8Array, error: unknown): Failure<'invalid_json'> {
  if (bytes.byteLength === 0) return invalid('invalid_json', { path: [], code: 'invalid_json', message: 'empty body' })
  const position = /at position (\d+)/.exec(String(error))?.[1]
  const message =
    position === undefined ? 'not JSON in UTF-8' : `not JSON: unexpected character at position ${position}`
  return invalid('invalid_json', { path: [], code: 'invalid_json', message })
}

/**
 * Searches parsed JSON, without recursion, for keys that reach into prototypes and for nesting deeper than `maxDepth`.
 * Returns the first such place, or null.
 */
export function findForbiddenKey(value: unknown): Issue | null {
  const stack: [value: object, path: (string | number)[]][] = []
  if (typeof value === 'object' && value !== null) stack.push([value, []])
  for (let top = stack.pop(); top; top = stack.pop()) {
    const [at, path] = top
    if (path.length > maxDepth)
      return { path: path.slice(0, 8), code: 'too_deep', message: `nested deeper than ${maxDepth}` }
    if (Array.isArray(at)) {
      for (let i = 0; i < at.length; i++)
        if (typeof at[i] === 'object' && at[i] !== null) stack.push([at[i] as object, [...path, i]])
      continue
    }
    for (const key of Object.keys(at)) {
      if (forbidden.has(key)) return { path, code: 'forbidden_key', message: `the key ${key} is not allowed` }
      const child = (at as Record<string, unknown>)[key]
      if (typeof child === 'object' && child !== null) stack.push([child, [...path, key]])
    }
  }
  return null
}

/** The maximum number of issues that a reply lists. Further issues would not add information. */
export const maxIssues = 100

/**
 * Validates a value. The lengths of its lists are checked first, because a list of 100,000 wrong items would have as
 * many issues.
 */
export function check<S extends z.ZodType>(schema: S, value: unknown): { value: z.output<S> } | { issues: Issue[] } {
  const long = listOverlong(schema, value)
  if (long.length > 0) return { issues: long }
  const parsed = schema.safeParse(value)
  if (parsed.success) return { value: parsed.data }
  return {
    issues: parsed.error.issues.slice(0, maxIssues).map(({ path, code, message }) => ({
      path: path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
      code,
      message,
    })),
  }
}

interface Inner {
  _zod: {
    def: { type: string; innerType?: Inner; shape?: Record<string, Inner>; in?: Inner }
    bag: { maximum?: number }
  }
}

/** Returns the schema inside `optional`, `default` and similar wrappers. */
function unwrapSchema(schema: Inner): Inner {
  let inner = schema
  while (inner._zod.def.innerType) inner = inner._zod.def.innerType
  return inner
}

/** Returns the lists at the top of a body that are longer than their schema allows. */
function listOverlong(schema: z.ZodType, value: unknown): Issue[] {
  const shape = (schema as unknown as Inner)._zod.def.shape
  if (!shape || typeof value !== 'object' || value === null) return []
  return Object.entries(shape).flatMap(([key, field]) => {
    const inner = unwrapSchema(field)
    const list = (value as Record<string, unknown>)[key]
    const maximum = inner._zod.bag.maximum
    if (inner._zod.def.type !== 'array' || maximum === undefined || !Array.isArray(list) || list.length <= maximum)
      return []
    return [{ path: [key], code: 'too_big', message: `Too big: expected array to have <=${maximum} items` }]
  })
}
