import { temporaryDatabase } from '@tributary/test-kit'
import { sql as rawSql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cursorAfter, type ListParams } from '../../http/list.ts'
import { openDatabase } from '../postgres/database.ts'
import { openMigratedPglite } from '../postgres/pglite.fixture.ts'
import type { SqlClient, SqlStatement } from './client.ts'
import { raw } from './database.ts'
import { libsqlStores } from './stores.ts'

type Lists = Readonly<Record<string, readonly [sorts: readonly string[], list: (params: never) => Promise<unknown>]>>

/** The traces of one sale are found by the key of the sale, and then sorted. */
const sortedAsRead = ['traces of a sale by createdAt', 'traces of a sale by tokens', 'traces of a sale by newTokens']

describe('an index returns every list of an operator in the order of the list, both the first page and a later page', () => {
  /** The statements of each list and order. */
  const statements: (readonly [list: string, statement: SqlStatement])[] = []
  let client: SqlClient
  let close: () => Promise<void>

  beforeAll(async () => {
    ;({ client, close } = await temporaryDatabase())
    let reads: SqlStatement[] = []
    const { audit, ads, buyers, contributors, copies, dataset, ingest, ledger, outbox, policy, reports, telemetry } =
      libsqlStores({
        execute: (one) => (reads.push(one), client.execute(one)),
        batch: (all, mode) => (reads.push(...all), client.batch(all, mode)),
        close: () => client.close(),
      })
    const lists: Lists = {
      'jobs': [['enqueuedAt', 'total', 'rejectedCount'], ingest.listAllJobs],
      'outbox': [['createdAt', 'recipient'], outbox.list],
      'audit': [['at', 'actor', 'action'], audit.listEntries],
      'downloads of a sale': [
        ['at'],
        (params) =>
          audit.listEntries({ ...(params as object), action: 'dataset.download', actor: 'b', targets: ['x'] } as never),
      ],
      'applications': [['submittedAt', 'companyName'], contributors.listApplications],
      'contributors': [['signedUpAt', 'email'], contributors.listContributors],
      'contributors who send copies': [['signedUpAt'], copies.listCopiers],
      'sales': [['soldAt', 'buyer', 'usd'], dataset.listSales],
      'traces of a sale': [
        ['stored', 'createdAt', 'tokens', 'newTokens'],
        (params) => dataset.listSoldTraces({ ...(params as object), saleId: 'x' } as never),
      ],
      'buyers': [['createdAt', 'name'], buyers.listBuyers],
      'open removals': [['at'], (params) => buyers.listAllRemovals({ ...(params as object), status: 'open' } as never)],
      'acknowledged removals': [
        ['at'],
        (params) => buyers.listAllRemovals({ ...(params as object), status: 'acknowledged' } as never),
      ],
      'balances': [
        ['signedUpAt', 'unpaidUsd', 'lifetimeUsd'],
        (params) => ledger.listBalances({ ...(params as object), now: 0 } as never),
      ],
      'payouts': [['at', 'usd'], ledger.listPayouts],
      'payout requests': [['requestedAt'], ledger.listPayoutRequests],
      'open payout requests': [
        ['requestedAt'],
        (params) => ledger.listPayoutRequests({ ...(params as object), status: 'open' } as never),
      ],
      'waitlist': [['joinedAt'], policy.listWaitlist],
      'feedback': [['receivedAt'], telemetry.listFeedback],
      'reports': [
        ['createdAt', 'changedAt'],
        (params) => reports.listReports({ ...(params as object), status: null } as never),
      ],
      'campaigns': [['createdAt', 'name', 'spentUsd'], ads.listCampaigns],
    }
    for (const [name, [sorts, list]] of Object.entries(lists))
      for (const sort of sorts)
        for (const order of ['asc', 'desc'] as const)
          for (const cursor of [null, cursorAfter({ num: 5, value: 5 }, { sort, order })]) {
            reads = []
            const params: ListParams<string> = { sort, order, cursor, limit: 50 }
            await list(params as never)
            // A page of reports is selected from the next 500 reports, which are read by an index.
            statements.push(
              ...reads
                .filter(({ sql }) => !/ limit 500\)/.test(sql))
                .map((one) => [`${name} by ${sort}`, one] as const),
            )
          }
  })
  afterAll(() => close())

  test('on libSQL', async () => {
    const sorted = new Set<string>()
    for (const [list, { sql }] of statements) {
      const { rows } = await client.execute({ sql: `explain query plan ${sql}`, args: [] })
      if (rows.some(({ detail }) => detail === 'USE TEMP B-TREE FOR ORDER BY')) sorted.add(list)
    }
    expect([...sorted]).toEqual(sortedAsRead)
  })

  test('the downloads of a sale are found by the sale, not among all downloads', async () => {
    const used = new Set<unknown>()
    for (const [, { sql }] of statements.filter(([list]) => list.startsWith('downloads')))
      for (const { detail } of (await client.execute({ sql: `explain query plan ${sql}`, args: [] })).rows)
        used.add(detail)
    expect(
      [...used].filter((detail) => !String(detail).startsWith('SEARCH audit USING INDEX audit_target (target=?')),
    ).toEqual([])
    expect(used.size).toBeGreaterThan(0)
  })

  test('a page of balances reads only pending entries of the ledger', async () => {
    const used = new Set<unknown>()
    for (const [, { sql }] of statements.filter(([list]) => list.startsWith('balances')))
      for (const { detail } of (await client.execute({ sql: `explain query plan ${sql}`, args: [] })).rows)
        if (/ ledger /.test(String(detail))) used.add(detail)
    expect([...used]).toEqual(['SEARCH ledger USING INDEX ledger_pending (owner=? AND available_at>?)'])
  })

  test('on PostgreSQL', { tags: 'long' }, async () => {
    const { client: server, db } = await openMigratedPglite()
    // The tables are empty, so the planner uses an index if there is one, and sorts if there is none.
    for (const way of ['seqscan', 'sort']) await db.execute(rawSql.raw(`set enable_${way} = off`))
    const database = openDatabase(db)
    const sorted = new Set<string>()
    for (const [list, { sql, args }] of statements) {
      const [row] = await database.read(raw(`explain (format json) ${sql}`, args))
      if (JSON.stringify(row).includes('"Node Type":"Sort"')) sorted.add(list)
    }
    expect([...sorted]).toEqual(sortedAsRead)
    await server.close()
  })
})
