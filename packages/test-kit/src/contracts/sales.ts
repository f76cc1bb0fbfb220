import type { DatasetStore, NewTrace, Sale, TraceStore } from '@tributary/core'
import { beforeEach, expect, test } from 'vitest'
import { madeId, madeTrace, madeTraces, saleItems, saleShares } from '../fixtures/seed.ts'
import { byOperator } from './audit.ts'

/** A fresh, empty place to keep traces. */
export interface TracesPlace {
  /** Two doors to the same data, as two hosts have them; a store that lives in one process gives itself twice. */
  readonly stores: readonly [TraceStore & DatasetStore, TraceStore & DatasetStore]
  /** Stores traces, past the ingest, in order. Makes the person if need be. */
  put(ownerId: string, traces: Iterable<NewTrace>): Promise<void>
  /** Takes a trace's content away and leaves the trace, as a damaged store would. */
  loseContent(id: string): Promise<void>
  close(): Promise<void>
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Returns a sale of this number, at that second. */
export const sale = (number: number): Sale => ({
  id: madeId('sale', number),
  buyer: 'buyer',
  usd: 12.5,
  soldAt: number * 1000,
})

/** Returns the ids of made traces, by number. */
export const ids = (label: string, ...numbers: number[]): string[] => numbers.map((number) => madeId(label, number))

/**
 * Runs the contract tests of `DatasetStore`; part of `runTraceStoreContract`, which has put five traces of ann and
 * three of bob.
 */
export function runTraceSaleContract(place: () => TracesPlace): void {
  let store: TraceStore & DatasetStore
  let other: TraceStore & DatasetStore
  beforeEach(() => {
    ;[store, other] = place().stores
  })
  const numbers = Array.from({ length: 40 }, (_, n) => n)
  const many = ids('more', ...numbers)
  const counts = async (): Promise<number[]> =>
    Promise.all(many.map(async (id) => (await store.findTrace({ ownerId: 'ann', id }))?.saleCount ?? -1))

  test('recordSale sells each existing trace that is not excluded once, in the order sent', async () => {
    const [zero, one, two, three] = ids('ann', 0, 1, 2, 3) as [string, string, string, string]
    await store.setSellExcluded({ ownerId: 'ann', ids: [one], sellExcluded: true })
    await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [two] })
    const sent = [three, one, madeId('bob', 1), madeId('none', 1), two, zero, three]
    expect(
      await store.recordSale({ sale: sale(1), items: saleItems(sent), shares: saleShares(), audit: byOperator() }),
    ).toEqual([three, madeId('bob', 1), zero])
    expect(await store.findTrace({ ownerId: 'ann', id: three })).toEqual({
      id: three,
      sellExcluded: false,
      saleCount: 1,
    })
    expect(await store.findTrace({ ownerId: 'ann', id: one })).toEqual({ id: one, sellExcluded: true, saleCount: 0 })
    expect(await store.findTrace({ ownerId: 'ann', id: madeId('ann', 4) })).toMatchObject({ saleCount: 0 })
    expect(
      await store.recordSale({
        sale: sale(2),
        items: saleItems([one, two]),
        shares: saleShares(),
        audit: byOperator(),
      }),
    ).toEqual([])
  })

  test('recordSale with the id of an existing sale adds nothing, and returns what that sale sold', async () => {
    const sold = ids('ann', 0, 1)
    expect(
      await store.recordSale({ sale: sale(1), items: saleItems(sold), shares: saleShares(), audit: byOperator() }),
    ).toEqual(sold)
    await store.recordSale({
      sale: sale(2),
      items: saleItems(ids('ann', 0)),
      shares: saleShares(),
      audit: byOperator(),
    })
    expect(
      await other.recordSale({
        sale: sale(1),
        items: saleItems([...sold, madeId('ann', 2)]),
        shares: saleShares(),
        audit: byOperator(),
      }),
    ).toEqual(sold)
    expect(
      await Promise.all(
        [0, 1, 2].map(async (n) => (await store.findTrace({ ownerId: 'ann', id: madeId('ann', n) }))!.saleCount),
      ),
    ).toEqual([2, 1, 0])
    expect(
      (await store.listSales({ cursor: null, limit: 9 })).items.map(({ id, traceCount }) => [id, traceCount]),
    ).toEqual([
      [sale(2).id, 1],
      [sale(1).id, 2],
    ])
  })

  test('listSales returns sales newest first, page by page', async () => {
    expect(await store.listSales({ cursor: null, limit: 2 })).toEqual({ items: [], next: null })
    await store.recordSale({
      sale: sale(1),
      items: saleItems(ids('ann', 0, 1)),
      shares: saleShares(),
      audit: byOperator(),
    })
    await store.recordSale({
      sale: sale(2),
      items: saleItems(ids('ann', 9)),
      shares: saleShares(),
      audit: byOperator(),
    })
    await store.recordSale({
      sale: sale(3),
      items: saleItems(ids('ann', 0)),
      shares: saleShares(),
      audit: byOperator(),
    })
    const page = await other.listSales({ cursor: null, limit: 2 })
    expect(page.items).toEqual([
      { ...sale(3), traceCount: 1 },
      { ...sale(2), traceCount: 0 },
    ])
    expect(await store.listSales({ cursor: page.next, limit: 2 })).toEqual({
      items: [{ ...sale(1), traceCount: 2 }],
      next: null,
    })
  })

  test('recordSale sells a sold trace again, which can no longer be excluded, included or deleted', async () => {
    const id = madeId('ann', 0)
    await store.recordSale({ sale: sale(1), items: saleItems([id]), shares: saleShares(), audit: byOperator() })
    expect(
      await store.recordSale({ sale: sale(2), items: saleItems([id]), shares: saleShares(), audit: byOperator() }),
    ).toEqual([id])
    expect(await store.setSellExcluded({ ownerId: 'ann', ids: [id], sellExcluded: true })).toEqual([])
    expect(await store.setSellExcluded({ ownerId: 'ann', ids: [id], sellExcluded: false })).toEqual([])
    expect(await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [id, madeId('ann', 1)] })).toEqual({
      deleted: ids('ann', 1),
      sold: [id],
    })
    // To a stranger it is not even sold.
    expect(await store.deleteUnsoldTraces({ ownerId: 'bob', ids: [id] })).toEqual({ deleted: [], sold: [] })
    expect(await store.findTrace({ ownerId: 'ann', id })).toEqual({ id, sellExcluded: false, saleCount: 2 })
    expect(await store.readTrace({ ownerId: 'ann', id })).toMatchObject({ messages: madeTrace('ann', 0).messages })
  })

  test('readSellableTraces returns pages of traces, sold or not, without excluded ones, and null for lost content', async () => {
    await store.setSellExcluded({ ownerId: 'ann', ids: ids('ann', 1), sellExcluded: true })
    await store.recordSale({
      sale: sale(1),
      items: saleItems(ids('ann', 2)),
      shares: saleShares(),
      audit: byOperator(),
    })
    await place().loseContent(madeId('bob', 0))
    const seen: string[] = []
    const lost: string[] = []
    let cursor: number | null = null
    let pages = 0
    do {
      const page = await store.readSellableTraces({ cursor, limit: 3 })
      for (const { id, messages } of await all(page.documents)) (messages === null ? lost : seen).push(id)
      cursor = page.next
      pages++
    } while (cursor !== null)
    expect(seen).toEqual([...ids('ann', 0, 2, 3, 4), ...ids('bob', 1, 2)])
    expect(lost).toEqual(ids('bob', 0))
    expect(pages).toBe(3)
  })

  test('readSellableTraces returns the messages and the owner of a trace', async () => {
    const offered = await all((await store.readSellableTraces({ cursor: null, limit: 6 })).documents)
    expect(offered[5]).toMatchObject({
      ...madeTrace('bob', 0),
      sourceId: 'ann-0',
      contentHash: offered[0]!.contentHash,
    })
  })

  test('readSellableTraces omits a trace that is excluded or deleted while its page is read', async () => {
    const large = JSON.stringify([{ content: 'x'.repeat(1_100_000) }])
    await place().put(
      'cat',
      [0, 1, 2, 3].map((n) => madeTrace('cat', n, { messages: large })),
    )
    const { documents } = await store.readSellableTraces({ cursor: null, limit: 200 })
    const seen: string[] = []
    for await (const { id } of documents) {
      seen.push(id)
      if (id !== madeId('cat', 0)) continue
      await other.setSellExcluded({ ownerId: 'cat', ids: ids('cat', 2), sellExcluded: true })
      await other.deleteUnsoldTraces({ ownerId: 'cat', ids: ids('cat', 3) })
    }
    expect(seen.slice(-2)).toEqual(ids('cat', 0, 1))
  })

  test('recordSale and readSellableTraces omit the sold traces of an erased user', async () => {
    const id = madeId('ann', 0)
    await store.recordSale({ sale: sale(1), items: saleItems([id]), shares: saleShares(), audit: byOperator() })
    await other.eraseTraces({ ownerId: 'ann' })
    for (const one of [store, other])
      expect(
        await one.recordSale({
          sale: sale(2),
          items: saleItems([id, madeId('bob', 0)]),
          shares: saleShares(),
          audit: byOperator(),
        }),
      ).toEqual([madeId('bob', 0)])
    const { documents } = await store.readSellableTraces({ cursor: null, limit: 9 })
    expect((await all(documents)).map((trace) => trace.id)).toEqual(ids('bob', 0, 1, 2))
    const { items } = await other.listSales({ cursor: null, limit: 9 })
    expect(items.map(({ traceCount }) => traceCount)).toEqual([1, 1])
  })

  test('readSellableTraces omits the remaining traces of a user who is erased while a page is read', async () => {
    const large = JSON.stringify([{ content: 'x'.repeat(1_100_000) }])
    await place().put(
      'cat',
      [0, 1, 2].map((n) => madeTrace('cat', n, { messages: large })),
    )
    await store.recordSale({
      sale: sale(1),
      items: saleItems(ids('cat', 0, 1, 2)),
      shares: saleShares(),
      audit: byOperator(),
    })
    const { documents } = await store.readSellableTraces({ cursor: null, limit: 200 })
    const seen: string[] = []
    for await (const { id } of documents) {
      seen.push(id)
      if (id === madeId('cat', 0)) await other.eraseTraces({ ownerId: 'cat' })
    }
    expect(seen.slice(-1)).toEqual(ids('cat', 0))
  })

  test("readSoldTraces returns the traces of a sale in the order of the buyer's ids, page by page, under those ids", async () => {
    const sold = [...ids('ann', 0, 1, 2), ...ids('bob', 1)]
    const items = saleItems(sold)
    await store.recordSale({ sale: sale(1), items, shares: saleShares(), audit: byOperator() })
    await store.recordSale({
      sale: sale(2),
      items: saleItems(ids('ann', 3)),
      shares: saleShares(),
      audit: byOperator(),
    })
    const page = (await other.readSoldTraces({ saleId: sale(1).id, cursor: null, limit: 3 }))!
    const rest = (await other.readSoldTraces({ saleId: sale(1).id, cursor: page.next, limit: 3 }))!
    expect([page.next, rest.next]).toEqual([items[1]!.buyerId, null])
    const documents = [...(await all(page.documents)), ...(await all(rest.documents))]
    const buyerIds = items.map(({ buyerId }) => buyerId).reverse()
    expect(documents.map(({ id, sourceId, messages }) => ({ id, sourceId, messages }))).toEqual(
      [madeTrace('bob', 1), ...[2, 1, 0].map((n) => madeTrace('ann', n))].map(({ messages }, at) => ({
        id: buyerIds[at],
        sourceId: buyerIds[at],
        messages,
      })),
    )
    expect(await store.readSoldTraces({ saleId: madeId('sale', 9), cursor: null, limit: 3 })).toBeNull()
    expect(
      await all((await store.readSoldTraces({ saleId: sale(1).id, cursor: 'ffffffff', limit: 3 }))!.documents),
    ).toEqual([])
  })

  test('readSoldTraces links segments and branches of one conversation by an id of that sale', async () => {
    await place().put('cat', [
      madeTrace('cat', 0, { sourceId: 'talk', segmentIndex: 0 }),
      madeTrace('cat', 1, { sourceId: 'talk', segmentIndex: 1 }),
      madeTrace('cat', 2, { sourceId: 'branch', parentTraceId: 'talk' }),
      madeTrace('cat', 3, { sourceId: 'other', parentTraceId: 'unsold' }),
    ])
    const items = saleItems(ids('cat', 0, 1, 2, 3))
    await store.recordSale({ sale: sale(1), items, shares: saleShares(), audit: byOperator() })
    const named = async () =>
      all((await other.readSoldTraces({ saleId: sale(1).id, cursor: null, limit: 9 }))!.documents)
    const [first, second, branch, unrelated] = items.map(({ buyerId }) => buyerId) as [string, string, string, string]
    const names = (await named()).map(({ id, sourceId, parentTraceId }) => [id, sourceId, parentTraceId])
    expect(names).toEqual([
      [unrelated, unrelated, null],
      [branch, branch, second],
      [second, second, null],
      [first, second, null],
    ])
    await other.eraseTraces({ ownerId: 'cat' })
    expect((await named()).map(({ id, sourceId, parentTraceId }) => [id, sourceId, parentTraceId])).toEqual(
      items.map(({ buyerId }) => [buyerId, buyerId, null]).reverse(),
    )
  })

  test('recordSale and setSellExcluded at the same moment: one takes effect, never both', async () => {
    await place().put('ann', madeTraces(40, 'more'))
    const calls = numbers.flatMap((n) => [
      () =>
        (n % 2 ? store : other)
          .recordSale({
            sale: sale(n),
            items: saleItems(many.slice(n, n + 3)),
            shares: saleShares(),
            audit: byOperator(),
          })
          .then((sold) => ({ sold, excluded: [] as string[] })),
      () =>
        (n % 2 ? other : store)
          .setSellExcluded({ ownerId: 'ann', ids: many.slice(n, n + 2), sellExcluded: true })
          .then((states) => ({ sold: [] as string[], excluded: states.map(({ id }) => id) })),
    ])
    const said = await Promise.all(calls.map((call) => call()))
    const sold = new Set(said.flatMap((one) => one.sold))
    const excluded = new Set(said.flatMap((one) => one.excluded))
    expect([...sold].filter((id) => excluded.has(id))).toEqual([])
    expect(sold.size + excluded.size).toBe(40)
    for (const id of many) {
      const state = (await store.findTrace({ ownerId: 'ann', id }))!
      expect([state.saleCount > 0, state.sellExcluded]).toEqual([sold.has(id), excluded.has(id)])
    }
  })

  test('recordSale and deleteUnsoldTraces at the same moment: one takes effect, never both', async () => {
    await place().put('ann', madeTraces(40, 'more'))
    const calls = numbers.flatMap((n) => [
      () =>
        (n % 2 ? store : other)
          .recordSale({
            sale: sale(n),
            items: saleItems(many.slice(n, n + 3)),
            shares: saleShares(),
            audit: byOperator(),
          })
          .then((sold) => ({ sold, deleted: [] as string[] })),
      () =>
        (n % 2 ? other : store)
          .deleteUnsoldTraces({ ownerId: 'ann', ids: many.slice(n, n + 2) })
          .then(({ deleted }) => ({ sold: [] as string[], deleted })),
    ])
    const said = await Promise.all(calls.map((call) => call()))
    const sold = new Set(said.flatMap((one) => one.sold))
    const deleted = said.flatMap((one) => one.deleted)
    expect(deleted.filter((id) => sold.has(id))).toEqual([])
    expect(new Set(deleted).size).toBe(deleted.length)
    expect(await counts()).toEqual(
      many.map((id) => (deleted.includes(id) ? -1 : said.filter((one) => one.sold.includes(id)).length)),
    )
    expect(sold.size + deleted.length).toBe(40)
  })

  test('recordSale counts each of many concurrent sales', async () => {
    await place().put('ann', madeTraces(40, 'more'))
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : other).recordSale({
          sale: sale(n),
          items: saleItems(many),
          shares: saleShares(),
          audit: byOperator(),
        }),
      ),
    )
    expect(await counts()).toEqual(many.map(() => 20))
  })

  test('deleteUnsoldTraces returns a trace to one of many concurrent calls', async () => {
    await place().put('ann', madeTraces(40, 'more'))
    const said = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).deleteUnsoldTraces({ ownerId: 'ann', ids: many })),
    )
    expect(said.flatMap(({ deleted }) => deleted).sort()).toEqual([...many].sort())
  })
}
