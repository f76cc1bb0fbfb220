import { maxTracesPerSaleStep, type DatasetFilter, type DatasetStore, type TraceStore } from '@tributary/core'
import { beforeEach, expect, test } from 'vitest'
import { madeId, madeTrace, madeTraces, saleItems, saleShares } from '../fixtures/seed.ts'
import { byOperator } from './audit.ts'
import { all, ids, sale, type TracesPlace } from './sales.ts'

/** Does every step of a sale that was started, and finishes it. */
async function finish(store: DatasetStore, saleId: string): Promise<void> {
  for (;;) {
    const { sale: started, audit, after, next, isDone, ids: found } = (await store.readPendingSale({ saleId }))!
    if (isDone) return store.finishSale({ sale: started, shares: saleShares(), audit })
    await store.addSaleItems({ saleId, after, next, items: saleItems(found) })
  }
}

/**
 * Runs the contract tests of `DatasetStore` on filters; part of `runTraceStoreContract`, which has put five traces of
 * ann and three of bob.
 */
export function runFilterContract(place: () => TracesPlace): void {
  let store: TraceStore & DatasetStore
  let other: TraceStore & DatasetStore
  beforeEach(() => {
    ;[store, other] = place().stores
  })
  const start = (number: number, filter: DatasetFilter) =>
    store.startSale({ sale: sale(number), filter, audit: byOperator() })
  const sold = async (number: number): Promise<number | null> => {
    const page = await other.readSoldTraces({ saleId: sale(number).id, cursor: null, limit: 9 })
    return page && (await all(page.documents)).length
  }

  test('readSellableTraces, countSellableTraces and startSale select the same traces for a filter', async () => {
    await place().put('cat', [
      madeTrace('cat', 0, { source: 'codex_jsonl', createdAt: '2026-03-01T00:00:00.000Z', tokenCount: 100 }),
      madeTrace('cat', 1, { source: 'codex_jsonl', createdAt: '2026-03-02T00:00:00.000Z', tokenCount: 200 }),
      madeTrace('cat', 2, { source: 'gemini_cli', createdAt: '2026-03-03T00:00:00.000Z', tokenCount: 300 }),
      madeTrace('cat', 3, { source: 'codex_jsonl', createdAt: '2026-03-04T00:00:00.000Z', tokenCount: 400 }),
    ])
    await store.setSellExcluded({ ownerId: 'cat', ids: ids('cat', 3), sellExcluded: true })
    const march = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-31T23:59:59.999Z' }
    const filters: [DatasetFilter, number[]][] = [
      [march, [0, 1, 2]],
      [{ source: 'codex_jsonl' }, [0, 1]],
      [{ ...march, from: '2026-03-02T00:00:00.000Z', to: '2026-03-03T00:00:00.000Z' }, [1, 2]],
      [{ ...march, minTokens: 200 }, [1, 2]],
      [{ source: 'codex_jsonl', ...march, minTokens: 201 }, []],
      [{ source: "x' or 1=1 --" }, []],
    ]
    for (const [number, [filter, expected]] of filters.entries()) {
      const { documents, next } = await store.readSellableTraces({ cursor: null, limit: 9, filter })
      expect([(await all(documents)).map(({ id }) => id), next]).toEqual([ids('cat', ...expected), null])
      const totals = { traces: expected.length, tokens: expected.reduce((sum, n) => sum + (n + 1) * 100, 0) }
      expect(await other.countSellableTraces({ filter })).toEqual(totals)
      await start(number, filter)
      await finish(store, sale(number).id)
      expect(await other.findSale({ saleId: sale(number).id })).toEqual({ ...sale(number), filter, ...totals })
    }
    const first = await store.readSellableTraces({ cursor: null, limit: 1, filter: march })
    const rest = await store.readSellableTraces({ cursor: first.next, limit: 9, filter: march })
    expect((await all(rest.documents)).map(({ id }) => id)).toEqual(ids('cat', 1, 2))
    expect(await store.countSellableTraces({ ids: [...ids('cat', 0, 3), ...ids('none', 1)] })).toEqual({
      traces: 1,
      tokens: 100,
    })
  })

  test('findSale returns a sale of listed traces with its totals, and null for an unknown one', async () => {
    await place().put('cat', [madeTrace('cat', 0, { tokenCount: 7 }), madeTrace('cat', 1, { tokenCount: 8 })])
    await store.recordSale({
      sale: sale(1),
      items: saleItems(ids('cat', 0, 1)),
      shares: saleShares(),
      audit: byOperator(),
    })
    expect(await other.findSale({ saleId: sale(1).id })).toEqual({ ...sale(1), filter: null, traces: 2, tokens: 15 })
    expect(await other.findSale({ saleId: sale(2).id })).toBeNull()
  })

  test('startSale makes a sale that is invisible until finishSale, and whose traces cannot be excluded or deleted', async () => {
    await start(1, {})
    await start(1, { source: 'gemini_cli' })
    const step = (await other.readPendingSale({ saleId: sale(1).id }))!
    expect(step).toMatchObject({
      sale: sale(1),
      isDone: false,
      ids: [...ids('ann', 0, 1, 2, 3, 4), ...ids('bob', 0, 1, 2)],
    })
    await store.setSellExcluded({ ownerId: 'ann', ids: ids('ann', 1), sellExcluded: true })
    await place().put('ann', [madeTrace('late', 1)])
    const add = { saleId: sale(1).id, after: step.after, next: step.next, items: saleItems(step.ids) }
    await Promise.all([store.addSaleItems(add), other.addSaleItems({ ...add, items: saleItems(step.ids) })])
    expect(await store.setSellExcluded({ ownerId: 'ann', ids: ids('ann', 0), sellExcluded: true })).toEqual([])
    expect(await store.findTrace({ ownerId: 'ann', id: madeId('ann', 0) })).toMatchObject({ saleCount: 1 })
    const [exported] = await all(store.exportTraces({ ownerId: 'ann' }))
    expect([await sold(1), await store.findSale({ saleId: sale(1).id }), exported!.sales]).toEqual([null, null, []])
    expect((await store.listSales({ cursor: null, limit: 9 })).items).toEqual([])
    expect(await store.listPendingSales({ startedBefore: sale(1).soldAt })).toEqual([])
    expect(await store.listPendingSales({ startedBefore: sale(1).soldAt + 1 })).toEqual([sale(1).id])

    await store.finishSale({ sale: step.sale, shares: saleShares(), audit: step.audit })
    await other.finishSale({ sale: step.sale, shares: saleShares(), audit: step.audit })
    expect(await sold(1)).toBe(7)
    expect(await store.findTrace({ ownerId: 'ann', id: madeId('ann', 0) })).toMatchObject({ saleCount: 1 })
    expect(await store.findTrace({ ownerId: 'ann', id: madeId('late', 1) })).toMatchObject({ saleCount: 0 })
    expect((await store.listSales({ cursor: null, limit: 9 })).items).toEqual([{ ...sale(1), traceCount: 7 }])
    expect(await store.readPendingSale({ saleId: sale(1).id })).toBeNull()
    expect(await store.listPendingSales({ startedBefore: 1e15 })).toEqual([])
  })

  test('addSaleItems adds a limited number of traces at a time', async () => {
    await place().put('cat', madeTraces(maxTracesPerSaleStep + 1, 'cat'))
    await start(1, {})
    const sizes: number[] = []
    for (;;) {
      const step = (await store.readPendingSale({ saleId: sale(1).id }))!
      if (step.isDone) break
      sizes.push(step.ids.length)
      await store.addSaleItems({ saleId: sale(1).id, after: step.after, next: step.next, items: saleItems(step.ids) })
    }
    expect(sizes).toEqual([maxTracesPerSaleStep, 9])
    await finish(store, sale(1).id)
    expect(await store.findSale({ saleId: sale(1).id })).toMatchObject({ traces: maxTracesPerSaleStep + 9 })
  })
}
