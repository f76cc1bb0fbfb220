import { personActor, type ClaimKeyParams, type IdempotencyStore } from '../../http/idempotency-store.ts'

type Kept = ClaimKeyParams & { readonly reply: string | null }

/** The idempotency store in a Map. After the look at the person nothing waits, which is what makes a method atomic. */
export function memoryIdempotency(known: (ownerId: string) => Promise<boolean>): IdempotencyStore {
  const keys = new Map<string, Kept>()
  const place = ({ actor, key }: { readonly actor: string; readonly key: string }): string =>
    JSON.stringify([actor, key])
  const change = (
    held: { readonly actor: string; readonly key: string; readonly lease: string },
    changes: Partial<Kept>,
  ): void => {
    const kept = keys.get(place(held))
    if (kept?.lease === held.lease) keys.set(place(held), { ...kept, ...changes })
  }
  const ofPerson = (ownerId: string): [string, Kept][] =>
    [...keys].filter(([, { actor }]) => actor === personActor(ownerId))

  return {
    async claimKey(params) {
      const { ownerId, fingerprint, lease, now, leaseUntil, since } = params
      if (ownerId !== null && !(await known(ownerId))) return { state: 'no_owner' }
      const there = keys.get(place(params))
      if (!there || there.now < since) {
        keys.set(place(params), { ...params, reply: null })
        return { state: 'claimed', effectId: params.effectId }
      }
      if (there.fingerprint !== fingerprint) return { state: 'reused' }
      if (there.reply !== null) return { state: 'replied', reply: there.reply }
      if (there.leaseUntil > now && there.leaseUntil <= 2 * leaseUntil - now) return { state: 'in_progress' }
      keys.set(place(params), { ...there, lease, leaseUntil })
      return { state: 'claimed', effectId: there.effectId }
    },
    async keepReply({ reply, ...held }) {
      change(held, { reply })
    },
    async releaseKey(held) {
      change(held, { leaseUntil: 0 })
    },
    async forgetKeys(before) {
      for (const [at, { now }] of keys) if (now < before) keys.delete(at)
      return false
    },
    async export(ownerId) {
      return ofPerson(ownerId)
        .map(([, { key, now }]) => ({ key, createdAt: now }))
        .sort((a, b) => a.createdAt - b.createdAt || (a.key < b.key ? -1 : 1))
    },
    async erase(ownerId) {
      for (const [at] of ofPerson(ownerId)) keys.delete(at)
      return false
    },
  }
}
