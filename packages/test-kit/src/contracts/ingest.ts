import type { Claim, IngestStore } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectExactList, newerRows } from './lists.ts'
import { makeHash, makeId, makeTrace } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { runConversationContract } from './conversations.ts'
import { runIngestBatchContract } from './ingest-batch.ts'
import { createJobCalls, prepareTrace, until } from './ingest-fixture.ts'
import type { IngestPlace } from './ingest-place.ts'
import { runIngestOrderContract } from './order.ts'
import { runUploadContract } from './uploads.ts'
import { useRealTimes } from './real-times.ts'

const second = 1000

/**
 * Runs the contract tests of `IngestStore` in a test file: pass a function that opens an empty store. Each test also
 * stores a record of another user.
 */
export function runIngestStoreContract(name: string, open: () => Promise<IngestPlace>): void {
  describe(`IngestStore in ${name}`, () => {
    let place: IngestPlace
    let store: IngestStore
    beforeEach(async () => {
      place = useRealTimes(await open())
      store = place.stores[0]
      await place.person('ann')
      await place.person('bob')
    })
    afterEach(() => place.close())

    const { enqueue, claimJob, findJob, listOutcomes } = createJobCalls(() => place)

    test('findJob returns a new job only to its owner, without outcomes', async () => {
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
        errorStage: null,
        errorClass: null,
        enqueuedAt: 1,
        startedAt: null,
        finishedAt: null,
      })
      expect(await store.listOutcomes({ ownerId: 'ann', jobId: makeId('ann', 1) })).toEqual([])
      expect(await store.findJob({ ownerId: 'bob', jobId: makeId('ann', 1) })).toBeNull()
      expect(await store.listOutcomes({ ownerId: 'bob', jobId: makeId('ann', 1) })).toBeNull()
    })

    test('listJobs returns jobs newest first; listAllJobs returns the jobs of every owner, by status and after a cursor', async () => {
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
      const all = (await store.listAllJobs({ cursor: null, limit: 10 })).items
      expect(all.map(({ id, ownerId }) => [id, ownerId])).toEqual(
        [
          ['bob', 4],
          ['ann', 3],
          ['ann', 2],
          ['ann', 1],
        ].map(([who, n]) => [makeId(who as string, n as number), who]),
      )
      expect(all.at(-1)).toMatchObject({ attempts: 1, total: 2 })
      expect((await store.listAllJobs({ status: 'parsing', cursor: null, limit: 10 })).items).toMatchObject([
        { id: claim.jobId },
      ])
    })

    test('listAllJobs searches, sorts and filters a job among 300 newer ones', async () => {
      const first = makeId('bob', 1)
      await enqueue('bob', 1)
      const newer = Array.from({ length: newerRows }, (_, n) => n + 2)
      for (const n of newer) await enqueue('ann', n)
      await expectExactList({
        list: (params) => store.listAllJobs(params),
        idOf: ({ id }) => id,
        ids: [first, ...newer.map((n) => makeId('ann', n))],
        sorts: { enqueuedAt: null, total: ({ total }) => total, rejectedCount: ({ rejectedCount }) => rejectedCount },
        found: [
          [first, [first]],
          [first.slice(0, 30), [first]],
          [makeId('cat', 1), []],
          ['bob elsewhere', []],
        ],
      })
      const filter = async (params: object) => (await store.listAllJobs({ ...params, cursor: null, limit: 1 })).items
      expect(await filter({ source: 'gemini_cli' })).toEqual([])
      expect(await filter({ source: 'mixed', status: 'queued', from: 0, to: 10_000 })).toHaveLength(1)
    })

    test('findAnyJob returns a job of any owner as listAllJobs does, and null for an unknown job', async () => {
      await enqueue('ann', 1)
      await enqueue('bob', 2)
      const [ofBob, ofAnn] = (await store.listAllJobs({ cursor: null, limit: 2 })).items
      expect(await store.findAnyJob({ jobId: makeId('ann', 1) })).toEqual(ofAnn)
      expect(await store.findAnyJob({ jobId: makeId('bob', 2) })).toEqual(ofBob)
      expect(await store.findAnyJob({ jobId: makeId('ann', 9) })).toBeNull()
    })

    test('claimJob returns the job that has been due longest, and each job to only one of many concurrent workers', async () => {
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

    test('claimJob returns the trace context of the job at every attempt, and null for a job without a trace context', async () => {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      const job = { ownerId: 'ann', source: 'mixed', total: 1, parts: 1, bytes: 1 }
      await store.enqueueJob({ ...job, id: makeId('ann', 1), enqueuedAt: 1, traceparent })
      await store.enqueueJob({ ...job, id: makeId('ann', 2), enqueuedAt: 2 })
      const claim = await claimJob('first')
      expect(claim.traceparent).toBe(traceparent)
      await store.postponeJob({ claim, dueAt: 1, end: 'error' })
      expect((await claimJob('again')).traceparent).toBe(traceparent)
      expect((await claimJob('other')).traceparent).toBeNull()
    })

    test('claimJob does not return a job before it is due, even if the call names the job', async () => {
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

    test('claimJob with the lease that holds a job returns it again without counting another attempt', async () => {
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

    test('claimJob returns a job whose lease expired; the first worker can no longer change it', async () => {
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
      await store.releaseJob({ claim: first, dueAt: 200, end: 'stopped' })
      await store.postponeJob({ claim: first, dueAt: 200, end: 'error' })
      await store.failJob({ claim: first, message: 'no', usdPerMillionTokens: 1, now: 200 })
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
          end: 'error',
        })
        const claims = [1, 2, 3].map((n) =>
          place.stores[n % 2]!.claimJob({ lease: `now ${n}`, now, leaseUntil: now + until, jobId: makeId('ann', n) }),
        )
        expect((await Promise.all(claims)).map((claim) => claim?.attempt)).toEqual([2, 2, 1])
      })

      test("leaves a job to a host if that host's clock is ahead by at most the length of a lease", async () => {
        const claimFrom = (lease: string, n: number, at: number) =>
          store.claimJob({ lease, now: at, leaseUntil: at + until, jobId: makeId('ann', n) })
        for (const n of [1, 2]) await enqueue('ann', n, 1, now)
        await claimFrom('ahead 1', 1, now + until)
        await claimFrom('ahead 2', 2, now + until + 1)
        expect(await claimFrom('behind', 1, now)).toBeNull()
        expect(await claimFrom('behind', 2, now)).toMatchObject({ attempt: 2 })
      })

      test('returns a job that was queued up to half a minute in the future only when the job is due', async () => {
        const claimNow = (n: number) =>
          store.claimJob({ lease: 'now', now, leaseUntil: now + until, jobId: makeId('ann', n) })
        await enqueue('ann', 1, 1, now + 30 * second)
        await enqueue('ann', 2, 1, now + 30 * second + 1)
        expect([await claimNow(1), (await claimNow(2))?.attempt]).toEqual([null, 1])
      })

      test('leaves a job to the host whose clock is slightly ahead', async () => {
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
      await store.releaseJob({ claim: await claimJob('a'), dueAt: 100, end: 'stopped' })
      expect(await findJob('ann', 1)).toMatchObject({ status: 'queued' })
      const again = await claimJob('b')
      expect(again.attempt).toBe(1)
      await store.postponeJob({ claim: again, dueAt: 5000, end: 'error' })
      expect(await store.claimJob({ lease: 'c', now: 4999, leaseUntil: 9000 })).toBeNull()
      expect(await store.claimJob({ lease: 'c', now: 5000, leaseUntil: 9000 })).toMatchObject({ attempt: 2 })
    })

    test('findAnyJob returns the result of the last attempt that did not end the job; claimJob counts lost attempts', async () => {
      await enqueue('ann', 1)
      const readEnd = async (): Promise<unknown> =>
        (await place.stores[1].findAnyJob({ jobId: makeId('ann', 1) }))!.attemptEnd
      let now = 100
      const claimNext = (lease: string) => claimJob(lease, (now += until + 1))
      const first = await claimJob('first', now)
      expect([first.losses, await readEnd()]).toEqual([0, null])
      const second = await claimNext('second')
      expect([second.losses, second.attempt, await readEnd()]).toEqual([1, 2, 'worker_lost'])
      const repeated = await claimJob('second', now)
      expect([repeated.losses, repeated.attempt]).toEqual([1, 2])
      expect((await claimNext('third')).losses).toBe(2)
      // The second worker was paused and is still running.
      await store.releaseJob({ claim: second, dueAt: now, end: 'lease_lost' })
      expect(await readEnd()).toBe('lease_lost')
      const fourth = await claimNext('fourth')
      expect([fourth.losses, fourth.attempt]).toEqual([2, 3])
      await store.postponeJob({ claim: fourth, dueAt: now, end: 'error' })
      expect(await readEnd()).toBe('error')
      const fifth = await claimJob('fifth', now)
      expect(fifth.losses).toBe(0)
      await store.releaseJob({ claim: fifth, dueAt: now, end: 'unavailable' })
      expect(await readEnd()).toBe('unavailable')
      await store.releaseJob({ claim: await claimJob('sixth', now), dueAt: now, end: null })
      expect(await readEnd()).toBe('unavailable')
      const all = (await store.listAllJobs({ cursor: null, limit: 9 })).items
      expect(all.map(({ attemptEnd }) => attemptEnd)).toEqual(['unavailable'])
    })

    test('writeBatch resets the number of lost attempts to one, because the next trace is a different one', async () => {
      await enqueue('ann', 1, 2)
      let now = 100
      const claimNext = (lease: string) => claimJob(lease, (now += until + 1))
      for (const losses of [0, 1, 2]) expect((await claimNext(`lost ${losses}`)).losses).toBe(losses)
      const claim = await claimNext('writes')
      expect(claim.losses).toBe(3)
      const refused = {
        kind: 'refused',
        index: 0,
        sourceId: 'a',
        contentHash: makeHash('ann', 0),
        isRepeated: false,
      } as const
      expect(await store.writeBatch({ claim, traces: [refused], now, leaseUntil: now + until })).toBe('written')
      expect(await claimNext('next')).toMatchObject({ losses: 2, done: 1 })
    })

    test('releaseJob of an expired lease leaves the job to the worker that claimed it, and does not count the attempt', async () => {
      await enqueue('ann', 1)
      const paused = await claimJob('paused')
      const now = 101 + until
      const other = await claimJob('other', now)
      expect(other.attempt).toBe(2)
      await store.releaseJob({ claim: paused, dueAt: now, end: 'stopped' })
      expect(await findJob('ann', 1)).toMatchObject({ status: 'parsing' })
      expect(await store.renewLease({ claim: other, leaseUntil: now + until })).toBe(true)
      await store.postponeJob({ claim: other, dueAt: now, end: 'error' })
      // The job is not leased, so a repeated call changes nothing.
      await store.releaseJob({ claim: paused, dueAt: now, end: 'stopped' })
      expect((await claimJob('next', now)).attempt).toBe(2)
    })

    test('findClaimTime returns when an open job is due, or when its lease ends', async () => {
      const params = { jobId: makeId('ann', 1) }
      expect(await store.findClaimTime(params)).toBeNull()
      await enqueue('ann', 1)
      const claim = await claimJob('one', 1_000)
      expect(await store.findClaimTime(params)).toEqual({ claimableAt: 1_000 + until })
      await store.releaseJob({ claim, dueAt: 2_000, end: 'stopped' })
      expect(await store.findClaimTime(params)).toEqual({ claimableAt: 2_000 })
      await store.failJob({
        claim: await claimJob('two', 3_000),
        message: 'It broke.',
        usdPerMillionTokens: 1,
        now: 3_000,
      })
      expect(await store.findClaimTime(params)).toBeNull()
    })

    test('claimJob returns the position after the last written slice to the next worker', async () => {
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

    test('failJob stores the message and keeps the upload for a limited time, in which retryJob accepts only failed jobs', async () => {
      for (const n of [1, 2]) await enqueue('ann', n)
      const claim = await claimJob()
      expect(
        (await store.listJobsNeedingUpload({ jobIds: [1, 2, 3].map((n) => makeId('ann', n)), failedSince: 0 })).sort(),
      ).toEqual([makeId('ann', 1), makeId('ann', 2)])
      const failure = { errorStage: 'storing', errorClass: 'internal_error' } as const
      await store.failJob({ claim, message: 'It broke.', usdPerMillionTokens: 1, now: 700, failure })
      expect(await findJob('ann', 1)).toMatchObject({
        status: 'failed',
        errorMessage: 'It broke.',
        finishedAt: 700,
        ...failure,
      })
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
        job: {
          status: 'queued',
          errorMessage: null,
          errorStage: null,
          errorClass: null,
          finishedAt: null,
          startedAt: null,
        },
      })
      expect(
        await store.claimJob({ lease: 'again', now: 800, leaseUntil: 900, jobId: makeId('ann', 1) }),
      ).toMatchObject({
        attempt: 1,
      })
    })

    test('releaseJob, and failJob without `failure`, keep the failure that postponeJob stored, and completeJob deletes it', async () => {
      for (const [n, total] of [
        [1, 1],
        [2, 0],
      ] as const)
        await enqueue('ann', n, total)
      const reading = { errorStage: 'reading', errorClass: 'upload_unreadable' } as const
      const readErrors = async () =>
        (await store.listAllJobs({ errorClass: 'upload_unreadable', cursor: null, limit: 10 })).items
      await store.postponeJob({ claim: await claimJob('one'), dueAt: 1, end: 'error', failure: reading })
      expect(await readErrors()).toMatchObject([{ id: makeId('ann', 1), status: 'queued', ...reading }])
      const claim = (await store.claimJob({ lease: 'two', now: 200, leaseUntil: 300, jobId: makeId('ann', 1) }))!
      await store.releaseJob({ claim, dueAt: 1, end: 'stopped' })
      expect(await readErrors()).toHaveLength(1)
      const again = (await store.claimJob({ lease: 'three', now: 200, leaseUntil: 300, jobId: makeId('ann', 1) }))!
      await store.failJob({ claim: again, message: 'It broke.', usdPerMillionTokens: 1, now: 201 })
      expect(await readErrors()).toMatchObject([{ id: makeId('ann', 1), status: 'failed', ...reading }])
      const other = (await store.claimJob({ lease: 'four', now: 200, leaseUntil: 300, jobId: makeId('ann', 2) }))!
      await store.postponeJob({ claim: other, dueAt: 1, end: 'error', failure: reading })
      const last = (await store.claimJob({ lease: 'five', now: 200, leaseUntil: 300, jobId: makeId('ann', 2) }))!
      expect(await store.completeJob({ claim: last, usdPerMillionTokens: 1, now: 202 })).toBe(true)
      expect(await findJob('ann', 2)).toMatchObject({ status: 'done', errorStage: null, errorClass: null })
    })

    test('deleteFinishedJobs deletes jobs that finished before a time, with their outcomes, and keeps unfinished jobs', async () => {
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
      await store.failJob({ claim: await write('failed', 2), message: 'It broke.', usdPerMillionTokens: 1, now: 199 })
      await store.completeJob({ claim: await write('later', 3), usdPerMillionTokens: 1, now: 200 })
      const running = await write('runs', 4)
      expect(await store.deleteFinishedJobs({ finishedBefore: 200 })).toBe(false)
      expect((await place.stores[1].listJobs({ ownerId: 'ann', limit: 10 })).map(({ id }) => id)).toEqual(
        [5, 4, 3].map((n) => makeId('ann', n)),
      )
      expect(await store.listOutcomes({ ownerId: 'ann', jobId: makeId('ann', 1) })).toBeNull()
      expect([await listOutcomes('ann', 3), await listOutcomes('ann', 4)]).toEqual([['stored'], ['stored']])
      expect(await place.traces.findTrace({ ownerId: 'ann', id: makeId('ann', 1) })).not.toBeNull()
      // A failed job that was retried runs again, so it is not deleted.
      await store.failJob({ claim: running, message: 'It broke.', usdPerMillionTokens: 1, now: 150 })
      await store.retryJob({ jobId: makeId('ann', 4), failedSince: 0, audit: makeAuditContext(160) })
      await store.deleteFinishedJobs({ finishedBefore: 1_000_000 })
      expect((await store.listJobs({ ownerId: 'ann', limit: 10 })).map(({ id }) => id)).toEqual(
        [5, 4].map((n) => makeId('ann', n)),
      )
    })

    test('withdrawJob deletes a job only for its owner and before a worker claims it', async () => {
      for (const n of [1, 2]) await enqueue('ann', n)
      const claim = await claimJob()
      expect(await store.withdrawJob({ ownerId: 'ann', jobId: claim.jobId })).toBe(false)
      expect(await store.withdrawJob({ ownerId: 'bob', jobId: makeId('ann', 2) })).toBe(false)
      expect(await store.withdrawJob({ ownerId: 'ann', jobId: makeId('ann', 2) })).toBe(true)
      expect(await findJob('ann', 2)).toBeNull()
    })

    test("exportJobs returns the owner's jobs with their outcomes; eraseJobs deletes all of them and stops a running job", async () => {
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

    runIngestBatchContract(() => place)
    runUploadContract(() => place)
    runConversationContract(() => place)
    runIngestOrderContract(() => place)
  })
}
