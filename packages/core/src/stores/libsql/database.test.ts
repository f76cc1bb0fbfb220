import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, type Client } from '@libsql/client'
import { bundle } from '@tributary/test-kit'
import { eq, gt, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Unavailable } from '../../unavailable.ts'
import { openDrizzle } from './builder.ts'
import { type Database, isRead, jsonArgument, openDatabase, raw, value } from './database.ts'
import { build, jsonValues, prepare } from './statement.ts'

const things = sqliteTable('things', {
  id: text('id').primaryKey(),
  saleCount: integer('sale_count').notNull(),
  excluded: integer('excluded', { mode: 'boolean' }).notNull().default(false),
})

let folder: string
let url: string
let client: Client
let database: Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-database-'))
  url = `file:${join(folder, 'a.db')}`
  client = createClient({ url })
  database = openDatabase(client)
  await database.write([
    raw('create table things (id text primary key, sale_count integer not null, excluded integer not null default 0)'),
    raw('insert into things (id, sale_count) values (?, ?), (?, ?)', ['a', 0, 'b', 3]),
  ])
})
afterEach(async () => {
  client.close()
  await rm(folder, { recursive: true })
})

const selectSold = prepare<{ least: number }>()(({ least }) =>
  build
    .select({ id: things.id, saleCount: things.saleCount, excluded: things.excluded })
    .from(things)
    .where(gt(things.saleCount, least)),
)
const deleteUnsold = prepare()(() =>
  build.delete(things).where(eq(things.saleCount, 0)).returning({ id: things.id, isExcluded: things.excluded }),
)
const insertAll = prepare<{ ids: string }>()(
  ({ ids }) => sql`insert into ${things} (id, sale_count) select value, 0 from json_each(${ids})`,
)
const selectIds = prepare<{ ids: string }>()(
  ({ ids }) =>
    sql<{ name: string }>`select ${things.id} as name from ${things} where ${things.id} in ${jsonValues(ids)}`,
)

describe('prepare', () => {
  test('returns rows by the fields of a builder, decoded by their columns, in a read and in a batch', async () => {
    const sold = [{ id: 'b', saleCount: 3, excluded: false }]
    expect(await database.read(selectSold({ least: 1 }))).toEqual(sold)
    expect(await database.read(selectSold({ least: 3 }))).toEqual([])
    const [first, second] = await database.readAll([selectSold({ least: 0 }), selectIds({ ids: '["a","b"]' })])
    expect([first, second.map(({ name }) => name)]).toEqual([sold, ['a', 'b']])
  })

  test('returns the rows of `returning`, and the number of changed rows with and without it', async () => {
    const [deleted, inserted] = await database.write([deleteUnsold({}), insertAll({ ids: '["x","y"]' })])
    expect(deleted).toEqual({ rows: [{ id: 'a', isExcluded: false }], changed: 1 })
    expect(inserted.changed).toBe(2)
  })

  test('throws TypeError for an undefined value', () => {
    expect(() => selectSold({ least: undefined as unknown as number })).toThrow(TypeError)
  })
})

test('an awaited query converts between column names and field names', async () => {
  const drizzle = openDrizzle(client)
  expect(await drizzle.select().from(things).where(eq(things.excluded, false))).toEqual([
    { id: 'a', saleCount: 0, excluded: false },
    { id: 'b', saleCount: 3, excluded: false },
  ])
  expect(await drizzle.select().from(things).where(eq(things.id, 'none')).get()).toBeUndefined()
  const changed = await drizzle.update(things).set({ excluded: true }).where(eq(things.id, 'a')).returning()
  expect(changed).toEqual([{ id: 'a', saleCount: 0, excluded: true }])
})

