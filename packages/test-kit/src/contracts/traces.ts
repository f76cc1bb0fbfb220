import type { DatasetStore, TraceStore } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  makeHash,
  makeId,
  makeTrace,
  makeTraces,
  makeSaleItems,
  makeSaleShares,
  makeRemovalNotice,
} from '../fixtures/seed.ts'
import { collectAll, makeIds, makeSale, runDatasetContract, type TracesPlace } from './dataset.ts'
import { runFilterContract } from './sales-by-filter.ts'
import { makeAuditContext } from './audit.ts'
import { runTraceFilterContract } from './trace-filters.ts'
import { useRealTimes } from './real-times.ts'

export type { TracesPlace }

/**
 * Runs the contract tests of `TraceStore` and `DatasetStore` in a test file: pass a function that opens an empty store.
 * Each test also stores a record of another user.
 */
export function runTraceStoreContract(name: string, open: () => Promise<TracesPlace>): void {
  describe(`TraceStore in ${name}`, () => {
    let place: TracesPlace
    let store: TraceStore & DatasetStore
    beforeEach(async () => {
      place = useRealTimes(await open(), ['until']) // `until` of a sale is a position in the order of traces, not a time
      store = place.stores[0]
      await place.put('ann', makeTraces(5, 'ann'))
      // Another user has traces with the same names, and one of them has the same content.
      await place.put(
        'bob',
        [0, 1, 2].map((n) =>
          makeTrace('bob', n, { sourceId: `ann-${n}`, contentHash: makeHash(n === 0 ? 'ann' : 'bob', n) }),
        ),
      )
    })
    afterEach(() => place.close())

    test('findTrace returns a trace only to its owner', async () => {
      const id = makeId('ann', 0)
      expect(await store.findTrace({ ownerId: 'ann', id })).toEqual({ id, sellExcluded: false, saleCount: 0 })
      expect(await store.findTrace({ ownerId: 'bob', id })).toBeNull()
      expect(await store.findTrace({ ownerId: 'nobody', id })).toBeNull()
      expect(await store.findTrace({ ownerId: 'ann', id: makeId('ann', 99) })).toBeNull()
    })

    test('readTrace returns all stored data of a trace, and only to its owner', async () => {
      const whole = makeTrace('ann', 70, {
        segmentIndex: 3,
        model: null,
        parentTraceId: 'ann-0',
        tokenCount: 123_456,
        estimatedUsd: 0.123456,
        scrubVersion: '7',
        redactions: '{"email":2}',
        details: '{"agent":{"name":"naïve 😀"}}',
        tools: '[{"name":"日本"}]',
        replacements: '{"EMAIL_1":{"category":"email","rule":"email","score":1}}',
        messages: JSON.stringify([{ content: 'naïve 日本 😀 "quoted" \\ \u2028' }]),
      })
      await place.put('ann', [whole])
      expect(await store.readTrace({ ownerId: 'ann', id: whole.id })).toMatchObject(whole)
      expect(await store.readTrace({ ownerId: 'bob', id: whole.id })).toBeNull()
      expect(await store.readTrace({ ownerId: 'ann', id: makeId('ann', 99) })).toBeNull()
    })

    test("reportReplacement marks a placeholder of the owner's trace, and does nothing when it is repeated", async () => {
      const reason = { category: 'email', rule: 'email', score: 1 }
      const trace = makeTrace('ann', 71, { replacements: JSON.stringify({ EMAIL_1: reason, EMAIL_2: reason }) })
      const damaged = makeTrace('ann', 72, { replacements: '{}' })
      await place.put('ann', [trace, damaged])
      const report = (id: string, placeholder: string, ownerId = 'ann') =>
        store.reportReplacement({ ownerId, id, placeholder, now: 0 })
      expect(await report(trace.id, 'EMAIL_1', 'bob')).toBe(false)
      expect(await report(trace.id, 'EMAIL_3')).toBe(false)
      expect(await report(damaged.id, 'EMAIL_1')).toBe(false)
      expect(await report(makeId('ann', 99), 'EMAIL_1')).toBe(false)
      expect(await report(trace.id, 'EMAIL_1')).toBe(true)
      expect(await report(trace.id, 'EMAIL_1')).toBe(false)
      const stored = await store.readTrace({ ownerId: 'ann', id: trace.id })
      expect(JSON.parse(stored!.replacements)).toEqual({ EMAIL_1: { ...reason, isReported: true }, EMAIL_2: reason })
    })

    test('readTrace returns null messages if the content was lost', async () => {
      await place.loseContent(makeId('ann', 1))
      expect(await store.readTrace({ ownerId: 'ann', id: makeId('ann', 1) })).toMatchObject({
        id: makeId('ann', 1),
        messages: null,
      })
    })

    test('setSellExcluded changes each listed trace of the owner once, in the order sent, even if an id is repeated', async () => {
      const [two, zero] = makeIds('ann', 2, 0) as [string, string]
      await store.setSellExcluded({ ownerId: 'ann', ids: [zero], sellExcluded: true })
      const sent = [two, makeId('bob', 1), zero, makeId('ann', 99), two]
      expect(await store.setSellExcluded({ ownerId: 'ann', ids: sent, sellExcluded: true })).toEqual(
        [two, zero].map((id) => ({ id, sellExcluded: true, saleCount: 0 })),
      )
      expect(await store.findTrace({ ownerId: 'ann', id: two })).toMatchObject({ sellExcluded: true })
      expect(await store.findTrace({ ownerId: 'ann', id: makeId('ann', 1) })).toMatchObject({ sellExcluded: false })
      expect(await store.findTrace({ ownerId: 'bob', id: makeId('bob', 1) })).toMatchObject({ sellExcluded: false })
      expect(await store.setSellExcluded({ ownerId: 'ann', ids: [two], sellExcluded: false })).toEqual([
        { id: two, sellExcluded: false, saleCount: 0 },
      ])
    })

    test('setSellExcluded and deleteUnsoldTraces accept 500 ids in one call', async () => {
      await place.put('ann', makeTraces(500, 'more'))
      const many = Array.from({ length: 500 }, (_, n) => makeId('more', 499 - n))
      expect(
        (await store.setSellExcluded({ ownerId: 'ann', ids: many, sellExcluded: true })).map(({ id }) => id),
      ).toEqual(many)
      expect(await store.deleteUnsoldTraces({ ownerId: 'ann', ids: many })).toEqual({ deleted: many, sold: [] })
      expect((await store.listTraces({ ownerId: 'ann', cursor: null, limit: 200 })).items).toHaveLength(5)
    })

    test('deleteUnsoldTraces deletes a trace completely, and keeps its hash known only for its owner', async () => {
      const [zero, three] = makeIds('ann', 0, 3) as [string, string]
      const deleted = await store.deleteUnsoldTraces({
        ownerId: 'ann',
        ids: [three, makeId('bob', 1), zero, makeId('ann', 99), three],
      })
      expect(deleted).toEqual({ deleted: [three, zero], sold: [] })
      expect(await store.findTrace({ ownerId: 'ann', id: zero })).toBeNull()
      expect(await store.readTrace({ ownerId: 'ann', id: zero })).toBeNull()
      expect((await store.listTraces({ ownerId: 'ann', cursor: null, limit: 200 })).items.map(({ id }) => id)).toEqual(
        makeIds('ann', 4, 2, 1),
      )
      expect((await collectAll(store.exportTraces({ ownerId: 'ann' }))).map(({ id }) => id)).toEqual(
        makeIds('ann', 1, 2, 4),
      )
      expect(
        (await collectAll((await store.readSellableTraces({ cursor: null, limit: 200 })).documents)).map(
          ({ id }) => id,
        ),
      ).toEqual([...makeIds('ann', 1, 2, 4), ...makeIds('bob', 0, 1, 2)])
      expect(
        await store.findKnownHashes({ ownerId: 'ann', hashes: [makeHash('ann', 0), makeHash('ann', 3)] }),
      ).toHaveLength(2)
      // Another user has the same content under the same name.
      expect(await store.findKnownHashes({ ownerId: 'bob', hashes: [makeHash('ann', 0), makeHash('ann', 3)] })).toEqual(
        [makeHash('ann', 0)],
      )
      expect(await store.readTrace({ ownerId: 'bob', id: makeId('bob', 0) })).toMatchObject({
        sourceId: 'ann-0',
        messages: makeTrace('bob', 0).messages,
      })
      expect(await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [zero] })).toEqual({ deleted: [], sold: [] })
    })

    test('findKnownHashes returns each known hash of the owner once, in the order sent', async () => {
      const [a, b] = [makeHash('ann', 4), makeHash('ann', 0)]
      const sent = [a, makeHash('none', 1), b, a, makeHash('bob', 1), b]
      expect(await store.findKnownHashes({ ownerId: 'ann', hashes: sent })).toEqual([a, b])
      expect(await store.findKnownHashes({ ownerId: 'bob', hashes: sent })).toEqual([b, makeHash('bob', 1)])
      expect(await store.findKnownHashes({ ownerId: 'nobody', hashes: sent })).toEqual([])
      expect(await store.findKnownHashes({ ownerId: 'ann', hashes: [] })).toEqual([])
    })

    test('findKnownHashes returns nothing for a text that is not 64 lower-case hexadecimal digits', async () => {
      const hash = makeHash('ann', 0)
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

    test('findKnownHashes accepts 5,000 hashes in one call', async () => {
      await place.put('ann', makeTraces(2500, 'more'))
      const sent = Array.from({ length: 5000 }, (_, n) => makeHash(n % 2 ? 'none' : 'more', n >> 1))
      expect(await store.findKnownHashes({ ownerId: 'ann', hashes: sent })).toEqual(sent.filter((_, n) => n % 2 === 0))
    })

    test('listTraces returns traces newest first, in pages without gaps or repetitions', async () => {
      const first = await store.listTraces({ ownerId: 'ann', cursor: null, limit: 2 })
      expect(first.items.map(({ id }) => id)).toEqual(makeIds('ann', 4, 3))
      // A trace that is added or deleted between two pages does not shift the rest of the list.
      await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [makeId('ann', 3)] })
      await place.put('ann', [makeTrace('ann', 5)])
      const second = await store.listTraces({ ownerId: 'ann', cursor: first.next, limit: 2 })
      expect(second.items.map(({ id }) => id)).toEqual(makeIds('ann', 2, 1))
      const third = await store.listTraces({ ownerId: 'ann', cursor: second.next, limit: 2 })
      expect(third).toMatchObject({ items: [{ id: makeId('ann', 0) }], next: null })
      expect((await store.listTraces({ ownerId: 'ann', cursor: second.next, limit: 1 })).next).toBeNull()
      expect(await store.listTraces({ ownerId: 'nobody', cursor: null, limit: 2 })).toEqual({ items: [], next: null })
    })

    test('listTitles returns the titles of the listed traces of the owner', async () => {
      await place.put('ann', [makeTrace('ann', 6, { title: 'Fix the parser' }), makeTrace('ann', 7, { title: null })])
      await place.put('bob', [makeTrace('bob', 6, { title: 'Of bob' })])
      const ids = [makeId('ann', 7), makeId('bob', 6), makeId('ann', 6), makeId('ann', 99)]
      const { scrubVersion } = makeTrace('ann', 6)
      const versions = { scrubVersion, identityRevision: 0, ownerRevision: 0 }
      const listed = await store.listTitles({ ownerId: 'ann', ids })
      expect(listed.sort((a, b) => a.id.localeCompare(b.id))).toEqual([
        { id: makeId('ann', 6), title: 'Fix the parser', ...versions },
        { id: makeId('ann', 7), title: null, ...versions },
      ])
      expect(await store.listTitles({ ownerId: 'ann', ids: [] })).toEqual([])
    })

    test('listTraces returns the record and the sale state of each trace', async () => {
      await store.setSellExcluded({ ownerId: 'ann', ids: [makeId('ann', 4)], sellExcluded: true })
      const { messages: _, replacements: __, tools: ___, ...record } = makeTrace('ann', 4)
      expect((await store.listTraces({ ownerId: 'ann', cursor: null, limit: 1 })).items[0]).toMatchObject({
        ...record,
        sellExcluded: true,
        saleCount: 0,
        storedAt: 0,
        ownerRevision: 0,
      })
    })

    test('exportTraces returns every trace of the owner, oldest first, including many or large traces', async () => {
      const large = JSON.stringify([{ content: 'x'.repeat(700_000) }])
      await place.put(
        'ann',
        [0, 1, 2, 3].map((n) => makeTrace('large', n, { messages: large })),
      )
      await place.put('ann', makeTraces(420, 'more'))
      await place.loseContent(makeId('ann', 2))
      const exported = await collectAll(store.exportTraces({ ownerId: 'ann' }))
      expect(exported.map(({ id }) => id)).toEqual([
        ...makeIds('ann', 0, 1, 2, 3, 4),
        ...makeIds('large', 0, 1, 2, 3),
        ...Array.from({ length: 420 }, (_, n) => makeId('more', n)),
      ])
      expect(exported[2]!.messages).toBeNull()
      expect(exported[6]!.messages).toBe(large)
      expect(await collectAll(store.exportTraces({ ownerId: 'nobody' }))).toEqual([])
    })

    test('exportTraces returns the sale state of each trace and its sales, oldest first', async () => {
      const [zero, one] = makeIds('ann', 0, 1) as [string, string]
      await store.setSellExcluded({ ownerId: 'ann', ids: [one], sellExcluded: true })
      await store.recordSale({
        sale: makeSale(1),
        items: makeSaleItems([zero]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
      await store.recordSale({
        sale: makeSale(2),
        items: makeSaleItems([zero, makeId('bob', 1)]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
      const exported = await collectAll(store.exportTraces({ ownerId: 'ann' }))
      expect(exported[0]).toMatchObject({
        id: zero,
        sellExcluded: false,
        saleCount: 2,
        tokenCount: 2,
        estimatedUsd: 0.000002,
        sales: [1, 2].map((number) => ({
          saleId: makeSale(number).id,
          buyer: makeSale(number).buyer,
          soldAt: makeSale(number).soldAt,
        })),
      })
      expect(exported[1]).toMatchObject({ id: one, sellExcluded: true, saleCount: 0, sales: [] })
      expect(typeof exported[1]!.storedAt).toBe('number')
    })

    test('exportDeletedHashes returns exactly the hashes of deleted traces, even after many deletions', async () => {
      await place.put('ann', makeTraces(250, 'gone'))
      await store.deleteUnsoldTraces({ ownerId: 'ann', ids: Array.from({ length: 250 }, (_, n) => makeId('gone', n)) })
      await store.deleteUnsoldTraces({ ownerId: 'bob', ids: makeIds('bob', 0) })
      const hashes = await collectAll(store.exportDeletedHashes({ ownerId: 'ann' }))
      expect(hashes.sort()).toEqual(Array.from({ length: 250 }, (_, n) => makeHash('gone', n)).sort())
      expect(await collectAll(store.exportDeletedHashes({ ownerId: 'nobody' }))).toEqual([])
    })

    test('eraseTraces deletes unsold traces, and keeps sold traces, which then have no owner and are no longer delivered', async () => {
      await place.put('ann', [makeTrace('ann', 60, { parentTraceId: 'ann-0' })])
      await place.put('ann', makeTraces(1100, 'more'))
      const kept = makeId('ann', 60)
      await store.recordSale({
        sale: makeSale(1),
        items: makeSaleItems([kept, makeId('bob', 1)]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
      while (await store.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() }));
      expect([
        await store.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() }),
        await store.eraseTraces({ ownerId: 'nobody', notice: makeRemovalNotice() }),
      ]).toEqual([false, false])
      expect(await store.listTraces({ ownerId: 'ann', cursor: null, limit: 10 })).toEqual({ items: [], next: null })
      expect(await store.findTrace({ ownerId: 'ann', id: kept })).toBeNull()
      expect(
        await store.findKnownHashes({
          ownerId: 'ann',
          hashes: [makeHash('ann', 0), makeHash('ann', 60), makeHash('more', 7)],
        }),
      ).toEqual([])
      const offered = await collectAll((await store.readSellableTraces({ cursor: null, limit: 9 })).documents)
      expect(offered.map(({ id }) => id)).toEqual(makeIds('bob', 0, 1, 2))
      const { documents } = (await store.readSoldTraces({ saleId: makeSale(1).id, cursor: null, limit: 9 }))!
      expect(await collectAll(documents)).toHaveLength(1)
      expect(await store.findKnownHashes({ ownerId: 'bob', hashes: [makeHash('ann', 0)] })).toHaveLength(1)
      // A new person with the same id starts without data.
      await place.put('ann', makeTraces(1, 'new'))
      expect((await store.listTraces({ ownerId: 'ann', cursor: null, limit: 10 })).items.map(({ id }) => id)).toEqual(
        makeIds('new', 0),
      )
    })

    runTraceFilterContract(() => place)
    runDatasetContract(() => place)
    runFilterContract(() => place)
  })
}
