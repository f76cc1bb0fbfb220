import { PGlite } from '@electric-sql/pglite'
import { getTableName } from 'drizzle-orm'
import { drizzle as drizzleOverPool } from 'drizzle-orm/node-postgres'
import { drizzle } from 'drizzle-orm/pglite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embedPostgresMigrations } from '../../../migrations/embed.mjs'
import type { Postgres } from './transaction.ts'
import { inspectSchema, migrate, schemaStatements } from './migrate.ts'
import { migrations } from './migrations/generated.ts'
import * as schema from './schema.ts'
import { isServerInstalled, startServer, type Server } from './server.fixture.ts'
import { postgresStores } from './stores.ts'
import { tables } from './tables.ts'

const tableNames = Object.values(tables).map((table) => getTableName(table))

test('generated.ts contains the SQL files that drizzle-kit wrote', () => {
  const source = embedPostgresMigrations()
  expect(migrations).toEqual(JSON.parse(source.slice(source.indexOf('= [') + 2)))
})

test('schema.ts names every table', () => {
  expect({ ...schema }).toEqual(tables)
})

/** Selects the columns of the table that are compressed with lz4. */
const selectCompressed = (table: string): string =>
  `select attname::text as name from pg_attribute where attrelid = '${table}'::regclass and attcompression = 'l' order by 1`

