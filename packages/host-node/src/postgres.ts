import type { Pool } from 'pg'
import { MissingPackagesError } from './aws.ts'
import type { OpenDatabase } from './open-database.ts'

/** Returns whether this is the URL of a PostgreSQL database. */
export const isPostgres = (url: string): boolean => /^postgres(?:ql)?:/i.test(url)

/** The maximum number of connections of one pool. A server and its thread each have a pool. */
const maxConnections = 10
/** The name of each connection in `pg_stat_activity`, unless the URL sets another name. */
const applicationName = 'tributary'
/** The time in ms after which a query counts as an outage. Our statements take less than a tenth of this time. */
const queryMs = 60_000

/** Opens a pool of connections, and drizzle over it. Throws `MissingPackagesError` without the driver. */
async function connect(connectionString: string, limits: { max: number; query_timeout?: number }) {
  try {
    const [{ default: pg }, { drizzle }] = await Promise.all([import('pg'), import('drizzle-orm/node-postgres')])
    const pool: Pool = new pg.Pool({
      connectionString,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      // One connection stays open, so that `hasOthers` also sees a server without requests.
      min: 1,
      // The statements of a transaction are sent together, so that a distant database costs few round trips.
      pipeline: true,
      ...limits,
    })
    // The next query replaces a connection that broke while it was idle.
    pool.on('error', () => undefined)
    return { pool, db: drizzle(pool) }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new MissingPackagesError('A postgres:// database needs an optional package: npm install pg', { cause: error })
  }
}

/** An open PostgreSQL database. */
export interface OpenPostgres extends OpenDatabase {
  readonly pool: Pool
  /**
   * Returns whether another process of Tributary is connected to the database. Call it before the second connection is
   * opened.
   */
  hasOthers(): Promise<boolean>
}

const selectOthers = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  and application_name = '${applicationName}' limit 1`

/** Opens a PostgreSQL database. Nothing is read or written before the first statement. */
export async function openPostgres(url: string): Promise<OpenPostgres> {
  const { pool, db } = await connect(url, { max: maxConnections, query_timeout: queryMs })
  // A server on SQLite does not load this module.
  const { migrate, openDatabase, postgresStores } = await import('@tributary/core/postgres')
  return {
    stores: postgresStores(db),
    database: openDatabase(db),
    pool,
    local: null,
    client: null,
    async migrate(options = {}) {
      // A migration may rewrite a whole table, so its statements have no time limit.
      const { pool: patient, db: migrated } = await connect(url, { max: 1 })
      try {
        return await migrate(migrated, options)
      } finally {
        await patient.end()
      }
    },
    hasOthers: async () => (await pool.query(selectOthers)).rows.length > 0,
    async hasUsers() {
      return (await pool.query('select from users limit 1')).rows.length > 0
    },
    close: () => pool.end(),
  }
}
