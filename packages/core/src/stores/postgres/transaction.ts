import { sql, type SQL } from 'drizzle-orm'
import { PgDialect, type PgDatabase, type PgQueryResultHKT } from 'drizzle-orm/pg-core'

/** A drizzle database over node-postgres, postgres.js or PGlite. */
export type Postgres = PgDatabase<PgQueryResultHKT, Record<string, unknown>>

/** The connection that runs statements: the database, or a transaction of it. */
export interface Session {
  execute(statement: SQL | string): Promise<unknown>
}

/** The part of a node-postgres pool that transactions use. */
interface Pool {
  connect(): Promise<PoolClient>
}
interface PoolClient {
  query(text: string, values?: unknown[]): Promise<unknown>
  on(event: 'error', listener: () => void): void
  off(event: 'error', listener: () => void): void
  /** With `true` the connection is closed. */
  release(isBroken: boolean): void
}

const dialect = new PgDialect()

/** Returns the pool of node-postgres below a drizzle database, if that is what it is made of. */
function poolOf(db: Postgres): Pool | null {
  const { $client: client } = db as { readonly $client?: Partial<Pool> }
  return typeof client?.connect === 'function' && 'totalCount' in client ? (client as Pool) : null
}

/** The error of a connection reaches whoever waits for a statement; without a listener it would end the process. */
const ignore = (): void => undefined

/**
 * Runs a step in a transaction; `mode` follows `begin`. On a pool of node-postgres this does not use drizzle's own
 * transaction, which keeps the connection for ever when `begin` fails, and leaves it without a listener for errors.
 */
export function transact<Result>(
  db: Postgres,
  mode: string,
  step: (session: Session) => Promise<Result>,
): Promise<Result> {
  const pool = poolOf(db)
  if (pool) return transactOnPool(pool, mode, step)
  return db.transaction(async (tx) => {
    await tx.execute(sql.raw(`set transaction ${mode}`))
    return step(tx)
  })
}

async function transactOnPool<Result>(
  pool: Pool,
  mode: string,
  step: (session: Session) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  client.on('error', ignore)
  const session: Session = {
    execute(statement) {
      if (typeof statement === 'string') return client.query(statement)
      const { sql: text, params } = dialect.sqlToQuery(statement)
      return client.query(text, params)
    },
  }
  let isBroken = true
  try {
    await client.query(`begin ${mode}`)
    const result = await step(session)
    await client.query('commit')
    isBroken = false
    return result
  } catch (error) {
    isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    client.off('error', ignore)
    client.release(isBroken)
  }
}
