import { fail, Failure } from './failures.ts'
import { parseForm } from './form.ts'
import { check, parseJson, findForbiddenKey } from './json.ts'
import type { PlainRequest } from './message.ts'
import type { RouteShape } from './route.ts'

/** The path's and the query's parameters by the route's schemas. A query key sent twice is ambiguous, so it is refused. A bad query may have a code of the route's own. */
export function parseParameters(
  route: RouteShape,
  raw: Readonly<Record<string, string>>,
  request: PlainRequest,
): { params: unknown; query: unknown } | Failure {
  const params = route.params ? check(route.params, raw) : { value: undefined }
  if ('issues' in params) return fail('invalid_id')
  if (!route.query) return { params: params.value, query: undefined }
  const refused = fail(route.badQuery ?? 'invalid_query')
  const sent = new Map<string, string>()
  for (const [name, value] of request.query) {
    if (!Object.hasOwn(route.query.shape, name)) continue
    if (sent.has(name)) return refused
    sent.set(name, value)
  }
  const query = check(route.query, Object.fromEntries(sent))
  return 'issues' in query ? refused : { params: params.value, query: query.value }
}

/** The body by the route's schema. */
export function parseBody(
  bytes: Uint8Array,
  route: RouteShape,
): { value: unknown } | Failure<'invalid_json' | 'invalid_body'> {
  if (route.form) return { value: parseForm(bytes, route.form) }
  const parsed = parseJson(bytes)
  if (parsed instanceof Failure) return parsed
  const place = findForbiddenKey(parsed.value)
  const checked = place ? { issues: [place] } : check(route.body!, parsed.value)
  if ('issues' in checked) return fail('invalid_body', route.issues ? { issues: checked.issues } : {})
  return checked
}
