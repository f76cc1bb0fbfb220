import type { DatasetStore, TraceStore } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { madeHash, madeId, madeTrace, madeTraces, saleItems, saleShares } from '../fixtures/seed.ts'
import { all, ids, sale, runTraceSaleContract, type TracesPlace } from './sales.ts'
import { runFilterContract } from './sales-by-filter.ts'
import { byOperator } from './audit.ts'
import { runTraceFilterContract } from './trace-filters.ts'

export type { TracesPlace }

/**
 * Runs the contract tests of `TraceStore` and `DatasetStore`: call it in a test file with what opens a fresh place.
 * Beside each record stands a stranger's.
 */
export function runTraceStoreContract(name: string, open: () => Promise<TracesPlace>): void {
  describe(`TraceStore in ${name}`, () => {
    let place: TracesPlace
    let store: TraceStore & DatasetStore
    beforeEach(async () => {
      place = await open()
      store = place.stores[0]
      await place.put('ann', madeTraces(5, 'ann'))
      // The stranger uses the same names and has one of the same contents.
      await place.put(
        'bob',
        [0, 1, 2].map((n) =>
          madeTrace('bob', n, { sourceId: `ann-${n}`, contentHash: madeHash(n === 0 ? 'ann' : 'bob', n) }),
        ),
      )
    })
    afterEach(() => place.close())

    test('findTrace returns a trace to its owner only', async () => {
      const id = madeId('ann', 0)
      expect(await store.findTrace({ ownerId: 'ann', id })).toEqual({ id, sellExcluded: false, saleCount: 0 })
      expect(await store.findTrace({ ownerId: 'bob', id })).toBeNull()
      expect(await store.findTrace({ ownerId: 'nobody', id })).toBeNull()
      expect(await store.findTrace({ ownerId: 'ann', id: madeId('ann', 99) })).toBeNull()
    })

    test('readTrace returns everything that was stored, to the owner only', async () => {
      const whole = madeTrace('ann', 70, {
        segmentIndex: 3,
        model: null,
        parentTraceId: 'ann-0',
        tokenCount: 123_456,
        estimatedUsd: 0.123456,
        scrubVersion: '7',
        redactions: '{"email":2}',
        messages: JSON.stringify([{ content: 'naïve 日本 😀 "quoted" \\ \u2028' }]),
      })
      await place.put('ann', [whole])
      expect(await store.readTrace({ ownerId: 'ann', id: whole.id })).toMatchObject(whole)
      expect(await store.readTrace({ ownerId: 'bob', id: whole.id })).toBeNull()
      expect(await store.readTrace({ ownerId: 'ann', id: madeId('ann', 99) })).toBeNull()
    })

    test('readTrace returns null messages when the content was lost', async () => {
      await place.loseContent(madeId('ann', 1))
      expect(await store.readTrace({ ownerId: 'ann', id: madeId('ann', 1) })).toMatchObject({
        id: madeId('ann', 1),
        messages: null,
      })
    })

    test('setSellExcluded changes the listed traces of the owner, in the order sent, once each, also repeatedly', async () => {
      const [two, zero] = ids('ann', 2, 0) as [string, string]
      await store.setSellExcluded({ ownerId: 'ann', ids: [zero], sellExcluded: true })
      const sent = [two, madeId('bob', 1), zero, madeId('ann', 99), two]
      expect(await store.setSellExcluded({ ownerId: 'ann', ids: sent, sellExcluded: true })).toEqual(
        [two, zero].map((id) => ({ id, sellExcluded: true, saleCount: 0 })),
      )
      expect(await store.findTrace({ ownerId: 'ann', id: two })).toMatchObject({ sellExcluded: true })
      expect(await store.findTrace({ ownerId: 'ann', id: madeId('ann', 1) })).toMatchObject({ sellExcluded: false })
      expect(await store.findTrace({ ownerId: 'bob', id: madeId('bob', 1) })).toMatchObject({ sellExcluded: false })
      expect(await store.setSellExcluded({ ownerId: 'ann', ids: [two], sellExcluded: false })).toEqual([
        { id: two, sellExcluded: false, saleCount: 0 },
      ])
    })

    test('setSellExcluded and deleteUnsoldTraces accept 500 ids at once', async () => {
      await place.put('ann', madeTraces(500, 'more'))
      const many = Array.from({ length: 500 }, (_, n) => madeId('more', 499 - n))
      expect(
        (await store.setSellExcluded({ ownerId: 'ann', ids: many, sellExcluded: true })).map(({ id }) => id),
      ).toEqual(many)
      expect(await store.deleteUnsoldTraces({ ownerId: 'ann', ids: many })).toEqual({ deleted: many, sold: [] })
      expect((await store.listTraces({ ownerId: 'ann', cursor: null, limit: 200 })).items).toHaveLength(5)
    })

    test('deleteUnsoldTraces deletes a trace everywhere, and its hash stays known to its owner only', async () => {
      const [zero, three] = ids('ann', 0, 3) as [string, string]
      const deleted = await store.deleteUnsoldTraces({
        ownerId: 'ann',
        ids: [three, madeId('bob', 1), zero, madeId('ann', 99), three],
      })
      expect(deleted).toEqual({ deleted: [three, zero], sold: [] })
      expect(await store.findTrace({ ownerId: 'ann', id: zero })).toBeNull()
      expect(await store.readTrace({ ownerId: 'ann', id: zero })).toBeNull()
      expect((await store.listTraces({ ownerId: 'ann', cursor: null, limit: 200 })).items.map(({ id }) => id)).toEqual(
        ids('ann', 4, 2, 1),
      )
      expect((await all(store.exportTraces({ ownerId: 'ann' }))).map(({ id }) => id)).toEqual(ids('ann', 1, 2, 4))
      expect(
        (await all((await store.readSellableTraces({ cursor: null, limit: 200 })).documents)).map(({ id }) => id),
      ).toEqual([...ids('ann', 1, 2, 4), ...ids('bob', 0, 1, 2)])
      expect(
        await store.findKnownHashes({ ownerId: 'ann', hashes: [madeHash('ann', 0), madeHash('ann', 3)] }),
      ).toHaveLength(2)
      // The stranger has the same content under the same name.
      expect(await store.findKnownHashes({ ownerId: 'bob', hashes: [madeHash('ann', 0), madeHash('ann', 3)] })).toEqual(
        [madeHash('ann', 0)],
      )
      expect(await store.readTrace({ ownerId: 'bob', id: madeId('bob', 0) })).toMatchObject({
        sourceId: 'ann-0',
        messages: madeTrace('bob', 0).messages,
      })
      expect(await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [zero] })).toEqual({ deleted: [], sold: [] })
    })

    test('findKnownHashes returns the known hashes of the owner, once each, in the order sent', async () => {
      const [a, b] = [madeHash('ann', 4), madeHash('ann', 0)]
      const sent = [a, madeHash('none', 1), b, a, madeHash('bob', 1), b]
      expect(await store.findKnownHashes({ ownerId: 'ann', hashes: sent })).toEqual([a, b])
      expect(await store.findKnownHashes({ ownerId: 'bob', hashes: sent })).toEqual([b, madeHash('bob', 1)])
      expect(await store.findKnownHashes({ ownerId: 'nobody', hashes: sent })).toEqual([])
      expect(await store.findKnownHashes({ ownerId: 'ann', hashes: [] })).toEqual([])
    })

    test('findKnownHashes returns nothing for what is not 64 lower-case hexadecimal digits', async () => {
      const hash = madeHash('ann', 0)
      const odd = [
        '',
        'x',
        hash.toUpperCase(),
        hash.slice(1),
        `${hash}0`,
        `0x${hash.slice(2)}`,
        ` ${hash}`,
        'ä'.repeat(64),
        `${hash.slice(1)}g`,
        '"]',
        '\0',
      ]
      expect(await store.findKnownHashes({ ownerId: 'ann', hashes: [...odd, hash] })).toEqual([hash])
      expect(await store.findKnownHashes({ ownerId: 'ann', hashes: odd })).toEqual([])
    })

    test('findKnownHashes accepts 5,000 hashes at once', async () => {
      await place.put('ann', madeTraces(2500, 'more'))
      const sent = Array.from({ length: 5000 }, (_, n) => madeHash(n % 2 ? 'none' : 'more', n >> 1))
      expect(await store.findKnownHashes({ ownerId: 'ann', hashes: sent })).toEqual(sent.filter((_, n) => n % 2 === 0))
    })

    test('listTraces returns traces newest first, in pages without gap or repetition', async () => {
      const first = await store.listTraces({ ownerId: 'ann', cursor: null, limit: 2 })
      expect(first.items.map(({ id }) => id)).toEqual(ids('ann', 4, 3))
      // What goes and what comes between two pages moves nothing.
      await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [madeId('ann', 3)] })
      await place.put('ann', [madeTrace('ann', 5)])
      const second = await store.listTraces({ ownerId: 'ann', cursor: first.next, limit: 2 })
      expect(second.items.map(({ id }) => id)).toEqual(ids('ann', 2, 1))
      const third = await store.listTraces({ ownerId: 'ann', cursor: second.next, limit: 2 })
      expect(third).toMatchObject({ items: [{ id: madeId('ann', 0) }], next: null })
      expect((await store.listTraces({ ownerId: 'ann', cursor: second.next, limit: 1 })).next).toBeNull()
      expect(await store.listTraces({ ownerId: 'nobody', cursor: null, limit: 2 })).toEqual({ items: [], next: null })
    })

    test('listTitles returns the titles of the listed traces of the owner that have one', async () => {
      await place.put('ann', [madeTrace('ann', 6, { title: 'Fix the parser' }), madeTrace('ann', 7, { title: null })])
      await place.put('bob', [madeTrace('bob', 6, { title: 'Of bob' })])
      const ids = [madeId('ann', 7), madeId('bob', 6), madeId('ann', 6), madeId('ann', 99)]
      expect(await store.listTitles({ ownerId: 'ann', ids })).toEqual([
        { id: madeId('ann', 6), title: 'Fix the parser' },
      ])
      expect(await store.listTitles({ ownerId: 'ann', ids: [] })).toEqual([])
    })

    test('listTraces returns the record and the sale state of each trace', async () => {
      await store.setSellExcluded({ ownerId: 'ann', ids: [madeId('ann', 4)], sellExcluded: true })
      const { messages: _, ...record } = madeTrace('ann', 4)
      expect((await store.listTraces({ ownerId: 'ann', cursor: null, limit: 1 })).items[0]).toMatchObject({
        ...record,
        sellExcluded: true,
        saleCount: 0,
        storedAt: 0,
      })
    })

    test('exportTraces returns every trace of the owner, oldest first, many or large', async () => {
      const large = JSON.stringify([{ content: 'x'.repeat(700_000) }])
      await place.put(
        'ann',
        [0, 1, 2, 3].map((n) => madeTrace('large', n, { messages: large })),
      )
      await place.put('ann', madeTraces(420, 'more'))
      await place.loseContent(madeId('ann', 2))
      const exported = await all(store.exportTraces({ ownerId: 'ann' }))
      expect(exported.map(({ id }) => id)).toEqual([
        ...ids('ann', 0, 1, 2, 3, 4),
        ...ids('large', 0, 1, 2, 3),
        ...Array.from({ length: 420 }, (_, n) => madeId('more', n)),
      ])
      expect(exported[2]!.messages).toBeNull()
      expect(exported[6]!.messages).toBe(large)
      expect(await all(store.exportTraces({ ownerId: 'nobody' }))).toEqual([])
    })

    test('exportTraces returns the sale state of each trace and its sales, oldest first', async () => {
      const [zero, one] = ids('ann', 0, 1) as [string, string]
      await store.setSellExcluded({ ownerId: 'ann', ids: [one], sellExcluded: true })
      await store.recordSale({ sale: sale(1), items: saleItems([zero]), shares: saleShares(), audit: byOperator() })
      await store.recordSale({
        sale: sale(2),
        items: saleItems([zero, madeId('bob', 1)]),
        shares: saleShares(),
        audit: byOperator(),
      })
      const exported = await all(store.exportTraces({ ownerId: 'ann' }))
      expect(exported[0]).toMatchObject({
        id: zero,
        sellExcluded: false,
        saleCount: 2,
        tokenCount: 2,
        estimatedUsd: 0.000002,
        sales: [1, 2].map((number) => ({
          saleId: sale(number).id,
          buyer: sale(number).buyer,
          soldAt: sale(number).soldAt,
        })),
      })
      expect(exported[1]).toMatchObject({ id: one, sellExcluded: true, saleCount: 0, sales: [] })
      expect(typeof exported[1]!.storedAt).toBe('number')
    })

    test('exportDeletedHashes returns the hashes of deleted traces, also of many deletions, and no others', async () => {
      await place.put('ann', madeTraces(250, 'gone'))
      await store.deleteUnsoldTraces({ ownerId: 'ann', ids: Array.from({ length: 250 }, (_, n) => madeId('gone', n)) })
      await store.deleteUnsoldTraces({ ownerId: 'bob', ids: ids('bob', 0) })
      const hashes = await all(store.exportDeletedHashes({ ownerId: 'ann' }))
      expect(hashes.sort()).toEqual(Array.from({ length: 250 }, (_, n) => madeHash('gone', n)).sort())
      expect(await all(store.exportDeletedHashes({ ownerId: 'nobody' }))).toEqual([])
    })

    test('eraseTraces deletes unsold traces, and keeps sold ones without owner or names', async () => {
      await place.put('ann', [madeTrace('ann', 60, { parentTraceId: 'ann-0' })])
      await place.put('ann', madeTraces(1100, 'more'))
      const kept = madeId('ann', 60)
      await store.recordSale({
        sale: sale(1),
        items: saleItems([kept, madeId('bob', 1)]),
        shares: saleShares(),
        audit: byOperator(),
      })
      while (await store.eraseTraces({ ownerId: 'ann' }));
      expect([await store.eraseTraces({ ownerId: 'ann' }), await store.eraseTraces({ ownerId: 'nobody' })]).toEqual([
        false,
        false,
      ])
      expect(await store.listTraces({ ownerId: 'ann', cursor: null, limit: 10 })).toEqual({ items: [], next: null })
      expect(await store.findTrace({ ownerId: 'ann', id: kept })).toBeNull()
      expect(
        await store.findKnownHashes({
          ownerId: 'ann',
          hashes: [madeHash('ann', 0), madeHash('ann', 60), madeHash('more', 7)],
        }),
      ).toEqual([])
      const offered = await all((await store.readSellableTraces({ cursor: null, limit: 9 })).documents)
      expect(offered.map(({ id }) => id)).toEqual(ids('bob', 0, 1, 2))
      const { documents } = (await store.readSoldTraces({ saleId: sale(1).id, cursor: null, limit: 9 }))!
      const [, sold] = await all(documents)
      expect(sold).toMatchObject({ parentTraceId: null, messages: madeTrace('ann', 60).messages })
      expect(await store.findKnownHashes({ ownerId: 'bob', hashes: [madeHash('ann', 0)] })).toHaveLength(1)
      // Whoever has the same id afterwards starts anew.
      await place.put('ann', madeTraces(1, 'new'))
      expect((await store.listTraces({ ownerId: 'ann', cursor: null, limit: 10 })).items.map(({ id }) => id)).toEqual(
        ids('new', 0),
      )
    })

    runTraceFilterContract(() => place)
    runTraceSaleContract(() => place)
    runFilterContract(() => place)
  })
}
