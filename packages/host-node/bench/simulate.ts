// `npm run check -- simulate [--store postgres --seeds N --steps N]` runs whole services under a virtual clock.
// `packages/test-kit/src/simulation/command.ts` describes this check.
import { libsqlBlobs } from '@tributary/core/libsql'
import { migrate, openDatabase, postgresStores } from '@tributary/core/postgres'
import { openLibsqlDatabase, simulateCommand, type SimulatedDatabase } from '@tributary/test-kit/simulation'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'
import { startServer } from '../../core/src/stores/postgres/server.fixture.ts'

/** Opens Debian's PostgreSQL with one database, which every seed empties. */
async function openPostgresDatabase(): Promise<SimulatedDatabase> {
  const server = await startServer()
  // Connections have no idle timeout, because the simulation has its own clock.
  const pool = new Pool({ connectionString: server.url, max: 10, idleTimeoutMillis: 0 })
  const db = drizzle(pool)
  await migrate(db)
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables
      where schemaname = current_schema() and tablename <> 'tributary_migrations' order by tablename`,
  )
  const tables = rows.map(({ name }) => name)
  const clear = `truncate ${tables.join()} restart identity;
    insert into fingerprint_state (num, version, filled, fill_until) values (1, 0, 0, 0)`
  const blobs = openDatabase(db)
  return {
    open: (clock) => ({ ...postgresStores(db), blobs: libsqlBlobs(blobs, clock) }),
    async readBytes() {
      const values: Buffer[] = []
      for (const table of tables)
        for (const row of (await pool.query<Record<string, unknown>>(`select * from ${table}`)).rows)
          for (const value of Object.values(row))
            values.push(Buffer.isBuffer(value) ? value : Buffer.from(String(value)))
      return Buffer.concat(values)
    },
    clear: async () => void (await pool.query(clear)),
    async close() {
      await pool.end()
      await server.close()
    },
  }
}

process.exitCode = await simulateCommand(
  process.argv.slice(2),
  { out: (text) => process.stdout.write(text), error: (text) => process.stderr.write(text) },
  { libsql: openLibsqlDatabase, postgres: openPostgresDatabase },
)
