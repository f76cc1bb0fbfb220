import { fail, type Failure } from './failures.ts'
import type { PlainRequest } from './message.ts'
import type { RouteShape } from './route.ts'

/** How long a key and the reply to its request are remembered. */
export const keyMs = 30 * 24 * 60 * 60 * 1000

/** How long a key is one request's; after that its host is taken for dead. */
export const claimMs = 30_000

/** The key of a call, 1 to 255 printable ASCII characters; null where it brings none, or its route takes none. */
export function keyOf(route: RouteShape, request: PlainRequest): string | Failure<'invalid_idempotency_key'> | null {
  const header = route.idempotent ? request.headers['idempotency-key'] : undefined
  if (header === undefined) return null
  return /^[ -~]{1,255}$/.test(header) ? header : fail('invalid_idempotency_key')
}

/** JSON whose text depends on what it says alone: keys sorted, absent ones left out (in the spirit of RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`
}
