import {
  makeApplication,
  runAdStoreContract,
  runBlockedTermStoreContract,
  runBlobsContract,
  runBuyerStoreContract,
  runContentStoreContract,
  runCopyStoreContract,
  runContributorStoreContract,
  fixedClock,
  runIdempotencyStoreContract,
  runIngestStoreContract,
  runRateLimiterContract,
  runLedgerStoreContract,
  runOutboxStoreContract,
  runProgramStoreContract,
  runReportStoreContract,
  runRescrubStoreContract,
  runAccountStoreContract,
  runAuditStoreContract,
  runOverviewStoreContract,
  seedTraces,
  runAuthStoreContract,
  runTelemetryStoreContract,
  temporaryDatabase,
  runTraceStoreContract,
  runWebhookStoreContract,
} from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { libsqlBlobs } from './blobs.ts'
import { explainStatements } from '../postgres/plans.fixture.ts'
import { isServerInstalled } from '../postgres/server.fixture.ts'
import type { SqlClient, SqlValue } from './client.ts'
import { createTableNaming, openDatabase, raw } from './database.ts'
import { libsqlStores } from './stores.ts'

/** Each executed statement, with the values of one execution. */
const statements = new Map<string, readonly SqlValue[]>()

/** The prefix of all tables. A statement that forgets the prefix fails. */
const tablePrefix = 'app_'
const nameTables = createTableNaming(tablePrefix)

/** Opens an empty database whose stores record every statement that they execute. */
async function open() {
  const { client, close } = await temporaryDatabase({ connections: 1, tablePrefix })
  await client.execute('pragma synchronous = off')
  const recording: SqlClient = {
    execute: (one) => (statements.set(one.sql, one.args), client.execute(one)),
    batch(all, mode) {
      for (const { sql, args } of all) statements.set(sql, args)
      return client.batch(all, mode)
    },
    close: () => client.close(),
  }
  const stores = libsqlStores(recording, { tablePrefix })
  const db = openDatabase(client, { tablePrefix })
  const named: SqlClient = {
    ...recording,
    batch: (all, mode) =>
      client.batch(
        all.map(({ sql, args }) => ({ sql: nameTables(sql), args })),
        mode,
      ),
  }
  return {
    client: named,
    recording,
    db,
    stores: [stores, stores] as const,
    async person(id: string, email?: string) {
      await db.write([raw('insert into "main"."users" (id, email, created_at) values (?, ?, 0)', [id, email ?? null])])
    },
    close,
  }
}

const name = 'a database with a table prefix'

runTraceStoreContract(name, async () => {
  const {
    client,
    db,
    stores: [{ traces, dataset }],
    close,
  } = await open()
  const both = { ...traces, ...dataset }
  return {
    stores: [both, both],
    close,
    put: (ownerId, some) => seedTraces(client, ownerId, some),
    async loseContent(id) {
      await db.write([
        raw('delete from "main"."contents" where trace = (select num from "main"."traces" where id = ?)', [id]),
      ])
    },
  }
})
runIngestStoreContract(name, async () => {
  const {
    stores: [{ ingest, traces, dataset }],
    person,
    close,
  } = await open()
  return { stores: [ingest, ingest], traces: { ...traces, ...dataset }, person, close }
})
runBlobsContract(name, async () => {
  const { recording, close } = await open()
  const clock = fixedClock()
  const blobs = libsqlBlobs(openDatabase(recording, { tablePrefix }), clock)
  return { blobs: [blobs, blobs], clock, close }
})
runAdStoreContract(name, async () => {
  const {
    db,
    stores: [{ ads, program, contributors }],
    person,
    close,
  } = await open()
  for (const id of ['ann', 'bob', 'cat']) await person(id)
  return {
    stores: [ads, ads],
    close,
    claim: (ownerId, deviceId) => program.claimDevice({ ownerId, deviceId, now: 0, maxDevices: null }),
    approve: (ownerId) =>
      contributors.submitApplication({ ownerId, application: makeApplication({ status: 'approved' }), now: 0 }),
    async queued() {
      const rows = await db.read<{ id: string; payload: string }>(
        raw(`select id, payload from "main"."outbox" where channel = 'impression' order by id`),
      )
      return rows.map(({ id, payload }) => [id, payload] as const)
    },
  }
})
runProgramStoreContract(name, async () => {
  const {
    stores: [{ program }],
    person,
    close,
  } = await open()
  for (const id of ['ann', 'bob', 'cat']) await person(id)
  return { stores: [program, program], close }
})
runContributorStoreContract(name, open)
runWebhookStoreContract(name, open)
runBuyerStoreContract(name, async () => {
  const { client, stores, close } = await open()
  return { stores, put: (ownerId, some) => seedTraces(client, ownerId, some), close }
})
runCopyStoreContract(name, async () => {
  const {
    stores: [{ ingest, copies, traces, dataset }],
    person,
    close,
  } = await open()
  return {
    stores: [ingest, ingest],
    copies: [copies, copies],
    traces: { ...traces, ...dataset },
    person: (id) => person(id, `${id}@example.com`),
    close,
  }
})
runContentStoreContract(name, async () => {
  const {
    client,
    stores: [{ traces, dataset, contents }],
    close,
  } = await open()
  const both = { ...traces, ...dataset }
  return {
    stores: [both, both],
    contents: [contents, contents],
    put: (ownerId, some) => seedTraces(client, ownerId, some),
    loseContent: async () => {},
    close,
  }
})
runLedgerStoreContract(name, async () => {
  const { client, stores, close } = await open()
  return {
    stores,
    person: (id) => stores[0].auth.upsertUser({ id, email: `${id}@example.com`, now: 0 }),
    put: (ownerId, some) => seedTraces(client, ownerId, some),
    close,
  }
})
runBlockedTermStoreContract(name, open)
runRescrubStoreContract(name, open)
runAuditStoreContract(name, open)
runOverviewStoreContract(name, open)
runTelemetryStoreContract(name, async () => {
  const { stores, close } = await open()
  return { stores, person: (id) => stores[0].auth.upsertUser({ id, email: `${id}@example.com`, now: 0 }), close }
})
runReportStoreContract(name, open)
runAccountStoreContract(name, async () => {
  const {
    stores: [one],
    close,
  } = await open()
  return { stores: [one, one], close }
})
runIdempotencyStoreContract(name, async () => {
  const {
    stores: [{ idempotency }],
    person,
    close,
  } = await open()
  return { stores: [idempotency, idempotency], person, close }
})
runOutboxStoreContract(name, async () => {
  const {
    stores: [{ outbox }],
    close,
  } = await open()
  return { stores: [outbox, outbox], close }
})
runAuthStoreContract(name, async () => {
  const {
    stores: [{ auth }],
    close,
  } = await open()
  return { stores: [auth, auth], close }
})
runRateLimiterContract(name, async () => {
  const {
    stores: [{ limiter }],
    close,
  } = await open()
  return { host: () => limiter, close }
})

