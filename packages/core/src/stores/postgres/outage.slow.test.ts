import { drizzle } from 'drizzle-orm/node-postgres'
import { expect, test, vi } from 'vitest'
import { Unavailable } from '../../unavailable.ts'
import { migrate } from './migrate.ts'
import { isServerInstalled, startServer } from './server.fixture.ts'
import { postgresStores } from './stores.ts'

/** Starts a server with the tables of a service. */
async function startMigrated() {
  const server = await startServer()
  const pool = server.openPool()
  // A connection may break while nothing uses it. This handles its error.
  pool.on('error', () => undefined)
  const db = drizzle(pool)
  await migrate(db)
  return { server, pool, stores: postgresStores(db) }
}

test.skipIf(!isServerInstalled)('every call throws Unavailable once the server has stopped', async () => {
  const { server, pool, stores } = await startMigrated()
  const { auth, ingest, ready } = stores
  await ready()
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

test.skipIf(!isServerInstalled)(
  'a statement timeout is an outage, but a default of read-only transactions is not',
  async () => {
    const { server, pool, stores } = await startMigrated()
    const { auth } = stores
    const user = { id: 'ann', email: null, now: 0 }
    const blocker = await pool.connect()
    await pool.query('alter role tributary set statement_timeout = 200')
    await pool.query('alter role tributary set default_transaction_read_only = on')
    const later = server.openPool()
    const { auth: limited } = postgresStores(drizzle(later))
    // Transactions of the stores begin as `read write`, so this default does not apply to them. Only a server in
    // recovery refuses such transactions.
    await limited.upsertUser(user)
    await blocker.query('begin')
    await blocker.query('lock table users')
    const rejected = await limited.findUser({ id: 'ann' }).catch((error: unknown) => error)
    expect(Unavailable.is(rejected)).toBe(true)
    await blocker.query('rollback')
    blocker.release()
    expect(await auth.findUser({ id: 'ann' })).toEqual({ id: 'ann', email: null })
    await Promise.all([pool, later].map((one) => one.end()))
    await server.close()
  },
)

test.skipIf(!isServerInstalled)(
  'writes throw Unavailable while the server is a replica, and continue after its promotion',
  async () => {
    const { server, pool, stores } = await startMigrated()
    const { auth } = stores
    const signIn = (id: string) => auth.upsertUser({ id, email: null, now: 0 })
    await signIn('ann')
    await pool.query('checkpoint')
    await server.crash()
    await server.restart({ isReplica: true })
    expect(await auth.findUser({ id: 'ann' })).toEqual({ id: 'ann', email: null })
    await expect(signIn('bob')).rejects.toSatisfy(Unavailable.is)
    await pool.query('select pg_promote()')
    await signIn('bob')
    const { rows } = await pool.query(`select name from pg_prepared_statements where name <> ''`)
    expect(rows.length).toBeGreaterThan(0)
    await pool.end()
    await server.close()
  },
)

test.skipIf(!isServerInstalled)(
  'writes continue after each crash of the server; the writes that were running fail with Unavailable',
  async () => {
    const { server, pool, stores } = await startMigrated()
    const { auth } = stores
    let [written, isOver] = [0, false]
    const failures: unknown[] = []
    const write = async (id: string) => {
      for (let n = 0; !isOver; n++)
        await auth
          .upsertUser({ id: `${id}-${n}`, email: null, now: n })
          .then(() => written++)
          .catch((error: unknown) => failures.push(error))
    }
    // There are more writers than the pool has connections.
    const writers = Array.from({ length: 25 }, (_, id) => write(`writer-${id}`))
    for (let crash = 0; crash < 5; crash++) {
      const before = written
      await vi.waitUntil(() => written > before + 50)
      await server.crash()
      await server.restart()
    }
    isOver = true
    await Promise.all(writers)
    expect(failures.length).toBeGreaterThan(0)
    expect(failures.filter((error) => !Unavailable.is(error))).toEqual([])
    expect((await pool.query('select count(*)::int as users from users')).rows[0].users).toBeGreaterThanOrEqual(written)
    await pool.end()
    await server.close()
  },
  120_000,
)
