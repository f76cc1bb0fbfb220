import type { ConversationName, NewTrace, PreparedTrace } from '@tributary/core/stores'
import { expect, test } from 'vitest'
import {
  makeConversationName,
  makeHash,
  makeId,
  makeSaleItems,
  makeSaleShares,
  makeTrace,
  makeRemovalNotice,
} from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { prepareTrace, until } from './ingest-fixture.ts'
import type { IngestPlace } from './ingest-place.ts'

type Names = Partial<Extract<PreparedTrace, { kind: 'scrubbed' }>>

/**
 * Runs the contract tests for recognizing conversations by a keyed hash of the name as it was sent, independently of
 * the scrubber. The tests are part of the contract tests of `IngestStore` and `TraceStore`.
 */
export function runConversationContract(place: () => IngestPlace): void {
  let jobs = 0
  const enqueue = async (ownerId: string, total = 1): Promise<string> => {
    const jobId = makeId('conversation', ++jobs)
    const job = { ownerId, id: jobId, source: 'mixed', total, parts: 1, bytes: 10, enqueuedAt: jobs }
    await place().stores[0].enqueueJob(job)
    return jobId
  }
  /** Writes one trace as a job. Returns its outcome and the trace that the outcome names. */
  const write = async (ownerId: string, jobId: string, trace: NewTrace, names: Names = {}) => {
    const store = place().stores[0]
    const claim = (await store.claimJob({ lease: jobId, now: 100_000, leaseUntil: 100_000 + until, jobId }))!
    const prepared = { ...prepareTrace(0, trace), ...names } as PreparedTrace
    await store.writeBatch({ claim, traces: [prepared], now: 100_000, leaseUntil: 100_000 + until })
    await store.completeJob({ claim, usdPerMillionTokens: 1, now: 100_000 })
    const [decided] = (await store.listOutcomes({ ownerId, jobId }))!
    return [decided?.outcome, decided?.traceId]
  }
  const send = async (ownerId: string, trace: NewTrace, names: Names = {}) =>
    write(ownerId, await enqueue(ownerId), trace, names)
  /** Returns the n-th version of a conversation. Its name after scrubbing is `shown`. */
  const makeVersion = (n: number, shown = 'shown', changes: Partial<NewTrace> = {}): NewTrace =>
    makeTrace('version', n, { sourceId: shown, ...changes })
  const conversation = makeConversationName('claude_code_jsonl', 'as sent')
  const renewed = (...secrets: string[]): ConversationName =>
    makeConversationName('claude_code_jsonl', 'as sent', secrets)
  const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
    const collected = []
    for await (const item of items) collected.push(item)
    return collected
  }
  const listKnown = (...versions: readonly number[]) =>
    place().traces.findKnownHashes({ ownerId: 'ann', hashes: versions.map((n) => makeHash('version', n)) })
  const sell = (saleId: string, ...ids: string[]) =>
    place().traces.recordSale({
      sale: { id: saleId, buyer: 'b', usd: 1, soldAt: 0 },
      items: makeSaleItems(ids),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })

  test('writeBatch updates the trace of a conversation if the scrubbed name changed, and keeps its exclusion', async () => {
    const { id } = makeVersion(1)
    expect(await send('ann', makeVersion(1, '/home/mia'), { conversation })).toEqual(['stored', id])
    await place().traces.setSellExcluded({ ownerId: 'ann', ids: [id], sellExcluded: true })
    expect(await send('ann', makeVersion(2, '[NAME]~1'), { conversation })).toEqual(['updated', id])
    expect(await send('ann', makeVersion(3, '[BLOCKED_1]~1'), { conversation })).toEqual(['updated', id])
    expect(await send('ann', makeVersion(4, '/home/mia'), { conversation })).toEqual(['updated', id])
    expect(await place().traces.findTrace({ ownerId: 'ann', id })).toEqual({ id, sellExcluded: true, saleCount: 0 })
    expect(await listKnown(1, 2, 3, 4)).toEqual([makeHash('version', 4)])
    expect(await collect(place().traces.exportConversations({ ownerId: 'ann' }))).toEqual([
      { hash: conversation.hashes[0], deletedSegments: [] },
    ])
  })

  test('writeBatch returns already_sold for a sold conversation if the scrubbed name changed', async () => {
    const { id } = makeVersion(1)
    await send('ann', makeVersion(1, 'raw'), { conversation })
    await sell(makeId('sale', 1), id)
    expect(await send('ann', makeVersion(2, '[NAME]~1'), { conversation })).toEqual(['already_sold', id])
  })

  test('writeBatch returns deleted_before for a deleted piece of a conversation, until its owner is erased', async () => {
    const { traces } = place()
    const pieces = [makeVersion(1, 'raw', { segmentIndex: 2 }), makeVersion(2, 'raw')] as const
    for (const piece of pieces) await send('ann', piece, { conversation })
    expect(await traces.listFormerNames({ ownerId: 'ann', ids: pieces.map(({ id }) => id) })).toEqual([])
    await traces.deleteUnsoldTraces({ ownerId: 'ann', ids: [pieces[0].id] })
    const exported = [{ hash: conversation.hashes[0], deletedSegments: [2] }]
    expect(await collect(traces.exportConversations({ ownerId: 'ann' }))).toEqual(exported)
    const sendAgain = (ownerId: string, n: number, segmentIndex: number) =>
      send(ownerId, makeVersion(n, '[NAME]~1', { segmentIndex }), { conversation })
    expect(await sendAgain('ann', 3, 2)).toEqual(['deleted_before', null])
    expect(await sendAgain('ann', 4, 0)).toEqual(['updated', pieces[1].id])
    expect(await sendAgain('bob', 5, 2)).toEqual(['stored', makeId('version', 5)])
    while (await traces.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() }));
    expect(await collect(traces.exportConversations({ ownerId: 'ann' }))).toEqual([])
    expect(await sendAgain('ann', 6, 2)).toEqual(['stored', makeId('version', 6)])
  })

  test('writeBatch recognizes a conversation by the hash of an older secret, and keeps the hash of the newest secret', async () => {
    const { traces } = place()
    const { id } = makeVersion(1)
    const gone = { ...makeVersion(2, 'gone'), segmentIndex: 1 }
    await send('ann', makeVersion(1), { conversation: renewed('one') })
    await send('ann', gone, { conversation: renewed('one') })
    await traces.deleteUnsoldTraces({ ownerId: 'ann', ids: [gone.id] })
    expect(await send('ann', makeVersion(3), { conversation: renewed('two', 'one') })).toEqual(['updated', id])
    expect(await collect(traces.exportConversations({ ownerId: 'ann' }))).toEqual([
      { hash: renewed('two').hashes[0], deletedSegments: [1] },
    ])
    // The oldest secret is no longer configured.
    expect(await send('ann', makeVersion(4), { conversation: renewed('two') })).toEqual(['updated', id])
    const longer = { ...makeVersion(5), segmentIndex: 1 }
    expect(await send('ann', longer, { conversation: renewed('three', 'two') })).toEqual(['deleted_before', null])
    expect(await send('ann', makeVersion(6), { conversation: renewed('none') })).toEqual([
      'stored',
      makeId('version', 6),
    ])
  })

  test('readSoldTraces links pieces and branches by conversation, across secrets and scrubbed names', async () => {
    const branch = { parent: renewed('one'), conversation: makeConversationName('claude_code_jsonl', 'branch') }
    const sold = [
      makeVersion(1, 'branch', { parentTraceId: 'raw' }),
      makeVersion(2, 'raw', { segmentIndex: 0 }),
      makeVersion(3, '[NAME]~1', { segmentIndex: 1 }),
      makeVersion(4, 'raw', { source: 'codex_jsonl' }),
    ] as const
    await send('ann', sold[0], branch)
    await send('ann', sold[1], { conversation: renewed('two', 'one') })
    await send('ann', sold[2], { conversation: renewed('three', 'two', 'one') })
    await send('ann', sold[3], { conversation: makeConversationName('codex_jsonl', 'as sent') })
    const items = makeSaleItems(sold.map(({ id }) => id))
    await sell(makeId('sale', 1), ...sold.map(({ id }) => id))
    const page = (await place().traces.readSoldTraces({ saleId: makeId('sale', 1), cursor: null, limit: 9 }))!
    const [first, , third, fourth] = items.map(({ buyerId }) => buyerId) as [string, string, string, string]
    const second = items[1]!.buyerId
    const least = [second, third].sort()[0]
    const links = (await collect(page.documents)).map(({ id, sourceId, parentTraceId }) => [
      id,
      sourceId,
      parentTraceId,
    ])
    expect(links).toEqual(
      [
        [first, first, least],
        [second, least, null],
        [third, least, null],
        [fourth, fourth, null],
      ].sort(([a], [b]) => (a! < b! ? -1 : 1)),
    )
  })

  test('writeBatch stores two conversations separately even if their scrubbed names are equal', async () => {
    const other = makeConversationName('claude_code_jsonl', 'also sent')
    expect(await send('ann', makeVersion(1, '[REFUSED]'), { conversation })).toEqual(['stored', makeId('version', 1)])
    expect(await send('ann', makeVersion(2, '[REFUSED]'), { conversation: other })).toEqual([
      'stored',
      makeId('version', 2),
    ])
  })

  test('writeBatch returns duplicate for a version that a later upload replaced; findKnownHashes omits its hash', async () => {
    const [earlier, later] = [await enqueue('ann'), await enqueue('ann')]
    const { id } = makeVersion(2)
    expect(await write('ann', later, makeVersion(2), { conversation })).toEqual(['stored', id])
    expect(await write('ann', earlier, makeVersion(1), { conversation })).toEqual(['duplicate', id])
    expect(await listKnown(1, 2)).toEqual([makeHash('version', 2)])
    expect(await place().traces.readTrace({ ownerId: 'ann', id })).toMatchObject(makeVersion(2))
    expect(await send('ann', makeVersion(3), { conversation })).toEqual(['updated', id])
    expect(await listKnown(1, 2, 3)).toEqual([makeHash('version', 3)])
  })

  test('claimJob returns hasFormerNames only while a former name is needed to recognize a trace or a deletion of the owner', async () => {
    const { stores, storeFormerTraces, traces, person } = place()
    if (!storeFormerTraces) return
    const hasFormerNames = async (ownerId: string): Promise<boolean> => {
      const jobId = await enqueue(ownerId)
      const claim = (await stores[0].claimJob({ lease: jobId, now: 100_000, leaseUntil: 100_000 + until, jobId }))!
      await stores[0].failJob({ claim, message: '', usdPerMillionTokens: 1, now: 100_000 })
      return claim.hasFormerNames
    }
    const nameAs = (name: string) => ({ ...makeConversationName('claude_code_jsonl', name), formerNames: [name] })
    await person('cid')
    const child = makeVersion(1, 'child', { parentTraceId: 'raw' })
    const gone = makeVersion(2, 'gone')
    await storeFormerTraces('bob', [child])
    await storeFormerTraces('cid', [gone])
    await send('ann', makeVersion(3, 'child', { parentTraceId: 'raw' }), {
      conversation: nameAs('child'),
      parent: nameAs('raw'),
    })
    const read = async () => [await hasFormerNames('ann'), await hasFormerNames('bob'), await hasFormerNames('cid')]
    expect(await read()).toEqual([false, true, true])
    await sell(makeId('sale', 1), child.id)
    expect(await send('bob', makeVersion(4, 'child'), { conversation: nameAs('child') })).toEqual([
      'already_sold',
      child.id,
    ])
    const former = makeHash('former name', 1)
    await traces.deleteUnsoldTraces({ ownerId: 'cid', ids: [gone.id], formerNameHashes: { [gone.id]: former } })
    // Bob's trace has no parent conversation yet, and the deletion of Cid's trace is recorded by its former name.
    expect(await read()).toEqual([false, true, true])
    await send('bob', makeVersion(5, 'raw'), { conversation: nameAs('raw') })
    while (await traces.eraseTraces({ ownerId: 'cid', notice: makeRemovalNotice() }));
    expect(await read()).toEqual([false, false, false])
  })

  test('writeBatch recognizes a trace without a conversation by its former names until its next upload', async () => {
    const { storeFormerTraces, traces } = place()
    if (!storeFormerTraces) return
    const names = { conversation: { ...conversation, formerNames: ['[NAME]~1', '/home/mia'] } }
    const [talk, gone, child] = [
      makeVersion(1, '/home/mia', { segmentIndex: 0 }),
      makeVersion(2, '/home/mia', { segmentIndex: 1 }),
      makeVersion(3, 'child', { parentTraceId: '/home/mia' }),
    ]
    await storeFormerTraces('ann', [talk, gone, child])
    await storeFormerTraces('bob', [makeTrace('bob', 1, { sourceId: '/home/mia' })])
    expect(await traces.listFormerNames({ ownerId: 'bob', ids: [gone.id] })).toEqual([])
    expect(await traces.listFormerNames({ ownerId: 'ann', ids: [gone.id, makeId('ann', 9)] })).toEqual([
      { id: gone.id, source: gone.source, sourceId: '/home/mia', segmentIndex: 1 },
    ])
    const former = makeHash('former name', 1)
    await traces.deleteUnsoldTraces({ ownerId: 'ann', ids: [gone.id], formerNameHashes: { [gone.id]: former } })
    expect(await collect(traces.exportDeletedNames({ ownerId: 'ann' }))).toEqual([former])
    const again = { ...makeVersion(4), segmentIndex: 1 }
    const formerNameHashes = [makeHash('former name', 2), former]
    expect(await send('ann', again, { ...names, formerNameHashes })).toEqual(['deleted_before', null])
    expect(await send('ann', makeVersion(5, '[NAME]~1'), names)).toEqual(['updated', talk.id])
    expect(await traces.listFormerNames({ ownerId: 'ann', ids: [talk.id, child.id] })).toMatchObject([{ id: child.id }])
    // After this upload, the former names are no longer used.
    const changed = { conversation: { ...conversation, formerNames: ['[BLOCKED_1]~1'] } }
    expect(await send('ann', makeVersion(6, '[BLOCKED_1]~1'), changed)).toEqual(['updated', talk.id])
    const other = { conversation: { ...renewed('else'), formerNames: ['/home/mia', '[BLOCKED_1]~1'] } }
    expect(await send('ann', makeVersion(7), other)).toEqual(['stored', makeId('version', 7)])
    const items = makeSaleItems([talk.id, child.id])
    await sell(makeId('sale', 1), talk.id, child.id)
    const page = (await traces.readSoldTraces({ saleId: makeId('sale', 1), cursor: null, limit: 9 }))!
    const parents = (await collect(page.documents)).map(({ id, parentTraceId }) => [id, parentTraceId])
    expect(new Map(parents as [string, string][]).get(items[1]!.buyerId)).toBe(items[0]!.buyerId)
    while (await traces.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() }));
    expect(await collect(traces.exportDeletedNames({ ownerId: 'ann' }))).toEqual([])
  })
}
