import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool, type PoolConfig } from 'pg'
import { expect, test } from 'vitest'
import { openDatabase } from './database.ts'
import { isServerInstalled, startServer } from './server.fixture.ts'
import type { Postgres } from './transaction.ts'

const update = { text: 'update "a" set "b" = 1 where "c" = ?', args: ['d'] }
const insertIfChanged = { text: 'insert into "a" ("b") select 1 where changes() > 0', args: [] }

/** Returns a database over a pool that answers later, and the texts that it had received before each of its answers. */
function openOnPool(pipeline: boolean) {
  const received: string[] = []
  const atAnswers: number[] = []
  const client = {
    pipeline,
    async query(query: string | { text: string }) {
      const text = typeof query === 'string' ? query : query.text
      received.push(text)
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
  return { database: openDatabase({ $client: pool } as unknown as Postgres), received, atAnswers }
}

test.each([
  { pipeline: true, atAnswers: [1, 3, 3, 5, 5, 6] },
  { pipeline: false, atAnswers: [1, 2, 3, 4, 5, 6] },
])('a pool with pipeline: $pipeline sends a statement at its time', async ({ pipeline, atAnswers: expected }) => {
  const { database, received, atAnswers } = openOnPool(pipeline)

  const results = await database.write([update, update, insertIfChanged, update])

  expect(results.map(({ changed }) => changed)).toEqual([3, 3, 3, 3])
  expect(atAnswers).toEqual(expected)
  expect(received[0]).toContain('begin')
  expect(received[3]).toContain('where 3 > 0')
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
