import { byOperator, madeHash, madeId, madeTrace, saleItems, runTraceStoreContract } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { MemoryTraces } from './traces.ts'

runTraceStoreContract('memory', async () => {
  const store = new MemoryTraces()
  return {
    stores: [store, store],
    async put(ownerId, traces) {
      store.put(ownerId, [...traces])
    },
    async loseContent(id) {
      store.loseContent(id)
    },
    async close() {},
  }
})

describe('put', () => {
  const first = madeTrace('ann', 1)
  const changed = madeTrace('ann', 2, { sourceId: first.sourceId })

  test('a new trace is stored, the same content again is a duplicate, whatever its name', () => {
    const store = new MemoryTraces()
    expect(store.put('ann', [first])).toEqual([{ outcome: 'stored', traceId: first.id }])
    expect(store.put('ann', [first, { ...first, id: madeId('ann', 9), sourceId: 'another' }])).toEqual([
      { outcome: 'duplicate', traceId: first.id },
      { outcome: 'duplicate', traceId: first.id },
    ])
    expect(store.put('bob', [{ ...first, id: madeId('bob', 1) }])).toEqual([
      { outcome: 'stored', traceId: madeId('bob', 1) },
    ])
  })

  test('new content under the same name updates: id and exclusion stay, the old hash is no longer known', async () => {
    const store = new MemoryTraces()
    store.put('ann', [first])
    await store.setSellExcluded('ann', [first.id], true)
    expect(store.put('ann', [changed])).toEqual([{ outcome: 'updated', traceId: first.id }])
    expect(await store.findTrace('ann', first.id)).toEqual({ id: first.id, sellExcluded: true, saleCount: 0 })
    expect(await store.readTrace('ann', first.id)).toMatchObject({
      id: first.id,
      messages: changed.messages,
      contentHash: changed.contentHash,
    })
    expect(await store.findKnownHashes('ann', [first.contentHash, changed.contentHash])).toEqual([changed.contentHash])
    expect(store.put('ann', [{ ...first, sourceId: 'another', id: madeId('ann', 3) }])[0]!.outcome).toBe('stored')
  })

  test('another segment or source is another name; no segment is segment 0', () => {
    const store = new MemoryTraces()
    const others = [{ segmentIndex: 1 }, { source: 'codex_jsonl' }, { segmentIndex: 0 }].map((change, n) =>
      madeTrace('x', n, { sourceId: first.sourceId, ...change }),
    )
    expect(store.put('ann', [first, ...others]).map(({ outcome }) => outcome)).toEqual([
      'stored',
      'stored',
      'stored',
      'updated',
    ])
  })

  test('deleted content does not come back, under its name or another', async () => {
    const store = new MemoryTraces()
    store.put('ann', [first])
    await store.deleteUnsoldTraces('ann', [first.id])
    expect(store.put('ann', [first, { ...first, sourceId: 'another' }])).toEqual([
      { outcome: 'deleted_before', traceId: null },
      { outcome: 'deleted_before', traceId: null },
    ])
    expect(store.put('ann', [changed])[0]!.outcome).toBe('stored')
  })

  test('a sold trace is not refreshed, and its content again is a duplicate', async () => {
    const store = new MemoryTraces()
    store.put('ann', [first])
    await store.recordSale(
      { id: madeId('sale', 1), buyer: 'b', usd: 0, soldAt: 0 },
      saleItems([first.id]),
      byOperator(),
    )
    expect(store.put('ann', [changed, first])).toEqual([
      { outcome: 'already_sold', traceId: first.id },
      { outcome: 'duplicate', traceId: first.id },
    ])
    expect(await store.findKnownHashes('ann', [madeHash('ann', 2)])).toEqual([])
  })
})
