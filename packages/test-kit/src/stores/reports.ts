import type { Hold, KeptReceipt, NewReport, OutboxEntry, OutboxStore, ReportStore } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { madeId } from '../seed.ts'

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

/** An agent's report of which no two are the same. */
export function madeAgentReport(changes: Partial<NewReport> = {}): NewReport {
  const n = ++made
  return {
    id: madeId('e', n), receiptId: madeId('f', n), meaning: `meaning ${n}`, body: JSON.stringify({ title: `"Åse" 😀 ${n}` }), createdAt: 1000 + n,
    evidence: [{ id: madeId('9', n), type: 'repro_steps', content: `line one\nline "two" ${n}`, redacted: n % 2 === 0 }], ...changes,
  }
}

const mailOf = ({ id, createdAt }: NewReport): OutboxEntry => ({ id, channel: 'mail', recipient: 'desk@example.com', subject: 's', payload: 'p', createdAt })
const receiptOf = ({ id, receiptId, evidence, createdAt }: NewReport, duplicateOf: string | null = null): KeptReceipt =>
  ({ id: receiptId, reportId: id, duplicateOf, evidenceIds: evidence.map((one) => one.id), createdAt })
const times = { now: 1000, until: 2000, since: 0 }

/** The laws of the report store: call it in a test file with what opens a fresh place. */
export function reportStoreLaws(name: string, open: () => Promise<ReportsPlace>): void {
  describe(`reports in ${name}`, () => {
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
    const mailed = async (): Promise<string[]> => (await outbox.list(null, null, 200)).map(({ id }) => id)

    test('a report is kept with its receipt and its mail', async () => {
      const report = madeAgentReport()
      expect(await store.keep(report, null, mailOf(report))).toEqual(receiptOf(report))
      expect(await mailed()).toEqual([report.id])
      const quiet = madeAgentReport({ evidence: [] })
      expect(await store.keep(quiet, null, null)).toEqual(receiptOf(quiet))
      expect(await mailed()).toEqual([report.id])
    })

    test('of many at once one gets the key; the others hear that it is busy, and later the receipt', async () => {
      const report = madeAgentReport()
      const holds = Array.from({ length: 50 }, (_, at): Hold => ({ key: 'k', lease: `lease ${at}` }))
      const said = await Promise.all(holds.map((hold, at) => (at % 2 ? store : other).claim(hold, 'print', times)))
      expect(said.filter((one) => one === 'mine')).toHaveLength(1)
      expect(said.filter((one) => one === 'busy')).toHaveLength(49)
      const winner = holds[said.indexOf('mine')]!
      const loser = holds[said.indexOf('busy')]!
      expect(await store.keep(madeAgentReport(), loser, null)).toBeNull()
      expect(await store.keep(report, winner, mailOf(report))).toEqual(receiptOf(report))
      expect(await other.keep(madeAgentReport(), winner, null)).toBeNull()
      expect(await other.claim(loser, 'print', times)).toEqual(receiptOf(report))
      expect(await mailed()).toEqual([report.id])
    })

    test('a key belongs to one report, before it is kept and after', async () => {
      const hold = { key: 'k', lease: 'a' }
      expect(await store.claim(hold, 'print', times)).toBe('mine')
      expect(await other.claim({ key: 'k', lease: 'b' }, 'another', times)).toBe('mismatch')
      await store.keep(madeAgentReport(), hold, null)
      expect(await other.claim({ key: 'k', lease: 'b' }, 'another', times)).toBe('mismatch')
      expect(await other.claim({ key: 'l', lease: 'b' }, 'another', times)).toBe('mine')
    })

    test('a claim that came to nothing is free again when its time is past, and its holder keeps nothing', async () => {
      const dead = { key: 'k', lease: 'dead' }
      const next = { key: 'k', lease: 'next' }
      await store.claim(dead, 'print', times)
      expect(await other.claim(next, 'print', { ...times, now: 1999 })).toBe('busy')
      expect(await other.claim(next, 'print', { ...times, now: 2000, until: 3000 })).toBe('mine')
      expect(await store.keep(madeAgentReport(), dead, null)).toBeNull()
      const report = madeAgentReport()
      expect(await other.keep(report, next, null)).toEqual(receiptOf(report))
      expect(await store.claim(dead, 'print', { ...times, now: 9000, until: 9001 })).toEqual(receiptOf(report))
    })

    test('a key is forgotten after its time, by the sweep and without it', async () => {
      const hold = { key: 'k', lease: 'a' }
      await store.claim(hold, 'print', times)
      await store.keep(madeAgentReport(), hold, null)
      expect(await store.forgetKeys(1000)).toBe(false)
      expect(await other.claim({ key: 'k', lease: 'b' }, 'another', { now: 5000, until: 6000, since: 1000 })).toBe('mismatch')
      expect(await other.claim({ key: 'k', lease: 'b' }, 'another', { now: 5000, until: 6000, since: 1001 })).toBe('mine')
      await store.forgetKeys(5001)
      expect(await store.claim({ key: 'k', lease: 'c' }, 'third', { now: 5000, until: 6000, since: 0 })).toBe('mine')
    })

    test('the same meaning as an open report joins it, without a mail', async () => {
      const first = madeAgentReport()
      const second = madeAgentReport({ meaning: first.meaning })
      const third = madeAgentReport({ meaning: first.meaning })
      await store.keep(first, null, mailOf(first))
      expect(await other.keep(second, null, mailOf(second))).toEqual(receiptOf(second, first.id))
      expect(await store.keep(third, null, mailOf(third))).toEqual(receiptOf(third, first.id))
      expect(await mailed()).toEqual([first.id])
    })

    test('of many with one meaning at once one is the first and mailed', async () => {
      const reports = Array.from({ length: 20 }, () => madeAgentReport({ meaning: 'one' }))
      const kept = await Promise.all(reports.map((report, at) => (at % 2 ? store : other).keep(report, null, mailOf(report))))
      const first = kept.filter((receipt) => receipt!.duplicateOf === null)
      expect(first).toHaveLength(1)
      expect(new Set(kept.map((receipt) => receipt!.duplicateOf ?? first[0]!.reportId))).toEqual(new Set([first[0]!.reportId]))
      expect(await mailed()).toEqual([first[0]!.reportId])
    })
  })
}
