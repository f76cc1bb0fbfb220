import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '@libsql/client'
import { createClient as createWebClient } from '@libsql/client/web'
import { migrate, openDatabase, raw } from '@tributary/core/libsql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startHrana, type Hrana } from './hrana.ts'

let folder: string
let path: string
let remote: Hrana
let client: Client

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-hrana-'))
  path = join(folder, 'a.db')
  remote = await startHrana({ path })
  client = createClient({ url: remote.url })
  await client.batch(['create table t (id integer primary key, body text)', "insert into t values (1, 'one')"], 'write')
})
afterEach(async () => {
  client.close()
  await remote.close()
  await rm(folder, { recursive: true })
})

test('startHrana converts every type in both directions, with the integers of the real client', async () => {
  const bytes = new Uint8Array([0, 1, 254, 255])
  const args = ['ä\u{1f600}', 1.5, 42n, null, bytes, true]
  const { rows, columns } = await client.execute({
    sql: 'select ? as t, ? as f, ? as i, ? as n, ? as b, ? as y, typeof(?3) as k',
    args,
  })
  expect(columns).toEqual(['t', 'f', 'i', 'n', 'b', 'y', 'k'])
  expect({ ...rows[0], b: new Uint8Array(rows[0]?.b as ArrayBuffer) }).toEqual({
    t: 'ä\u{1f600}',
    f: 1.5,
    i: 42,
    n: null,
    b: bytes,
    y: 1,
    k: 'integer',
  })
  const big = createClient({ url: remote.url, intMode: 'bigint' })
  expect(
    (await big.execute({ sql: 'select ? as i, -9223372036854775808 as least', args: [2n ** 62n + 1n] })).rows[0],
  ).toMatchObject({
    i: 2n ** 62n + 1n,
    least: -(2n ** 63n),
  })
  big.close()
  await expect(client.execute({ sql: 'select ?', args: [2n ** 60n] })).rejects.toThrow(RangeError)
  expect((await client.execute({ sql: 'select :a as a, @b as b', args: { a: 1, b: 'x' } })).rows[0]).toMatchObject({
    a: 1,
    b: 'x',
  })
})

test('startHrana returns the number of changes and the last row id, also with RETURNING', async () => {
  const inserted = await client.execute("insert into t (body) values ('two'), ('three')")
  expect([inserted.rowsAffected, inserted.lastInsertRowid]).toEqual([2, 3n])
  const deleted = await client.execute('delete from t where id > 1 returning id')
  expect([deleted.rowsAffected, deleted.rows.map((row) => row.id)]).toEqual([2, [2, 3]])
  expect((await client.execute('select * from t')).rowsAffected).toBe(0)
})

test('startHrana runs all or none of a batch in one round trip, and names the code and position of an error', async () => {
  const before = remote.requests
  const failing = client.batch(["insert into t values (7, 'x')", "insert into t values (1, 'again')"], 'write')
  await expect(failing).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT', statementIndex: 1 })
  expect(remote.requests - before).toBe(1)
  expect((await client.execute('select id from t')).rows.map((row) => row.id)).toEqual([1])
  // The batch has more statements than the client caches, and one text that is too long for the cache.
  const many = Array.from({ length: 1_000 }, (_, at) => ({
    sql: 'insert into t values (?, ?)',
    args: [100 + at, `b${at}`],
  }))
  await client.batch([...many, `insert into t select 5000, '${'y'.repeat(6_000)}'`], 'write')
  expect(remote.requests - before).toBe(3)
  expect(
    (await client.batch(['select count(*) from t', 'select max(id) from t'], 'read')).map(
      (result) => result.rows[0]?.[0],
    ),
  ).toEqual([1_002, 5_000])
})

test('startHrana returns the error codes of SQLite', async () => {
  await expect(client.execute('select nope from t')).rejects.toMatchObject({ code: expect.stringMatching(/^SQL/) })
  await expect(client.execute("insert into t values (1, 'x')")).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT' })
})

test('startHrana keeps the stream of an interactive transaction while other streams wait, until it commits or rolls back', async () => {
  const first = await client.transaction('write')
  await first.execute("insert into t values (2, 'two')")
  expect((await client.execute('select count(*) from t')).rows[0]?.[0]).toBe(1)
  const other = client.execute("insert into t values (3, 'three')")
  await first.commit()
  await other
  expect((await client.execute('select count(*) from t')).rows[0]?.[0]).toBe(3)
  const second = await client.transaction('write')
  await second.execute('delete from t')
  await second.rollback()
  expect((await client.execute('select count(*) from t')).rows[0]?.[0]).toBe(3)
})

test('startHrana rolls back an idle stream when it expires', async () => {
  const brief = await startHrana({ path, streamMs: 50 })
  const one = createClient({ url: brief.url })
  const left = await one.transaction('write')
  await left.execute('delete from t')
  await new Promise((resolve) => setTimeout(resolve, 200))
  await expect(left.execute('select 1')).rejects.toMatchObject({ code: 'STREAM_EXPIRED' })
  await brief.close()
  await client.execute("insert into t values (9, 'nine')")
  expect((await client.execute('select count(*) from t')).rows[0]?.[0]).toBe(2)
})

