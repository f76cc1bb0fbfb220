import type { KeyLease, NewReport, OutboxStore, ReportStore, StoredReceipt } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeAuditContext } from './audit.ts'
import { runReportListContract } from './report-lists.ts'
import { runReportMergeContract } from './report-merges.ts'
import { makeAgentReport, makeReportMail, type ReportsPlace } from './reports-fixture.ts'
import { useRealTimes } from './real-times.ts'

const makeReceipt = (
  { id, receiptId, evidence, createdAt }: NewReport,
  duplicateOf: string | null = null,
): StoredReceipt => ({
  id: receiptId,
  reportId: id,
  duplicateOf,
  evidenceIds: evidence.map((one) => one.id),
  createdAt,
})
const times = { now: 1000, until: 2000, since: 0 }

/** Runs the contract tests of `ReportStore` in the test file that calls it; `open` returns an empty store. */
export function runReportStoreContract(name: string, open: () => Promise<ReportsPlace>): void {
  describe(`ReportStore in ${name}`, () => {
    let place: ReportsPlace
    let store: ReportStore
    let other: ReportStore
    let outbox: OutboxStore
    beforeEach(async () => {
      place = useRealTimes(await open())
      store = place.stores[0].reports
      other = place.stores[1].reports
      outbox = place.stores[1].outbox
    })
    afterEach(() => place.close?.())
    const listMailIds = async (): Promise<string[]> =>
      (await outbox.list({ cursor: null, limit: 200 })).items.map(({ id }) => id)

    test('createReport stores a report with its receipt and its mail', async () => {
      const report = makeAgentReport()
      expect(await store.createReport({ report: report, keyLease: null, mail: makeReportMail(report) })).toEqual(
        makeReceipt(report),
      )
      expect(await listMailIds()).toEqual([report.id])
      const quiet = makeAgentReport({ evidence: [] })
      expect(await store.createReport({ report: quiet, keyLease: null, mail: null })).toEqual(makeReceipt(quiet))
      expect(await listMailIds()).toEqual([report.id])
    })

    test('claimKey returns `claimed` to one of many concurrent calls, `busy` to the other calls, and later the receipt', async () => {
      const report = makeAgentReport()
      const keyLeases = Array.from({ length: 50 }, (_, at): KeyLease => ({ key: 'k', lease: `lease ${at}` }))
      const said = await Promise.all(
        keyLeases.map((keyLease, at) =>
          (at % 2 ? store : other).claimKey({ ...keyLease, fingerprint: 'print', ...times }),
        ),
      )
      expect(said.filter((one) => one === 'claimed')).toHaveLength(1)
      expect(said.filter((one) => one === 'busy')).toHaveLength(49)
      const winner = keyLeases[said.indexOf('claimed')]!
      const loser = keyLeases[said.indexOf('busy')]!
      expect(await store.createReport({ report: makeAgentReport(), keyLease: loser, mail: null })).toBeNull()
      expect(await store.createReport({ report: report, keyLease: winner, mail: makeReportMail(report) })).toEqual(
        makeReceipt(report),
      )
      expect(await other.createReport({ report: makeAgentReport(), keyLease: winner, mail: null })).toBeNull()
      expect(await other.claimKey({ ...loser, fingerprint: 'print', ...times })).toEqual(makeReceipt(report))
      expect(await listMailIds()).toEqual([report.id])
    })

    test('claimKey returns mismatch for a different report with the same key', async () => {
      const keyLease = { key: 'k', lease: 'a' }
      expect(await store.claimKey({ ...keyLease, fingerprint: 'print', ...times })).toBe('claimed')
      expect(await other.claimKey({ key: 'k', lease: 'b', fingerprint: 'another', ...times })).toBe('mismatch')
      await store.createReport({ report: makeAgentReport(), keyLease: keyLease, mail: null })
      expect(await other.claimKey({ key: 'k', lease: 'b', fingerprint: 'another', ...times })).toBe('mismatch')
      expect(await other.claimKey({ key: 'l', lease: 'b', fingerprint: 'another', ...times })).toBe('claimed')
    })

    test('claimKey returns the receipt if a former fingerprint matches the stored fingerprint', async () => {
      const report = makeAgentReport()
      const keyLease = { key: 'k', lease: 'a' }
      await store.claimKey({ ...keyLease, fingerprint: 'print', ...times })
      await store.createReport({ report, keyLease, mail: null })
      const rotated = { key: 'k', lease: 'b', fingerprint: 'new print', ...times }
      expect(await other.claimKey({ ...rotated, formerFingerprints: ['older print'] })).toBe('mismatch')
      expect(await other.claimKey({ ...rotated, formerFingerprints: ['older print', 'print'] })).toEqual(
        makeReceipt(report),
      )
    })

    test('claimKey returns `claimed` after the lease expired, and createReport returns null for the expired lease', async () => {
      const dead = { key: 'k', lease: 'dead' }
      const next = { key: 'k', lease: 'next' }
      await store.claimKey({ ...dead, fingerprint: 'print', ...times })
      expect(await other.claimKey({ ...next, fingerprint: 'print', ...times, now: 1999 })).toBe('busy')
      expect(await other.claimKey({ ...next, fingerprint: 'print', ...times, now: 2000, until: 3000 })).toBe('claimed')
      expect(await store.createReport({ report: makeAgentReport(), keyLease: dead, mail: null })).toBeNull()
      const report = makeAgentReport()
      expect(await other.createReport({ report: report, keyLease: next, mail: null })).toEqual(makeReceipt(report))
      expect(await store.claimKey({ ...dead, fingerprint: 'print', ...times, now: 9000, until: 9001 })).toEqual(
        makeReceipt(report),
      )
    })

    test("claimKey leaves a lease to a host if that host's clock is ahead by at most the length of a lease", async () => {
      await store.claimKey({ key: 'k', lease: 'ahead', fingerprint: 'print', ...times })
      const claimBehind = (now: number) =>
        other.claimKey({ key: 'k', lease: 'behind', fingerprint: 'print', ...times, now, until: now + 500 })
      expect([await claimBehind(1000), await claimBehind(999)]).toEqual(['busy', 'claimed'])
    })

    test('claimKey ignores keys that were used before `since`, and deleteKeys deletes old keys', async () => {
      const keyLease = { key: 'k', lease: 'a' }
      await store.claimKey({ ...keyLease, fingerprint: 'print', ...times })
      await store.createReport({ report: makeAgentReport(), keyLease: keyLease, mail: null })
      expect(await store.deleteKeys({ before: 1000 })).toBe(false)
      expect(
        await other.claimKey({ key: 'k', lease: 'b', fingerprint: 'another', now: 5000, until: 6000, since: 1000 }),
      ).toBe('mismatch')
      expect(
        await other.claimKey({ key: 'k', lease: 'b', fingerprint: 'another', now: 5000, until: 6000, since: 1001 }),
      ).toBe('claimed')
      await store.deleteKeys({ before: 5001 })
      expect(
        await store.claimKey({ key: 'k', lease: 'c', fingerprint: 'third', now: 5000, until: 6000, since: 0 }),
      ).toBe('claimed')
    })

    test('createReport stores a report with the same meaning as an open report as a duplicate of it, without a mail', async () => {
      const first = makeAgentReport()
      const second = makeAgentReport({ similarityHash: first.similarityHash })
      const third = makeAgentReport({ similarityHash: first.similarityHash })
      await store.createReport({ report: first, keyLease: null, mail: makeReportMail(first) })
      expect(await other.createReport({ report: second, keyLease: null, mail: makeReportMail(second) })).toEqual(
        makeReceipt(second, first.id),
      )
      expect(await store.createReport({ report: third, keyLease: null, mail: makeReportMail(third) })).toEqual(
        makeReceipt(third, first.id),
      )
      expect(await listMailIds()).toEqual([first.id])
    })

    test('attachEvidence adds to the report, or to the original of a duplicate', async () => {
      const first = makeAgentReport()
      const second = makeAgentReport({ similarityHash: first.similarityHash })
      await store.createReport({ report: first, keyLease: null, mail: null })
      await store.createReport({ report: second, keyLease: null, mail: null })
      const [one, two] = [makeAgentReport().evidence, makeAgentReport().evidence]
      const receipt = { id: 'r1', reportId: first.id, duplicateOf: null, evidenceIds: [one[0]!.id], createdAt: 7 }
      expect(
        await other.attachEvidence({ reportId: first.id, receiptId: 'r1', evidence: one, maxEvidence: 100, now: 7 }),
      ).toEqual(receipt)
      expect(
        await store.attachEvidence({ reportId: second.id, receiptId: 'r2', evidence: two, maxEvidence: 100, now: 8 }),
      ).toEqual({
        id: 'r2',
        reportId: second.id,
        duplicateOf: first.id,
        evidenceIds: [two[0]!.id],
        createdAt: 8,
      })
      expect(
        await store.attachEvidence({ reportId: 'nobody', receiptId: 'r3', evidence: one, maxEvidence: 100, now: 9 }),
      ).toBeNull()
      expect(await store.findReceipt({ id: 'r1' })).toEqual(receipt)
      expect(await other.findReceipt({ id: second.receiptId })).toEqual(makeReceipt(second, first.id))
      expect(await store.findReceipt({ id: 'r3' })).toBeNull()
      const { items } = await other.listReports({ status: null, cursor: null, limit: 10 })
      expect(items).toEqual([
        {
          id: first.id,
          duplicateOf: null,
          status: 'open',
          body: first.body,
          evidence: [
            ...first.evidence.map((piece) => ({ ...piece, reportId: first.id })),
            ...second.evidence.map((piece) => ({ ...piece, reportId: second.id })),
            ...one.map((piece) => ({ ...piece, reportId: first.id })),
            ...two.map((piece) => ({ ...piece, reportId: second.id })),
          ],
          evidenceCount: 4,
          duplicates: 1,
          createdAt: first.createdAt,
          changedAt: first.createdAt,
        },
      ])
    })

    test('createReport and attachEvidence keep up to maxEvidence pieces of evidence, which receipts list', async () => {
      const makeEvidence = (n: number) => Array.from({ length: n }, () => makeAgentReport().evidence[0]!)
      const first = makeAgentReport({ evidence: makeEvidence(3), maxEvidence: 5 })
      expect(await store.createReport({ report: first, keyLease: null, mail: null })).toEqual(makeReceipt(first))
      const second = makeAgentReport({
        similarityHash: first.similarityHash,
        evidence: makeEvidence(3),
        maxEvidence: 5,
      })
      const ids = second.evidence.map(({ id }) => id)
      expect(await other.createReport({ report: second, keyLease: null, mail: null })).toEqual({
        ...makeReceipt(second, first.id),
        evidenceIds: ids.slice(0, 2),
      })
      const third = makeAgentReport({ similarityHash: first.similarityHash, evidence: makeEvidence(1), maxEvidence: 5 })
      expect(await other.createReport({ report: third, keyLease: null, mail: null })).toEqual({
        ...makeReceipt(third, first.id),
        evidenceIds: [],
      })
      expect(await store.findReceipt({ id: second.receiptId })).toMatchObject({ evidenceIds: ids.slice(0, 2) })
      expect(
        await store.attachEvidence({
          reportId: third.id,
          receiptId: 'late',
          evidence: makeEvidence(2),
          maxEvidence: 5,
          now: 9,
        }),
      ).toMatchObject({ evidenceIds: [] })
      const more = makeEvidence(2)
      expect(
        await store.attachEvidence({ reportId: first.id, receiptId: 'later', evidence: more, maxEvidence: 6, now: 9 }),
      ).toMatchObject({ evidenceIds: [more[0]!.id] })
      expect((await other.listReports({ status: null, cursor: null, limit: 9 })).items).toMatchObject([
        { id: first.id, evidenceCount: 6, duplicates: 2 },
      ])
      const elsewhere = makeAgentReport({ evidence: makeEvidence(4), maxEvidence: 5 })
      expect(await store.createReport({ report: elsewhere, keyLease: null, mail: null })).toEqual(
        makeReceipt(elsewhere),
      )
    })

    test('createReport keeps up to maxEvidence pieces of evidence from many concurrent duplicates', async () => {
      const reports = Array.from({ length: 12 }, () => makeAgentReport({ similarityHash: 'one', maxEvidence: 7 }))
      const kept = await Promise.all(
        reports.map((report, at) =>
          (at % 2 ? store : other).createReport({ report: report, keyLease: null, mail: null }),
        ),
      )
      expect(kept.flatMap((receipt) => receipt!.evidenceIds)).toHaveLength(7)
      expect((await store.listReports({ status: null, cursor: null, limit: 9 })).items).toMatchObject([
        { evidenceCount: 7, duplicates: 11 },
      ])
    })

    test('deleteStaleReports deletes only unchanged reports, with all their data', async () => {
      const makeReportAt = (createdAt: number, meaning: string) =>
        makeAgentReport({ createdAt, similarityHash: meaning })
      const [old, again, triaged, joined, fresh, attached] = [
        makeReportAt(10, 'a'),
        makeReportAt(20, 'a'),
        makeReportAt(10, 'b'),
        makeReportAt(10, 'c'),
        makeReportAt(100, 'd'),
        makeReportAt(10, 'e'),
      ]
      const late = makeReportAt(100, 'c')
      for (const report of [old, again, triaged, joined, fresh, attached, late])
        await store.createReport({ report: report, keyLease: null, mail: null })
      await store.setReportStatus({ id: triaged.id, status: 'resolved', audit: makeAuditContext(100) })
      await store.attachEvidence({
        reportId: attached.id,
        receiptId: 'later',
        evidence: makeAgentReport().evidence,
        maxEvidence: 100,
        now: 100,
      })
      expect(await other.deleteStaleReports({ before: 100 })).toBe(false)
      const { items } = await store.listReports({ status: null, cursor: null, limit: 9 })
      expect(items.map(({ id }) => id)).toEqual([attached, fresh, joined, triaged].map(({ id }) => id))
      expect(items.map(({ evidenceCount }) => evidenceCount)).toEqual([2, 1, 2, 1])
      for (const gone of [old, again]) {
        expect(await store.findReceipt({ id: gone.receiptId })).toBeNull()
        expect(
          await store.attachEvidence({
            reportId: gone.id,
            receiptId: 'too late',
            evidence: makeAgentReport().evidence,
            maxEvidence: 100,
            now: 101,
          }),
        ).toBeNull()
      }
      expect(await store.findReceipt({ id: late.receiptId })).toEqual(makeReceipt(late, joined.id))
      const anew = makeReportAt(200, 'a')
      expect((await other.createReport({ report: anew, keyLease: null, mail: null }))!.duplicateOf).toBeNull()
      expect((await other.listReports({ status: null, cursor: null, limit: 1 })).items).toMatchObject([
        { id: anew.id, evidenceCount: 1, duplicates: 0 },
      ])
    })

    test('createReport makes duplicates only of open, investigating and accepted reports', async () => {
      for (const status of ['investigating', 'accepted', 'open', 'resolved', 'dismissed', 'spam'] as const) {
        const [first, second] = [
          makeAgentReport({ similarityHash: status }),
          makeAgentReport({ similarityHash: status }),
        ]
        await store.createReport({ report: first, keyLease: null, mail: null })
        expect(await other.setReportStatus({ id: first.id, status: status, audit: makeAuditContext(6) })).toMatchObject(
          {
            id: first.id,
            status,
            duplicates: 0,
          },
        )
        const joins = ['investigating', 'accepted', 'open'].includes(status)
        expect(
          (await other.createReport({ report: second, keyLease: null, mail: makeReportMail(second) }))!.duplicateOf,
        ).toBe(joins ? first.id : null)
        expect((await listMailIds()).includes(second.id)).toBe(!joins)
        expect(
          (await store.setReportStatus({ id: second.id, status: 'spam', audit: makeAuditContext(7) })) === null,
        ).toBe(joins)
      }
      expect(await store.setReportStatus({ id: 'nobody', status: 'spam', audit: makeAuditContext(7) })).toBeNull()
    })

    test('createReport stores and mails one original for many identical concurrent reports', async () => {
      const reports = Array.from({ length: 20 }, () => makeAgentReport({ similarityHash: 'one' }))
      const kept = await Promise.all(
        reports.map((report, at) =>
          (at % 2 ? store : other).createReport({ report: report, keyLease: null, mail: makeReportMail(report) }),
        ),
      )
      const first = kept.filter((receipt) => receipt!.duplicateOf === null)
      expect(first).toHaveLength(1)
      expect(new Set(kept.map((receipt) => receipt!.duplicateOf ?? first[0]!.reportId))).toEqual(
        new Set([first[0]!.reportId]),
      )
      expect(await listMailIds()).toEqual([first[0]!.reportId])
    })

    runReportListContract(() => place)
    runReportMergeContract(() => place)
  })
}
