import { and, asc, eq, lt, sql } from 'drizzle-orm'
import {
  userActor,
  type ClaimKeyParams,
  type HeldKey,
  type IdempotencyKey,
  type IdempotencyStore,
  type ReleaseKeyParams,
  type StoreReplyParams,
} from '../../http/idempotency-store.ts'
import { deleteSome, maxRowsPerWrite, writeOnce } from './bounded-writes.ts'
import type { Database } from './database.ts'
import { build, insertSelect, prepare } from './statement.ts'
import { idempotencyKeys } from './tables/idempotency.ts'
import { users } from './tables/sessions.ts'

const { actor, key, fingerprint, effectId, lease, leaseUntil, reply, createdAt, subject } = idempotencyKeys

/** The stored reply of a call about a user who was erased: JSON, but no reply. */
const erasedReply = 'null'

/** The stored fingerprint of a key that any request may claim. */
const anyFingerprint = ''

/**
 * Inserts a key, or updates a key that is older than `since`, or whose lease has ended and which belongs to the same
 * request or to none.
 */
const claimKey = prepare<ClaimKeyParams>()((params) => {
  const isOld = sql`${createdAt} < ${params.since}`
  return insertSelect(
    idempotencyKeys,
    {
      actor: params.actor,
      key: params.key,
      fingerprint: params.fingerprint,
      effectId: params.effectId,
      lease: params.lease,
      leaseUntil: params.leaseUntil,
      reply: sql`null`,
      createdAt: params.now,
      // A subject that names no user may be an address that was entered by mistake.
      subject: sql`(select ${users.id} from ${users} where ${users.id} = ${params.subject})`,
    },
    sql`where (${params.ownerId} is null or exists (select 1 from ${users} where ${users.id} = ${params.ownerId}))
      on conflict (actor, key) do update set
        fingerprint = excluded.fingerprint,
        effect_id = iif(${isOld}, excluded.effect_id, ${effectId}),
        reply = iif(${isOld}, null, ${reply}), created_at = iif(${isOld}, excluded.created_at, ${createdAt}),
        lease = excluded.lease, lease_until = excluded.lease_until, subject = excluded.subject
      where ${isOld} or (${reply} is null and ${fingerprint} in (excluded.fingerprint, ${anyFingerprint}) and (
        ${leaseUntil} <= ${params.now} or ${leaseUntil} > 2 * excluded.lease_until - ${params.now}))`,
  )
})

const selectKey = prepare<IdempotencyKey>()((params) =>
  build
    .select({ fingerprint, effectId, lease, reply })
    .from(idempotencyKeys)
    .where(and(eq(actor, params.actor), eq(key, params.key))),
)

const updateReply = prepare<StoreReplyParams>()((params) =>
  build
    .update(idempotencyKeys)
    .set({ reply: sql`${params.reply}` })
    .where(and(eq(actor, params.actor), eq(key, params.key), eq(lease, params.lease))),
)

const endLease = prepare<HeldKey>()((params) =>
  build
    .update(idempotencyKeys)
    // No test can notice a change of `0`: both times are long ago.
    .set({ leaseUntil: 0 })
    .where(and(eq(actor, params.actor), eq(key, params.key), eq(lease, params.lease))),
)

const endLeaseForAnyRequest = prepare<HeldKey>()((params) =>
  build
    .update(idempotencyKeys)
    .set({ leaseUntil: 0, fingerprint: anyFingerprint })
    .where(and(eq(actor, params.actor), eq(key, params.key), eq(lease, params.lease))),
)

const deleteKeysBefore = prepare<{ before: number }>()(({ before }) =>
  deleteSome(idempotencyKeys, lt(createdAt, before)),
)

const selectKeysOfActor = prepare<{ actor: string }>()((params) =>
  build
    .select({ key, createdAt })
    .from(idempotencyKeys)
    .where(eq(actor, params.actor))
    .orderBy(asc(createdAt), asc(key)),
)

const deleteKeysOfActor = prepare<{ actor: string }>()((params) => deleteSome(idempotencyKeys, eq(actor, params.actor)))

/** Without the lease, a call that is running stores no reply. */
const eraseRepliesAbout = prepare<{ userId: string }>()(({ userId }) =>
  build
    .update(idempotencyKeys)
    .set({ reply: erasedReply, lease: '', subject: null })
    .where(
      sql`(${actor}, ${key}) in (select ${actor}, ${key} from ${idempotencyKeys} where ${subject} = ${userId}
        limit ${sql.raw(String(maxRowsPerWrite))})`,
    ),
)

/** Returns the idempotency store over libSQL. `http/idempotency-store.ts` describes the guarantees. */
export function libsqlIdempotency(db: Database): IdempotencyStore {
  return {
    async claimKey(params) {
      const [, stored] = await db.write([claimKey(params), selectKey({ actor: params.actor, key: params.key })], {
        locks: [`key/${params.actor}/${params.key}`],
      })
      const [row] = stored.rows
      if (!row) return { state: 'no_owner' }
      if (row.fingerprint !== params.fingerprint) return { state: 'reused' }
      if (row.reply === erasedReply) return { state: 'erased' }
      if (row.reply !== null) return { state: 'replied', reply: row.reply }
      return row.lease === params.lease ? { state: 'claimed', effectId: row.effectId } : { state: 'in_progress' }
    },
    async storeReply(params) {
      await db.write([updateReply(params)], { locks: [] })
    },
    async releaseKey({ forAnyRequest, ...held }: ReleaseKeyParams) {
      await db.write([forAnyRequest ? endLeaseForAnyRequest(held) : endLease(held)], { locks: [] })
    },
    deleteKeys: ({ before }) => writeOnce(db, [deleteKeysBefore({ before })]),
    export: ({ ownerId }) => db.read(selectKeysOfActor({ actor: userActor(ownerId) })),
    erase: ({ ownerId }) =>
      writeOnce(db, [deleteKeysOfActor({ actor: userActor(ownerId) }), eraseRepliesAbout({ userId: ownerId })]),
  }
}
