import { newcomer, type PolicyStore, type Standing } from '../policy/store.ts'
import { drop, emptyStanding, type ContributorShelf } from './contributors.ts'

/** The policy store in Maps, on the shelf that it shares with the contributors. */
export function memoryPolicy(shelf: ContributorShelf): PolicyStore {
  function standing(ownerId: string): Standing {
    const record = shelf.records.get(ownerId)
    if (!record) return newcomer
    return { ...record.standing, status: shelf.latest(ownerId)?.status ?? 'not_applied', contactCompleted: record.contact !== null }
  }

  return {
    async standing(ownerId) {
      return standing(ownerId)
    },
    async acceptTerms(ownerId, { termsVersion, residencyConfirmed }, now) {
      const record = await shelf.record(ownerId)
      if (!record) return null
      const was = record.standing
      const same = was.termsVersion === termsVersion
      if (!same || was.residencyConfirmed !== residencyConfirmed) record.terms.push({ termsVersion, residencyConfirmed, acceptedAt: now })
      record.standing = { ...was, termsVersion, residencyConfirmed, termsAcceptedAt: same ? was.termsAcceptedAt : now }
      return standing(ownerId)
    },
    async setPaused(ownerId, paused, now) {
      const record = await shelf.record(ownerId)
      if (!record) return null
      if (record.standing.paused !== paused) record.pauses.push({ by: 'contributor', paused, changedAt: now })
      record.standing = { ...record.standing, paused }
      return standing(ownerId)
    },
    async joinWaitlist(ownerId, { email, country }, now) {
      const record = await shelf.record(ownerId)
      if (record) record.waitlist = { email, country, joinedAt: now }
      return record !== null
    },
    async export(ownerId) {
      const record = shelf.records.get(ownerId)
      return { terms: [...(record?.terms ?? [])], pauses: [...(record?.pauses ?? [])], waitlist: record?.waitlist ?? null }
    },
    async erase(ownerId) {
      const record = shelf.records.get(ownerId)
      if (!record) return
      Object.assign(record, { standing: emptyStanding, terms: [], pauses: [], waitlist: null })
      drop(shelf, ownerId)
    },
  }
}
