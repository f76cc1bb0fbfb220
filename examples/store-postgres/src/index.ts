import type { Stores } from '@tributary/core'
import { withBackend } from '@tributary/core/stores'
import { postgresAuth } from './auth.ts'
import { openDatabase, type Postgres } from './database.ts'
import { postgresDataset } from './dataset.ts'
import { postgresIngest } from './ingest.ts'
import { postgresLimiter } from './limiter.ts'
import { postgresTraces } from './traces.ts'

export { migrate } from './migrate.ts'

/** The ports that this example implements. */
export type PostgresStores = Pick<Stores, 'auth' | 'ingest' | 'traces' | 'dataset' | 'limiter' | 'ready'>

/**
 * Returns the stores over a drizzle database of node-postgres or PGlite; the migrations must have been applied.
 *
 * ```ts
 * const pool = new Pool({ connectionString: 'postgres://localhost/tributary' })
 * await migrate(pool)
 * const { auth, ingest, traces, dataset, limiter } = postgresStores(drizzle(pool))
 * ```
 */
export function postgresStores(db: Postgres): PostgresStores {
  const database = openDatabase(db)
  return withBackend('postgresStores', db, {
    auth: postgresAuth(database),
    ingest: postgresIngest(database),
    traces: postgresTraces(database),
    dataset: postgresDataset(database),
    limiter: postgresLimiter(database),
    async ready() {
      await database.run((query) => query.execute('select 1 from users limit 1'))
    },
  })
}
