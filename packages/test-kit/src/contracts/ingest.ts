import type { Claim, PreparedTrace, IngestStore, NewTrace, NotAdded } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeHash, makeId, makeTrace, makeSaleItems, makeSaleShares } from '../fixtures/seed.ts'
import type { IngestPlace } from './ingest-place.ts'
import { runIngestOrderContract } from './order.ts'
import { runDeletedNameContract } from './deleted.ts'
import { runUploadContract } from './uploads.ts'
import { makeAuditContext } from './audit.ts'

const second = 1000
export const until = 30 * second

export function prepareTrace(index: number, trace: NewTrace, again = false): PreparedTrace {
  return {
    kind: 'scrubbed',
    index,
    sourceId: trace.sourceId,
    contentHash: trace.contentHash,
    isRepeated: again,
    trace,
    redactions: index + 1,
  }
}
const prepareBare = (kind: 'known' | 'refused', index: number, contentHash: string, again = false): PreparedTrace => ({
  kind,
  index,
  sourceId: `name ${index}`,
  contentHash,
  isRepeated: again,
})

/**
 * Runs the contract tests of `IngestStore`: call it in a test file with what opens a fresh place. Beside each record
 * stands a stranger's.
 */
export function runIngestStoreContract(name: string, open: () => Promise<IngestPlace>): void {
  describe(`IngestStore in ${name}`, () => {
    let place: IngestPlace
    let store: IngestStore
    beforeEach(async () => {
      place = await open()
      store = place.stores[0]
      await place.person('ann')
      await place.person('bob')
    })
    afterEach(() => place.close())

    const enqueue = (owner: string, n: number, total = 2, at = n): Promise<NotAdded | null> =>
      store.enqueueJob({
        ownerId: owner,
        id: makeId(owner, n),
        source: 'mixed',
        total,
        parts: 1,
        bytes: 100,
        enqueuedAt: at,
      })
    const claimJob = async (lease = 'one', now = 100): Promise<Claim> =>
      (await store.claimJob({ lease, now, leaseUntil: now + until }))!
    const findJob = (owner: string, n: number) => store.findJob({ ownerId: owner, jobId: makeId(owner, n) })
    const listOutcomes = async (owner: string, n: number) =>
      (await store.listOutcomes({ ownerId: owner, jobId: makeId(owner, n) }))!.map(({ outcome }) => outcome)

    test('findJob returns a new job to its owner only, without outcomes', async () => {
      expect(await enqueue('ann', 1)).toBeNull()
      expect(await findJob('ann', 1)).toEqual({
        id: makeId('ann', 1),
        source: 'mixed',
        status: 'queued',
        total: 2,
        traceCount: 0,
        rejectedCount: 0,
        estimatedUsd: null,
        errorMessage: null,
        enqueuedAt: 1,
        startedAt: null,
        finishedAt: null,
      })
      expect(await store.listOutcomes({ ownerId: 'ann', jobId: makeId('ann', 1) })).toEqual([])
      expect(await store.findJob({ ownerId: 'bob', jobId: makeId('ann', 1) })).toBeNull()
      expect(await store.listOutcomes({ ownerId: 'bob', jobId: makeId('ann', 1) })).toBeNull()
    })

    test('listJobs returns jobs newest first; listAllJobs those of every owner, by status and after a cursor', async () => {
      for (const n of [1, 2, 3]) await enqueue('ann', n)
      await enqueue('bob', 4)
      expect((await store.listJobs({ ownerId: 'ann', limit: 2 })).map(({ id }) => id)).toEqual([
        makeId('ann', 3),
        makeId('ann', 2),
      ])
      const listBelow = (cursor: string) => store.listJobs({ ownerId: 'ann', limit: 9, cursor })
      expect((await listBelow(makeId('ann', 2))).map(({ id }) => id)).toEqual([makeId('ann', 1)])
      expect(await listBelow(makeId('ann', 1))).toEqual([])
      const claim = await claimJob()
      const all = await store.listAllJobs({ status: null, cursor: null, limit: 10 })
      expect(all.map(({ id, ownerId }) => [id, ownerId])).toEqual(
        [
          ['bob', 4],
          ['ann', 3],
          ['ann', 2],
          ['ann', 1],
        ].map(([who, n]) => [makeId(who as string, n as number), who]),
      )
      expect(all.at(-1)).toMatchObject({ attempts: 1, total: 2 })
      expect(await store.listAllJobs({ status: 'parsing', cursor: null, limit: 10 })).toMatchObject([
        { id: claim.jobId },
      ])
      expect(
        (await store.listAllJobs({ status: null, cursor: makeId('ann', 3), limit: 1 })).map(({ id }) => id),
      ).toEqual([makeId('ann', 2)])
    })

    test('claimJob returns the job that is due longest, each to one worker of many at once', async () => {
      for (const n of [3, 1, 2]) await enqueue('ann', n)
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          place.stores[i % 2]!.claimJob({ lease: `w${i}`, now: 100, leaseUntil: 100 + until }),
        ),
      )
      expect(
        claims
          .filter((claim) => claim !== null)
          .map(({ jobId }) => jobId)
          .sort(),
      ).toEqual([1, 2, 3].map((n) => makeId('ann', n)))
      expect(await store.claimJob({ lease: 'late', now: 100, leaseUntil: 100 + until })).toBeNull()
      expect(await findJob('ann', 1)).toMatchObject({ status: 'parsing', startedAt: 100 })
    })

    test('claimJob returns the trace context that the job was added with, at every attempt, and null without one', async () => {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      const job = { ownerId: 'ann', source: 'mixed', total: 1, parts: 1, bytes: 1 }
      await store.enqueueJob({ ...job, id: makeId('ann', 1), enqueuedAt: 1, traceparent })
      await store.enqueueJob({ ...job, id: makeId('ann', 2), enqueuedAt: 2 })
      const claim = await claimJob('first')
      expect(claim.traceparent).toBe(traceparent)
      await store.postponeJob({ claim, dueAt: 1 })
      expect((await claimJob('again')).traceparent).toBe(traceparent)
      expect((await claimJob('other')).traceparent).toBeNull()
    })

    test('claimJob returns no job before it is due, also when it is named', async () => {
      await enqueue('ann', 1, 2, 500)
      await enqueue('ann', 2, 2, 10)
      expect(await store.claimJob({ lease: 'a', now: 100, leaseUntil: 200, jobId: makeId('ann', 1) })).toBeNull()
      expect(await store.claimJob({ lease: 'a', now: 100, leaseUntil: 200, jobId: makeId('ann', 2) })).toMatchObject({
        jobId: makeId('ann', 2),
        ownerId: 'ann',
        total: 2,
        parts: 1,
        done: 0,
        attempt: 1,
      })
      expect(await store.claimJob({ lease: 'b', now: 499, leaseUntil: 600, jobId: makeId('ann', 1) })).toBeNull()
      expect(await store.claimJob({ lease: 'b', now: 500, leaseUntil: 600, jobId: makeId('ann', 1) })).not.toBeNull()
    })

    test('claimJob with the lease that holds a job returns it again and counts no further attempt', async () => {
      await enqueue('ann', 1)
      await enqueue('ann', 2)
      const first = await claimJob()
      expect(await place.stores[1].claimJob({ lease: 'one', now: 101, leaseUntil: 101 + until })).toEqual(first)
      expect(await store.claimJob({ lease: 'one', now: 102, leaseUntil: 102 + until, jobId: first.jobId })).toEqual({
        ...first,
        attempt: 1,
      })
      expect((await claimJob('two')).jobId).toBe(makeId('ann', 2))
    })

    test('claimJob returns a job whose lease expired, and then the first worker can change nothing', async () => {
      await enqueue('ann', 1, 1)
      const first = await claimJob('first', 100)
      expect(await store.claimJob({ lease: 'second', now: 100 + until, leaseUntil: 1_000_000 })).toBeNull()
      expect(await store.renewLease({ claim: first, leaseUntil: 100 + 2 * until })).toBe(true)
      expect(await store.claimJob({ lease: 'second', now: 101 + until, leaseUntil: 1_000_000 })).toBeNull()
      const second = (await store.claimJob({ lease: 'second', now: 101 + 2 * until, leaseUntil: 1_000_000 }))!
      expect(second).toMatchObject({ attempt: 2, done: 0 })

      expect(await store.renewLease({ claim: first, leaseUntil: 9_000_000 })).toBe(false)
      expect(
        await store.writeBatch({
          claim: first,
          traces: [prepareTrace(0, makeTrace('ann', 0))],
          now: 200,
          leaseUntil: 9_000_000,
        }),
      ).toBe('lost')
      expect(await store.completeJob({ claim: first, usdPerMillionTokens: 1, now: 200 })).toBe(false)
      await store.releaseJob({ claim: first, dueAt: 200 })
      await store.postponeJob({ claim: first, dueAt: 200 })
      await store.failJob({ claim: first, message: 'no', now: 200 })
      expect(await findJob('ann', 1)).toMatchObject({ status: 'parsing', errorMessage: null })
      expect(await store.listOutcomes({ ownerId: 'ann', jobId: first.jobId })).toEqual([])
      expect(await place.traces.findTrace({ ownerId: 'ann', id: makeId('ann', 0) })).toBeNull()

      expect(
        await store.writeBatch({
          claim: second,
          traces: [prepareTrace(0, makeTrace('ann', 0))],
          now: 200,
          leaseUntil: 9_000_000,
        }),
      ).toBe('written')
      expect(
        await store.writeBatch({
          claim: first,
          traces: [prepareTrace(0, makeTrace('ann', 0, { contentHash: makeHash('x', 1), id: makeId('x', 1) }))],
          now: 200,
          leaseUntil: 9_000_000,
        }),
      ).toBe('lost')
      expect(
        await place.traces.findKnownHashes({ ownerId: 'ann', hashes: [makeHash('ann', 0), makeHash('x', 1)] }),
      ).toEqual([makeHash('ann', 0)])
      expect(await store.completeJob({ claim: second, usdPerMillionTokens: 1, now: 300 })).toBe(true)
    })

    describe('claimJob after the clock was set back by an hour', () => {
      const hour = 3600 * second
      const now = 10 * hour
      const later = now + hour

      test('returns a job that was queued, postponed or leased before', async () => {
        for (const n of [1, 2, 3]) await enqueue('ann', n, 1, later)
        await store.claimJob({ lease: 'leased', now: later, leaseUntil: later + until, jobId: makeId('ann', 1) })
        await store.postponeJob({
          claim: (await store.claimJob({
            lease: 'postponed',
            now: later,
            leaseUntil: later + until,
            jobId: makeId('ann', 2),
          }))!,
          dueAt: later + 5 * second,
        })
        const claims = [1, 2, 3].map((n) =>
          place.stores[n % 2]!.claimJob({ lease: `now ${n}`, now, leaseUntil: now + until, jobId: makeId('ann', n) }),
        )
        expect((await Promise.all(claims)).map((claim) => claim?.attempt)).toEqual([2, 2, 1])
      })

      test('leaves a job to the host whose clock is a little ahead', async () => {
        await enqueue('ann', 1, 1, now)
        await store.claimJob({ lease: 'ahead', now: now + 20 * second, leaseUntil: now + 20 * second + until })
        expect(await store.claimJob({ lease: 'behind', now, leaseUntil: now + until })).toBeNull()
        await enqueue('ann', 2, 1, now + 20 * second)
        expect(await store.claimJob({ lease: 'behind', now, leaseUntil: now + until })).toBeNull()
        expect(
          await store.claimJob({ lease: 'behind', now: now + 20 * second, leaseUntil: now + 20 * second + until }),
        ).toMatchObject({ jobId: makeId('ann', 2) })
      })
    })

    test('releaseJob does not count the attempt; postponeJob counts it and delays the job', async () => {
      await enqueue('ann', 1)
      await store.releaseJob({ claim: await claimJob('a'), dueAt: 100 })
      expect(await findJob('ann', 1)).toMatchObject({ status: 'queued' })
      const again = await claimJob('b')
      expect(again.attempt).toBe(1)
      await store.postponeJob({ claim: again, dueAt: 5000 })
      expect(await store.claimJob({ lease: 'c', now: 4999, leaseUntil: 9000 })).toBeNull()
      expect(await store.claimJob({ lease: 'c', now: 5000, leaseUntil: 9000 })).toMatchObject({ attempt: 2 })
    })

    test('writeBatch throws for a slice whose traces have outcomes already, and writes nothing', async () => {
      await enqueue('ann', 1, 2)
      const claim = await claimJob()
      const slice = [0, 1].map((n) => prepareTrace(n, makeTrace('ann', n)))
      await store.writeBatch({ claim, traces: slice, now: 100, leaseUntil: 100 + until })
      await expect(store.writeBatch({ claim, traces: slice, now: 100, leaseUntil: 100 + until })).rejects.toThrow()
      await expect(
        store.writeBatch({ claim, traces: slice.slice(1), now: 100, leaseUntil: 100 + until }),
      ).rejects.toThrow()
      expect(await store.listOutcomes({ ownerId: 'ann', jobId: claim.jobId })).toMatchObject([
        { index: 0, outcome: 'stored' },
        { index: 1, outcome: 'stored' },
      ])
      expect(await store.completeJob({ claim, usdPerMillionTokens: 1, now: 200 })).toBe(true)
    })

    test('writeBatch stores traces whole with their outcomes, and a later slice continues', async () => {
      await enqueue('ann', 1, 3)
      const claim = await claimJob()
      const traces = [0, 1, 2].map((n) =>
        makeTrace('ann', n, {
          segmentIndex: n === 1 ? 4 : null,
          parentTraceId: n === 2 ? 'ann-0' : null,
          tokenCount: 1000 * (n + 1),
          messages: `[{"n":${n},"t":"é \\u0000 😀"}]`,
        }),
      )
      expect(
        await store.writeBatch({
          claim,
          traces: traces.slice(0, 2).map((trace, i) => prepareTrace(i, trace)),
          now: 100,
          leaseUntil: 100 + until,
        }),
      ).toBe('written')
      expect(await findJob('ann', 1)).toMatchObject({ status: 'ingesting', traceCount: 0 })
      expect(await store.completeJob({ claim, usdPerMillionTokens: 1, now: 200 })).toBe(false)
      expect(
        await store.writeBatch({ claim, traces: [prepareTrace(2, traces[2]!)], now: 100, leaseUntil: 100 + until }),
      ).toBe('written')
      for (const trace of traces)
        expect(await place.traces.readTrace({ ownerId: 'ann', id: trace.id })).toMatchObject(trace)
      expect(await store.listOutcomes({ ownerId: 'ann', jobId: claim.jobId })).toEqual(
        traces.map((trace, index) => ({
          index,
          sourceId: trace.sourceId,
          outcome: 'stored',
          traceId: trace.id,
          redactions: index + 1,
        })),
      )
      expect(await store.completeJob({ claim, usdPerMillionTokens: 2.5, now: 300 })).toBe(true)
      expect(await findJob('ann', 1)).toMatchObject({
        status: 'done',
        traceCount: 3,
        rejectedCount: 0,
        estimatedUsd: 0.015,
        finishedAt: 300,
      })
      expect(await store.claimJob({ lease: 'late', now: 1_000_000, leaseUntil: 2_000_000 })).toBeNull()
    })

    test('writeBatch updates every field of an unsold trace but its id', async () => {
      const first = makeTrace('ann', 0)
      const { id: _, ...changed } = makeTrace('ann', 1, {
        sourceId: first.sourceId,
        segmentIndex: 0,
        title: 'Another title',
        model: 'another model',
        createdAt: '2026-11-02T00:00:00.000Z',
        parentTraceId: 'another parent',
        tokenCount: 9,
        estimatedUsd: 9,
        scrubVersion: '9',
        redactions: '{"email":9}',
        messages: '[]',
      })
      for (const [n, trace] of [first, { ...changed, id: makeId('new', 1) }].entries()) {
        await enqueue('ann', n, 1)
        const claim = await claimJob(`lease ${n}`)
        await store.writeBatch({ claim, traces: [prepareTrace(0, trace)], now: 100, leaseUntil: 100 + until })
      }
      expect(await place.traces.readTrace({ ownerId: 'ann', id: first.id })).toMatchObject(changed)
    })

    test('claimJob returns to the next worker the position after the last slice', async () => {
      await enqueue('ann', 1, 2)
      await store.writeBatch({
        claim: await claimJob('dead'),
        traces: [prepareTrace(0, makeTrace('ann', 0))],
        now: 100,
        leaseUntil: 100 + until,
      })
      expect(await store.claimJob({ lease: 'next', now: 101 + until, leaseUntil: 9_000_000 })).toMatchObject({
        done: 1,
        attempt: 2,
      })
    })

    test('deleteUnsoldTraces removes the name from every outcome of the trace, and from no other', async () => {
      await enqueue('ann', 1, 3)
      await store.writeBatch({
        claim: await claimJob('one'),
        traces: [0, 1, 2].map((n) => prepareTrace(n, makeTrace('ann', n))),
        now: 100,
        leaseUntil: 100 + until,
      })
      await enqueue('ann', 2, 2)
      await store.writeBatch({
        claim: await claimJob('two'),
        traces: [
          prepareTrace(0, makeTrace('ann', 0, { sourceId: 'other name' })),
          prepareTrace(1, makeTrace('ann', 9)),
        ],
        now: 100,
        leaseUntil: 100 + until,
      })
      await enqueue('bob', 3, 1)
      await store.writeBatch({
        claim: await claimJob('three'),
        traces: [prepareTrace(0, makeTrace('bob', 0))],
        now: 100,
        leaseUntil: 100 + until,
      })
      await place.traces.recordSale({
        sale: { id: makeId('sale', 1), buyer: 'b', usd: 1, soldAt: 0 },
        items: makeSaleItems([makeId('ann', 2)]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
      await place.traces.deleteUnsoldTraces({
        ownerId: 'ann',
        ids: [makeId('ann', 0), makeId('ann', 2), makeId('bob', 0)],
      })
      const listNames = async (owner: string, n: number) =>
        (await place.stores[1].listOutcomes({ ownerId: owner, jobId: makeId(owner, n) }))!.map(
          ({ sourceId, outcome, traceId }) => [sourceId, outcome, traceId],
        )
      expect(await listNames('ann', 1)).toEqual([
        ['', 'stored', makeId('ann', 0)],
        ['ann-1', 'stored', makeId('ann', 1)],
        ['ann-2', 'stored', makeId('ann', 2)],
      ])
      expect(await listNames('ann', 2)).toEqual([
        ['', 'duplicate', makeId('ann', 0)],
        ['ann-9', 'stored', makeId('ann', 9)],
      ])
      expect(await listNames('bob', 3)).toEqual([['bob-0', 'stored', makeId('bob', 0)]])
    })

    test('writeBatch decides each trace by its hash, then by the scrubber, then by its name', async () => {
      await enqueue('bob', 1, 2)
      await store.writeBatch({
        claim: await claimJob('bob'),
        traces: [
          prepareTrace(0, makeTrace('bob', 0, { contentHash: makeHash('ann', 0), sourceId: 'ann-0' })),
          prepareTrace(1, makeTrace('bob', 1, { sourceId: 'new name' })),
        ],
        now: 100,
        leaseUntil: 100 + until,
      })
      await enqueue('ann', 2, 4)
      const first = await claimJob('ann')
      await store.writeBatch({
        claim: first,
        traces: [0, 1, 2, 3].map((n) => prepareTrace(n, makeTrace('ann', n))),
        now: 100,
        leaseUntil: 100 + until,
      })
      await store.completeJob({ claim: first, usdPerMillionTokens: 1, now: 100 })
      await place.traces.deleteUnsoldTraces({ ownerId: 'ann', ids: [makeId('ann', 1)] })
      await place.traces.recordSale({
        sale: { id: makeId('sale', 1), buyer: 'b', usd: 1, soldAt: 0 },
        items: makeSaleItems([makeId('ann', 2)]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
      await place.traces.setSellExcluded({ ownerId: 'ann', ids: [makeId('ann', 3)], sellExcluded: true })

      await enqueue('ann', 3, 9)
      const claim = await claimJob('ann 2')
      const makeFreshTrace = (n: number, sourceId: string) => makeTrace('new', n, { sourceId })
      const slice = [
        prepareTrace(0, makeTrace('ann', 0, { id: makeId('x', 0) })),
        prepareTrace(1, makeTrace('ann', 1, { id: makeId('x', 1) })),
        prepareTrace(2, makeFreshTrace(2, 'ann-2')),
        prepareTrace(3, makeFreshTrace(3, 'ann-3')),
        prepareBare('refused', 4, makeHash('bad', 4)),
        prepareTrace(5, makeFreshTrace(5, 'new name')),
      ]
      expect(await store.writeBatch({ claim, traces: slice, now: 100, leaseUntil: 100 + until })).toBe('written')
      const rest = [
        prepareBare('known', 6, makeHash('new', 5), true),
        prepareBare('known', 7, makeHash('ann', 0)),
        prepareBare('refused', 8, makeHash('ann', 1)),
      ]
      expect(await store.writeBatch({ claim, traces: rest, now: 100, leaseUntil: 100 + until })).toBe('written')
      const outcomes = (await store.listOutcomes({ ownerId: 'ann', jobId: claim.jobId }))!
      expect(outcomes.map(({ outcome, traceId, redactions }) => [outcome, traceId, redactions])).toEqual([
        ['duplicate', makeId('ann', 0), 0],
        ['deleted_before', null, 0],
        ['already_sold', makeId('ann', 2), 0],
        ['updated', makeId('ann', 3), 4],
        ['rejected', null, 0],
        ['stored', makeId('new', 5), 6],
        ['duplicate_in_batch', makeId('new', 5), 0],
        ['duplicate', makeId('ann', 0), 0],
        ['deleted_before', null, 0],
      ])
      expect(await store.completeJob({ claim, usdPerMillionTokens: 1, now: 200 })).toBe(true)
      expect(await findJob('ann', 3)).toMatchObject({ traceCount: 2, rejectedCount: 7 })
      expect(await place.traces.findTrace({ ownerId: 'ann', id: makeId('ann', 3) })).toEqual({
        id: makeId('ann', 3),
        sellExcluded: true,
        saleCount: 0,
      })
      expect(await place.traces.readTrace({ ownerId: 'ann', id: makeId('ann', 3) })).toMatchObject({
        contentHash: makeHash('new', 3),
        messages: makeFreshTrace(3, 'x').messages,
      })
      expect(await place.traces.readTrace({ ownerId: 'ann', id: makeId('ann', 2) })).toMatchObject({
        contentHash: makeHash('ann', 2),
      })
      expect(
        await place.traces.findKnownHashes({
          ownerId: 'ann',
          hashes: [makeHash('ann', 3), makeHash('new', 3), makeHash('ann', 1), makeHash('new', 2), makeHash('bad', 4)],
        }),
      ).toEqual([makeHash('new', 3), makeHash('ann', 1)])
      // The stranger's, with the same names and a common content, are as they were.
      expect(await place.traces.readTrace({ ownerId: 'bob', id: makeId('bob', 0) })).toMatchObject({
        contentHash: makeHash('ann', 0),
      })
      expect(await place.traces.readTrace({ ownerId: 'bob', id: makeId('bob', 1) })).toMatchObject({
        contentHash: makeHash('bob', 1),
      })
    })

    test('writeBatch distinguishes names by source and segment, and treats no segment as segment 0', async () => {
      await enqueue('ann', 1, 4)
      const claim = await claimJob()
      const prepareNamed = (n: number, more: Partial<NewTrace>) =>
        prepareTrace(n, makeTrace('ann', n, { sourceId: 'same', ...more }))
      await store.writeBatch({
        claim,
        traces: [prepareNamed(0, {}), prepareNamed(1, { segmentIndex: 1 }), prepareNamed(2, { source: 'codex_jsonl' })],
        now: 100,
        leaseUntil: 100 + until,
      })
      await store.writeBatch({
        claim,
        traces: [prepareNamed(3, { segmentIndex: 0 })],
        now: 100,
        leaseUntil: 100 + until,
      })
      expect(await listOutcomes('ann', 1)).toEqual(['stored', 'stored', 'stored', 'updated'])
    })

    test('writeBatch writes nothing of a slice with a known trace that is no longer known', async () => {
      await enqueue('ann', 1, 2)
      const claim = await claimJob()
      expect(
        await store.writeBatch({
          claim,
          traces: [prepareTrace(0, makeTrace('ann', 0)), prepareBare('known', 1, makeHash('gone', 1))],
          now: 100,
          leaseUntil: 100 + until,
        }),
      ).toBe('unknown')
      expect(await store.listOutcomes({ ownerId: 'ann', jobId: claim.jobId })).toEqual([])
      expect(await place.traces.findTrace({ ownerId: 'ann', id: makeId('ann', 0) })).toBeNull()
      expect(
        await store.writeBatch({
          claim,
          traces: [0, 1].map((n) => prepareTrace(n, makeTrace('ann', n))),
          now: 100,
          leaseUntil: 100 + until,
        }),
      ).toBe('written')
    })

    test('writeBatch stores each trace once when ten jobs write the same slice at once', async () => {
      for (let n = 0; n < 10; n++) await enqueue('ann', n, 5)
      await Promise.all(
        Array.from({ length: 10 }, async (_, i) => {
          const claim = (await place.stores[i % 2]!.claimJob({ lease: `w${i}`, now: 100, leaseUntil: 100 + until }))!
          const slice = Array.from({ length: 5 }, (__, n) =>
            prepareTrace(n, makeTrace('ann', n, { id: makeId(`job${i}`, n) })),
          )
          expect(
            await place.stores[(i + 1) % 2]!.writeBatch({ claim, traces: slice, now: 100, leaseUntil: 100 + until }),
          ).toBe('written')
          await store.completeJob({ claim, usdPerMillionTokens: 1, now: 200 })
        }),
      )
      const jobs = await store.listJobs({ ownerId: 'ann', limit: 20 })
      expect(jobs.reduce((sum, { traceCount }) => sum + traceCount, 0)).toBe(5)
      expect((await place.traces.listTraces({ ownerId: 'ann', cursor: null, limit: 100 })).items).toHaveLength(5)
    })

    test('writeBatch during a sale updates the trace before the sale or not at all', async () => {
      await enqueue('ann', 0, 20)
      await store.writeBatch({
        claim: await claimJob('first'),
        traces: Array.from({ length: 20 }, (_, n) => prepareTrace(n, makeTrace('ann', n))),
        now: 100,
        leaseUntil: 100 + until,
      })
      await enqueue('ann', 1, 20)
      const claim = (await store.claimJob({
        lease: 'second',
        now: 100,
        leaseUntil: 9_000_000,
        jobId: makeId('ann', 1),
      }))!
      const writeBatches = async () => {
        for (let n = 0; n < 20; n++)
          await store.writeBatch({
            claim,
            traces: [prepareTrace(n, makeTrace('new', n, { sourceId: `ann-${n}` }))],
            now: 100,
            leaseUntil: 100 + until,
          })
      }
      const sold: [number, string][] = []
      const sell = async () => {
        for (let n = 19; n >= 0; n--) {
          await place.traces.recordSale({
            sale: { id: makeId('sale', n), buyer: 'b', usd: 1, soldAt: 0 },
            items: makeSaleItems([makeId('ann', n)]),
            shares: makeSaleShares(),
            audit: makeAuditContext(),
          })
          sold.push([n, (await place.traces.readTrace({ ownerId: 'ann', id: makeId('ann', n) }))!.contentHash])
        }
      }
      await Promise.all([writeBatches(), sell()])
      for (const [n, hash] of sold) {
        expect((await place.traces.readTrace({ ownerId: 'ann', id: makeId('ann', n) }))!.contentHash).toBe(hash)
        expect((await listOutcomes('ann', 1))[n]).toBe(hash === makeHash('new', n) ? 'updated' : 'already_sold')
      }
    })

    test('failJob stores the message and keeps the upload for its time; retryJob accepts only failed jobs within that time', async () => {
      for (const n of [1, 2]) await enqueue('ann', n)
      const claim = await claimJob()
      expect(
        (await store.listJobsNeedingUpload({ jobIds: [1, 2, 3].map((n) => makeId('ann', n)), failedSince: 0 })).sort(),
      ).toEqual([makeId('ann', 1), makeId('ann', 2)])
      await store.failJob({ claim, message: 'It broke.', now: 700 })
      expect(await findJob('ann', 1)).toMatchObject({ status: 'failed', errorMessage: 'It broke.', finishedAt: 700 })
      expect(await store.listJobsNeedingUpload({ jobIds: [makeId('ann', 1)], failedSince: 700 })).toEqual([
        makeId('ann', 1),
      ])
      expect(await store.listJobsNeedingUpload({ jobIds: [makeId('ann', 1)], failedSince: 701 })).toEqual([])
      expect(await store.listJobsNeedingUpload({ jobIds: [], failedSince: 0 })).toEqual([])
      expect(
        await store.retryJob({ jobId: makeId('ann', 1), failedSince: 701, audit: makeAuditContext(800) }),
      ).toMatchObject({
        retried: false,
        job: { status: 'failed' },
      })
      expect(
        await store.retryJob({ jobId: makeId('ann', 2), failedSince: 0, audit: makeAuditContext(800) }),
      ).toMatchObject({
        retried: false,
        job: { status: 'queued' },
      })
      expect(await store.retryJob({ jobId: makeId('ann', 9), failedSince: 0, audit: makeAuditContext(800) })).toBeNull()
      expect(
        await store.retryJob({ jobId: makeId('ann', 1), failedSince: 700, audit: makeAuditContext(800) }),
      ).toMatchObject({
        retried: true,
        job: { status: 'queued', errorMessage: null, finishedAt: null, startedAt: null },
      })
      expect(
        await store.claimJob({ lease: 'again', now: 800, leaseUntil: 900, jobId: makeId('ann', 1) }),
      ).toMatchObject({
        attempt: 1,
      })
    })

    test('deleteFinishedJobs deletes jobs that finished before a time with their outcomes, and none that is queued or runs', async () => {
      for (const n of [1, 2, 3, 4, 5]) await enqueue('ann', n, 1)
      const write = async (lease: string, n: number): Promise<Claim> => {
        const claim = await claimJob(lease)
        await store.writeBatch({
          claim,
          traces: [prepareTrace(0, makeTrace('ann', n))],
          now: 100,
          leaseUntil: 100 + until,
        })
        return claim
      }
      await store.completeJob({ claim: await write('done', 1), usdPerMillionTokens: 1, now: 199 })
      await store.failJob({ claim: await write('failed', 2), message: 'It broke.', now: 199 })
      await store.completeJob({ claim: await write('later', 3), usdPerMillionTokens: 1, now: 200 })
      const running = await write('runs', 4)
      expect(await store.deleteFinishedJobs({ finishedBefore: 200 })).toBe(false)
      expect((await place.stores[1].listJobs({ ownerId: 'ann', limit: 10 })).map(({ id }) => id)).toEqual(
        [5, 4, 3].map((n) => makeId('ann', n)),
      )
      expect(await store.listOutcomes({ ownerId: 'ann', jobId: makeId('ann', 1) })).toBeNull()
      expect([await listOutcomes('ann', 3), await listOutcomes('ann', 4)]).toEqual([['stored'], ['stored']])
      expect(await place.traces.findTrace({ ownerId: 'ann', id: makeId('ann', 1) })).not.toBeNull()
      // One that failed and was retried runs again.
      await store.failJob({ claim: running, message: 'It broke.', now: 150 })
      await store.retryJob({ jobId: makeId('ann', 4), failedSince: 0, audit: makeAuditContext(160) })
      await store.deleteFinishedJobs({ finishedBefore: 1_000_000 })
      expect((await store.listJobs({ ownerId: 'ann', limit: 10 })).map(({ id }) => id)).toEqual(
        [5, 4].map((n) => makeId('ann', n)),
      )
    })

    test('withdrawJob deletes a job, unless a worker claimed it or it has another owner', async () => {
      for (const n of [1, 2]) await enqueue('ann', n)
      const claim = await claimJob()
      expect(await store.withdrawJob({ ownerId: 'ann', jobId: claim.jobId })).toBe(false)
      expect(await store.withdrawJob({ ownerId: 'bob', jobId: makeId('ann', 2) })).toBe(false)
      expect(await store.withdrawJob({ ownerId: 'ann', jobId: makeId('ann', 2) })).toBe(true)
      expect(await findJob('ann', 2)).toBeNull()
    })

    test("exportJobs returns the owner's jobs with their outcomes; eraseJobs deletes all and stops a running one", async () => {
      await enqueue('bob', 3, 1)
      await store.writeBatch({
        claim: (await store.claimJob({ lease: 'b', now: 100, leaseUntil: 100 + until }))!,
        traces: [prepareTrace(0, makeTrace('bob', 0))],
        now: 100,
        leaseUntil: 100 + until,
      })
      for (const n of [1, 2]) await enqueue('ann', n, 2)
      const claim = await claimJob()
      await store.writeBatch({
        claim,
        traces: [prepareTrace(0, makeTrace('ann', 0))],
        now: 100,
        leaseUntil: 100 + until,
      })
      const exported = []
      for await (const one of store.exportJobs({ ownerId: 'ann' })) exported.push(one)
      expect(exported.map(({ id, outcomes }) => [id, outcomes.length])).toEqual([
        [makeId('ann', 1), 1],
        [makeId('ann', 2), 0],
      ])
      expect(exported[0]).toEqual({
        ...(await findJob('ann', 1)),
        outcomes: await store.listOutcomes({ ownerId: 'ann', jobId: makeId('ann', 1) }),
      })

      const erased = await store.eraseJobs({ ownerId: 'ann' })
      expect(erased.jobs.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
        [1, 2].map((n) => ({ id: makeId('ann', n), parts: 1 })),
      )
      expect(await store.listJobs({ ownerId: 'ann', limit: 10 })).toEqual([])
      expect(
        await store.writeBatch({
          claim,
          traces: [prepareTrace(1, makeTrace('ann', 1))],
          now: 100,
          leaseUntil: 100 + until,
        }),
      ).toBe('lost')
      expect(await place.traces.findTrace({ ownerId: 'ann', id: makeId('ann', 1) })).toBeNull()
      expect(await store.listOutcomes({ ownerId: 'bob', jobId: makeId('bob', 3) })).toHaveLength(1)
    })

    runUploadContract(() => place)
    runDeletedNameContract(() => place)
    runIngestOrderContract(() => place)
  })
}
