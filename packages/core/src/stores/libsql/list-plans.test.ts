import { temporaryDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { cursorAfter, type ListParams } from '../../http/list.ts'
import type { SqlClient } from './client.ts'
import { libsqlStores } from './stores.ts'

type Lists = Readonly<Record<string, readonly [sorts: readonly string[], list: (params: never) => Promise<unknown>]>>

test('every list of an operator is read in its order by an index, from the first page and after a row', async () => {
  const { client, close } = await temporaryDatabase()
  const reads: string[] = []
  const recording: SqlClient = { ...client, execute: (one) => (reads.push(one.sql), client.execute(one)) }
  const { audit, ads, contributors, dataset, ingest, ledger, outbox, policy, reports, telemetry } = libsqlStores({
    ...recording,
    batch: (all, mode) => (reads.push(...all.map(({ sql }) => sql)), client.batch(all, mode)),
    close: () => client.close(),
  })
  const lists: Lists = {
    'jobs': [['enqueuedAt', 'total', 'rejectedCount'], ingest.listAllJobs],
    'outbox': [['createdAt', 'recipient'], outbox.list],
    'audit': [['at', 'actor', 'action'], audit.listEntries],
    'applications': [['submittedAt', 'companyName'], contributors.listApplications],
    'contributors': [['signedUpAt'], contributors.listContributors],
    'sales': [['soldAt', 'buyer', 'usd'], dataset.listSales],
    'traces of a sale': [
      ['stored'],
      (params) => dataset.listSoldTraces({ ...(params as object), saleId: 'x' } as never),
    ],
    'payouts': [['at', 'usd'], ledger.listPayouts],
    'waitlist': [['joinedAt'], policy.listWaitlist],
    'feedback': [['receivedAt'], telemetry.listFeedback],
    'reports': [
      ['createdAt', 'changedAt'],
      (params) => reports.listReports({ ...(params as object), status: null } as never),
    ],
    'campaigns': [['createdAt', 'name', 'spentUsd'], ads.listCampaigns],
  }
  const sorted: string[] = []
  for (const [name, [sorts, list]] of Object.entries(lists)) {
    for (const sort of sorts)
      for (const order of ['asc', 'desc'] as const)
        for (const cursor of [null, cursorAfter({ num: 5, value: 5 })]) {
          reads.length = 0
          const params: ListParams<string> = { sort, order, cursor, limit: 50 }
          await list(params as never)
          for (const sql of reads) {
            const { rows } = await client.execute({ sql: `explain query plan ${sql}`, args: [] })
            const steps = rows.map((row) => String(row['detail']))
            // A page of reports is chosen of the next 500, which are read by an index.
            const isSorted = steps.includes('USE TEMP B-TREE FOR ORDER BY') && !/ limit 500\)/.test(sql)
            if (isSorted) sorted.push(`${name} by ${sort}`)
          }
        }
  }
  // The campaigns of a service are few, and every impression changes what is spent.
  expect([...new Set(sorted)]).toEqual(['campaigns by name', 'campaigns by spentUsd'])
  await close()
})
