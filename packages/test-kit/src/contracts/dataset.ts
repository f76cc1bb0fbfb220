import type { DatasetStore, NewTrace, Sale, TraceStore } from '@tributary/core/stores'
import { beforeEach, expect, test } from 'vitest'
import { expectExactList, newerRows } from './lists.ts'
import { makeId, makeTrace, makeTraces, makeSaleItems, makeSaleShares, makeRemovalNotice } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'

/** New, empty stores of traces. */
export interface TracesPlace {
  /** Two stores over the same data, as two hosts have them. A store inside one process is passed twice. */
  readonly stores: readonly [TraceStore & DatasetStore, TraceStore & DatasetStore]
  /** Stores traces in order, without an ingest job. Creates the person if necessary. */
  put(ownerId: string, traces: Iterable<NewTrace>): Promise<void>
  /** Removes a trace's content and keeps the trace, as in a damaged store. */
  loseContent(id: string): Promise<void>
  close(): Promise<void>
}

export async function collectAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Returns a sale to a new buyer. The number determines its id, and is its time in seconds. */
export const makeSale = (number: number): Sale => ({
  id: makeId('sale', number),
  buyer: `buyer ${number}`,
  usd: 12.5,
  soldAt: number * 1000,
})

/** Returns the ids of generated traces with these numbers. */
export const makeIds = (label: string, ...numbers: number[]): string[] => numbers.map((number) => makeId(label, number))

/**
 * Runs the contract tests of `DatasetStore`, a part of `runTraceStoreContract`, which has stored five traces of ann and
 * three of bob.
 */
