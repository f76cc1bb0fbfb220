import type { NewReport, OutboxEntry, OutboxStore, ReportStore } from '@tributary/core/stores'
import { makeId } from '../fixtures/seed.ts'

interface Host {
  readonly reports: ReportStore
  readonly outbox: OutboxStore
}

/** The stores of two hosts over the same empty database. */
export interface ReportsPlace {
  readonly stores: readonly [Host, Host]
  close?(): Promise<void>
}

let made = 0

/** Makes a report that differs from every other report. */
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

/** Returns the mail that announces a report. */
export const makeReportMail = ({ id, createdAt }: NewReport): OutboxEntry => ({
  id,
  channel: 'mail',
  recipient: 'desk@example.com',
  subject: 's',
  payload: 'p',
  createdAt,
})

/** Stores a report with texts to search in. */
export async function createTitledReport(
  store: ReportStore,
  title: string,
  changes: Partial<NewReport> = {},
  subject: object = { surface: 'GET /docs' },
): Promise<NewReport> {
  const body = JSON.stringify({ reporter: { agent_vendor: 'v', agent_product: 'p' }, subject, content: { title } })
  const report = makeAgentReport({ body, ...changes })
  await store.createReport({ report, keyLease: null, mail: null })
  return report
}
