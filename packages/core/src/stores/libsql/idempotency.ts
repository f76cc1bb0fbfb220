import { personActor, type IdempotencyStore, type KeyRecord } from '../../http/idempotency-store.ts'
import { raw, type Database } from './database.ts'
import { deleteSomeText, writeOnce, maxRowsPerWrite } from './bounded-writes.ts'

// ?1 actor, ?2 key, ?3 fingerprint, ?4 effect id, ?5 lease, ?6 now, ?7 lease until, ?8 since, ?9 owner or null.
// After `do update` a column is that of the row that is there.
const claim = `insert into idempotency_keys (actor, key, fingerprint, effect_id, lease, lease_until, created_at)
  select ?1, ?2, ?3, ?4, ?5, ?7, ?6 where ?9 is null or exists (select 1 from users where id = ?9)
  on conflict (actor, key) do update set
    fingerprint = iif(created_at < ?8, ?3, fingerprint), effect_id = iif(created_at < ?8, ?4, effect_id),
    reply = iif(created_at < ?8, null, reply), created_at = iif(created_at < ?8, ?6, created_at), lease = ?5, lease_until = ?7
  where created_at < ?8 or (reply is null and fingerprint = ?3 and (lease_until <= ?6 or lease_until > 2 * ?7 - ?6))`

interface KeyRow {
  readonly fingerprint: string
  readonly effectId: string
  readonly lease: string
  readonly reply: string | null
}

/** The idempotency store over libSQL; its guarantees are in `idempotency/store.ts`. */
export function libsqlIdempotency(db: Database): IdempotencyStore {
  return {
    async claimKey({ actor, key, lease, ownerId, fingerprint, effectId, now, leaseUntil, since }) {
      const [, found] = await db.write<KeyRow>([
        raw(claim, [actor, key, fingerprint, effectId, lease, now, leaseUntil, since, ownerId]),
        raw(
          'select fingerprint, effect_id as effectId, lease, reply from idempotency_keys where actor = ? and key = ?',
          [actor, key],
        ),
      ])
      const [row] = found!.rows
      if (!row) return { state: 'no_owner' }
      if (row.fingerprint !== fingerprint) return { state: 'reused' }
      if (row.reply !== null) return { state: 'replied', reply: row.reply }
      return row.lease === lease ? { state: 'claimed', effectId: row.effectId } : { state: 'in_progress' }
    },
    async keepReply({ actor, key, lease, reply }) {
      await db.write([
        raw('update idempotency_keys set reply = ? where actor = ? and key = ? and lease = ?', [
          reply,
          actor,
          key,
          lease,
        ]),
      ])
    },
    async releaseKey({ actor, key, lease }) {
      await db.write([
        raw('update idempotency_keys set lease_until = 0 where actor = ? and key = ? and lease = ?', [
          actor,
          key,
          lease,
        ]),
      ])
    },
    async forgetKeys(before) {
      const [gone] = await db.write([raw(deleteSomeText('idempotency_keys', 'actor, key', 'created_at < ?'), [before])])
      return gone!.changed === maxRowsPerWrite
    },
    export: (ownerId) =>
      db.read<KeyRecord>(
        raw('select key, created_at as createdAt from idempotency_keys where actor = ? order by created_at, key', [
          personActor(ownerId),
        ]),
      ),
    async erase(ownerId) {
      return writeOnce(db, [raw(deleteSomeText('idempotency_keys', 'actor, key', 'actor = ?'), [personActor(ownerId)])])
    },
  }
}
