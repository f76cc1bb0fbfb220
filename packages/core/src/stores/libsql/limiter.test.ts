import { runRateLimiterContract, temporaryDatabase } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
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

describe('consume', () => {
  test('writes once for a block of calls under a high limit and not at all over it, and deletes old windows', async () => {
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
    const { rows } = await client.execute("select count(*) as n from rate_windows where key = 'person:a'")
    expect(rows[0]!['n']).toBe(0)
    await close()
  })
})
