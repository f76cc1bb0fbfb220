import type { Stores } from '../../stores.ts'
import { withBackend } from '../backend.ts'
import { createStores } from '../libsql/stores.ts'
import { openDatabase, type PostgresStoreOptions } from './database.ts'
import type { Postgres } from './transaction.ts'

/**
 * Returns every store over one PostgreSQL database, version 14 or newer; `migrate(db)` must have run, with the same
 * options. The stores are those of libSQL: `translate.ts` translates their statements into Postgres's SQL, and
 * `WriteOptions.locks` defines which writes wait for each other. The creator of `db` closes it.
 *
 * ```ts
 * const db = drizzle(new Pool({ connectionString: 'postgres://localhost/tributary' }))
 * await migrate(db)
 * const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores: postgresStores(db) })
 * ```
 */
export function postgresStores(db: Postgres, options: PostgresStoreOptions = {}): Stores {
  const { schema, tablePrefix = '' } = options
  const stores = createStores(openDatabase(db, options))
  return withBackend('postgresStores', db, stores, schema === undefined ? tablePrefix : `${schema}.${tablePrefix}`)
}
