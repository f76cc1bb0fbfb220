import {
  userActor,
  type ClaimKeyParams,
  type HeldKey,
  type IdempotencyKey,
  type IdempotencyStore,
} from '../../http/idempotency-store.ts'

type KeyRow = ClaimKeyParams & { readonly reply: string | null }

/**
 * Returns the idempotency store in a Map. A method is atomic because it awaits nothing after the lookup of the user.
 */
export function memoryIdempotency(isUser: (userId: string) => Promise<boolean>): IdempotencyStore {
  const rows = new Map<string, KeyRow>()
  const idOf = ({ actor, key }: IdempotencyKey): string => JSON.stringify([actor, key])
  const update = (held: HeldKey, changes: Partial<KeyRow>): void => {
    const row = rows.get(idOf(held))
    if (row?.lease === held.lease) rows.set(idOf(held), { ...row, ...changes })
  }
  const rowsOf = (ownerId: string): [string, KeyRow][] =>
    [...rows].filter(([, { actor }]) => actor === userActor(ownerId))

  return {
    async claimKey(params) {
      const { ownerId, fingerprint, lease, now, leaseUntil, since } = params
      if (ownerId !== null && !(await isUser(ownerId))) return { state: 'no_owner' }
      const row = rows.get(idOf(params))
      if (!row || row.now < since) {
        rows.set(idOf(params), { ...params, reply: null })
        return { state: 'claimed', effectId: params.effectId }
      }
      if (row.fingerprint !== fingerprint) return { state: 'reused' }
      if (row.reply !== null) return { state: 'replied', reply: row.reply }
      if (row.leaseUntil > now && row.leaseUntil <= 2 * leaseUntil - now) return { state: 'in_progress' }
      rows.set(idOf(params), { ...row, lease, leaseUntil })
      return { state: 'claimed', effectId: row.effectId }
    },
    async storeReply({ reply, ...held }) {
      update(held, { reply })
    },
    async releaseKey(held) {
      update(held, { leaseUntil: 0 })
    },
    async deleteKeys({ before }) {
      for (const [id, { now }] of rows) if (now < before) rows.delete(id)
      return false
    },
    async export({ ownerId }) {
      return rowsOf(ownerId)
        .map(([, { key, now }]) => ({ key, createdAt: now }))
        .sort((a, b) => a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1))
    },
    async erase({ ownerId }) {
      for (const [id] of rowsOf(ownerId)) rows.delete(id)
      return false
    },
  }
}