// Creating the tables in one schema or under one prefix runs about 200 statements.
describe('one database', { tags: 'long' }, () => {
  let client: PGlite
  let db: Postgres
  const listTables = async (place: string): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(
      'select table_name as name from information_schema.tables where table_schema = $1 order by 1',
      [place],
    )
    return rows.map(({ name }) => name)
  }
  const signIn = async (options: { schema?: string; tablePrefix?: string }) => {
    const { auth } = postgresStores(db, options)
    await auth.upsertUser({ id: 'ann', email: 'ann@example.com', now: 1 })
    return auth.findUser({ id: 'ann' })
  }

  beforeAll(() => {
    client = new PGlite({ relaxedDurability: true })
    db = drizzle(client) as unknown as Postgres
  })
  afterAll(() => client.close())

  test('migrate creates several services in one database, in schemas and under prefixes', async () => {
    const ids = migrations.map(({ id }) => id)
    const places = [{ schema: 'one' }, { tablePrefix: 'two_' }, { schema: 'three', tablePrefix: 'x_' }]
    for (const place of places) {
      expect((await migrate(db, { ...place, dryRun: true })).ids).toEqual(ids)
      expect((await migrate(db, place)).ids).toEqual(ids)
      expect((await migrate(db, place)).ids).toEqual([])
      expect(await signIn(place)).toEqual({ id: 'ann', email: 'ann@example.com' })
      await postgresStores(db, place).ready()
    }
    expect(await listTables('one')).toEqual([...tableNames, 'tributary_migrations'].sort())
    expect(await listTables('three')).toEqual([...tableNames, 'tributary_migrations'].map((name) => `x_${name}`).sort())
    expect(await inspectSchema(db, { schema: 'one' })).toEqual({ applied: ids, pending: [], foreignTables: [] })
    const { rows } = await client.query(
      `select table_name as table, column_name as column from information_schema.columns
        where table_schema = 'one' and data_type = 'text' and collation_name is distinct from 'C'`,
    )
    // All other text is compared by bytes.
    expect(rows).toEqual(['checksum', 'applied_at'].map((column) => ({ table: 'tributary_migrations', column })))
  })

  test("migrate refuses an app's tables that have the same names and names these tables, and changes nothing", async () => {
    await client.exec('create schema app; create table app.users (id text); create table app.orders (id text)')
    await expect(migrate(db, { schema: 'app' })).rejects.toThrow('the tables users already exist')
    expect(await listTables('app')).toEqual(['orders', 'users'])
    expect((await migrate(db, { schema: 'app', tablePrefix: 't_' })).ids).toHaveLength(migrations.length)
    expect((await inspectSchema(db, { schema: 'app', tablePrefix: 't_' })).foreignTables).toEqual(['orders', 'users'])
  })

  test('migrate finds nothing to do after schemaStatements', async () => {
    const place = { schema: 'pipeline' }
    await client.exec(
      schemaStatements(place)
        .map((statement) => `${statement};`)
        .join('\n'),
    )
    await client.exec('reset search_path')
    expect((await migrate(db, place)).ids).toEqual([])
    expect(await signIn(place)).toMatchObject({ id: 'ann' })
  })

  const runAll = (statements: readonly string[]) => client.exec(statements.map((each) => `${each};`).join('\n'))
  /** Creates a schema with the first `count` migrations and makes it the current schema. */
  const applyFirst = async (count: number, place: { schema: string }): Promise<void> => {
    const statements = schemaStatements(place)
    const last = statements.findIndex((each) => each.includes(`values ('${migrations[count - 1]?.id}'`))
    await runAll(statements.slice(0, count === 0 ? 2 : last + 1))
  }

  test('migrate upgrades a database of the first version, although a later migration creates one of its tables again', async () => {
    const place = { schema: 'first_version' }
    await applyFirst(1, place)
    await client.exec('reset search_path')
    expect((await migrate(db, place)).ids).toEqual(migrations.slice(1).map(({ id }) => id))
  })

  test('migrate stores the balances of existing entries', async () => {
    const place = { schema: 'balances' }
    await applyFirst(
      migrations.findIndex(({ id }) => id.endsWith('-stored_balances')),
      place,
    )
    // The second person has no entries, and the last entry is of an erased person.
    await runAll([
      "insert into users (id, created_at) values ('ann', 1), ('bob', 1)",
      `insert into ledger (id, owner, kind, reference, micros, at, available_at) values
        ('1', 1, 'sale', 'a', 500, 1, 1), ('2', 1, 'payout', 'b', -200, 1, 1), ('3', null, 'sale', 'c', 9, 1, 1)`,
    ])
    await client.exec('reset search_path')
    await migrate(db, place)
    const { rows } = await client.query('select unpaid, lifetime from balances.users order by num')
    expect(rows).toEqual([
      { unpaid: 300, lifetime: 500 },
      { unpaid: null, lifetime: null },
    ])
  })

  test('migrate moves the reasons of withdrawals from the audit to the traces of contributors', async () => {
    const place = { schema: 'withdrawals' }
    await applyFirst(
      migrations.findIndex(({ id }) => id.endsWith('-withdrawal_reason')),
      place,
    )
    // The contributor of the second trace is erased.
    await runAll(
      ['kept', 'erased'].flatMap((id, at) => [
        `insert into traces (id, owner, source, source_id, created_at, hash, token_count, estimated_usd, scrub_version,
          redactions, stored_at, withdrawn_at)
          values ('${id}', ${at === 0 ? 7 : 'null'}, 's', '${id}', '2026', '', 1, 0, '1', '{}', 1, 1)`,
        `insert into audit (id, at, actor, action, target, state_after, request_id)
          values ('of ${id}', 1, 'jo', 'trace.withdraw', '${id}', '{"reason":"Of ${id}","removals":1}', 'r')`,
      ]),
    )
    await client.exec('reset search_path')
    await migrate(db, place)
    const { rows } = await client.query('select id, withdrawal_reason as reason from withdrawals.traces order by num')
    expect(rows).toEqual([
      { id: 'kept', reason: 'Of kept' },
      { id: 'erased', reason: null },
    ])
    const entries = await client.query<{ state_after: string }>('select state_after from withdrawals.audit')
    expect(entries.rows.map((row) => JSON.parse(row.state_after))).toEqual([{ removals: 1 }, { removals: 1 }])
    await expect(client.exec("update withdrawals.audit set state_after = 'x'")).rejects.toThrow('cannot be changed')
  })

  test.each([
    { state: 'an empty database', schema: 'pipeline_empty', applied: 0 },
    { state: 'an older database', schema: 'pipeline_older', applied: 1 },
  ])(
    'migrate finds nothing to do after a pipeline applied the SQL of dryRun to $state',
    async ({ schema: name, applied }) => {
      const place = { schema: name }
      await applyFirst(applied, place)
      const { ids, sql } = await migrate(db, { ...place, dryRun: true })
      expect(ids).toEqual(migrations.slice(applied).map(({ id }) => id))
      await runAll(sql)
      await client.exec('reset search_path')
      expect(await migrate(db, place)).toEqual({ ids: [], sql: [] })
    },
  )

  test('migrate keeps the compression of contents on a server without lz4', async () => {
    await migrate(db, { schema: 'without_lz4' })
    expect((await client.query(selectCompressed('without_lz4.contents'))).rows).toEqual([])
  })

  test('migrate refuses a database that is newer than the code', async () => {
    await migrate(db, { schema: 'newer' })
    await client.exec(`insert into newer.tributary_migrations values ('9999-later', '', '')`)
    await expect(migrate(db, { schema: 'newer' })).rejects.toThrow('newer than this code: it has 9999-later')
  })
})

describe.runIf(isServerInstalled)('a server', { tags: 'long' }, () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  test('migrate applies each migration once when three hosts run it concurrently', async () => {
    const pools = Array.from({ length: 3 }, () => server.openPool())
    const applied = await Promise.all(pools.map((pool) => migrate(drizzleOverPool(pool), { schema: 'one' })))
    expect(applied.map(({ ids }) => ids.length).sort()).toEqual([0, 0, migrations.length])
    for (const pool of pools) await pool.end()
  })

  test('migrate compresses contents with lz4, also in a schema and under a prefix', async () => {
    const pool = server.openPool()
    await migrate(drizzleOverPool(pool), { schema: 'two', tablePrefix: 'x_' })
    const { rows } = await pool.query(selectCompressed('two.x_contents'))
    expect(rows).toEqual([{ name: 'messages' }, { name: 'tools' }])
    await pool.end()
  })
})
