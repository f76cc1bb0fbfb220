import type { TraceFilter } from '@tributary/core/stores'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeId, makeTrace, makeTraces, makeSaleItems, makeSaleShares } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { makeIds, makeSale, type TracesPlace } from './dataset.ts'

/** Runs the contract tests of `TraceStore` on filters and totals; part of `runTraceStoreContract`. */
export function runTraceFilterContract(place: () => TracesPlace): void {
  let store: TracesPlace['stores'][0]
  beforeEach(() => {
    store = place().stores[0]
  })
  const list = (filter: TraceFilter, cursor: number | null = null, limit = 20) =>
    store.listTraces({ ownerId: 'cat', cursor, limit, filter })
  const findTitles = async (filter: TraceFilter) => (await list(filter)).items.map(({ title }) => title)
  const readStats = (filter?: TraceFilter) => store.getTraceStats({ ownerId: 'cat', filter })
  const put = (changes: readonly Parameters<typeof makeTrace>[2][]) =>
    place().put(
      'cat',
      changes.map((change, number) => makeTrace('cat', number, change)),
    )

  describe('listTraces with a filter', () => {
    test('returns traces whose title contains all words, ignoring case, page by page', async () => {
      await put(
        ['Fix the parser', 'A PARSER for dates', null, 'Fix the roof', '100% of parsers', 'Über CAFÉ'].map((title) => ({
          title,
        })),
      )
      expect(await findTitles({ words: ['parser'] })).toEqual([
        '100% of parsers',
        'A PARSER for dates',
        'Fix the parser',
      ])
      expect(await findTitles({ words: ['PARSER', 'fix'] })).toEqual(['Fix the parser'])
      expect(await findTitles({ words: ['%'] })).toEqual(['100% of parsers'])
      expect(await findTitles({ words: ['über', 'Café'] })).toEqual(['Über CAFÉ'])
      expect(await findTitles({ words: ['nothing'] })).toEqual([])
      const first = await list({ words: ['parser'] }, null, 2)
      expect((await list({ words: ['parser'] }, first.next, 2)).items.map(({ title }) => title)).toEqual([
        'Fix the parser',
      ])
    })

    test('returns the traces with a source, or with createdAt in an inclusive range', async () => {
      await put([
        { title: 'old', createdAt: '2026-09-30T23:59:59.999Z', source: 'codex_jsonl' },
        { title: 'first', createdAt: '2026-10-01T00:00:00.000Z' },
        { title: 'last', createdAt: '2026-10-31T23:59:59.999Z', source: 'codex_jsonl' },
        { title: 'new', createdAt: '2026-11-01T00:00:00.000Z' },
      ])
      const october = { from: '2026-10-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' }
      expect(await findTitles(october)).toEqual(['last', 'first'])
      expect(await findTitles({ from: october.from })).toEqual(['new', 'last', 'first'])
      expect(await findTitles({ to: october.to })).toEqual(['last', 'first', 'old'])
      expect(await findTitles({ source: 'codex_jsonl' })).toEqual(['last', 'old'])
      expect(await findTitles({ ...october, source: 'codex_jsonl', words: ['as'] })).toEqual(['last'])
      expect(await findTitles({ source: 'opencode' })).toEqual([])
    })

    test('returns the traces whose details have an agent or an outcome', async () => {
      await put([
        { title: 'silent' },
        { title: 'damaged', details: '{"agent":{"name":"codex"' },
        { title: 'codex', details: '{"agent":{"name":"codex"},"outcome":{"status":"success"}}' },
        { title: 'other', details: '{"agent":{"name":"Codex"},"outcome":{"status":"failure"}}' },
        {
          title: 'partly',
          details: '{"agent":{"name":"codex","version":"2"},"usage":{},"outcome":{"status":"partial"}}',
        },
      ])
      expect(await findTitles({ agent: 'codex' })).toEqual(['partly', 'codex'])
      expect(await findTitles({ outcome: 'failure' })).toEqual(['other'])
      expect(await findTitles({ agent: 'codex', outcome: 'success' })).toEqual(['codex'])
      expect(await findTitles({ agent: "x' or 1=1 --" })).toEqual([])
      expect(await findTitles({ outcome: 'unknown' })).toEqual([])
      expect(await readStats({ agent: 'codex' })).toMatchObject({ traces: 2 })
    })

    test('returns the traces of the owner in a state', async () => {
      await put([{ title: 'zero' }, { title: 'one' }, { title: 'two' }])
      await store.setSellExcluded({ ownerId: 'cat', ids: makeIds('cat', 1), sellExcluded: true })
      await store.recordSale({
        sale: makeSale(1),
        items: makeSaleItems(makeIds('cat', 2)),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
      expect(await findTitles({ state: 'for_sale' })).toEqual(['zero'])
      expect(await findTitles({ state: 'excluded' })).toEqual(['one'])
      expect(await findTitles({ state: 'sold' })).toEqual(['two'])
      expect(await store.listTraces({ ownerId: 'nobody', cursor: null, limit: 9, filter: { state: 'sold' } })).toEqual({
        items: [],
        next: null,
      })
    })

    test('returns the traces of the owner that a sale contains', async () => {
      await put([{ title: 'zero' }, { title: 'one' }, { title: 'two' }])
      for (const [number, at] of [
        [1, [0, 1]],
        [2, [1, 2]],
      ] as const)
        await store.recordSale({
          sale: makeSale(number),
          items: makeSaleItems(makeIds('cat', ...at)),
          shares: makeSaleShares(),
          audit: makeAuditContext(),
        })
      expect(await findTitles({ saleId: makeSale(1).id })).toEqual(['one', 'zero'])
      expect(await findTitles({ saleId: makeSale(2).id, words: ['two'] })).toEqual(['two'])
      expect(await readStats({ saleId: makeSale(2).id })).toMatchObject({ traces: 2, sold: 2 })
      expect(await findTitles({ saleId: makeSale(3).id })).toEqual([])
      const filter = { saleId: makeSale(1).id }
      expect((await store.listTraces({ ownerId: 'nobody', cursor: null, limit: 9, filter })).items).toEqual([])
    })

    test('finds one trace after 5,000 others, and returns no page after the last match', async () => {
      await put([{ title: 'needle one' }, { title: 'needle two' }])
      await place().put('cat', makeTraces(5_100, 'hay'))
      const first = await list({ words: ['needle'] }, null, 1)
      expect([first.items.map(({ title }) => title), first.next === null]).toEqual([['needle two'], false])
      const second = await list({ words: ['needle'] }, first.next, 1)
      expect([second.items.map(({ title }) => title), second.next]).toEqual([['needle one'], null])
    })
  })

  describe('getTraceStats', () => {
    test('counts states, tokens, dollars and redactions of the owner, and of a filter', async () => {
      expect(await readStats()).toEqual({
        traces: 0,
        forSale: 0,
        excluded: 0,
        sold: 0,
        tokens: 0,
        estimatedUsd: 0,
        redactions: {},
      })
      await put([
        { tokenCount: 10, estimatedUsd: 0.5, redactions: '{"email":2,"secret":1}' },
        { tokenCount: 20, estimatedUsd: 0.25, redactions: '{"email":3}', source: 'codex_jsonl' },
        { tokenCount: 30, estimatedUsd: 0 },
      ])
      await store.setSellExcluded({ ownerId: 'cat', ids: makeIds('cat', 1), sellExcluded: true })
      await store.recordSale({
        sale: makeSale(1),
        items: makeSaleItems(makeIds('cat', 2)),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
      expect(await readStats()).toEqual({
        traces: 3,
        forSale: 1,
        excluded: 1,
        sold: 1,
        tokens: 60,
        estimatedUsd: 0.75,
        redactions: { email: 5, secret: 1 },
      })
      expect(await readStats({ source: 'codex_jsonl' })).toMatchObject({
        traces: 1,
        excluded: 1,
        redactions: { email: 3 },
      })
      expect(await store.getTraceStats({ ownerId: 'nobody' })).toMatchObject({ traces: 0, redactions: {} })
    })

    test('counts more than 5,000 traces, and ignores damaged counts of redactions', async () => {
      await put([{ redactions: '{"email":' }, { redactions: '{"email":"many","secret":1}' }])
      await place().put('cat', makeTraces(5_100, 'many', 0, { redactions: '{"email":1}' }))
      expect(await readStats()).toMatchObject({
        traces: 5_102,
        forSale: 5_102,
        tokens: 10_204,
        redactions: { email: 5_100, secret: 1 },
      })
      await store.deleteUnsoldTraces({ ownerId: 'cat', ids: [makeId('many', 7)] })
      expect(await readStats()).toMatchObject({ traces: 5_101, redactions: { email: 5_099, secret: 1 } })
    })
  })
}
