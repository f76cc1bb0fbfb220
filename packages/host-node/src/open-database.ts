import type { Stores } from '@tributary/core'
import type { Database, Migrated, SqlClient } from '@tributary/core/libsql'
import type { LocalDatabase } from './sqlite/local.ts'

/** An open database. */
export interface OpenDatabase {
  readonly stores: Stores
  /** Runs statements that are not statements of the stores. */
  readonly database: Database
  /** The local file. Null for every other database. */
  readonly local: LocalDatabase | null
  /** The libSQL client. Null for Postgres. */
  readonly client: SqlClient | null
  /** Applies pending migrations. With `dryRun`, only returns them. */
  migrate(options?: { readonly dryRun?: boolean }): Promise<Migrated>
  /** Returns whether a migrated database has users. */
  hasUsers(): Promise<boolean>
  close(): Promise<void>
}