test('startHrana supports describe, stored texts, conditions, autocommit and sequences of the protocol', async () => {
  await client.executeMultiple("insert into t values (4, 'a;b'); insert into t values (5, 'c')")
  expect((await client.execute('select count(*) from t')).rows[0]?.[0]).toBe(3)
  const answer = await fetch(`${remote.url}/v2/pipeline`, {
    method: 'POST',
    body: JSON.stringify({
      requests: [
        { type: 'describe', sql: 'select id, body from t where id = ? and body = :b' },
        { type: 'store_sql', sql_id: 1, sql: 'select 1 as one' },
        { type: 'execute', stmt: { sql_id: 1 } },
        { type: 'close_sql', sql_id: 1 },
        { type: 'execute', stmt: { sql_id: 1 } },
        { type: 'get_autocommit' },
        {
          type: 'batch',
          batch: {
            steps: [
              { stmt: { sql: 'select nope' } },
              {
                condition: { type: 'and', conds: [{ type: 'error', step: 0 }, { type: 'is_autocommit' }] },
                stmt: { sql: 'select 2 as two' },
              },
              {
                condition: {
                  type: 'or',
                  conds: [
                    { type: 'ok', step: 0 },
                    { type: 'not', cond: { type: 'ok', step: 1 } },
                  ],
                },
                stmt: { sql: 'select 3' },
              },
            ],
          },
        },
      ],
    }),
  })
  const { baton, results } = (await answer.json()) as { baton: string; results: Record<string, unknown>[] }
  expect(baton).toEqual(expect.any(String))
  expect(results.map(({ type }) => type)).toEqual(['ok', 'ok', 'ok', 'ok', 'error', 'ok', 'ok'])
  expect(results[0]).toMatchObject({
    response: {
      result: { params: [{ name: null }, { name: ':b' }], cols: [{ name: 'id' }, { name: 'body' }], is_readonly: true },
    },
  })
  expect(results[4]).toMatchObject({ error: { code: 'SQL_NOT_FOUND' } })
  expect(results[5]).toMatchObject({ response: { is_autocommit: true } })
  expect(results[6]).toMatchObject({
    response: {
      result: {
        step_results: [null, { rows: [[{ type: 'integer', value: '2' }]] }, null],
        step_errors: [{ code: 'SQLITE_ERROR' }, null, null],
      },
    },
  })
})

test('startHrana answers version probes, and checks the bearer token', async () => {
  const readStatus = async (where: string): Promise<number> => (await fetch(remote.url + where)).status
  expect([await readStatus('/v2'), await readStatus('/v3'), await readStatus('/v3-protobuf')]).toEqual([200, 404, 404])
  const token = ['let', 'me', 'in'].join('-')
  const guarded = await startHrana({ path: join(folder, 'b.db'), token })
  await expect(createClient({ url: guarded.url }).execute('select 1')).rejects.toMatchObject({
    code: 'AUTH_JWT_INVALID',
  })
  await expect(createClient({ url: guarded.url, authToken: `${token}x` }).execute('select 1')).rejects.toThrow()
  expect((await createWebClient({ url: guarded.url, authToken: token }).execute('select 1 as x')).rows[0]?.x).toBe(1)
  await guarded.close()
})

test('startHrana returns a status, a broken connection or a delay on demand', async () => {
  remote.fail(1, 503)
  const database = openDatabase(client)
  await expect(database.read(raw('select 1'))).rejects.toMatchObject({ name: 'Unavailable' })
  expect((await database.read(raw('select 1 as x'))).length).toBe(1)
  remote.fail(1, 0)
  await expect(database.read(raw('select 1'))).rejects.toMatchObject({ name: 'Unavailable' })
  remote.delay(80)
  const asked = client.execute('select 1 as x')
  const soon = new Promise((resolve) => setTimeout(resolve, 20, 'not yet'))
  expect(await Promise.race([asked, soon])).toBe('not yet')
  expect((await asked).rows[0]?.x).toBe(1)
})

test('startHrana runs our migrations, drizzle and three hosts concurrently', async () => {
  const clients = [0, 1, 2].map(() => createClient({ url: remote.url }))
  const list = [
    { id: '0001', sql: ['create table m (x text primary key) without rowid', "insert into m values ('once')"] },
  ]
  const done = await Promise.all(clients.map((one) => migrate(one, { list })))
  expect(done.flatMap(({ ids }) => ids)).toEqual(['0001'])
  const writes = clients.flatMap((one, who) =>
    Array.from({ length: 20 }, (_, at) =>
      openDatabase(one).write([raw('insert into m values (?) returning x', [`${who}-${at}`])]),
    ),
  )
  expect((await Promise.all(writes)).flat().reduce((sum, { changed }) => sum + changed, 0)).toBe(60)
  expect(await openDatabase(client).read(raw('select count(*) as n from m'))).toMatchObject([{ n: 61 }])
  for (const one of clients) one.close()
})

test('startHrana returns SQLITE_BUSY for a lock that lasts too long, and keeps later writes', async () => {
  const hasty = await startHrana({ path, lockMs: 40 })
  const one = createClient({ url: hasty.url })
  const lock = await client.transaction('write')
  await lock.execute("insert into t values (20, 'held')")
  await expect(one.execute("insert into t values (21, 'no')")).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
  await expect(openDatabase(one).write([raw('delete from t')])).rejects.toMatchObject({ name: 'Unavailable' })
  await lock.commit()
  for (let at = 30; at < 35; at++) await one.execute({ sql: 'insert into t values (?, ?)', args: [at, 'kept'] })
  await hasty.close()
  expect((await client.execute('select count(*) from t where id >= 20')).rows[0]?.[0]).toBe(6)
  one.close()
})
