import type { RescrubStore } from '../../traces/rescrub-store.ts'
import type { MemoryScrubContexts } from './blocked-terms.ts'
import type { MemoryTraces } from './traces.ts'

/**
 * Returns the store of background re-scrubbing in Maps. `hasOpenJob` tells whether a job of a person may still store
 * traces.
 */
export function memoryRescrub(
  traces: MemoryTraces,
  contexts: MemoryScrubContexts,
  hasOpenJob: (ownerId: string) => Promise<boolean> = async () => false,
): RescrubStore {
  let pass: { version: string; cursor: number; lease: string | null; leaseUntil: number } | null = null
  const isHeld = (lease: string): boolean => pass?.lease === lease
  return {
    async getProgress() {
      const people = [...contexts.byOwner.values()].filter(({ isDue }) => isDue).length
      return { version: pass?.version ?? null, cursor: pass?.cursor ?? 0, last: traces.lastNum(), people }
    },
    async countStaleTraces({ ownerId, scrubVersion }) {
      return traces
        .listAfter({ ownerId, cursor: 0, limit: Infinity })
        .filter(
          (trace) =>
            !trace.isSold && (trace.scrubVersion !== scrubVersion || trace.identityRevision !== trace.ownerRevision),
        ).length
    },
    async claimPass({ lease, scrubVersion, now, leaseUntil }) {
      const isFree =
        pass === null ||
        pass.lease === null ||
        pass.lease === lease ||
        pass.leaseUntil <= now ||
        pass.leaseUntil > 2 * leaseUntil - now
      if (!isFree) return false
      const cursor = pass?.version === scrubVersion ? pass.cursor : 0
      pass = { version: scrubVersion, cursor, lease, leaseUntil }
      return true
    },
    async saveCursor({ lease, person, cursor, leaseUntil }) {
      if (!pass || !isHeld(lease)) return false
      pass.leaseUntil = leaseUntil
      if (!person) pass.cursor = cursor
      else if (contexts.revisionOf(person.ownerId) === person.identityRevision)
        contexts.ensure(person.ownerId).cursor = cursor
      return true
    },
    async releasePass({ lease }) {
      if (pass && isHeld(lease)) pass.lease = null
    },
    async findChangedPerson() {
      for (const [ownerId, { isDue, identityRevision, cursor }] of contexts.byOwner)
        if (isDue && !(await hasOpenJob(ownerId))) return { ownerId, identityRevision, cursor }
      return null
    },
    async completePerson({ lease, person }) {
      if (isHeld(lease) && contexts.revisionOf(person.ownerId) === person.identityRevision)
        contexts.ensure(person.ownerId).isDue = false
    },
    listTracesAfter: async (params) => traces.listAfter(params),
    storeRescrubbed: async (params) => traces.storeRescrubbed(params),
  }
}
