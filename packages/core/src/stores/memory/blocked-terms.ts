import type { BlockedTermStore } from '../../contributors/blocked-terms/store.ts'

/**
 * The data about a person that scrubbing needs: the blocked terms, the identity revision, and whether their traces are
 * due.
 */
interface ScrubRecord {
  terms: readonly string[]
  updatedAt: number | null
  identityRevision: number
  isDue: boolean
  cursor: number
}

/** The scrub records of all people, which several stores share. */
export class MemoryScrubContexts {
  readonly byOwner = new Map<string, ScrubRecord>()

  /** Raises the identity revision of a person, so that their traces are scrubbed again. */
  raise(ownerId: string): void {
    const record = this.ensure(ownerId)
    record.identityRevision++
    record.isDue = true
    record.cursor = 0
  }

  revisionOf(ownerId: string): number {
    return this.byOwner.get(ownerId)?.identityRevision ?? 0
  }

  ensure(ownerId: string): ScrubRecord {
    let record = this.byOwner.get(ownerId)
    if (!record)
      this.byOwner.set(ownerId, (record = { terms: [], updatedAt: null, identityRevision: 0, isDue: false, cursor: 0 }))
    return record
  }
}

/**
 * Returns the store of blocked terms in Maps. A method is atomic because it awaits nothing after the lookup of the
 * user.
 */
export function memoryBlockedTerms(
  contexts: MemoryScrubContexts,
  isUser: (userId: string) => Promise<boolean>,
): BlockedTermStore {
  const find = (ownerId: string) => contexts.byOwner.get(ownerId) ?? { terms: [], updatedAt: null, identityRevision: 0 }
  return {
    async findTerms({ ownerId }) {
      const { terms, updatedAt, identityRevision } = find(ownerId)
      return { terms, updatedAt, identityRevision }
    },
    async saveTerms({ ownerId, terms, now, replaces }) {
      if (!(await isUser(ownerId))) return false
      const stored = JSON.stringify(find(ownerId).terms)
      if (replaces && stored !== JSON.stringify(replaces)) return false
      const isChanged = stored !== JSON.stringify(terms)
      Object.assign(contexts.ensure(ownerId), { terms: [...terms], updatedAt: now })
      if (isChanged) contexts.raise(ownerId)
      return true
    },
    async export({ ownerId }) {
      const { terms, updatedAt } = find(ownerId)
      return { terms, updatedAt }
    },
    async erase({ ownerId }) {
      contexts.byOwner.delete(ownerId)
      return false
    },
  }
}
