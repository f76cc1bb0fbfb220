import type { NewTrace } from '@tributary/core'
import { expect, test } from 'vitest'
import { makeHash, makeId, makeTrace } from '../fixtures/seed.ts'
import type { IngestPlace } from './ingest-place.ts'

/** Runs the contract tests of names of deleted traces, a part of `IngestStore`'s and `TraceStore`'s. */
export function runDeletedNameContract(place: () => IngestPlace): void {
  test('writeBatch returns deleted_before for a name whose keyed hash its deletion stored, until its owner is erased', async () => {
    const {
      stores: [store],
      traces,
    } = place()
    /** Hands in one trace as the n-th job of an owner. Returns its outcome. */
    const write = async (
      ownerId: string,
      n: number,
      trace: NewTrace,
      nameHashes: readonly string[],
    ): Promise<string> => {
      const jobId = makeId(ownerId, n)
      await store.enqueueJob({ ownerId, id: jobId, source: 'mixed', total: 1, parts: 1, bytes: 10, enqueuedAt: n })
      const claim = (await store.claimJob({ lease: jobId, now: 100, leaseUntil: 30_100, jobId }))!
      const { sourceId, contentHash } = trace
      await store.writeBatch({
        claim,
        traces: [
          { kind: 'scrubbed', index: 0, sourceId, contentHash, isRepeated: false, trace, redactions: 0, nameHashes },
        ],
        now: 100,
        leaseUntil: 30_100,
      })
      await store.completeJob({ claim, usdPerMillionTokens: 1, now: 100 })
      return (await store.listOutcomes({ ownerId, jobId }))![0]!.outcome
    }
    const [hash, other] = [makeHash('name', 1), makeHash('name', 2)]
    const first = makeTrace('ann', 0)
    expect(await write('ann', 1, first, [hash])).toBe('stored')
    expect(await traces.listUnsoldNames({ ownerId: 'ann', ids: [first.id, makeId('ann', 9)] })).toMatchObject([
      { id: first.id, source: first.source, sourceId: first.sourceId, segmentIndex: null },
    ])
    expect(await traces.listUnsoldNames({ ownerId: 'bob', ids: [first.id] })).toEqual([])
    await traces.deleteUnsoldTraces({ ownerId: 'ann', ids: [first.id], nameHashes: { [first.id]: hash } })
    const listDeletedNames = async (ownerId: string): Promise<string[]> => {
      const found = []
      for await (const name of traces.exportDeletedNames({ ownerId })) found.push(name)
      return found
    }
    expect([await listDeletedNames('ann'), await listDeletedNames('bob')]).toEqual([[hash], []])
    const makeLongerTrace = (n: number) => ({ ...makeTrace('ann', 70 + n), sourceId: first.sourceId })
    expect(await write('ann', 2, makeLongerTrace(2), [other, hash])).toBe('deleted_before')
    expect(await write('bob', 3, makeLongerTrace(3), [hash])).toBe('stored')
    expect(await write('ann', 4, makeLongerTrace(4), [other])).toBe('stored')
    await traces.eraseTraces({ ownerId: 'ann' })
    expect(await listDeletedNames('ann')).toEqual([])
    expect(await write('ann', 5, makeLongerTrace(5), [hash])).toBe('stored')
  })
}
