import {
  maxTracesPerSaleStep,
  nothingLeftOut,
  type AddSaleItemsParams,
  type CandidatePage,
  type DatasetFilter,
  type DatasetStore,
  type PendingSale,
  type SaleCandidate,
  type SaleOffer,
  type TraceStore,
} from '@tributary/core/stores'
import { beforeEach, expect, test } from 'vitest'
import { makeId, makeTrace, makeTraces, makeSaleItems, makeSaleShares } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { expectExactList, newerRows } from './lists.ts'
import { collectAll, makeIds, makeSale, type TracesPlace } from './dataset.ts'

/** Returns the parameters that sell all traces of a step. The traces get new ids for the buyer. */
function sellAll(step: PendingSale, idsFrom = 0): AddSaleItemsParams {
  const uniqueBuyerIds = Array.from({ length: step.next - step.after }, (_, n) => makeId('unique', idsFrom + n))
  return { step, items: makeSaleItems(step.candidates.map(({ id }) => id)), uniqueBuyerIds }
}

/** Does every remaining step of a started sale, and finishes it. */
async function finish(store: DatasetStore, saleId: string): Promise<void> {
  for (;;) {
    const step = (await store.readPendingSale({ saleId }))!
    if (step.isDone) return store.finishSale({ sale: step.sale, shares: makeSaleShares(), audit: step.audit })
    await store.addSaleItems(sellAll(step))
  }
}

const makeCandidate = (id: string, num: number): SaleCandidate => ({
  id,
  num,
  owner: 1,
  tokenCount: 1,
  isBought: false,
  isSold: false,
  overlaps: [],
})

/** Counts the candidates of an offer. */
async function countOffer(store: DatasetStore, offer: SaleOffer) {
  const totals = { traces: 0, tokens: 0, soldBefore: 0 }
  let cursor: number | null = null
  do {
    const { candidates, unique, next }: CandidatePage = await store.listSaleCandidates({
      offer,
      buyer: 'nobody',
      cursor,
    })
    totals.traces += unique.traces + candidates.length
    totals.tokens += unique.tokens + candidates.reduce((sum, { tokenCount }) => sum + tokenCount, 0)
    totals.soldBefore += unique.soldBefore + candidates.filter(({ isSold }) => isSold).length
    cursor = next
  } while (cursor !== null)
  return totals
}

/**
 * Runs the contract tests of `DatasetStore` for filters, a part of `runTraceStoreContract`, which has stored five
 * traces of ann and three of bob.
 */
