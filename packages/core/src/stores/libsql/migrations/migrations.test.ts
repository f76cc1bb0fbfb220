import { readFile } from 'node:fs/promises'
import { createClient } from '@libsql/client'
import { expect, test } from 'vitest'
import { inspectSchema, migrate } from '../migrate.ts'
import { embedMigrations } from '../../../../migrations/embed.mjs'
import { generatedMigrations } from './generated.ts'
import { migrations } from './index.ts'
import { releasedMigrations } from './released.ts'

type Rows = Record<string, unknown>[]

/** Returns the rows of each table, except the table of the applied migrations. */
async function readTables(client: ReturnType<typeof createClient>): Promise<Record<string, Rows>> {
  const query =
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'tributary_migrations'"
  const names = (await client.execute(query)).rows.map((row) => String(row['name']))
  const tables = names.map(async (name): Promise<[string, Rows]> => {
    const { rows } = await client.execute(`select * from "${name}" order by 1, 2`)
    return [name, rows.map((row) => ({ ...row }))]
  })
  return Object.fromEntries(await Promise.all(tables))
}

/** Returns the tables with only the columns that `shape` has too, because a migration may drop columns. */
function pickColumns(tables: Record<string, Rows>, shape: Record<string, Rows>): Record<string, Rows> {
  const pickRow = (row: Rows[number], kept: Rows[number]): Rows[number] =>
    Object.fromEntries(Object.entries(row).filter(([name]) => name in kept))
  return Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [name, rows.map((row) => pickRow(row, shape[name]?.[0] ?? row))]),
  )
}

/** Columns of the previous version that a migration deliberately drops. */
const droppedColumns = ['sign_in_codes.browser_hash']
/** Tables of the previous version that a migration deliberately drops: counters of rate limits, which end anyway. */
const droppedTables = ['rate_windows']

test('generated.ts contains the SQL files that drizzle-kit wrote', async () => {
  const source = embedMigrations()
  const list = source.slice(source.indexOf('= [') + 2)
  expect(generatedMigrations).toEqual(JSON.parse(list))
})

test('migrate keeps every row of a database of the previous version', async () => {
  const client = createClient({ url: ':memory:' })
  const dump = await readFile(new URL('released.fixture.sql', import.meta.url), 'utf8')
  await client.executeMultiple(dump)
  const before = await readTables(client)
  expect(Object.keys(before).length).toBeGreaterThan(40)
  expect(Object.values(before).every(({ length }) => length === 2)).toBe(true)

  expect((await migrate(client)).ids).toEqual(generatedMigrations.map(({ id }) => id))
  const after = await readTables(client)
  expect(Object.keys(before).filter((table) => !(table in after))).toEqual(droppedTables)
  for (const table of droppedTables) delete before[table]
  const isDropped = (table: string, column: string): boolean => !(column in (after[table]?.[0] ?? {}))
  const dropped = Object.entries(before).flatMap(([table, [row = {}]]) =>
    Object.keys(row).flatMap((column) => (isDropped(table, column) ? [`${table}.${column}`] : [])),
  )
  expect(dropped).toEqual(droppedColumns)
  expect(after).toMatchObject(pickColumns(before, after))
  const { applied, pending } = await inspectSchema(client)
  expect(applied.slice(0, releasedMigrations.length)).toEqual(releasedMigrations.map(({ id }) => id))
  expect(pending).toEqual([])
  client.close()
})

/** Two people with entries, one of whom was paid, a person without entries, and an entry of an erased person. */
const ledgerRows = [
  "insert into users (id, created_at) values ('ann', 1), ('bob', 1), ('cat', 1)",
  `insert into ledger (id, owner, kind, reference, micros, at, available_at) values
    ('1', 1, 'sale', 'a', 500, 1, 1), ('2', 1, 'payout', 'b', -200, 1, 1), ('3', 2, 'correction', 'c', -7, 1, 1),
    ('4', null, 'sale', 'd', 9, 1, 1)`,
]

test('migrate stores the balances of existing entries', async () => {
  const client = createClient({ url: ':memory:' })
  const at = migrations.findIndex(({ id }) => id.endsWith('-stored_balances'))
  await migrate(client, { list: migrations.slice(0, at) })
  await client.batch(ledgerRows, 'write')
  await migrate(client)
  const { rows } = await client.execute('select unpaid, lifetime from users order by num')
  expect(rows).toMatchObject([
    { unpaid: 300, lifetime: 500 },
    { unpaid: -7, lifetime: -7 },
    { unpaid: null, lifetime: null },
  ])
  client.close()
})

/** The withdrawal of a trace of a contributor, and of a trace whose contributor is erased. */
const withdrawalRows = ['kept', 'erased'].flatMap((id, at) => [
  `insert into traces (id, owner, source, source_id, created_at, hash, token_count, estimated_usd, scrub_version,
    redactions, stored_at, withdrawn_at)
    values ('${id}', ${at === 0 ? 7 : 'null'}, 's', '${id}', '2026', x'', 1, 0, '1', '{}', 1, 1)`,
  `insert into audit (id, at, actor, action, target, state_after, request_id)
    values ('of ${id}', 1, 'jo', 'trace.withdraw', '${id}', '{"reason":"Of ${id}","removals":1}', 'r')`,
])

test('migrate moves the reasons of withdrawals from the audit to the traces of contributors', async () => {
  const client = createClient({ url: ':memory:' })
  const at = migrations.findIndex(({ id }) => id.endsWith('-withdrawal_reason'))
  await migrate(client, { list: migrations.slice(0, at) })
  await client.batch(withdrawalRows, 'write')
  await migrate(client)
  const { rows } = await client.execute('select id, withdrawal_reason as reason from traces order by num')
  expect(rows).toMatchObject([
    { id: 'kept', reason: 'Of kept' },
    { id: 'erased', reason: null },
  ])
  const entries = await client.execute('select state_after from audit')
  expect(entries.rows.map((row) => JSON.parse(String(row['state_after'])))).toEqual([{ removals: 1 }, { removals: 1 }])
  await expect(client.execute("update audit set state_after = 'x'")).rejects.toThrow('cannot be changed')
  client.close()
})
