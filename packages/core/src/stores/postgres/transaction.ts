import { sql, SQL } from 'drizzle-orm'
import { PgDialect, type PgDatabase, type PgQueryResultHKT } from 'drizzle-orm/pg-core'

/** A drizzle database over node-postgres, postgres.js or PGlite. */
export type Postgres = PgDatabase<PgQueryResultHKT, Record<string, unknown>>

/** A statement of Postgres without its values. The types of the values are part of its text. */
export interface Shape {
  /** The texts around the values of the statement. */
  readonly around: readonly string[]
  /** The text of the statement, with `$1`, `$2` and so on for the values. */
  readonly text: string
  /** The name of the prepared statement, which is derived from the text. */
  readonly name: string
}

/** A statement with its values. */
export interface BoundStatement {
  readonly shape: Shape
  readonly values: readonly unknown[]
  readonly isPrepared: boolean
}

/** The connection that runs statements: the database, or a transaction of it. */
export interface Session {
  execute(statement: SQL | string): Promise<unknown>
  /**
   * Runs a statement of the stores. node-postgres returns rows as lists, and the other drivers return rows as objects.
   */
  run(statement: BoundStatement): Promise<unknown>
  /** True if a statement may be sent before the previous statement has ended. */
  readonly isPipelined: boolean
}

/** The part of a node-postgres pool that is used here. */
interface Pool extends Queries {
  connect(): Promise<PoolClient>
}
interface Queries {
  /** The client's option: https://node-postgres.com/features/pipelining */
  readonly pipeline?: boolean
  query(text: string, values?: unknown[]): Promise<unknown>
  query(query: { name?: string; text: string; values: readonly unknown[]; rowMode: 'array' }): Promise<unknown>
}
interface PoolClient extends Queries {
  on(event: 'error', listener: () => void): void
  off(event: 'error', listener: () => void): void
  /** Releases the connection, or with `true` closes it. */
  release(isBroken: boolean): void
}

const dialect = new PgDialect()

/** Returns the node-postgres pool of a drizzle database, or null if the database uses another driver. */
function findPool(db: Postgres): Pool | null {
  const { $client: client } = db as { readonly $client?: Partial<Pool> }
  return typeof client?.connect === 'function' && 'totalCount' in client ? (client as Pool) : null
}

/** Runs statements without drizzle, because drizzle's overhead is as long as a query of one row. */
const overQueries = (client: Queries): Session => ({
  execute(statement) {
    if (typeof statement === 'string') return client.query(statement)
    const { sql: text, params } = dialect.sqlToQuery(statement)
    return client.query(text, params)
  },
  run: ({ shape: { text, name }, values, isPrepared }) =>
    client.query({ ...(isPrepared && { name }), text, values, rowMode: 'array' }),
  isPipelined: client.pipeline === true,
})

const overDrizzle = (db: Pick<Postgres, 'execute'>): Session => ({
  execute: async (statement) => db.execute(statement),
  run: async ({ shape: { around }, values }) =>
    db.execute(
      new SQL(around.flatMap((text, at) => (at === 0 ? [sql.raw(text)] : [sql`${values[at - 1]}`, sql.raw(text)]))),
    ),
  isPipelined: false,
})

/** Returns the session that runs each statement separately. */
export function openSession(db: Postgres): Session {
  const pool = findPool(db)
  return pool ? overQueries(pool) : overDrizzle(db)
}

/**
 * Ignores the error of a connection, because the caller of a statement gets the error too. Without a listener, the
 * error would end the process.
 */
const ignore = (): void => undefined

/**
 * Turns off the compilation of statements. Postgres compiles statements that it expects to take long. It expects this
 * of every statement with a list as a parameter, and would compile for half a second before a statement that takes some
 * milliseconds.
 */
const withoutJit = 'set local jit = off'

/**
 * Runs a step in a transaction. `mode` follows `begin`, and `opening` are statements without parameters that run before
 * the step; a pool of node-postgres sends all of these in one message. For such a pool, drizzle's own transaction is
 * not used: when `begin` fails, it never releases the connection and leaves it without a listener for errors.
 */
export function transact<Result>(
  db: Postgres,
  mode: string,
  step: (session: Session) => Promise<Result>,
  ...opening: readonly string[]
): Promise<Result> {
  const pool = findPool(db)
  if (pool) return onClient(pool, (client) => inTransaction(client, openTransaction(mode, opening), step))
  return db.transaction(async (tx) => {
    for (const one of [`set transaction ${mode}`, withoutJit, ...opening]) await tx.execute(sql.raw(one))
    return step(overDrizzle(tx))
  })
}

/**
 * Runs statements in a transaction as `transact` does. A pool with a pipeline sends them together with the begin and
 * the commit, so that locks are not held during a round trip or a pause of this process. If a statement failed,
 * Postgres rolls back when it receives the commit.
 */
export function transactAll(
  db: Postgres,
  mode: string,
  statements: readonly BoundStatement[],
  ...opening: readonly string[]
): Promise<unknown[]> {
  const sortByIds = async (session: Session): Promise<unknown[]> => {
    const results: unknown[] = []
    for (const one of statements) results.push(await session.run(one))
    return results
  }
  const pool = findPool(db)
  if (!pool) return transact(db, mode, sortByIds, ...opening)
  return onClient(pool, async (client) => {
    if (client.pipeline !== true) return inTransaction(client, openTransaction(mode, opening), sortByIds)
    const session = overQueries(client)
    const [, results] = await Promise.all([
      client.query(openTransaction(mode, opening)),
      Promise.all(statements.map((one) => session.run(one))),
      client.query('commit'),
    ])
    return results
  })
}

const openTransaction = (mode: string, opening: readonly string[]): string =>
  [`begin ${mode}`, withoutJit, ...opening].join('; ')

async function inTransaction<Result>(
  client: Queries,
  begin: string,
  step: (session: Session) => Promise<Result>,
): Promise<Result> {
  await client.query(begin)
  const result = await step(overQueries(client))
  await client.query('commit')
  return result
}

/** Runs a transaction on a connection of a pool, and rolls it back if it fails. */
async function onClient<Result>(pool: Pool, run: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  client.on('error', ignore)
  let isBroken = true
  try {
    const result = await run(client)
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