export function runFilterContract(place: () => TracesPlace): void {
  let store: TraceStore & DatasetStore
  let other: TraceStore & DatasetStore
  beforeEach(() => {
    ;[store, other] = place().stores
  })
  const start = (number: number, filter: DatasetFilter) =>
    store.startSale({ sale: makeSale(number), filter, audit: makeAuditContext() })
  const countSold = async (number: number): Promise<number | null> => {
    const page = await other.readSoldTraces({ saleId: makeSale(number).id, cursor: null, limit: 9 })
    return page && (await collectAll(page.documents)).length
  }

  test('a filter selects by model, and neverSold selects only traces that no other sale contains', async () => {
    await place().put('cat', [
      makeTrace('cat', 0, { model: 'opus', createdAt: '2026-03-01T00:00:00.000Z' }),
      makeTrace('cat', 1, { model: 'opus', createdAt: '2026-03-01T00:00:00.000Z' }),
      makeTrace('cat', 2, { model: 'haiku', createdAt: '2026-03-01T00:00:00.000Z' }),
    ])
    const inMarch = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-31T23:59:59.999Z' }
    const read = async (filter: DatasetFilter) => {
      const { documents } = await other.readSellableTraces({
        cursor: null,
        limit: 9,
        filter: { ...inMarch, ...filter },
      })
      return (await collectAll(documents)).map(({ id }) => id)
    }
    expect(await read({ model: 'opus' })).toEqual(makeIds('cat', 0, 1))
    expect(await read({ model: 'opus', neverSold: true })).toEqual(makeIds('cat', 0, 1))
    await start(1, { ...inMarch, model: 'opus', neverSold: true })
    const whole = (await store.readPendingSale({ saleId: makeSale(1).id }))!
    const first = (await store.findLastPlace()) - 2
    await store.addSaleItems(sellAll({ ...whole, next: first }))
    const step = (await store.readPendingSale({ saleId: makeSale(1).id }))!
    expect([step.after, step.next, step.unique.traces]).toEqual([first, whole.next, 1])
    await finish(store, makeSale(1).id)
    expect((await other.findSale({ saleId: makeSale(1).id }))!.traces).toBe(2)
    expect(await read({ neverSold: true })).toEqual(makeIds('cat', 2))
    expect(await read({ model: 'opus', neverSold: true })).toEqual([])
    expect((await other.findSale({ saleId: makeSale(1).id }))!.filter).toMatchObject({ model: 'opus', neverSold: true })
  })

  test('listSoldTraces lists the traces of a finished sale by search, source, day and state, page by page', async () => {
    const places = Array.from({ length: newerRows + 5 }, (_, n) => n)
    await place().put('cat', [
      ...places.map((n) =>
        makeTrace('cat', n, { source: 'codex_jsonl', model: `m-${n}`, tokenCount: (n * 7) % newerRows }),
      ),
      makeTrace('cat', 900, { source: 'gemini_cli' }),
    ])
    const ids = makeIds('cat', ...places)
    const sale = makeSale(1)
    const items = makeSaleItems([...ids, makeId('cat', 900)])
    await store.recordSale({ sale, items, shares: makeSaleShares(), audit: makeAuditContext() })
    const list = (params: Omit<Parameters<DatasetStore['listSoldTraces']>[0], 'saleId'>) =>
      other.listSoldTraces({ ...params, saleId: sale.id })
    await expectExactList({
      list: (params) => list({ ...params, source: 'codex_jsonl' }),
      idOf: ({ id }) => id,
      ids,
      sorts: {
        stored: null,
        createdAt: ({ createdAt }) => createdAt,
        tokens: ({ tokens }) => tokens,
        newTokens: ({ newTokens }) => newTokens,
      },
      found: [
        [ids[3]!, [ids[3]!]],
        [items[4]!.buyerId, [ids[4]!]],
        ['m-299', [ids[299]!]],
      ],
    })
    expect((await list({ source: 'gemini_cli', cursor: null, limit: 9 })).items).toMatchObject([
      { id: makeId('cat', 900), userId: 'cat', buyerTraceId: items.at(-1)!.buyerId, withdrawn: false },
    ])
    const [march, december] = [Date.UTC(2026, 2, 1), Date.UTC(2026, 11, 1)]
    for (const [params, found] of [
      [{ withdrawn: true }, []],
      [{ withdrawn: false, source: 'gemini_cli' }, [makeId('cat', 900)]],
      [{ to: march, source: 'gemini_cli' }, []],
      [{ from: december, source: 'gemini_cli' }, []],
      [{ from: march, to: december, source: 'gemini_cli' }, [makeId('cat', 900)]],
    ] as const)
      expect([params, (await list({ ...params, cursor: null, limit: 9 })).items.map(({ id }) => id)]).toEqual([
        params,
        found,
      ])
    expect(await store.listSoldTraces({ saleId: makeId('none', 1), cursor: null, limit: 9 })).toEqual({
      items: [],
      next: null,
    })
  })

  test('readSellableTraces, listSaleCandidates and startSale select the same traces for a filter', async () => {
    const solved = { details: '{"agent":{"name":"codex"},"outcome":{"status":"success"}}' }
    await place().put('cat', [
      makeTrace('cat', 0, { source: 'codex_jsonl', createdAt: '2026-03-01T00:00:00.000Z', tokenCount: 100 }),
      makeTrace('cat', 1, { source: 'codex_jsonl', createdAt: '2026-03-02T00:00:00.000Z', tokenCount: 200, ...solved }),
      makeTrace('cat', 2, { source: 'gemini_cli', createdAt: '2026-03-03T00:00:00.000Z', tokenCount: 300 }),
      makeTrace('cat', 3, { source: 'codex_jsonl', createdAt: '2026-03-04T00:00:00.000Z', tokenCount: 400 }),
    ])
    await store.setSellExcluded({ ownerId: 'cat', ids: makeIds('cat', 3), sellExcluded: true })
    const inMarch = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-31T23:59:59.999Z' }
    const filters: [DatasetFilter, number[]][] = [
      [inMarch, [0, 1, 2]],
      [{ source: 'codex_jsonl' }, [0, 1]],
      [{ ...inMarch, from: '2026-03-02T00:00:00.000Z', to: '2026-03-03T00:00:00.000Z' }, [1, 2]],
      [{ ...inMarch, minTokens: 200 }, [1, 2]],
      [{ source: 'codex_jsonl', ...inMarch, minTokens: 201 }, []],
      [{ agent: 'codex' }, [1]],
      [{ outcome: 'success' }, [1]],
      [{ agent: 'codex', outcome: 'failure' }, []],
      [{ source: "x' or 1=1 --" }, []],
    ]
    for (const [number, [filter, expected]] of filters.entries()) {
      const { documents, next } = await store.readSellableTraces({ cursor: null, limit: 9, filter })
      expect([(await collectAll(documents)).map(({ id }) => id), next]).toEqual([makeIds('cat', ...expected), null])
      const totals = { traces: expected.length, tokens: expected.reduce((sum, n) => sum + (n + 1) * 100, 0) }
      const until = await other.findLastPlace()
      expect(await countOffer(other, { filter, until })).toMatchObject(totals)
      const sale = makeSale(number)
      await store.startSale({ sale, filter, audit: makeAuditContext() })
      await finish(store, sale.id)
      expect(await other.findSale({ saleId: sale.id })).toEqual({
        ...sale,
        usd: expected.length > 0 ? sale.usd : 0,
        filter,
        ...totals,
        ...nothingLeftOut,
      })
    }
    const first = await store.readSellableTraces({ cursor: null, limit: 1, filter: inMarch })
    const rest = await store.readSellableTraces({ cursor: first.next, limit: 2, filter: inMarch })
    expect([(await collectAll(rest.documents)).map(({ id }) => id), rest.next]).toEqual([makeIds('cat', 1, 2), null])
    expect(await countOffer(store, { ids: [...makeIds('cat', 0, 3), ...makeIds('none', 1)] })).toEqual({
      traces: 1,
      tokens: 100,
      soldBefore: 1,
    })
    await place().put('cat', [makeTrace('cat', 4, { createdAt: '2026-03-05T00:00:00.000Z', tokenCount: 500 })])
    const all = { traces: 4, tokens: 1100, soldBefore: 3 }
    expect(await countOffer(store, { filter: inMarch, until: await store.findLastPlace() })).toEqual(all)
  })

  test('startSale and listSaleCandidates leave out traces that were stored after findLastPlace was called', async () => {
    const filter = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' }
    const makeMarchTrace = (n: number) =>
      makeTrace('cat', n, { createdAt: '2026-03-01T00:00:00.000Z', tokenCount: 100 })
    await place().put('cat', [makeMarchTrace(0), makeMarchTrace(1)])
    const until = await other.findLastPlace()
    await place().put('cat', [makeMarchTrace(2)])
    const last = await store.findLastPlace()
    expect(await countOffer(store, { filter, until: last })).toEqual({ traces: 3, tokens: 300, soldBefore: 0 })
    expect(await countOffer(store, { filter, until })).toEqual({ traces: 2, tokens: 200, soldBefore: 0 })
    await store.startSale({ sale: makeSale(1), filter, until, audit: makeAuditContext() })
    await finish(store, makeSale(1).id)
    expect(await other.findSale({ saleId: makeSale(1).id })).toMatchObject({ traces: 2, tokens: 200 })
    expect(await countSold(1)).toBe(2)
  })

  test('findSale returns a sale of listed traces with its totals, and null for an unknown sale', async () => {
    await place().put('cat', [makeTrace('cat', 0, { tokenCount: 7 }), makeTrace('cat', 1, { tokenCount: 8 })])
    await store.recordSale({
      sale: makeSale(1),
      items: makeSaleItems(makeIds('cat', 0, 1)),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    expect(await other.findSale({ saleId: makeSale(1).id })).toEqual({
      ...makeSale(1),
      ...nothingLeftOut,
      filter: null,
      traces: 2,
      tokens: 15,
    })
    expect(await other.findSale({ saleId: makeSale(2).id })).toBeNull()
  })

  test('startSale creates a sale that is invisible until finishSale; its traces cannot be excluded or deleted', async () => {
    await start(1, {})
    await start(1, { source: 'gemini_cli' })
    const step = (await other.readPendingSale({ saleId: makeSale(1).id }))!
    expect(step).toMatchObject({ sale: makeSale(1), filter: {}, isDone: false, candidates: [], unique: { traces: 8 } })
    await store.setSellExcluded({ ownerId: 'ann', ids: makeIds('ann', 1), sellExcluded: true })
    await place().put('ann', [makeTrace('late', 1)])
    await Promise.all([store.addSaleItems(sellAll(step)), other.addSaleItems(sellAll(step, 100))])
    expect(await store.setSellExcluded({ ownerId: 'ann', ids: makeIds('ann', 0), sellExcluded: true })).toEqual([])
    expect(await store.findTrace({ ownerId: 'ann', id: makeId('ann', 0) })).toMatchObject({ saleCount: 1 })
    // This trace was excluded after the step was read, so it is neither sold nor counted.
    expect(await store.findTrace({ ownerId: 'ann', id: makeId('ann', 1) })).toMatchObject({ saleCount: 0 })
    const [exported] = await collectAll(store.exportTraces({ ownerId: 'ann' }))
    expect([await countSold(1), await store.findSale({ saleId: makeSale(1).id }), exported!.sales]).toEqual([
      null,
      null,
      [],
    ])
    expect((await store.listSales({ cursor: null, limit: 9 })).items).toEqual([])
    expect(await store.listPendingSales({ startedBefore: makeSale(1).soldAt })).toEqual([])
    expect(await store.listPendingSales({ startedBefore: makeSale(1).soldAt + 1 })).toEqual([makeSale(1).id])

    await store.finishSale({ sale: step.sale, shares: makeSaleShares(), audit: step.audit })
    await other.finishSale({ sale: step.sale, shares: makeSaleShares(), audit: step.audit })
    expect(await countSold(1)).toBe(7)
    expect(await store.findTrace({ ownerId: 'ann', id: makeId('ann', 0) })).toMatchObject({ saleCount: 1 })
    expect(await store.findTrace({ ownerId: 'ann', id: makeId('late', 1) })).toMatchObject({ saleCount: 0 })
    expect((await store.listSales({ cursor: null, limit: 9 })).items).toEqual([{ ...makeSale(1), traceCount: 7 }])
    expect(await store.readPendingSale({ saleId: makeSale(1).id })).toBeNull()
    expect(await store.listPendingSales({ startedBefore: 1e15 })).toEqual([])
  })

  test('addSaleItems does not sell a trace that is stored at the position of a deleted candidate', async () => {
    await start(1, {})
    const step = (await store.readPendingSale({ saleId: makeSale(1).id }))!
    const deleted = makeCandidate(makeId('deleted', 0), step.next)
    await store.addSaleItems(sellAll({ ...step, candidates: [deleted] }))
    await store.finishSale({ sale: step.sale, shares: makeSaleShares(), audit: step.audit })
    expect(await countSold(1)).toBe(7)
  })

  test('addSaleItems does not sell a candidate that another sale to the same buyer has sold meanwhile', async () => {
    const started = [1, 2].map((number) => ({ ...makeSale(number), buyer: 'Lab' }))
    for (const sale of started) await store.startSale({ sale, filter: {}, audit: makeAuditContext() })
    const steps = await Promise.all(started.map(async ({ id }) => (await other.readPendingSale({ saleId: id }))!))
    const last = makeCandidate(makeId('bob', 2), steps[0]!.next)
    for (const step of steps) await store.addSaleItems(sellAll({ ...step, candidates: [last] }))
    for (const { id } of started) await finish(store, id)
    expect([await countSold(1), await countSold(2)]).toEqual([8, 0])
    expect(await store.findTrace({ ownerId: 'bob', id: last.id })).toMatchObject({ saleCount: 1 })
  })

  test('addSaleItems adds a limited number of traces at a time', async () => {
    await place().put('cat', makeTraces(maxTracesPerSaleStep + 1, 'cat'))
    await start(1, {})
    const sizes: number[] = []
    for (;;) {
      const step = (await store.readPendingSale({ saleId: makeSale(1).id }))!
      if (step.isDone) break
      sizes.push(step.unique.traces)
      await store.addSaleItems(sellAll(step))
    }
    expect(sizes).toEqual([maxTracesPerSaleStep, 9])
    await finish(store, makeSale(1).id)
    expect(await store.findSale({ saleId: makeSale(1).id })).toMatchObject({ traces: maxTracesPerSaleStep + 9 })
  })
}
