import type { Claim, NewTrace, NotAdded, PreparedTrace } from '@tributary/core/stores'
import { makeId, makeNames } from '../fixtures/seed.ts'
import type { IngestPlace } from './ingest-place.ts'

const second = 1000

/** The length of a lease, in milliseconds. */
export const until = 30 * second

/** Returns a trace as a worker passes it to `writeBatch` after scrubbing. */
export function prepareTrace(index: number, trace: NewTrace, again = false): PreparedTrace {
  return {
    kind: 'scrubbed',
    index,
    sourceId: trace.sourceId,
    contentHash: trace.contentHash,
    isRepeated: again,
    trace,
    redactions: index + 1,
    ...makeNames(trace),
  }
}

/** Returns the value that a worker passes to `writeBatch` for a known trace or a trace that the scrubber refused. */
export const prepareBare = (
  kind: 'known' | 'refused',
  index: number,
  contentHash: string,
  again = false,
): PreparedTrace => ({
  kind,
  index,
  sourceId: `name ${index}`,
  contentHash,
  isRepeated: again,
})

/** Returns functions that add, claim and read the n-th job of an owner, with the first store of a place. */
export function createJobCalls(place: () => IngestPlace) {
  return {
    enqueue: (owner: string, n: number, total = 2, at = n): Promise<NotAdded | null> =>
      place().stores[0].enqueueJob({
        ownerId: owner,
        id: makeId(owner, n),
        source: 'mixed',
        total,
        parts: 1,
        bytes: 100,
        enqueuedAt: at,
      }),
    claimJob: async (lease = 'one', now = 100): Promise<Claim> =>
      (await place().stores[0].claimJob({ lease, now, leaseUntil: now + until }))!,
    findJob: (owner: string, n: number) => place().stores[0].findJob({ ownerId: owner, jobId: makeId(owner, n) }),
    listOutcomes: async (owner: string, n: number) =>
      (await place().stores[0].listOutcomes({ ownerId: owner, jobId: makeId(owner, n) }))!.map(
        ({ outcome }) => outcome,
      ),
  }
}
