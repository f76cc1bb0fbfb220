import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SchemaState } from '@tributary/core/libsql'
import { localPath, type DatabaseConfig } from '../server-config.ts'
import { inspectFile } from '../sqlite/backup.ts'
import { CommandError, describeError } from './errors.ts'

/**
 * Returns the schema of a local database before it is opened for writing, or null when the database does not exist or
 * is remote. Throws `CommandError` for a folder, for a file that is not a database, and for a database that is damaged
 * or belongs to another application. Throws `MigrationError`.
 */
export async function inspectDatabase(database: DatabaseConfig): Promise<SchemaState | null> {
  const path = localPath(database)
  return path === null || path === ':memory:' || !existsSync(path) ? null : inspectPath(path)
}

/** Returns the schema of a database file that exists, read by `inspect`. Throws the errors of `inspectDatabase`. */
export async function inspectPath(path: string, inspect = inspectFile): Promise<SchemaState> {
  if (statSync(path).isDirectory())
    throw new CommandError(`${path} is a folder; use a file in it, such as ${path.replace(/\/$/, '')}/tributary.db`)
  let schema: SchemaState
  try {
    schema = await inspect(path)
  } catch (error) {
    const known = describeError(error, path)
    throw known ? new CommandError(known.message, { cause: error }) : error
  }
  const { applied, foreignTables } = schema
  // Litestream adds two tables to every database.
  const others = foreignTables.filter((name) => !/^(?:_litestream|libsql_)/.test(name))
  if (applied.length > 0 || others.length === 0) return schema
  const tables = others.slice(0, 5).join(', ') + (others.length > 5 ? ', …' : '')
  throw new CommandError(`${path} is the database of another application (tables: ${tables}); use another --database`)
}

/** Throws the system's error when a database, or the folder in which SQLite keeps its log, cannot be written. */
export function requireWritable(path: string | null): void {
  if (path === null) return
  for (const one of [path, dirname(path)]) if (existsSync(one)) accessSync(one, constants.W_OK)
}
