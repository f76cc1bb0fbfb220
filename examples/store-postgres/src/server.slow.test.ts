import { drizzle } from 'drizzle-orm/node-postgres'
import type { Pool } from 'pg'
import { Unavailable } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runPostgresContracts, truncateTables } from './contracts.fixture.ts'
import { postgresStores } from './index.ts'
import { migrate } from './migrate.ts'
import { isServerInstalled, startServer, type Server } from './server.fixture.ts'

// Two pools of ten connections: what the contract tests call at once runs at once.
describe.skipIf(!isServerInstalled)('on a PostgreSQL server (Debian: apt-get install postgresql)', () => {
  let server: Server
  let pools: [Pool, Pool]
  beforeAll(async () => {
    server = await startServer()
    pools = [server.openPool(), server.openPool()]
    await Promise.all(pools.map(migrate))
  })
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()))
    await server.close()
  })

  runPostgresContracts('PostgreSQL', async () => {
    const [one, other] = [drizzle(pools[0]), drizzle(pools[1])]
    await truncateTables(one)
    return { databases: [one, other], close: async () => {} }
  })
})

test.skipIf(!isServerInstalled)('every call throws Unavailable once the server has stopped', async () => {
  const server = await startServer()
  const pool = server.openPool()
  await migrate(pool)
  const { auth, ingest, ready } = postgresStores(drizzle(pool))
  await ready()
  // The error of a connection that breaks while nothing uses it.
  pool.on('error', () => {})
  await server.close()
  const calls = [
    ready(),
    auth.findUser({ id: 'ann' }),
    auth.upsertUser({ id: 'ann', email: null, now: 0 }),
    ingest.claimJob({ lease: 'a', now: 0, leaseUntil: 1 }),
  ]
  for (const call of await Promise.allSettled(calls))
    expect(call.status === 'rejected' && Unavailable.is(call.reason)).toBe(true)
  await pool.end()
})
