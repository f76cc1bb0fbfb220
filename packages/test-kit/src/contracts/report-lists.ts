import type { NewReport, ReportFilter, ReportStore } from '@tributary/core/stores'
import { beforeEach, expect, test } from 'vitest'
import { makeAuditContext } from './audit.ts'
import { createTitledReport, makeAgentReport, type ReportsPlace } from './reports-fixture.ts'

/**
 * Runs the contract tests of listing, searching and counting reports. The tests are part of the contract tests of
 * `ReportStore`.
 */
export function runReportListContract(opened: () => ReportsPlace): void {
  let store: ReportStore
  let other: ReportStore
  beforeEach(() => {
    ;[store, other] = [opened().stores[0].reports, opened().stores[1].reports]
  })
  const create = (...report: [title: string, changes?: Partial<NewReport>, subject?: object]) =>
    createTitledReport(store, ...report)

  test('listReports returns pages newest first, by status, with up to twenty pieces of evidence', async () => {
    const reports = [
      makeAgentReport(),
      makeAgentReport({ evidence: [] }),
      makeAgentReport({ evidence: Array.from({ length: 21 }, () => makeAgentReport().evidence[0]!) }),
    ]
    for (const report of reports) await store.createReport({ report: report, keyLease: null, mail: null })
    const [a, b, c] = reports.map(({ id }) => id)
    const page = await other.listReports({ status: null, cursor: null, limit: 2 })
    expect(page.items.map(({ id }) => id)).toEqual([c, b])
    const evidence = reports[2]!.evidence.slice(0, 20).map((piece) => ({ ...piece, reportId: c }))
    expect([page.items[0]!.evidence, page.items[0]!.evidenceCount]).toEqual([evidence, 21])
    expect(page.items[1]).toMatchObject({ evidence: [], evidenceCount: 0 })
    expect(await store.listReports({ status: null, cursor: page.next, limit: 2 })).toMatchObject({
      items: [{ id: a }],
      next: null,
    })
    expect((await store.listReports({ status: null, cursor: null, limit: 3 })).next).toBeNull()
    await store.setReportStatus({ id: b!, status: 'spam', audit: makeAuditContext(5) })
    expect((await store.listReports({ status: 'spam', cursor: null, limit: 2 })).items).toMatchObject([
      { id: b, status: 'spam', changedAt: 5 },
    ])
    expect((await store.listReports({ status: 'open', cursor: null, limit: 5 })).items.map(({ id }) => id)).toEqual([
      c,
      a,
    ])
  })

  test('listReports sorts reports by the time of receipt or of the last change, in both orders, page by page', async () => {
    const reports = Array.from({ length: 5 }, () => makeAgentReport())
    for (const report of reports) await store.createReport({ report, keyLease: null, mail: null })
    const ids = reports.map(({ id }) => id)
    const at = Math.max(...reports.map(({ createdAt }) => createdAt))
    for (const [n, changed] of [3, 0].entries())
      await store.setReportStatus({ id: ids[changed]!, status: 'accepted', audit: makeAuditContext(at + 1 + n) })
    const read = async (sort: 'createdAt' | 'changedAt', order: 'asc' | 'desc') => {
      const found: string[] = []
      for (let cursor: string | null = null; ;) {
        const page: Awaited<ReturnType<ReportStore['listReports']>> = await other.listReports({
          status: null,
          sort,
          order,
          cursor,
          limit: 2,
        })
        found.push(...page.items.map(({ id }) => id))
        if (page.next === null) return found
        cursor = page.next
      }
    }
    expect(await read('createdAt', 'asc')).toEqual(ids)
    expect(await read('createdAt', 'desc')).toEqual(ids.toReversed())
    const changed = await read('changedAt', 'desc')
    expect(changed.slice(0, 2)).toEqual([ids[0], ids[3]])
    expect(await read('changedAt', 'asc')).toEqual(changed.toReversed())
  })

  test('listReports and countReports filter by words, kind and time', async () => {
    const one = await create('The "quick" Über test', { createdAt: 1 }, { surface: 'GET /docs', kind: 'docs_page' })
    const two = await create('Another title', { createdAt: 2 }, { surface: 'upload', kind: 'cli_command' })
    await store.createReport({
      report: makeAgentReport({ similarityHash: two.similarityHash, body: two.body }),
      keyLease: null,
      mail: null,
    })
    await store.setReportStatus({ id: two.id, status: 'resolved', audit: makeAuditContext(9) })
    const findReports = async (filter: ReportFilter) =>
      (await other.listReports({ status: null, filter, cursor: null, limit: 9 })).items.map(({ id }) => id)
    for (const words of [['QUICK'], ['"quick"', 'ÜBER'], ['get', 'docs'], [one.id], []])
      expect([words, (await findReports({ words })).includes(one.id)]).toEqual([words, true])
    for (const words of [['quick', 'nothing'], ['surface'], ['100%'], ['_']])
      expect([words, await findReports({ words })]).toEqual([words, []])
    expect(await findReports({ kind: 'cli_command' })).toEqual([two.id])
    expect(await findReports({ kind: 'other' })).toEqual([])
    expect(await findReports({ from: 2, to: 2 })).toEqual([two.id])
    expect(await findReports({ to: 1, words: ['title'] })).toEqual([])
    const none = { open: 0, investigating: 0, accepted: 0, resolved: 0, dismissed: 0, spam: 0 }
    expect(await store.countReports({ filter: {} })).toEqual({
      statuses: { ...none, open: 1, resolved: 1 },
      duplicates: 1,
    })
    expect(await other.countReports({ filter: { words: ['quick'] } })).toEqual({
      statuses: { ...none, open: 1 },
      duplicates: 0,
    })
  })

  test('listReports finds a report after 500 others that do not match, and returns no page after the last match', async () => {
    const first = await create('needle')
    for (let n = 0; n < 500; n++) await create('hay', { evidence: [] })
    const last = await create('needle')
    const filter = { words: ['needle'] }
    const page = await store.listReports({ status: null, filter, cursor: null, limit: 1 })
    expect(page.items.map(({ id }) => id)).toEqual([last.id])
    expect(await store.listReports({ status: null, filter, cursor: page.next, limit: 1 })).toMatchObject({
      items: [{ id: first.id }],
      next: null,
    })
    expect((await store.countReports({ filter: {} })).statuses.open).toBe(502)
  })
}
