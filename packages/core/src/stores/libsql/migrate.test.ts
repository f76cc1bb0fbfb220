import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, type Client } from '@libsql/client'
import { bundle } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate, schemaStatements } from './migrate.ts'
import type { Migration } from './migrations/migration.ts'
import { migrations } from './migrations/index.ts'

let folder: string
let url: string
let clients: Client[]
const open = (): Client => {
  const client = createClient({ url, timeout: 10_000 })
  clients.push(client)
  return client
}
const listTables = async (client: Client): Promise<unknown[]> =>
  (await client.execute("select name from sqlite_schema where type = 'table' order by name")).rows.map((row) => row[0])

const first: Migration = { id: '0001-first', sql: ['create table a (x integer)', 'insert into a values (1), (2)'] }
const second: Migration = {
  id: '0002-second',
  sql: ['create table b (y text)', "insert into b select 'y' || x from a"],
}
const third: Migration = { id: '0003-third', sql: ['alter table a add column z integer not null default 7'] }
const all = [first, second, third]
const createLedger: unknown = expect.stringMatching(/^create table if not exists tributary_migrations /)
const insertInto = (id: string): unknown =>
  expect.stringMatching(`^insert into "tributary_migrations" values \\('${id}', `)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-migrate-'))
  url = `file:${join(folder, 'a.db')}`
  clients = []
  await open().execute('pragma journal_mode = wal')
})
afterEach(async () => {
  for (const client of clients) client.close()
  await rm(folder, { recursive: true })
})

test('migrate applies each migration once when three clients run it on one file concurrently, and all succeed', async () => {
  const done = await Promise.all([open(), open(), open()].map((client) => migrate(client, { list: all })))
  expect(done.flatMap(({ ids }) => ids).sort()).toEqual(all.map(({ id }) => id))
  expect((await open().execute('select count(*) from b')).rows[0]?.[0]).toBe(2)
  expect((await open().execute('select x, z from a')).rows.map((row) => ({ ...row }))).toEqual([
    { x: 1, z: 7 },
    { x: 2, z: 7 },
  ])
})

// promise: number-processes-may-try
test(
  'migrate applies each migration once when three processes run it on one file concurrently',
  { tags: 'long' },
  async () => {
    const entry = await bundle(new URL('./migrator.fixture.ts', import.meta.url))
    // There are many migrations, so that the three processes certainly run at the same time.
    const list = [
      ...all,
      ...Array.from({ length: 40 }, (_, at) => ({
        id: `1${at}`,
        sql: [`create table t${at} (x)`, `insert into t${at} values (1)`],
      })),
    ]
    const run = (): Promise<{ stdout: string }> =>
      promisify(execFile)(process.execPath, [entry, url, JSON.stringify(list)])
    const runs = await Promise.all([run(), run(), run()])
    const ids = runs.flatMap(({ stdout }) => JSON.parse(stdout) as string[])
    expect(ids.sort()).toEqual(list.map(({ id }) => id).sort())
    expect((await open().execute('select count(*) from t39')).rows[0]?.[0]).toBe(1)
  },
)

test('migrate changes nothing when it runs again', async () => {
  await migrate(open(), { list: all })
  expect(await migrate(open(), { list: all })).toEqual({ ids: [], sql: [] })
})

test('migrate names a migration that changed after it was applied, and applies nothing', async () => {
  await migrate(open(), { list: [first] })
  const changed = { ...first, sql: [...first.sql, 'create table c (x)'] }
  await expect(migrate(open(), { list: [changed, second] })).rejects.toMatchObject({
    name: 'MigrationError',
    message: expect.stringContaining('0001-first'),
  })
  expect(await listTables(open())).toEqual(['a', 'tributary_migrations'])
})

test('migrate refuses a database that is newer than the code, and names its migrations', async () => {
  await migrate(open(), { list: all })
  await expect(migrate(open(), { list: [first] })).rejects.toThrow(/newer than this code.*0002-second, 0003-third/)
})

test('migrate with dryRun returns the statements that would run and changes nothing', async () => {
  expect(await migrate(open(), { list: [first, third], dryRun: true })).toEqual({
    ids: ['0001-first', '0003-third'],
    sql: [createLedger, ...first.sql, insertInto('0001-first'), ...third.sql, insertInto('0003-third')],
  })
  expect(await listTables(open())).toEqual([])
  await migrate(open(), { list: [first] })
  expect((await migrate(open(), { list: all, dryRun: true })).sql).toEqual([
    createLedger,
    ...second.sql,
    insertInto('0002-second'),
    ...third.sql,
    insertInto('0003-third'),
  ])
})

test.each([
  { state: 'an empty database', applied: [] },
  { state: 'an older database', applied: migrations.slice(0, 5) },
])('migrate finds nothing to do after a pipeline applied the SQL of dryRun to $state', async ({ applied }) => {
  const client = open()
  await migrate(client, { list: applied })
  const { ids, sql } = await migrate(client, { dryRun: true })
  expect(ids).toEqual(migrations.slice(applied.length).map(({ id }) => id))
  await client.executeMultiple(sql.map((statement) => `${statement};`).join('\n'))
  expect(await migrate(client)).toEqual({ ids: [], sql: [] })
})

test('migrate finds nothing to do after schemaStatements, with and without a tablePrefix', async () => {
  const client = open()
  for (const options of [{}, { tablePrefix: 'app_' }]) {
    await client.executeMultiple(
      schemaStatements(options)
        .map((statement) => `${statement};`)
        .join('\n'),
    )
    expect(await migrate(client, options)).toEqual({ ids: [], sql: [] })
  }
})

test('migrate applies a missing migration although later migrations were applied', async () => {
  await migrate(open(), { list: [first, third] })
  expect((await migrate(open(), { list: all })).ids).toEqual(['0002-second'])
})

test('migrate rolls back a failed migration, reports its constraint error, and keeps the earlier migrations', async () => {
  const bad: Migration = {
    id: '0002-bad',
    sql: ['create table d (x integer primary key)', 'insert into d values (1), (1)'],
  }
  await expect(migrate(open(), { list: [first, bad] })).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' })
  expect(await listTables(open())).toEqual(['a', 'tributary_migrations'])
  expect((await migrate(open(), { list: [first, second] })).ids).toEqual(['0002-second'])
})

test('migrate refuses two statements in one string, and accepts a trigger and a semicolon in a text', async () => {
  const two: Migration = { id: '0001', sql: ['create table a (x); create table b (x)'] }
  await expect(migrate(open(), { list: [two] })).rejects.toThrow(/one string is one statement/)
  await expect(migrate(open(), { list: [{ id: '0001', sql: [' -- nothing'] }] })).rejects.toThrow(/one statement/)
  await expect(migrate(open(), { list: [first, first] })).rejects.toThrow(/listed twice/)
  const fine: Migration = {
    id: '0001',
    sql: [
      "create table a (x default 'a;b') -- one; two",
      'create trigger t after insert on a begin delete from a; end;',
    ],
  }
  expect((await migrate(open(), { list: [fine] })).ids).toEqual(['0001'])
})

test('migrate creates a database from the migrations of this package', async () => {
  expect((await migrate(open())).ids).toEqual(migrations.map(({ id }) => id))
})

test('migrate names tables of another application before it changes anything', async () => {
  const client = open()
  await client.batch(['create table a (of text)', 'create table other (of text)'], 'write')
  await expect(migrate(client, { list: all })).rejects.toThrow(
    'the database belongs to another application: its tables a have names that Tributary uses. ' +
      'Use a separate database for Tributary',
  )
  expect(await listTables(client)).toEqual(['a', 'other'])
})
