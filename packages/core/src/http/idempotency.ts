import { personActor, type HeldKey, type IdempotencyStore } from './idempotency-store.ts'
import { toHex } from '../ids.ts'
import type { Digest, Logger, Random } from '../ports.ts'
import { fail, Failure, implied } from './failures.ts'
import { canonicalJson, claimMs, keyMs } from './idempotency-key.ts'
import { Reply, type RouteShape, type User } from './route.ts'

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
export function idempotency({ store, digest, random, logger }: IdempotencyDeps): Idempotency {
  /** Keeps the answer, or frees the key. The answer stands either way: without a record the next call makes the same effect again. */
  async function settle(held: HeldKey, reply: string | null): Promise<void> {
    try {
      await (reply === null ? store.releaseKey(held) : store.keepReply({ ...held, reply }))
    } catch (error) {
      logger.warn({ err: error }, 'idempotency.reply.not_kept')
    }
  }

  return async ({ route, user, operator, key, body, effectId, now }, run) => {
    const actor = user ? personActor(user.id) : `operator:${operator ?? ''}`
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
