import { expect, test } from 'vitest'
import { openDatabase } from './database.ts'
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
      received.push(typeof query === 'string' ? query : query.text)
      await new Promise((resolve) => setTimeout(resolve))
      atAnswers.push(received.length)
      if (received.length > 1 && String(received.at(-1)).includes('broken')) throw new Error('broken')
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

test('a statement that fails in a pipeline rolls the others back', async () => {
  const { database, received } = openOnPool(true)

  await expect(database.write([update, { text: 'update "broken"', args: [] }])).rejects.toThrow('broken')

  expect(received.at(-1)).toBe('rollback')
  expect(received).not.toContain('commit')
})
