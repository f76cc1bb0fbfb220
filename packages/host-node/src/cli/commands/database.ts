import { existsSync, statSync } from 'node:fs'
import type { SchemaState } from '@tributary/core/libsql'
import { inspectFile } from '../../sqlite/backup.ts'
import { localPath, type DatabaseConfig } from '../../server-config.ts'
import { Problem } from './command.ts'
import { explain } from './trouble.ts'

/**
 * Looks at an existing local database before anything opens it for writing: null when there is none yet, or it is remote.
 * Throws `Problem` for a folder, a file that is no database, a damaged one and one of another application; `MigrationError`.
 */
export async function inspectDatabase(plan: DatabaseConfig): Promise<SchemaState | null> {
  const path = localPath(plan)
  return path === null || path === ':memory:' || !existsSync(path) ? null : inspectPath(path)
}

/** Looks at a database file that exists. Throws as `inspectDatabase`. */
export async function inspectPath(path: string): Promise<SchemaState> {
  if (statSync(path).isDirectory())
    throw new Problem(`${path} is a folder. Name a file in it, such as ${path.replace(/\/$/, '')}/tributary.db.`)
  let schema: SchemaState
  try {
    schema = await inspectFile(path)
  } catch (error) {
    const known = explain(error, path)
    throw known ? new Problem(known.message, { cause: error }) : error
  }
  const { applied, foreignTables } = schema
  // Litestream adds two tables to every database.
  const others = foreignTables.filter((name) => !/^(?:_litestream|libsql_)/.test(name))
  if (applied.length > 0 || others.length === 0) return schema
  const listed = others.slice(0, 5).join(', ') + (others.length > 5 ? ', …' : '')
  throw new Problem(
    `${path} is the database of another application (its tables: ${listed}). Name another file with --database.`,
  )
}
