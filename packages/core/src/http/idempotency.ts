import { userActor, type HeldKey, type IdempotencyStore } from './idempotency-store.ts'
import { toHex } from '../ids.ts'
import type { Digest, Logger, Random } from '../ports.ts'
import { fail, Failure, implied } from './failures.ts'
import { Reply, type RouteShape, type User } from './route.ts'
import type { PlainRequest } from './message.ts'

export interface IdempotencyDeps {
  readonly store: IdempotencyStore
  readonly digest: Digest
  readonly random: Random
  readonly logger: Logger
}

/** A call that brought a key, after everything but its handler. `effectId` is for what it makes, if it is the first. */
export interface KeyedCall {
  readonly route: RouteShape
  readonly user: User | null
  /** The name of the operator who asks, if one does. */
  readonly operator: string | null
  readonly key: string
  readonly body: unknown
  readonly effectId: string
  readonly now: number
}

/**
 * Runs the handler, which makes its effect once under the id that it is given, and returns its answer, or the one kept from the
 * first call with the key.
 */
export type Idempotency = (call: KeyedCall, run: (effectId: string) => unknown) => Promise<unknown>

/** An answer as it is kept: JSON of a success or of a failure. */
type KeptReply = Pick<Reply, 'status' | 'body' | 'headers'> | Pick<Failure, 'code' | 'extra' | 'headers'>

const refusals = {
  no_owner: fail('unauthorized'),
  reused: fail('idempotency_key_reused'),
  in_progress: fail('idempotency_in_progress', {}, [['retry-after', '1']]),
} satisfies Record<string, Failure>

/** Makes what answers calls that carry an `Idempotency-Key` (decisions section 13). */
export function createIdempotency({ store, digest, random, logger }: IdempotencyDeps): Idempotency {
  /** Keeps the answer, or frees the key. The answer stands either way: without a record the next call makes the same effect again. */
  async function settle(held: HeldKey, reply: string | null): Promise<void> {
    try {
      await (reply === null ? store.releaseKey(held) : store.storeReply({ ...held, reply }))
    } catch (error) {
      logger.warn({ err: error }, 'idempotency.reply.not_kept')
    }
  }

  return async ({ route, user, operator, key, body, effectId, now }, run) => {
    const actor = user ? userActor(user.id) : `operator:${operator ?? ''}`
    const held = { actor, key, lease: toHex(random(16)) }
    const fingerprint = toHex(digest(canonicalJson([actor, key, route.method, route.path, body])))
    const claim = await store.claimKey({
      ...held,
      ownerId: user?.id ?? null,
      fingerprint,
      effectId,
      now,
      leaseUntil: now + claimMs,
      since: now - keyMs,
    })
    if (claim.state === 'replied') return replayed(JSON.parse(claim.reply) as KeptReply)
    if (claim.state !== 'claimed') return refusals[claim.state]
    try {
      const answer = await run(claim.effectId)
      await settle(held, replyToKeep(route, answer))
      return answer
    } catch (error) {
      await settle(held, null)
      throw error
    }
  }
}

/** The answer as JSON; null for one that a repetition must not get: an outage, or a limit that is over later. */
function replyToKeep(route: RouteShape, answer: unknown): string | null {
  if (answer instanceof Failure) {
    const { code, extra, headers } = answer
    const status = route.failures[code] ?? implied[code as keyof typeof implied] ?? 500
    return status >= 500 || status === 429 ? null : JSON.stringify({ code, extra, headers } satisfies KeptReply)
  }
  const { status, body, headers } = answer instanceof Reply ? answer : new Reply(200, answer)
  return JSON.stringify({ status, body, headers } satisfies KeptReply)
}

function replayed(kept: KeptReply): Reply | Failure {
  const headers = [...kept.headers, ['idempotency-replayed', 'true'] as const]
  return 'code' in kept ? new Failure(kept.code, kept.extra, headers) : new Reply(kept.status, kept.body, headers)
}

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
