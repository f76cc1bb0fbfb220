import type { IngestStore, NewTrace, PreparedTrace } from '@tributary/core/stores'
import { beforeEach, expect, test } from 'vitest'
import { makeHash, makeId, makeSaleItems, makeSaleShares, makeTrace } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { createJobCalls, prepareBare, prepareTrace, until } from './ingest-fixture.ts'
import type { IngestPlace } from './ingest-place.ts'

/**
 * Runs the contract tests of `writeBatch`, which decides and stores a slice of a job. The tests are part of the
 * contract tests of `IngestStore`.
 */
export function runIngestBatchContract(opened: () => IngestPlace): void {
  let place: IngestPlace
  let store: IngestStore
  beforeEach(() => {
    place = opened()
    store = place.stores[0]
  })
  const { enqueue, claimJob, findJob, listOutcomes } = createJobCalls(() => place)

  test('writeBatch throws for a slice with traces that already have outcomes, and writes nothing', async () => {
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

  test('writeBatch stores the origin of the job with each trace; an updated trace gets the origin of the newest upload', async () => {
    const origins = [{ termsVersion: '2026-01', country: 'US' }, undefined, { termsVersion: '2026-02', country: 'CA' }]
    for (const [n, origin] of origins.entries()) {
      const id = makeId('ann', n + 1)
      const job = { id, source: 'mixed', total: 1, parts: 1, bytes: 1, enqueuedAt: n }
      await store.enqueueJob({ ownerId: 'ann', ...job, ...(origin && { origin }) })
      const trace = makeTrace('ann', n, { sourceId: n === 2 ? 'ann-0' : `ann-${n}` })
      const batch = { claim: await claimJob(), traces: [prepareTrace(0, trace)], now: 100, leaseUntil: 100 + until }
      expect(await store.writeBatch(batch)).toBe('written')
      await store.completeJob({ claim: batch.claim, usdPerMillionTokens: 1, now: 100 })
    }
    const read = (n: number) => place.traces.readTrace({ ownerId: 'ann', id: makeId('ann', n) })
    expect(await read(0)).toMatchObject({ contentHash: makeHash('ann', 2), ...origins[2] })
    expect(await read(1)).toMatchObject({ termsVersion: null, country: null })
  })

  test('writeBatch stores complete traces with their outcomes, and a later slice continues the job', async () => {
    await enqueue('ann', 1, 3)
    const claim = await claimJob()
    const traces = [0, 1, 2].map((n) =>
      makeTrace('ann', n, {
        segmentIndex: n === 1 ? 4 : null,
        parentTraceId: n === 2 ? 'ann-0' : null,
        tokenCount: 1000 * (n + 1),
        details: `{"agent":{"name":"agent ${n}"}}`,
        tools: n === 1 ? '[{"name":"tool"}]' : null,
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

  test('failJob counts the traces with an outcome, retryJob resets the counts, and completeJob counts every trace', async () => {
    await enqueue('ann', 1, 4)
    const claim = await claimJob()
    const traces = [0, 1].map((n) => prepareTrace(n, makeTrace('ann', n, { tokenCount: 1000 * (n + 1) })))
    const slice = {
      traces: [...traces, prepareBare('refused', 2, makeHash('ann', 2))],
      now: 100,
      leaseUntil: 100 + until,
    }
    expect(await store.writeBatch({ claim, ...slice })).toBe('written')
    await store.failJob({ claim, message: 'It broke.', usdPerMillionTokens: 2.5, now: 300 })
    expect(await findJob('ann', 1)).toMatchObject({
      status: 'failed',
      traceCount: 2,
      rejectedCount: 1,
      estimatedUsd: 0.0075,
    })
    const { job } = (await store.retryJob({ jobId: claim.jobId, failedSince: 0, audit: makeAuditContext(400) }))!
    expect(job).toMatchObject({ status: 'queued', traceCount: 0, rejectedCount: 0, estimatedUsd: null })
    const again = await claimJob('again', 400)
    const last = {
      traces: [prepareTrace(3, makeTrace('ann', 3, { tokenCount: 1000 }))],
      now: 400,
      leaseUntil: 400 + until,
    }
    expect(await store.writeBatch({ claim: again, ...last })).toBe('written')
    expect(await store.completeJob({ claim: again, usdPerMillionTokens: 2.5, now: 500 })).toBe(true)
    expect(await findJob('ann', 1)).toMatchObject({
      status: 'done',
      traceCount: 3,
      rejectedCount: 1,
      estimatedUsd: 0.01,
    })
  })

  test('writeBatch updates every field of an unsold trace except its id', async () => {
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
      details: '{"outcome":{"status":"success"}}',
      tools: '[]',
      messages: '[]',
    })
    for (const [n, trace] of [first, { ...changed, id: makeId('new', 1) }].entries()) {
      await enqueue('ann', n, 1)
      const claim = await claimJob(`lease ${n}`)
      await store.writeBatch({ claim, traces: [prepareTrace(0, trace)], now: 100, leaseUntil: 100 + until })
    }
    expect(await place.traces.readTrace({ ownerId: 'ann', id: first.id })).toMatchObject(changed)
  })

  test('deleteUnsoldTraces removes the name from all outcomes of the trace, and from no other outcome', async () => {
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
      traces: [prepareTrace(0, makeTrace('ann', 0, { sourceId: 'other name' })), prepareTrace(1, makeTrace('ann', 9))],
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

  test('writeBatch decides the outcome of a trace by its hash, then by the result of the scrubber, then by its name', async () => {
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
    // The traces of another user with the same names are unchanged, even the trace with the same content.
    expect(await place.traces.readTrace({ ownerId: 'bob', id: makeId('bob', 0) })).toMatchObject({
      contentHash: makeHash('ann', 0),
    })
    expect(await place.traces.readTrace({ ownerId: 'bob', id: makeId('bob', 1) })).toMatchObject({
      contentHash: makeHash('bob', 1),
    })
  })

  test('writeBatch distinguishes names by source and segment, and treats a missing segment as segment 0', async () => {
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

  test('writeBatch writes no trace of a slice with a trace that was sent as known but is no longer stored', async () => {
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

  test('writeBatch does not write a slice in which a trace replaces the content that decides the outcome of another trace', async () => {
    await enqueue('ann', 1, 1)
    const old = makeTrace('ann', 0)
    await store.writeBatch({
      claim: await claimJob('first'),
      traces: [prepareTrace(0, old)],
      now: 100,
      leaseUntil: 100 + until,
    })
    await enqueue('ann', 2, 2)
    const claim = await claimJob('second')
    const write = (...traces: PreparedTrace[]) => store.writeBatch({ claim, traces, now: 100, leaseUntil: 100 + until })
    const updated = makeTrace('ann', 1, { sourceId: old.sourceId })
    const sameContent = makeTrace('ann', 2, { contentHash: old.contentHash })

    expect(await write(prepareTrace(0, updated), prepareBare('known', 1, old.contentHash))).toBe('unknown')
    expect(await write(prepareTrace(0, updated), prepareTrace(1, sameContent))).toBe('unknown')
    expect(await write(prepareTrace(0, sameContent), prepareTrace(1, updated))).toBe('unknown')
    expect(await listOutcomes('ann', 2)).toEqual([])
    expect(await place.traces.readTrace({ ownerId: 'ann', id: old.id })).toMatchObject(old)

    // If the traces are written one at a time, each outcome depends on the traces that the previous write left.
    expect(await write(prepareTrace(0, updated))).toBe('written')
    expect(await write(prepareBare('known', 1, old.contentHash))).toBe('unknown')
    expect(await write(prepareTrace(1, sameContent))).toBe('written')
    expect(await listOutcomes('ann', 2)).toEqual(['updated', 'stored'])
    expect(await place.traces.readTrace({ ownerId: 'ann', id: old.id })).toMatchObject({ ...updated, id: old.id })
    expect(await place.traces.readTrace({ ownerId: 'ann', id: sameContent.id })).toMatchObject(sameContent)
  })

  test('writeBatch stores each trace once when ten jobs write the same slice concurrently', async () => {
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
}