export function runDatasetContract(place: () => TracesPlace): void {
  let store: TraceStore & DatasetStore
  let other: TraceStore & DatasetStore
  beforeEach(() => {
    ;[store, other] = place().stores
  })
  const numbers = Array.from({ length: 40 }, (_, n) => n)
  const many = makeIds('more', ...numbers)
  const readCounts = async (): Promise<number[]> =>
    Promise.all(many.map(async (id) => (await store.findTrace({ ownerId: 'ann', id }))?.saleCount ?? -1))

  test('recordSale sells each existing trace once, unless it is excluded, in the order sent', async () => {
    const [zero, one, two, three] = makeIds('ann', 0, 1, 2, 3) as [string, string, string, string]
    await store.setSellExcluded({ ownerId: 'ann', ids: [one], sellExcluded: true })
    await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [two] })
    const sent = [three, one, makeId('bob', 1), makeId('none', 1), two, zero, three]
    expect(
      await store.recordSale({
        sale: makeSale(1),
        items: makeSaleItems(sent),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      }),
    ).toEqual([three, makeId('bob', 1), zero])
    expect(await store.findTrace({ ownerId: 'ann', id: three })).toEqual({
      id: three,
      sellExcluded: false,
      saleCount: 1,
    })
    expect(await store.findTrace({ ownerId: 'ann', id: one })).toEqual({ id: one, sellExcluded: true, saleCount: 0 })
    expect(await store.findTrace({ ownerId: 'ann', id: makeId('ann', 4) })).toMatchObject({ saleCount: 0 })
    expect(
      await store.recordSale({
        sale: makeSale(2),
        items: makeSaleItems([one, two]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      }),
    ).toEqual([])
  })

  test('recordSale with the id of an existing sale adds nothing, and returns the traces that this sale sold', async () => {
    const sold = makeIds('ann', 0, 1)
    expect(
      await store.recordSale({
        sale: makeSale(1),
        items: makeSaleItems(sold),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      }),
    ).toEqual(sold)
    await store.recordSale({
      sale: makeSale(2),
      items: makeSaleItems(makeIds('ann', 0)),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    expect(
      await other.recordSale({
        sale: makeSale(1),
        items: makeSaleItems([...sold, makeId('ann', 2)]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      }),
    ).toEqual(sold)
    expect(
      await Promise.all(
        [0, 1, 2].map(async (n) => (await store.findTrace({ ownerId: 'ann', id: makeId('ann', n) }))!.saleCount),
      ),
    ).toEqual([2, 1, 0])
    expect(
      (await store.listSales({ cursor: null, limit: 9 })).items.map(({ id, traceCount }) => [id, traceCount]),
    ).toEqual([
      [makeSale(2).id, 1],
      [makeSale(1).id, 2],
    ])
  })

  test('recordSale with an existing id adds nothing, and returns the traces that the first call sold, even if it sold none', async () => {
    const record = (n: number, ids: readonly string[]) =>
      store.recordSale({
        sale: makeSale(n),
        items: makeSaleItems([...ids]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
    expect(await record(1, [])).toEqual([])
    expect(await record(1, makeIds('ann', 0))).toEqual([])
    expect(await store.findTrace({ ownerId: 'ann', id: makeId('ann', 0) })).toMatchObject({ saleCount: 0 })
    expect(await store.findSale({ saleId: makeSale(1).id })).toMatchObject({ usd: 0, traces: 0 })
    expect(await record(2, makeIds('ann', 0, 1))).toEqual(makeIds('ann', 0, 1))
    expect((await record(2, [])).toSorted()).toEqual(makeIds('ann', 0, 1).toSorted())
  })

  test('listSales returns sales newest first, page by page', async () => {
    expect(await store.listSales({ cursor: null, limit: 2 })).toEqual({ items: [], next: null })
    await store.recordSale({
      sale: makeSale(1),
      items: makeSaleItems(makeIds('ann', 0, 1)),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    await store.recordSale({
      sale: makeSale(2),
      items: makeSaleItems(makeIds('ann', 9)),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    await store.recordSale({
      sale: makeSale(3),
      items: makeSaleItems(makeIds('ann', 0)),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    const page = await other.listSales({ cursor: null, limit: 2 })
    expect(page.items).toEqual([
      { ...makeSale(3), traceCount: 1 },
      { ...makeSale(2), usd: 0, traceCount: 0 },
    ])
    expect(await store.listSales({ cursor: page.next, limit: 2 })).toEqual({
      items: [{ ...makeSale(1), traceCount: 2 }],
      next: null,
    })
    expect((await store.listSales({ cursor: null, limit: 3 })).next).toBeNull()
  })

  test('listSales searches, sorts and filters a sale among 300 newer ones', async () => {
    const nums = Array.from({ length: newerRows + 1 }, (_, n) => n + 1)
    const sold = nums.map((n) => ({ ...makeSale(n), buyer: n === 1 ? 'Zig Lab' : `Lab ${n % 7}`, usd: n % 13 }))
    await place().put('ann', makeTraces(sold.length, 'many'))
    for (const [n, sale] of sold.entries()) {
      const items = makeSaleItems(makeIds('many', n))
      await store.recordSale({ sale, items, shares: makeSaleShares(), audit: makeAuditContext() })
    }
    const first = sold[0]!.id
    await expectExactList({
      list: (params) => other.listSales(params),
      idOf: ({ id }) => id,
      ids: sold.map(({ id }) => id),
      sorts: { soldAt: null, buyer: ({ buyer }) => buyer, usd: ({ usd }) => usd },
      found: [
        [first, [first]],
        ['ZIG lab', [first]],
        ['zig labs', []],
      ],
    })
    expect((await other.listSales({ buyer: ' zig lab', cursor: null, limit: 9 })).items).toMatchObject([{ id: first }])
  })

  test('findSimilarSale returns the last sale of the same number of traces to the buyer, even after many other sales', async () => {
    const record = (n: number, buyer: string, ids: readonly string[]) => {
      const sale = { ...makeSale(n), buyer }
      return store.recordSale({ sale, items: makeSaleItems(ids), shares: makeSaleShares(), audit: makeAuditContext() })
    }
    const { soldAt } = makeSale(2)
    const find = (params: object = {}) =>
      other.findSimilarSale({ buyer: ' LAB', traceCount: 1, since: soldAt - 1, exceptId: null, ...params })
    await record(1, 'Lab', makeIds('ann', 0))
    expect(await find()).toBeNull()
    await record(2, 'Lab', makeIds('ann', 1))
    for (let n = 3; n < newerRows + 3; n++) await record(n, 'Lab', [])
    expect(await find()).toEqual({ soldAt })
    expect(await find({ since: soldAt })).toBeNull()
    expect(await find({ exceptId: makeSale(2).id })).toBeNull()
    expect(await find({ exceptId: makeSale(1).id })).toEqual({ soldAt })
    expect([await find({ traceCount: 2 }), await find({ buyer: 'Other' })]).toEqual([null, null])
  })

  test('recordSale sells a sold trace again to another buyer, after which it can no longer be excluded, included or deleted', async () => {
    const id = makeId('ann', 0)
    await store.recordSale({
      sale: makeSale(1),
      items: makeSaleItems([id]),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    expect(
      await store.recordSale({
        sale: makeSale(2),
        items: makeSaleItems([id]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      }),
    ).toEqual([id])
    expect(await store.setSellExcluded({ ownerId: 'ann', ids: [id], sellExcluded: true })).toEqual([])
    expect(await store.setSellExcluded({ ownerId: 'ann', ids: [id], sellExcluded: false })).toEqual([])
    expect(await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [id, makeId('ann', 1)] })).toEqual({
      deleted: makeIds('ann', 1),
      sold: [id],
    })
    // The trace does not exist for another user, so it is not listed as sold.
    expect(await store.deleteUnsoldTraces({ ownerId: 'bob', ids: [id] })).toEqual({ deleted: [], sold: [] })
    expect(await store.findTrace({ ownerId: 'ann', id })).toEqual({ id, sellExcluded: false, saleCount: 2 })
    expect(await store.readTrace({ ownerId: 'ann', id })).toMatchObject({ messages: makeTrace('ann', 0).messages })
  })

  test('recordSale sells a trace once to a buyer if two sales choose it concurrently', async () => {
    const [first, second, third] = makeIds('ann', 0, 1, 2) as [string, string, string]
    const record = (from: DatasetStore, sale: Sale, ids: readonly string[]) =>
      from.recordSale({ sale, items: makeSaleItems(ids), shares: makeSaleShares(), audit: makeAuditContext() })
    const sold = await Promise.all([
      record(store, { ...makeSale(1), buyer: 'Lab' }, [first, second]),
      record(other, { ...makeSale(2), buyer: ' LAB' }, [second, third]),
    ])
    expect(sold.flat().sort()).toEqual([first, second, third].sort())
    const ofSales = await Promise.all([1, 2].map((n) => other.findSale({ saleId: makeSale(n).id })))
    expect(ofSales.map((sale) => sale!.traces)).toEqual(sold.map((ids) => ids.length))
    expect(await record(store, makeSale(3), [second])).toEqual([second])
    const saleCounts = [first, second, third].map((id) => other.findTrace({ ownerId: 'ann', id }))
    expect((await Promise.all(saleCounts)).map((trace) => trace!.saleCount)).toEqual([1, 2, 1])
  })

  test('readSellableTraces returns sold and unsold traces in pages, without excluded traces, and null for lost content', async () => {
    await store.setSellExcluded({ ownerId: 'ann', ids: makeIds('ann', 1), sellExcluded: true })
    await store.recordSale({
      sale: makeSale(1),
      items: makeSaleItems(makeIds('ann', 2)),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    await place().loseContent(makeId('bob', 0))
    const seen: string[] = []
    const lost: string[] = []
    let cursor: number | null = null
    let pages = 0
    do {
      const page = await store.readSellableTraces({ cursor, limit: 3 })
      for (const { id, messages } of await collectAll(page.documents)) (messages === null ? lost : seen).push(id)
      cursor = page.next
      pages++
    } while (cursor !== null)
    expect(seen).toEqual([...makeIds('ann', 0, 2, 3, 4), ...makeIds('bob', 1, 2)])
    expect(lost).toEqual(makeIds('bob', 0))
    expect(pages).toBe(3)
  })

  test('readSellableTraces returns the messages and the owner of a trace', async () => {
    const offered = await collectAll((await store.readSellableTraces({ cursor: null, limit: 6 })).documents)
    expect(offered[5]).toMatchObject({
      ...makeTrace('bob', 0),
      sourceId: 'ann-0',
      contentHash: offered[0]!.contentHash,
    })
  })

  test('readSellableTraces omits a trace that is excluded or deleted while its page is read', async () => {
    const large = JSON.stringify([{ content: 'x'.repeat(1_100_000) }])
    await place().put(
      'cat',
      [0, 1, 2, 3].map((n) => makeTrace('cat', n, { messages: large })),
    )
    const { documents } = await store.readSellableTraces({ cursor: null, limit: 200 })
    const seen: string[] = []
    for await (const { id } of documents) {
      seen.push(id)
      if (id !== makeId('cat', 0)) continue
      await other.setSellExcluded({ ownerId: 'cat', ids: makeIds('cat', 2), sellExcluded: true })
      await other.deleteUnsoldTraces({ ownerId: 'cat', ids: makeIds('cat', 3) })
    }
    expect(seen.slice(-2)).toEqual(makeIds('cat', 0, 1))
  })

  test('recordSale and readSellableTraces omit the sold traces of an erased user', async () => {
    const id = makeId('ann', 0)
    await store.recordSale({
      sale: makeSale(1),
      items: makeSaleItems([id]),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    await other.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() })
    for (const one of [store, other])
      expect(
        await one.recordSale({
          sale: makeSale(2),
          items: makeSaleItems([id, makeId('bob', 0)]),
          shares: makeSaleShares(),
          audit: makeAuditContext(),
        }),
      ).toEqual([makeId('bob', 0)])
    const { documents } = await store.readSellableTraces({ cursor: null, limit: 9 })
    expect((await collectAll(documents)).map((trace) => trace.id)).toEqual(makeIds('bob', 0, 1, 2))
    const { items } = await other.listSales({ cursor: null, limit: 9 })
    expect(items.map(({ traceCount }) => traceCount)).toEqual([1, 1])
  })

  test('readSellableTraces omits the remaining traces of a user who is erased while a page is read', async () => {
    const large = JSON.stringify([{ content: 'x'.repeat(1_100_000) }])
    await place().put(
      'cat',
      [0, 1, 2].map((n) => makeTrace('cat', n, { messages: large })),
    )
    await store.recordSale({
      sale: makeSale(1),
      items: makeSaleItems(makeIds('cat', 0, 1, 2)),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    const { documents } = await store.readSellableTraces({ cursor: null, limit: 200 })
    const seen: string[] = []
    for await (const { id } of documents) {
      seen.push(id)
      if (id === makeId('cat', 0)) await other.eraseTraces({ ownerId: 'cat', notice: makeRemovalNotice() })
    }
    expect(seen.slice(-1)).toEqual(makeIds('cat', 0))
  })

  test("readSoldTraces returns the traces of a sale in the order of the buyer's ids, page by page, under those ids", async () => {
    const sold = [...makeIds('ann', 0, 1, 2), ...makeIds('bob', 1)]
    const items = makeSaleItems(sold)
    await store.recordSale({ sale: makeSale(1), items, shares: makeSaleShares(), audit: makeAuditContext() })
    await store.recordSale({
      sale: makeSale(2),
      items: makeSaleItems(makeIds('ann', 3)),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    const page = (await other.readSoldTraces({ saleId: makeSale(1).id, cursor: null, limit: 3 }))!
    const rest = (await other.readSoldTraces({ saleId: makeSale(1).id, cursor: page.next, limit: 3 }))!
    expect([page.next, rest.next]).toEqual([items[1]!.buyerId, null])
    expect((await other.readSoldTraces({ saleId: makeSale(1).id, cursor: null, limit: 4 }))!.next).toBeNull()
    const documents = [...(await collectAll(page.documents)), ...(await collectAll(rest.documents))]
    const buyerIds = items.map(({ buyerId }) => buyerId).reverse()
    expect(documents.map(({ id, sourceId, messages }) => ({ id, sourceId, messages }))).toEqual(
      [makeTrace('bob', 1), ...[2, 1, 0].map((n) => makeTrace('ann', n))].map(({ messages }, at) => ({
        id: buyerIds[at],
        sourceId: buyerIds[at],
        messages,
      })),
    )
    expect(await store.readSoldTraces({ saleId: makeId('sale', 9), cursor: null, limit: 3 })).toBeNull()
    expect(
      await collectAll(
        (await store.readSoldTraces({ saleId: makeSale(1).id, cursor: 'ffffffff', limit: 3 }))!.documents,
      ),
    ).toEqual([])
  })

  test('readSoldTraces pages through ids with any first character, and past traces of erased people', async () => {
    const ids = [...makeIds('ann', 0, 1, 2), ...makeIds('bob', 0, 1), ...makeIds('ann', 3)]
    const starts = ['ff0', 'a01', '0a2', 'a00', '0a1', '001']
    const items = ids.map((id, at) => ({ id, buyerId: starts[at]! + makeId('d', at).slice(3) }))
    await store.recordSale({ sale: makeSale(1), items, shares: makeSaleShares(), audit: makeAuditContext() })
    await other.eraseTraces({ ownerId: 'bob', notice: makeRemovalNotice() })
    const found: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof store.readSoldTraces>> = await store.readSoldTraces({
        saleId: makeSale(1).id,
        cursor,
        limit: 1,
      })
      for (const { id } of await collectAll(page!.documents)) found.push(id.slice(0, 3))
      cursor = page!.next
    } while (cursor !== null)
    expect(found).toEqual(['001', '0a2', 'a01', 'ff0'])
  })

  test('readSoldTraces links segments and branches of one conversation by an id that only this sale uses', async () => {
    await place().put('cat', [
      makeTrace('cat', 0, { sourceId: 'talk', segmentIndex: 0 }),
      makeTrace('cat', 1, { sourceId: 'talk', segmentIndex: 1 }),
      makeTrace('cat', 2, { sourceId: 'branch', parentTraceId: 'talk' }),
      makeTrace('cat', 3, { sourceId: 'other', parentTraceId: 'unsold' }),
    ])
    const items = makeSaleItems(makeIds('cat', 0, 1, 2, 3))
    await store.recordSale({ sale: makeSale(1), items, shares: makeSaleShares(), audit: makeAuditContext() })
    const readDocuments = async () =>
      collectAll((await other.readSoldTraces({ saleId: makeSale(1).id, cursor: null, limit: 9 }))!.documents)
    const [first, second, branch, unrelated] = items.map(({ buyerId }) => buyerId) as [string, string, string, string]
    const names = (await readDocuments()).map(({ id, sourceId, parentTraceId }) => [id, sourceId, parentTraceId])
    expect(names).toEqual([
      [unrelated, unrelated, null],
      [branch, branch, second],
      [second, second, null],
      [first, second, null],
    ])
    await other.eraseTraces({ ownerId: 'cat', notice: makeRemovalNotice() })
    expect(await readDocuments()).toEqual([])
  })

  test('recordSale and a concurrent setSellExcluded: exactly one takes effect', async () => {
    await place().put('ann', makeTraces(40, 'more'))
    const calls = numbers.flatMap((n) => [
      () =>
        (n % 2 ? store : other)
          .recordSale({
            sale: makeSale(n),
            items: makeSaleItems(many.slice(n, n + 3)),
            shares: makeSaleShares(),
            audit: makeAuditContext(),
          })
          .then((sold) => ({ sold, excluded: [] as string[] })),
      () =>
        (n % 2 ? other : store)
          .setSellExcluded({ ownerId: 'ann', ids: many.slice(n, n + 2), sellExcluded: true })
          .then((states) => ({ sold: [] as string[], excluded: states.map(({ id }) => id) })),
    ])
    const results = await Promise.all(calls.map((call) => call()))
    const sold = new Set(results.flatMap((one) => one.sold))
    const excluded = new Set(results.flatMap((one) => one.excluded))
    expect([...sold].filter((id) => excluded.has(id))).toEqual([])
    expect(sold.size + excluded.size).toBe(40)
    for (const id of many) {
      const state = (await store.findTrace({ ownerId: 'ann', id }))!
      expect([state.saleCount > 0, state.sellExcluded]).toEqual([sold.has(id), excluded.has(id)])
    }
  })

  test('recordSale and a concurrent deleteUnsoldTraces: exactly one takes effect', async () => {
    await place().put('ann', makeTraces(40, 'more'))
    const calls = numbers.flatMap((n) => [
      () =>
        (n % 2 ? store : other)
          .recordSale({
            sale: makeSale(n),
            items: makeSaleItems(many.slice(n, n + 3)),
            shares: makeSaleShares(),
            audit: makeAuditContext(),
          })
          .then((sold) => ({ sold, deleted: [] as string[] })),
      () =>
        (n % 2 ? other : store)
          .deleteUnsoldTraces({ ownerId: 'ann', ids: many.slice(n, n + 2) })
          .then(({ deleted }) => ({ sold: [] as string[], deleted })),
    ])
    const results = await Promise.all(calls.map((call) => call()))
    const sold = new Set(results.flatMap((one) => one.sold))
    const deleted = results.flatMap((one) => one.deleted)
    expect(deleted.filter((id) => sold.has(id))).toEqual([])
    expect(new Set(deleted).size).toBe(deleted.length)
    expect(await readCounts()).toEqual(
      many.map((id) => (deleted.includes(id) ? -1 : results.filter((one) => one.sold.includes(id)).length)),
    )
    expect(sold.size + deleted.length).toBe(40)
  })

  test('recordSale counts each of many concurrent sales', async () => {
    await place().put('ann', makeTraces(40, 'more'))
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : other).recordSale({
          sale: makeSale(n),
          items: makeSaleItems(many),
          shares: makeSaleShares(),
          audit: makeAuditContext(),
        }),
      ),
    )
    expect(await readCounts()).toEqual(many.map(() => 20))
  })

  test('deleteUnsoldTraces returns a deleted trace to only one of many concurrent calls', async () => {
    await place().put('ann', makeTraces(40, 'more'))
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).deleteUnsoldTraces({ ownerId: 'ann', ids: many })),
    )
    expect(results.flatMap(({ deleted }) => deleted).sort()).toEqual([...many].sort())
  })
}
