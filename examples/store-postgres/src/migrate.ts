import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator'
import type { Pool } from 'pg'

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))

/** Any number that nothing else in the database locks. */
const lockKey = 7_420_117

/**
 * Applies the migrations that are pending. Any number of processes may call it at once: one applies them, the others
 * wait.
 */
export async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    try {
      await applyMigrations(drizzle(client), { migrationsFolder })
    } finally {
      await client.query('select pg_advisory_unlock($1)', [lockKey])
    }
  } finally {
    client.release()
  }
}