test('write changes everything or nothing, and counts rows with and without `returning`', async () => {
  const results = await database.write([
    raw('update things set excluded = 1'),
    raw('delete from things where sale_count = 0 returning *'),
    raw('insert into things (id, sale_count) select value, 0 from json_each(?)', ['["x","y"]']),
  ])
  expect(results.map(({ changed }) => changed)).toEqual([2, 1, 2])
  expect({ ...(results[1]?.rows[0] as unknown as object) }).toEqual({ id: 'a', sale_count: 0, excluded: 1 })
  const failing = database.write([
    raw("insert into things values ('z', 0, 0)"),
    raw("insert into things values ('x', 0, 0)"),
  ])
  await expect(failing).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' })
  expect(await database.read(raw("select id from things where id = 'z'"))).toEqual([])
  expect(await database.write([])).toEqual([])
})

test('a constraint violation or bad SQL rejects with the original error', async () => {
  const bad = await database.read(raw('select nope from things')).catch((error: unknown) => error)
  expect(Unavailable.is(bad)).toBe(false)
  expect(bad).toMatchObject({ code: 'SQLITE_ERROR' })
})

test('read and an awaited query reject with Unavailable and the cause while the file is locked', async () => {
  const other = createClient({ url })
  const lock = await other.transaction('write')
  const failure = await database.write([raw('delete from things')]).catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: 'Unavailable', cause: { code: 'SQLITE_BUSY' } })
  const wrapped = await openDrizzle(client)
    .delete(things)
    .catch((error: unknown) => error)
  expect(Unavailable.is(wrapped)).toBe(true)
  await lock.rollback()
  other.close()
})

test('a read-only file answers reads, and rejects writes with Unavailable', async () => {
  const shared = join(folder, 'shared')
  await mkdir(shared)
  const file = join(shared, 'r.db')
  const maker = createClient({ url: `file:${file}` })
  await maker.batch(['create table t (x)', 'insert into t values (1)'], 'write')
  maker.close()
  await chmod(folder, 0o755)
  await chmod(file, 0o444)
  await chmod(shared, 0o555)
  const entry = await bundle(new URL('./reader.fixture.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [entry, `file:${file}`])
  await chmod(shared, 0o755)
  expect(JSON.parse(stdout)).toEqual({ rows: [{ x: 1 }], name: 'Unavailable', code: 'SQLITE_READONLY' })
})

test('a remote database is Unavailable when it refuses connections or answers 5xx, but not when it answers 401', async () => {
  let status = 503
  const server = createServer((_, response) => response.writeHead(status).end('{}')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (): Promise<unknown> => {
    const remote = createClient({ url: address })
    const error = await openDatabase(remote)
      .read(raw('select 1'))
      .catch((failure: unknown) => failure)
    remote.close()
    return error
  }
  expect(Unavailable.is(await ask())).toBe(true)
  status = 401
  expect(await ask()).toMatchObject({ name: 'LibsqlError' })
  await new Promise((resolve) => server.close(resolve))
  expect(Unavailable.is(await ask())).toBe(true)
})

test('isRead distinguishes statements that read from statements that write, by their text', () => {
  const reads = ['select 1', ' (select 1)', 'WITH x AS (select 1) select * from x', 'values (1)', 'explain select 1']
  const changes = [
    'insert into t values (1)',
    'with x as (select 1) delete from t',
    'pragma foreign_keys',
    'replace into t values (1)',
  ]
  expect([...reads, ...changes].map(isRead)).toEqual([...reads.map(() => true), ...changes.map(() => false)])
})

test.each([
  [
    ['a\ud800b', '\udfff'],
    ['a\ufffdb', '\ufffd'],
  ],
  [{ '\udc00': '\\ud800 \u{1f600} \u0000' }, { '\ufffd': '\\ud800 \u{1f600} \u0000' }],
])('jsonArgument(%j) replaces lone surrogates only', (given, expected) => {
  expect(JSON.parse(jsonArgument(given))).toEqual(expected)
})

test('value converts to the value that SQLite stores, and throws for a missing value', () => {
  expect([true, false, null, 7, 'a\ud800'].map(value)).toEqual([1, 0, null, 7, 'a\ufffd'])
  expect(() => value(undefined)).toThrow('undefined is not a valid SQL value')
})
