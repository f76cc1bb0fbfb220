import type { NewReport, ReportStore } from '@tributary/core/stores'
import { beforeEach, expect, test } from 'vitest'
import { makeAuditContext } from './audit.ts'
import { createTitledReport, makeAgentReport, makeReportMail, type ReportsPlace } from './reports-fixture.ts'

/**
 * Runs the contract tests of merging reports and undoing a merge. The tests are part of the contract tests of
 * `ReportStore`.
 */
export function runReportMergeContract(opened: () => ReportsPlace): void {
  let store: ReportStore
  let other: ReportStore
  beforeEach(() => {
    ;[store, other] = [opened().stores[0].reports, opened().stores[1].reports]
  })
  const create = (...report: [title: string, changes?: Partial<NewReport>, subject?: object]) =>
    createTitledReport(store, ...report)

  test('mergeReports makes a report a duplicate with all its data, and separateReport undoes it', async () => {
    const [kept, merged] = [await create('kept'), await create('merged', { similarityHash: 'm' })]
    const joined = await create('merged', { similarityHash: 'm' })
    await store.setReportStatus({ id: merged.id, status: 'accepted', audit: makeAuditContext(5) })
    expect(await other.mergeReports({ id: merged.id, into: kept.id, audit: makeAuditContext(7) })).toMatchObject({
      id: kept.id,
      duplicates: 2,
      evidence: [...kept.evidence, ...merged.evidence, ...joined.evidence],
      changedAt: 7,
    })
    // A report with the same meaning as the merged report is added to the target.
    const later = makeAgentReport({ similarityHash: 'm' })
    expect(
      (await store.createReport({ report: later, keyLease: null, mail: makeReportMail(later) }))!.duplicateOf,
    ).toBe(kept.id)
    const { report, duplicates } = (await other.findReport({ id: kept.id, maxDuplicates: 2 }))!
    expect([report.duplicateOf, report.duplicates, duplicates.map(({ id }) => id)]).toEqual([
      null,
      3,
      [later.id, joined.id],
    ])
    expect((await store.findReport({ id: merged.id, maxDuplicates: 9 }))!.report.duplicateOf).toBe(kept.id)
    const search = { status: null, filter: { words: ['merged'] }, cursor: null, limit: 9 }
    expect((await store.listReports(search)).items.map(({ id }) => id)).toEqual([kept.id])

    expect(await other.separateReport({ id: merged.id, audit: makeAuditContext(8) })).toMatchObject({
      id: merged.id,
      duplicateOf: null,
      status: 'accepted',
      duplicates: 2,
      evidence: [...merged.evidence, ...joined.evidence, ...later.evidence],
      changedAt: 8,
    })
    expect((await store.findReport({ id: kept.id, maxDuplicates: 9 }))!).toMatchObject({
      report: { duplicates: 0, evidence: kept.evidence },
      duplicates: [],
    })
    expect(await store.separateReport({ id: merged.id, audit: makeAuditContext(9) })).toBeNull()
    expect(await store.separateReport({ id: 'nobody', audit: makeAuditContext(9) })).toBeNull()
  })

  test('separateReport undoes one merge at a time: a separated report keeps its own duplicates', async () => {
    const [a, b, c] = [await create('a'), await create('b'), await create('c')]
    await store.mergeReports({ id: a.id, into: b.id, audit: makeAuditContext(5) })
    await store.mergeReports({ id: b.id, into: c.id, audit: makeAuditContext(6) })
    expect(await other.findReport({ id: c.id, maxDuplicates: 0 })).toMatchObject({ report: { duplicates: 2 } })
    expect(await store.separateReport({ id: b.id, audit: makeAuditContext(7) })).toMatchObject({ duplicates: 1 })
    expect(await store.separateReport({ id: a.id, audit: makeAuditContext(8) })).toMatchObject({ duplicates: 0 })
    const counts = await other.countReports({ filter: {} })
    expect([counts.statuses.open, counts.duplicates]).toEqual([3, 0])
  })

  test('mergeReports refuses to merge a report with itself, a report that is already merged, or an unknown report', async () => {
    const [a, b, c] = [await create('a'), await create('b'), await create('c')]
    const merge = (id: string, into: string) => other.mergeReports({ id, into, audit: makeAuditContext(5) })
    expect([await merge('nobody', a.id), await merge(a.id, 'nobody')]).toEqual(['not_found', 'not_found'])
    expect(await merge(a.id, a.id)).toBe('same_report')
    expect(await merge(a.id, b.id)).toMatchObject({ id: b.id, duplicates: 1 })
    expect(await merge(a.id, b.id)).toMatchObject({ id: b.id, duplicates: 1 })
    expect(await merge(b.id, a.id)).toBe('same_report')
    expect(await merge(a.id, c.id)).toBe('already_merged')
    expect(await merge(c.id, a.id)).toMatchObject({ id: b.id, duplicates: 2 })
  })

  test('mergeReports makes one report the duplicate if two calls merge two reports into each other concurrently', async () => {
    const [a, b] = [await create('a'), await create('b')]
    await Promise.all([
      store.mergeReports({ id: a.id, into: b.id, audit: makeAuditContext(5) }),
      other.mergeReports({ id: b.id, into: a.id, audit: makeAuditContext(5) }),
    ])
    expect((await store.listReports({ status: null, cursor: null, limit: 9 })).items).toMatchObject([
      { duplicates: 1, evidenceCount: 2 },
    ])
  })
}
