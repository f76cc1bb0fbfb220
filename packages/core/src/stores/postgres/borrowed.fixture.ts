import { getTableName, sql } from 'drizzle-orm'
import { drizzle as overPool } from 'drizzle-orm/node-postgres'
import { drizzle as overPostgresJs } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import type { Postgres } from './transaction.ts'
import { migrate } from './migrate.ts'
import { openMigratedPglite } from './pglite.fixture.ts'
import { startServer } from './server.fixture.ts'
import { tables } from './tables.ts'

/** A migrated database without rows, which two hosts have open. */
export interface BorrowedDatabase {
  readonly pools: readonly [Postgres, Postgres]
  /** Empties the database for the next test. This is faster than creating a new database. */
  release(): Promise<void>
}

const names = Object.values(tables).map((table) => `'"${getTableName(table)}"'`)
// Truncating a table rewrites the files of the table and of its indexes, so only the few tables that a test filled are
// truncated.
const empty = `do $$
  declare t text; filled boolean;
  begin
    foreach t in array array[${names.join(', ')}] loop
      execute format('select exists (select from %s)', t) into filled;
      if filled then execute format('truncate %s', t); end if;
    end loop;
    perform setval(oid, 1, false) from pg_class where relkind = 'S';
  end
$$`
// The migrations insert this row.
const insertState = `insert into "${getTableName(tables['fingerprintState']!)}" (num, version, filled, fill_until) values (1, 0, 0, 0)`

/** Returns a function that borrows a database that no test is using. */
function lend(create: () => Promise<BorrowedDatabase['pools']>): () => Promise<BorrowedDatabase> {
  const free: BorrowedDatabase['pools'][] = []
  return async () => {
    const pools = free.pop() ?? (await create())
    return {
      pools,
      async release() {
        await pools[0].execute(sql.raw(empty))
        await pools[0].execute(sql.raw(insertState))
        free.push(pools)
      },
    }
  }
}

/** Borrows a database on PGlite. It has one session, so its transactions run one after the other. */
export const borrowPglite = lend(async () => {
  const { db } = await openMigratedPglite()
  return [db, db]
})

/** Borrows a database on a server, over ten connections of node-postgres and ten of postgres.js. */
export const borrowServer = lend(async () => {
  const server = await startServer()
  const stop = (): void => void server.close()
  process.once('exit', stop)
  const one = overPool(server.openPool()) as unknown as Postgres
  // This driver does not accept the folder of a socket in a URL.
  const { searchParams, pathname } = new URL(server.url)
  const [host, user] = [searchParams.get('host')!, searchParams.get('user')!]
  const client = postgres({ host, user, database: pathname.slice(1), max: 10, onnotice: () => undefined })
  const other = overPostgresJs(client) as unknown as Postgres
  await migrate(one)
  return [one, other]
})
