import type {
  KeyLease,
  StoredReceipt,
  NewReport,
  OutboxEntry,
  OutboxStore,
  ReportFilter,
  ReportStore,
} from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeId } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'

interface Host {
  readonly reports: ReportStore
  readonly outbox: OutboxStore
}

/** Two hosts on one fresh place. */
export interface ReportsPlace {
  readonly stores: readonly [Host, Host]
  close?(): Promise<void>
}

let made = 0

/** Makes a report that differs from every other. */
export function makeAgentReport(changes: Partial<NewReport> = {}): NewReport {
  const n = ++made
  return {
    id: makeId('e', n),
    receiptId: makeId('f', n),
    similarityHash: `meaning ${n}`,
    body: JSON.stringify({ title: `"Åse" 😀 ${n}` }),
    createdAt: 1000 + n,
    evidence: [
      { id: makeId('9', n), type: 'repro_steps', content: `line one\nline "two" ${n}`, redacted: n % 2 === 0 },
    ],
    maxEvidence: 100,
    ...changes,
  }
}

const mailOf = ({ id, createdAt }: NewReport): OutboxEntry => ({
  id,
  channel: 'mail',
  recipient: 'desk@example.com',
  subject: 's',
  payload: 'p',
  createdAt,
})
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
      place = await open()
      store = place.stores[0].reports
      other = place.stores[1].reports
      outbox = place.stores[1].outbox
    })
    afterEach(() => place.close?.())
    const listMailIds = async (): Promise<string[]> =>
      (await outbox.list({ status: null, cursor: null, limit: 200 })).map(({ id }) => id)

    test('createReport stores a report with its receipt and its mail', async () => {
      const report = makeAgentReport()
      expect(await store.createReport({ report: report, keyLease: null, mail: mailOf(report) })).toEqual(
        makeReceipt(report),
      )
      expect(await listMailIds()).toEqual([report.id])
      const quiet = makeAgentReport({ evidence: [] })
      expect(await store.createReport({ report: quiet, keyLease: null, mail: null })).toEqual(makeReceipt(quiet))
      expect(await listMailIds()).toEqual([report.id])
    })

    test('claimKey returns mine to one of many concurrent calls, busy to the others, and later the receipt', async () => {
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
      expect(await store.createReport({ report: report, keyLease: winner, mail: mailOf(report) })).toEqual(
        makeReceipt(report),
      )
      expect(await other.createReport({ report: makeAgentReport(), keyLease: winner, mail: null })).toBeNull()
      expect(await other.claimKey({ ...loser, fingerprint: 'print', ...times })).toEqual(makeReceipt(report))
      expect(await listMailIds()).toEqual([report.id])
    })

    test('claimKey returns mismatch for another report with the same key', async () => {
      const keyLease = { key: 'k', lease: 'a' }
      expect(await store.claimKey({ ...keyLease, fingerprint: 'print', ...times })).toBe('claimed')
      expect(await other.claimKey({ key: 'k', lease: 'b', fingerprint: 'another', ...times })).toBe('mismatch')
      await store.createReport({ report: makeAgentReport(), keyLease: keyLease, mail: null })
      expect(await other.claimKey({ key: 'k', lease: 'b', fingerprint: 'another', ...times })).toBe('mismatch')
      expect(await other.claimKey({ key: 'l', lease: 'b', fingerprint: 'another', ...times })).toBe('claimed')
    })

    test('claimKey returns mine after the lease expired, and createReport returns null for the old lease', async () => {
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

    test('claimKey ignores keys used before since, and deleteKeys deletes them', async () => {
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

    test('createReport stores a report with the meaning of an open one as its duplicate, without a mail', async () => {
      const first = makeAgentReport()
      const second = makeAgentReport({ similarityHash: first.similarityHash })
      const third = makeAgentReport({ similarityHash: first.similarityHash })
      await store.createReport({ report: first, keyLease: null, mail: mailOf(first) })
      expect(await other.createReport({ report: second, keyLease: null, mail: mailOf(second) })).toEqual(
        makeReceipt(second, first.id),
      )
      expect(await store.createReport({ report: third, keyLease: null, mail: mailOf(third) })).toEqual(
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
          evidence: [...first.evidence, ...second.evidence, ...one, ...two],
          evidenceCount: 4,
          duplicates: 1,
          createdAt: first.createdAt,
          changedAt: first.createdAt,
        },
      ])
    })

    test('createReport and attachEvidence keep up to maxEvidence, and receipts list what was kept', async () => {
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

    test('createReport keeps up to maxEvidence of many duplicates at once', async () => {
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

    test('deleteStaleReports deletes unchanged reports with all their data, and no others', async () => {
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

    test('listReports returns pages newest first, by status, with twenty pieces of evidence', async () => {
      const reports = [
        makeAgentReport(),
        makeAgentReport({ evidence: [] }),
        makeAgentReport({ evidence: Array.from({ length: 21 }, () => makeAgentReport().evidence[0]!) }),
      ]
      for (const report of reports) await store.createReport({ report: report, keyLease: null, mail: null })
      const [a, b, c] = reports.map(({ id }) => id)
      const page = await other.listReports({ status: null, cursor: null, limit: 2 })
      expect(page.items.map(({ id }) => id)).toEqual([c, b])
      expect([page.items[0]!.evidence, page.items[0]!.evidenceCount]).toEqual([reports[2]!.evidence.slice(0, 20), 21])
      expect(page.items[1]).toMatchObject({ evidence: [], evidenceCount: 0 })
      expect(await store.listReports({ status: null, cursor: page.next, limit: 2 })).toMatchObject({
        items: [{ id: a }],
        next: null,
      })
      await store.setReportStatus({ id: b!, status: 'spam', audit: makeAuditContext(5) })
      expect((await store.listReports({ status: 'spam', cursor: null, limit: 2 })).items).toMatchObject([
        { id: b, status: 'spam', changedAt: 5 },
      ])
      expect((await store.listReports({ status: 'open', cursor: null, limit: 5 })).items.map(({ id }) => id)).toEqual([
        c,
        a,
      ])
    })

    test('createReport makes duplicates of open, investigating and accepted reports only', async () => {
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
        expect((await other.createReport({ report: second, keyLease: null, mail: mailOf(second) }))!.duplicateOf).toBe(
          joins ? first.id : null,
        )
        expect((await listMailIds()).includes(second.id)).toBe(!joins)
        expect(
          (await store.setReportStatus({ id: second.id, status: 'spam', audit: makeAuditContext(7) })) === null,
        ).toBe(joins)
      }
      expect(await store.setReportStatus({ id: 'nobody', status: 'spam', audit: makeAuditContext(7) })).toBeNull()
    })

    /** Stores a report with texts to search in. */
    async function create(title: string, changes: Partial<NewReport> = {}, subject: object = { surface: 'GET /docs' }) {
      const body = JSON.stringify({ reporter: { agent_vendor: 'v', agent_product: 'p' }, subject, content: { title } })
      const report = makeAgentReport({ body, ...changes })
      await store.createReport({ report, keyLease: null, mail: null })
      return report
    }

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
      for (const words of [['QUICK'], ['"quick"', 'über'.slice(1)], ['get', 'docs'], [one.id], []])
        expect([words, (await findReports({ words })).includes(one.id)]).toEqual([words, true])
      for (const words of [['quick', 'nothing'], ['surface'], ['100%'], ['_']])
        expect([words, await findReports({ words })]).toEqual([words, []])
      expect(await findReports({ kind: 'cli_command' })).toEqual([two.id])
      expect(await findReports({ kind: 'other' })).toEqual([])
      expect(await findReports({ from: 2 })).toEqual([two.id])
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

    test('listReports finds a report below 500 others that do not match, and pages end where the matches end', async () => {
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
      // What means the same as the merged one joins it there.
      const later = makeAgentReport({ similarityHash: 'm' })
      expect((await store.createReport({ report: later, keyLease: null, mail: mailOf(later) }))!.duplicateOf).toBe(
        kept.id,
      )
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

    test('separateReport of a report inside a merged one keeps the merge, and merges are undone one by one', async () => {
      const [a, b, c] = [await create('a'), await create('b'), await create('c')]
      await store.mergeReports({ id: a.id, into: b.id, audit: makeAuditContext(5) })
      await store.mergeReports({ id: b.id, into: c.id, audit: makeAuditContext(6) })
      expect(await other.findReport({ id: c.id, maxDuplicates: 0 })).toMatchObject({ report: { duplicates: 2 } })
      expect(await store.separateReport({ id: b.id, audit: makeAuditContext(7) })).toMatchObject({ duplicates: 1 })
      expect(await store.separateReport({ id: a.id, audit: makeAuditContext(8) })).toMatchObject({ duplicates: 0 })
      const counts = await other.countReports({ filter: {} })
      expect([counts.statuses.open, counts.duplicates]).toEqual([3, 0])
    })

    test('mergeReports refuses the report itself, a report merged elsewhere and an unknown one, and changes nothing', async () => {
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

    test('mergeReports of two reports into each other at once makes one of them the duplicate', async () => {
      const [a, b] = [await create('a'), await create('b')]
      await Promise.all([
        store.mergeReports({ id: a.id, into: b.id, audit: makeAuditContext(5) }),
        other.mergeReports({ id: b.id, into: a.id, audit: makeAuditContext(5) }),
      ])
      expect((await store.listReports({ status: null, cursor: null, limit: 9 })).items).toMatchObject([
        { duplicates: 1, evidenceCount: 2 },
      ])
    })

    test('createReport stores one original of many equal reports at once, and mails it', async () => {
      const reports = Array.from({ length: 20 }, () => makeAgentReport({ similarityHash: 'one' }))
      const kept = await Promise.all(
        reports.map((report, at) =>
          (at % 2 ? store : other).createReport({ report: report, keyLease: null, mail: mailOf(report) }),
        ),
      )
      const first = kept.filter((receipt) => receipt!.duplicateOf === null)
      expect(first).toHaveLength(1)
      expect(new Set(kept.map((receipt) => receipt!.duplicateOf ?? first[0]!.reportId))).toEqual(
        new Set([first[0]!.reportId]),
      )
      expect(await listMailIds()).toEqual([first[0]!.reportId])
    })
  })
}
