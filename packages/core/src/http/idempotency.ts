import { userActor, type IdempotencyStore } from './idempotency-store.ts'
import { toHex } from '../ids.ts'
import type { Clock, Digest, Logger, Random } from '../ports.ts'
import { fail, Failure, implied } from './failures.ts'
import { Reply, type RouteShape, type User } from './route.ts'

export interface IdempotencyDeps {
  readonly store: IdempotencyStore
  readonly clock: Clock
  readonly digest: Digest
  readonly random: Random
  readonly logger: Logger
}

/**
 * A call with a key, which has passed every step before its handler. `effectId` is the id of the item that the first
 * call creates.
 */
export interface KeyedCall {
  /** The route, with the path of the call in place of the pattern. */
  readonly route: RouteShape
  readonly user: User | null
  /** The operator's name, on a route of the operator. */
  readonly operator: string | null
  readonly key: string
  readonly body: unknown
  readonly effectId: string
  /**
   * Returns whether an answer uses up the key. Default: every answer does. Otherwise any call may have the key next,
   * with another body too, because the answer had no effect.
   */
  readonly hasEffect?: (answer: unknown) => boolean
}

/**
 * Runs the handler with the id of its effect and returns its answer. For a repeated key, returns the stored answer of
 * the first call.
 */
export type Idempotency = (call: KeyedCall, run: (effectId: string) => unknown) => Promise<unknown>

/** The stored form of an answer: JSON of a success or of a failure. */
type KeptReply = Pick<Reply, 'status' | 'body' | 'headers'> | Pick<Failure, 'code' | 'extra' | 'headers'>

const refusals = {
  no_owner: fail('unauthorized'),
  reused: fail('idempotency_key_reused'),
  // What a call about an unknown user gets, because the user is erased.
  erased: fail('not_found'),
  in_progress: fail('idempotency_in_progress', {}, [['retry-after', '1']]),
} satisfies Record<string, Failure>

/** Creates the function that answers calls with an `Idempotency-Key`. */
export function createIdempotency({ store, clock, digest, random, logger }: IdempotencyDeps): Idempotency {
  /**
   * Stores the answer, or releases the key. A failure is only logged, because the next call without a stored answer
   * repeats the same effect.
   */
  async function settle(step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      logger.warn({ err: error }, 'idempotency.reply.not_stored')
    }
  }

  return async ({ route, user, operator, key, body, effectId, hasEffect = () => true }, run) => {
    // Keys of two operators, or of two paths of one operator, are independent even if they are equal.
    const actor = user ? userActor(user.id) : `operator:${operator ?? ''} ${route.method} ${route.path}`
    const held = { actor, key, lease: toHex(random(16)) }
    const fingerprint = toHex(digest(canonicalJson([actor, key, route.method, route.path, body])))
    // If the lease began at the arrival of the request, a slowly received body could use it up.
    const now = clock()
    const claim = await store.claimKey({
      ...held,
      ownerId: user?.id ?? null,
      subject: user ? null : readSubject(body),
      fingerprint,
      effectId,
      now,
      leaseUntil: now + claimLeaseMs,
      since: now - idempotencyKeyMs,
    })
    if (claim.state === 'replied') return replayReply(JSON.parse(claim.reply) as KeptReply)
    if (claim.state !== 'claimed') return refusals[claim.state]
    try {
      const answer = await run(claim.effectId)
      const forAnyRequest = !hasEffect(answer)
      const reply = forAnyRequest ? null : replyToKeep(route, answer)
      await settle(() =>
        reply === null ? store.releaseKey({ ...held, forAnyRequest }) : store.storeReply({ ...held, reply }),
      )
      return answer
    } catch (error) {
      await settle(() => store.releaseKey({ ...held, forAnyRequest: false }))
      throw error
    }
  }
}

/** Returns the id of the user whom an operator's call is about: the field `userId` of the body or form. */
function readSubject(body: unknown): string | null {
  const { userId } = (body ?? {}) as { readonly userId?: unknown }
  return typeof userId === 'string' ? userId : null
}

/** Returns the answer as JSON. Returns null for an outage or a rate limit, which a repeated call must not get. */
function replyToKeep(route: RouteShape, answer: unknown): string | null {
  if (answer instanceof Failure) {
    const { code, extra, headers } = answer
    const status = route.failures[code] ?? implied[code as keyof typeof implied] ?? 500
    return status >= 500 || status === 429 ? null : JSON.stringify({ code, extra, headers } satisfies KeptReply)
  }
  const { status, body, headers } = answer instanceof Reply ? answer : new Reply(200, answer)
  return JSON.stringify({ status, body, headers } satisfies KeptReply)
}

function replayReply(kept: KeptReply): Reply | Failure {
  const headers = [...kept.headers, ['idempotency-replayed', 'true'] as const]
  return 'code' in kept ? new Failure(kept.code, kept.extra, headers) : new Reply(kept.status, kept.body, headers)
}

/** The time for which a key and its reply are stored, in milliseconds. */
export const idempotencyKeyMs = 30 * 24 * 60 * 60 * 1000

/** The lease of a request on its key, in milliseconds. After this time, the host of the request is considered dead. */
export const claimLeaseMs = 30_000

/** Serializes JSON so that equal values have equal text: sorts keys, and omits undefined properties (see RFC 8785). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`
}
