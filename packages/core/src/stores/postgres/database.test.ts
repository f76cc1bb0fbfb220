import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool, type PoolConfig } from 'pg'
import { expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import { isServerInstalled, startServer } from './server.fixture.ts'
import type { Postgres } from './transaction.ts'

const update = { text: 'update "a" set "b" = 1 where "c" = ?', args: ['d'] }
const insertIfChanged = { text: 'insert into "a" ("b") select 1 where changes() > 0', args: [] }

/**
 * Returns a database over a pool that answers later, the texts and values that it received, and how many texts it had
 * received before each of its answers.
 */
function openOnPool(pipeline: boolean) {
  const received: string[] = []
  const values: unknown[] = []
  const atAnswers: number[] = []
  const client = {
    pipeline,
    async query(query: string | { text: string; values: unknown[] }) {
      const text = typeof query === 'string' ? query : query.text
      received.push(text)
      if (typeof query !== 'string') values.push(query.values)
      await new Promise((resolve) => setTimeout(resolve))
      atAnswers.push(received.length)
      if (text.includes('broken')) throw new Error('broken')
      return { rows: [], fields: [], rowCount: 3 }
    },
    on: () => client,
    off: () => client,
    release: () => undefined,
  }
  const pool = { totalCount: 1, connect: async () => client, query: client.query }
  return { database: openDatabase({ $client: pool } as unknown as Postgres), received, values, atAnswers }
}

test.each([
  { pipeline: true, atAnswers: [1, 3, 3, 5, 5, 6] },
  { pipeline: false, atAnswers: [1, 2, 3, 4, 5, 6] },
])('a pool with pipeline: $pipeline sends a statement at its time', async ({ pipeline, atAnswers: expected }) => {
  const { database, received, values, atAnswers } = openOnPool(pipeline)

  const results = await database.write([update, update, insertIfChanged, update])

  expect(results.map(({ changed }) => changed)).toEqual([3, 3, 3, 3])
  expect(atAnswers).toEqual(expected)
  expect(received[0]).toContain('begin')
  expect(received[3]).toContain('where $1::bigint > 0')
  expect(values).toEqual([['d'], ['d'], [3], ['d']])
  expect(received[5]).toBe('commit')
})

test('a pool with a pipeline sends a transaction at once if no statement reads the result of another', async () => {
  const { database, received, atAnswers } = openOnPool(true)

  await database.write([update, update])

  expect(received).toEqual([expect.stringContaining('begin'), ...received.slice(1, 3), 'commit'])
  expect(atAnswers).toEqual([4, 4, 4, 4])
})

test('a statement that fails in a pipeline rolls the others back', async () => {
  const { database, received } = openOnPool(true)

  await expect(database.write([update, { text: 'update "broken"', args: [] }])).rejects.toThrow('broken')

  expect(received.at(-1)).toBe('rollback')
})

test.runIf(isServerInstalled)('a server stores nothing of a pipeline in which a statement fails', async () => {
  const server = await startServer()
  try {
    const pool = new Pool({ connectionString: server.url, max: 2, pipeline: true } as PoolConfig)
    const database = openDatabase(drizzle(pool) as unknown as Postgres)
    await pool.query('create table "kept" ("n" int check ("n" < 3))')
    const insert = (n: number) => ({ text: 'insert into "kept" ("n") values (?)', args: [n] })

    await database.write([insert(1), insert(2)])
    await expect(database.write([insert(1), insert(3), insert(2)])).rejects.toThrow()
    await expect(database.write([{ text: 'select 1 / 0', args: [] }, insert(1)])).rejects.toThrow()

    expect((await pool.query('select "n" from "kept" order by 1')).rows).toEqual([{ n: 1 }, { n: 2 }])
    await pool.end()
  } finally {
    await server.close()
  }
})

test.runIf(isServerInstalled)('a statement is prepared once for each connection and pattern of nulls', async () => {
  const server = await startServer()
  try {
    const pool = new Pool({ connectionString: server.url, max: 1, pipeline: true } as PoolConfig)
    const insert = (n: number | null, t: string) => ({ text: 'insert into "kept" values (?, ?)', args: [n, t] })
    const insertAll = (options = {}) =>
      openDatabase(drizzle(pool) as unknown as Postgres, options).write([
        insert(1, 'a'),
        insert(2, 'b'),
        insert(null, 'c'),
      ])
    const countPrepared = async () =>
      (await pool.query(`select count(*)::int as n from pg_prepared_statements where name <> ''`)).rows[0].n as number
    await pool.query('create table "kept" ("n" int, "t" text)')

    await insertAll({ preparedStatements: false })
    expect(await countPrepared()).toBe(0)
    await insertAll()
    await insertAll()
    expect(await countPrepared()).toBe(2)
    expect((await pool.query('select count(*)::int as n from "kept"')).rows).toEqual([{ n: 9 }])
    await pool.end()
  } finally {
    await server.close()
  }
})

test.runIf(isServerInstalled)('a database whose prepared statements are lost goes on without them', async () => {
  const server = await startServer()
  try {
    const pool = new Pool({ connectionString: server.url, max: 1, pipeline: true } as PoolConfig)
    const database = openDatabase(drizzle(pool) as unknown as Postgres)
    const insert = { text: 'insert into "kept" ("n") values (?)', args: [1] }
    const read = { text: 'select * from "kept" where "n" = ?', args: [1] }
    await pool.query('create table "kept" ("n" bigint)')
    await database.write([insert])
    await database.read(read)
    // A pooler gives each transaction another connection of the server.
    await pool.query('deallocate all')

    await Promise.all([database.write([insert, insert]), database.write([insert])])

    expect(await database.read(read)).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }, { n: 1 }])
    await pool.end()
  } finally {
    await server.close()
  }
})

test.runIf(isServerInstalled)('a prepared statement works after a migration changed the type of a column', async () => {
  const server = await startServer()
  try {
    const pool = new Pool({ connectionString: server.url, max: 1, pipeline: true } as PoolConfig)
    const database = openDatabase(drizzle(pool) as unknown as Postgres)
    const read = { text: 'select "n" from "kept" where "n" > ?', args: [0] }
    await pool.query('create table "kept" ("n" int); insert into "kept" values (1)')
    await database.read(read)
    await pool.query('alter table "kept" alter "n" type bigint')

    expect(await database.read(read)).toEqual([{ n: 1 }])
    await pool.end()
  } finally {
    await server.close()
  }
})
