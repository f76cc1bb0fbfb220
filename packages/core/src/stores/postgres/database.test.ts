import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool, type PoolConfig } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Unavailable } from '../../unavailable.ts'
import type { Database } from '../libsql/database.ts'
import { openDatabase } from './database.ts'
import { isServerInstalled, startServer, type Server } from './server.fixture.ts'
import type { Postgres } from './transaction.ts'

const update = { text: 'update "a" set "b" = 1 where "c" = ?', args: ['d'] }
const insertIfChanged = { text: 'insert into "a" ("b") select 1 where changes() > 0', args: [] }

/**
 * Returns a database over a pool that answers later; the texts and values that the pool received; and for each answer
 * the number of texts that the pool had received before. The pool refuses the first updates with the SQLSTATE codes in
 * `failures`.
 */
function openOnPool(pipeline: boolean, failures: string[] = []) {
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
      const code = failures.length > 0 && text.startsWith('update') ? failures.shift() : undefined
      if (code !== undefined) throw Object.assign(new Error('refused'), { code })
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
])(
  'write on a pool with pipeline: $pipeline sends each statement as early as possible',
  async ({ pipeline, atAnswers: expected }) => {
    const { database, received, values, atAnswers } = openOnPool(pipeline)

    const results = await database.write([update, update, insertIfChanged, update])

    expect(results.map(({ changed }) => changed)).toEqual([3, 3, 3, 3])
    expect(atAnswers).toEqual(expected)
    expect(received[0]).toContain('begin')
    expect(received[3]).toContain('where $1::bigint > 0')
    expect(values).toEqual([['d'], ['d'], [3], ['d']])
    expect(received[5]).toBe('commit')
  },
)

test('write on a pool with a pipeline sends a transaction in one message if no statement reads the result of another', async () => {
  const { database, received, atAnswers } = openOnPool(true)

  await database.write([update, update])

  expect(received).toEqual([expect.stringContaining('begin'), ...received.slice(1, 3), 'commit'])
  expect(atAnswers).toEqual([4, 4, 4, 4])
})

test('a statement that fails in a pipeline rolls back the other statements', async () => {
  const { database, received } = openOnPool(true)

  await expect(database.write([update, { text: 'update "broken"', args: [] }])).rejects.toThrow('broken')

  expect(received.at(-1)).toBe('rollback')
})

test.each([
  ['a serialization failure', '40001'],
  ['a deadlock', '40P01'],
])('write repeats a transaction after %s, at most ten times', async (_, code) => {
  const some = openOnPool(true, Array<string>(9).fill(code))
  expect(await some.database.write([update])).toMatchObject([{ changed: 3 }])
  expect(some.received.filter((text) => text.startsWith('update'))).toHaveLength(10)

  const endless = openOnPool(true, Array<string>(99).fill(code))
  await expect(endless.database.write([update])).rejects.toSatisfy(Unavailable.is)
  expect(endless.received.filter((text) => text.startsWith('update'))).toHaveLength(10)
})

test.each([
  ['a full disk', '53100'],
  ['too many connections', '53300'],
  ['a statement timeout', '57014'],
  ['a lock timeout', '55P03'],
  ['a shutdown', '57P01'],
  ['a server that is starting', '57P03'],
  ['a read-only server', '25006'],
  ['a replica that is not promoted yet', '0A000'],
  ['a lost connection', '08006'],
  ['a refused connection', 'ECONNREFUSED'],
])('write throws Unavailable after %s, and does not repeat the transaction', async (_, code) => {
  const { database, received } = openOnPool(true, [code])
  await expect(database.write([update])).rejects.toSatisfy(Unavailable.is)
  expect(received.filter((text) => text.startsWith('update'))).toHaveLength(1)
})

test('write throws the original error when a constraint is violated', async () => {
  const { database } = openOnPool(true, ['23505'])
  await expect(database.write([update])).rejects.toMatchObject({ code: '23505' })
})

describe.runIf(isServerInstalled)('a server', { tags: 'long' }, () => {
  let server: Server
  let pool: Pool
  let database: Database

  beforeAll(async () => void (server = await startServer()))
  beforeEach(async () => {
    pool = new Pool({ connectionString: server.url, max: 1, pipeline: true } as PoolConfig)
    database = openDatabase(drizzle(pool) as unknown as Postgres)
    await pool.query('drop table if exists "kept"; create table "kept" ("n" int check ("n" < 3), "t" text)')
  })
  afterEach(() => pool.end())
  afterAll(() => server.close())

  const insert = (n: number | null) => ({ text: 'insert into "kept" ("n") values (?)', args: [n] })
  const readAll = { text: 'select "n" from "kept" where "n" > ? order by 1', args: [0] }

  test('stores nothing of a pipeline in which a statement fails', async () => {
    await database.write([insert(1), insert(2)])
    await expect(database.write([insert(1), insert(3), insert(2)])).rejects.toThrow()
    await expect(database.write([{ text: 'select 1 / 0', args: [] }, insert(1)])).rejects.toThrow()

    expect(await database.read(readAll)).toEqual([{ n: 1 }, { n: 2 }])
  })

  test('stores NUL and lone surrogates as U+FFFD', async () => {
    await database.write([{ text: 'insert into "kept" ("t") values (?)', args: ['a\0b\ud800c'] }])

    expect(await database.read({ text: 'select "t" from "kept"', args: [] })).toEqual([{ t: 'a\ufffdb\ufffdc' }])
  })

  test('plans a prepared statement once for each connection and each combination of null parameters', async () => {
    const unprepared = openDatabase(drizzle(pool) as unknown as Postgres, { preparedStatements: false })
    const countPrepared = async () =>
      (await pool.query(`select count(*)::int as n from pg_prepared_statements where name <> ''`)).rows[0].n as number

    await unprepared.write([insert(1), insert(null)])
    expect(await countPrepared()).toBe(0)
    for (let i = 0; i < 2; i++) await database.write([insert(1), insert(2), insert(null)])
    expect(await countPrepared()).toBe(2)
    expect((await pool.query('select count(*)::int as n from "kept"')).rows).toEqual([{ n: 8 }])
  })

  test('continues without prepared statements after they were lost', async () => {
    await database.write([insert(1)])
    await database.read(readAll)
    // A pooler gives each transaction another connection of the server.
    await pool.query('deallocate all')

    await Promise.all([database.write([insert(1), insert(1)]), database.write([insert(1)])])

    expect(await database.read(readAll)).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }, { n: 1 }])
  })

  test('runs a prepared statement after a migration changed the type of a column', async () => {
    await database.write([insert(1)])
    await database.read(readAll)
    await pool.query('alter table "kept" alter "n" type bigint')

    expect(await database.read(readAll)).toEqual([{ n: 1 }])
  })
})
