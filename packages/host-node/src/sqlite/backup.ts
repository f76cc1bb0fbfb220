import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { inspectSchema, MigrationError, type SchemaState, type SqlClient } from '@tributary/core/libsql'
import { Connection, isBusy, SqlError } from './connection.ts'

/** How long SQLite waits for a lock. It waits synchronously, which a command may and a server may not. */
const waitMs = 5_000

/** The database is open in another process, so it cannot be replaced. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
}

/** `integrity_check` found problems; the message names the file and the first of them. */
export class DatabaseDamaged extends Error {
  override readonly name = 'DatabaseDamaged'
}

/** A verified copy of a database. */
export interface Copied {
  readonly bytes: number
  readonly pages: number
  readonly schema: SchemaState | MigrationError
}

/** Runs on an existing database file as it is: no journal mode is set. Throws `SqlError`; the connection is closed at the end. */
async function withConnection<T>(path: string, run: (connection: Connection) => T | Promise<T>): Promise<T> {
  const connection = new Connection(path, waitMs, '')
  try {
    return await run(connection)
  } finally {
    connection.close()
  }
}

const clientOf = (connection: Connection): SqlClient => ({
  execute: async (statement) => connection.run(statement),
  batch: async (statements) => connection.transaction(statements, 'begin'),
  close: () => {},
})

/** Reads the schema of an existing database file and changes nothing. Throws as `inspectSchema`, `SqlError`. */
export function inspectFile(path: string): Promise<SchemaState> {
  return withConnection(path, (connection) => inspectSchema(clientOf(connection)))
}

/** Checks every page, row and index of a database file. Throws `DatabaseDamaged` with the first problems; `SqlError`. */
export function checkIntegrity(path: string): Promise<void> {
  return withConnection(path, (connection) => verify(connection, path))
}

function verify(connection: Connection, path: string): void {
  const { rows } = connection.run({ sql: 'pragma integrity_check(5)', args: [] })
  const problems = rows.map((row) => String(row[0]))
  if (problems.join() !== 'ok') throw new DatabaseDamaged(`${path} is damaged: ${problems.join('; ')}`)
}

/**
 * Writes a compact copy of a database to a new file, which only the owner may read, checks it and syncs it to the disk. The
 * source may be in use: the copy holds what was committed when this began, the write-ahead log included. Throws
 * `DatabaseDamaged`, `SqlError`.
 */
async function copyDatabase(source: string, target: string): Promise<Copied> {
  // `vacuum into` accepts an empty file and keeps its mode.
  closeSync(openSync(target, 'wx', 0o600))
  await withConnection(source, (connection) => connection.run({ sql: 'vacuum into ?', args: [target] }))
  const { pages, schema } = await withConnection(target, async (connection) => {
    verify(connection, source)
    return {
      pages: Number(connection.run({ sql: 'pragma page_count', args: [] }).rows[0]?.[0]),
      schema: await inspectSchema(clientOf(connection)).catch((error: unknown) => {
        if (error instanceof MigrationError) return error
        throw error
      }),
    }
  })
  sync(target)
  return { bytes: statSync(target).size, pages, schema }
}

/**
 * Copies a database to `target`, in place of the one that is there. Whenever this process is killed, `target` is either the
 * whole old database or the whole new one, and no write-ahead log of the old one lies beside the new one. The old one is kept
 * as `keepAs`, or deleted.
 *
 * Throws `DatabaseInUse` when another process has `target` open, `DatabaseDamaged` and `SqlError` for the source; `target`
 * is then as it was. Nothing may have `target` open in this process.
 */
export async function replaceDatabase(source: string, target: string, keepAs?: string): Promise<Copied> {
  const partial = `${target}.partial`
  const old = existsSync(target) ? statSync(target) : null
  const holder = old ? holdAlone(target) : null
  try {
    removeLeftover(partial)
    const copy = await copyDatabase(source, partial)
    if (old) {
      chmodSync(partial, old.mode & 0o777)
      if (process.getuid?.() === 0) chownSync(partial, old.uid, old.gid)
    }
    // `holder` has emptied and deleted the log, unless SQLite cannot read the old database.
    for (const end of ['-wal', '-shm', '-journal']) {
      if (!existsSync(target + end)) continue
      if (keepAs === undefined || end === '-shm') rmSync(target + end)
      else renameSync(target + end, keepAs + end)
    }
    // A second name first and then one rename: there is no moment without a database.
    if (old && keepAs !== undefined) linkSync(target, keepAs)
    renameSync(partial, target)
    sync(dirname(target))
    return copy
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) rmSync(partial, { force: true })
    throw error
  } finally {
    holder?.close()
  }
}

/**
 * Locks a database that no other process has open and brings its write-ahead log into the file; `close` unlocks it. Null when
 * SQLite cannot read the file, and so cannot tell who has it open.
 */
function holdAlone(path: string): Connection | null {
  let holder: Connection | undefined
  try {
    holder = new Connection(path, 500, '')
    // An open connection holds a shared lock in WAL mode, also while it is idle. Leaving WAL mode needs the file for itself.
    holder.exec('pragma journal_mode = delete')
    holder.exec('begin exclusive')
    return holder
  } catch (error) {
    holder?.close()
    if (isBusy(error)) throw new DatabaseInUse(`${path} is open in another process`, { cause: error })
    if (error instanceof SqlError && ['SQLITE_NOTADB', 'SQLITE_CORRUPT'].includes(error.code)) return null
    throw error
  }
}

/** Deletes what a killed copy left behind. Throws `DatabaseInUse` when another process is writing it. */
function removeLeftover(partial: string): void {
  if (!existsSync(partial)) return
  try {
    holdAlone(partial)?.close()
  } catch (error) {
    if (error instanceof DatabaseInUse) throw new DatabaseInUse(`another backup or restore is writing ${partial}`)
    throw error
  }
  rmSync(partial)
}

/** Waits until a file, or the names in a folder, are on the disk. */
function sync(path: string): void {
  // Windows cannot sync a folder.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
