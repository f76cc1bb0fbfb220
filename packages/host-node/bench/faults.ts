// `npm run check -- faults [--flow NAME --store NAME --json]`: makes each port call of each flow fail once, and checks
// the state after it.
import { libsqlBlobs } from '@tributary/core/libsql'
import { faultPlaces, faultsCommand, type FaultPlace } from '@tributary/test-kit/faults'
import { migrate, openDatabase, postgresStores } from '@tributary/core/postgres'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'
import { startServer } from '../../core/src/stores/postgres/server.fixture.ts'

/**
 * Opens Debian's PostgreSQL with one database, which is emptied for each point. Over one connection the replies arrive
 * in the order of the statements, so a flow makes the same calls each time.
 */
async function openPlace(): Promise<FaultPlace> {
  const server = await startServer()
  const pool = new Pool({ connectionString: server.url, max: 1 })
  const db = drizzle(pool)
  await migrate(db)
  const { rows } = await pool.query<{ deletes: string }>(
    `select string_agg('delete from ' || quote_ident(tablename), '; ') as deletes from pg_tables
      where schemaname = current_schema() and tablename <> 'tributary_migrations'`,
  )
  // Deleting a few rows takes a fraction of the time of truncating, which makes new files for each table and index.
  // Triggers would refuse some of the deletions, and the role `replica` runs no triggers.
  const empty = `begin; set local session_replication_role = replica; ${rows[0]!.deletes};
    insert into fingerprint_state (num, version, filled, fill_until) values (1, 0, 0, 0); commit`
  return {
    async empty(clock) {
      await pool.query(empty)
      return { stores: postgresStores(db), blobs: libsqlBlobs(openDatabase(db), clock) }
    },
    async close() {
      await pool.end()
      await server.close()
    },
  }
}

process.exitCode = await faultsCommand(
  process.argv.slice(2),
  { out: (text) => process.stdout.write(text), error: (text) => process.stderr.write(text) },
  // The Postgres store needs a server, so it runs only if `--store postgres` asks for it.
  { ...faultPlaces, ...(process.argv.includes('postgres') ? { postgres: openPlace } : {}) },
)
