import { runRateLimiterContract, temporaryDatabase } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import type { RateLimiter } from '../../ports.ts'
import type { SqlClient } from './client.ts'
import { openDatabase } from './database.ts'
import { libsqlLimiter } from './limiter.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  runRateLimiterContract(kind, async () => {
    const { databases, close } = await openTwoClients(kind)
    return { host: (n) => libsqlLimiter(databases[n % 2]!), close }
  })
}

const minute = 60_000
/** Returns the number of allowed calls among `count` calls, which are made on both hosts in turn. */
async function countAllowed(limiters: readonly RateLimiter[], count: number, limit: number, now: number) {
  const calls = Array.from({ length: count }, (_, n) =>
    limiters[n % limiters.length]!.consume({ key: `limit ${limit}`, rate: { limit, windowMs: minute }, now }),
  )
  return (await Promise.all(calls)).filter(({ allowed }) => allowed).length
}

describe('consume', () => {
  test.each([
    [2, 10],
    [60, 60],
  ])('allows %i hosts together exactly %i calls under a limit of up to 60', async (count, limit) => {
    const { client, close } = await temporaryDatabase()
    const limiters = Array.from({ length: count }, () => libsqlLimiter(openDatabase(client)))
    expect(await countAllowed(limiters, limit * 3, limit, minute)).toBe(limit)
    await close()
  })

  test('writes once for a block of calls under a high limit, never exceeds the limit, and deletes expired permits', async () => {
    const { client, close } = await temporaryDatabase()
    let writes = 0
    const counting: SqlClient = {
      execute: (statement) => client.execute(statement),
      batch(statements, mode) {
        writes++
        return client.batch(statements, mode)
      },
      close: () => client.close(),
    }
    const limiter = libsqlLimiter(openDatabase(counting))
    const rate = { limit: 1200, windowMs: 60_000 }
    for (let i = 0; i < 1200; i++)
      expect((await limiter.consume({ key: 'person:a', rate, now: 60_000 })).allowed).toBe(true)
    expect(writes).toBe(24)
    for (let i = 0; i < 100; i++)
      expect((await limiter.consume({ key: 'person:a', rate, now: 60_000 })).allowed).toBe(false)
    expect(writes).toBe(25)
    for (let i = 0; i < 300; i++) await limiter.consume({ key: `person:${i}`, rate, now: 600_000 })
    const { rows } = await client.execute("select count(*) as n from rate_permits where key = 'person:a'")
    expect(rows[0]!['n']).toBe(0)
    await close()
  })
})