/** Tables that do not grow: statements may read them completely. */
const small = new Set([
  'app_ad_secrets' /* At most three rows. */,
  'app_fingerprint_state' /* One row. */,
  'app_operator_passkeys' /* At most ten for each operator. */,
  'app_operator_sessions' /* The sessions of operators that have not ended. */,
  'app_webhooks' /* At most twenty rows. */,
])

describe('statements of all stores', () => {
  test('find each row of a growing table by an index', async () => {
    const { client, close } = await temporaryDatabase({ tablePrefix })
    const { rows: named } = await client.execute("select name from sqlite_schema where type = 'table'")
    const growing = new Set(named.map((row) => String(row['name'])).filter((table) => !small.has(table)))
    const scans: [sql: string, step: string][] = []
    for (const sql of statements.keys()) {
      const { rows } = await client.execute({ sql: `explain query plan ${sql}`, args: [] })
      const steps = rows.map((row) => String(row['detail']))
      // A page of an operator's list stops at its limit, because the rows are read in the order of the list and are not
      // sorted (list-plans.test.ts).
      const isSorted = steps.some((step) => step.startsWith('USE TEMP B-TREE'))
      if (/ limit \?$/.test(sql) && !isSorted) continue
      for (const step of steps) {
        const alias = /^SCAN (\w+)/.exec(step)?.[1]
        if (alias !== undefined && listTables(sql.replaceAll('"', ''), alias).some((table) => growing.has(table)))
          scans.push([sql, step])
      }
    }
    // A closed month is written for every campaign. The operator's count of all waiting people reads the whole index of
    // countries, and the count of open removals reads an index that contains only open removals.
    expect(scans.map(([, step]) => step).sort()).toEqual([
      'SCAN app_campaigns',
      'SCAN app_removals USING INDEX app_removals_open',
      'SCAN app_waitlist USING INDEX app_waitlist_country',
    ])
    expect(statements.size).toBeGreaterThan(150)
    await close()
  })

  test.skipIf(!isServerInstalled)('find each row of a growing table by an index on PostgreSQL', async () => {
    const plans = await explainStatements(statements, tablePrefix)
    expect(plans).toHaveLength(statements.size)
    const scanned = plans.flatMap((plan) => plan.scanned).filter((table) => !small.has(table))
    // In this database a third of the campaigns is active, and all of them are read in order. Closing a month writes a
    // row for every campaign. The waitlist is counted for all countries.
    expect(scanned.sort()).toEqual(['app_campaigns', 'app_campaigns', 'app_waitlist'])
  })
})

/** Returns the names to which an alias in a plan may refer: tables and common table expressions. */
function listTables(sql: string, alias: string): string[] {
  return [
    alias,
    ...Array.from(sql.matchAll(new RegExp(`(\\w+)\\s+(?:as\\s+)?${alias}\\b`, 'g')), ([, table]) => table!),
  ]
}
