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

/**
 * The time for which SQLite waits for a lock. SQLite waits synchronously, which is acceptable in a command but not in a
 * server.
 */
const lockTimeoutMs = 5_000

/** The error if the database is open in another process, so that it cannot be replaced. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'
}

/** The error if `integrity_check` found problems. The message names the file and the first problem. */
export class DatabaseDamaged extends Error {
  override readonly name = 'DatabaseDamaged'
}

/** A verified copy of a database. */
export interface DatabaseCopy {
  readonly bytes: number
  readonly pages: number
  readonly schema: SchemaState | MigrationError
}

/**
 * Runs `run` on an existing database file without setting a journal mode, and closes the connection. Throws `SqlError`.
 */
async function withConnection<T>(path: string, run: (connection: Connection) => T | Promise<T>): Promise<T> {
  const connection = new Connection(path, lockTimeoutMs, '')
  try {
    return await run(connection)
  } finally {
    connection.close()
  }
}

const toClient = (connection: Connection): SqlClient => ({
  execute: async (statement) => connection.run(statement),
  batch: async (statements) => connection.transaction(statements, 'begin'),
  close: () => {},
})

/**
 * Reads the schema of an existing database file and changes nothing. Throws the errors of `inspectSchema`, and
 * `SqlError` if the file cannot be read.
 */
export function inspectFile(path: string): Promise<SchemaState> {
  return withConnection(path, (connection) => inspectSchema(toClient(connection)))
}

/**
 * Checks every page, row and index of a database file. Throws `DatabaseDamaged` with the first problems, or `SqlError`.
 */
export function checkIntegrity(path: string): Promise<void> {
  return withConnection(path, (connection) => verify(connection, path))
}

function verify(connection: Connection, path: string): void {
  const { rows } = connection.run({ sql: 'pragma integrity_check(5)', args: [] })
  const problems = rows.map((row) => String(row[0]))
  if (problems.join() !== 'ok') throw new DatabaseDamaged(`${path} is damaged: ${problems.join('; ')}`)
}

/**
 * Writes a compact copy of a database to a new file, which only the owner may read, checks it and syncs it to the disk.
 * The source may be in use: the copy contains everything that was committed when the call began, including the
 * write-ahead log. Throws `DatabaseDamaged`, `SqlError`.
 */
async function copyDatabase(source: string, target: string): Promise<DatabaseCopy> {
  // `vacuum into` accepts an empty file and keeps its mode.
  closeSync(openSync(target, 'wx', 0o600))
  await withConnection(source, (connection) => connection.run({ sql: 'vacuum into ?', args: [target] }))
  const { pages, schema } = await withConnection(target, async (connection) => {
    verify(connection, source)
    return {
      pages: Number(connection.run({ sql: 'pragma page_count', args: [] }).rows[0]?.[0]),
      schema: await inspectSchema(toClient(connection)).catch((error: unknown) => {
        if (error instanceof MigrationError) return error
        throw error
      }),
    }
  })
  syncPath(target)
  return { bytes: statSync(target).size, pages, schema }
}

/**
 * Replaces `target` with a copy of a database. Even if this process is killed, `target` is either the complete old
 * database or the complete new one, and a write-ahead log of the old database never remains next to the new one. The
 * old database is kept as `keepAs`, or deleted.
 *
 * Throws `DatabaseInUse` when another process has `target` open, and `DatabaseDamaged` or `SqlError` when the source
 * cannot be copied. In these cases `target` is not changed. This process must not have `target` open.
 */
export async function replaceDatabase(source: string, target: string, keepAs?: string): Promise<DatabaseCopy> {
  const partial = `${target}.partial`
  const old = existsSync(target) ? statSync(target) : null
  const holder = old ? lockExclusively(target) : null
  try {
    removeLeftover(partial)
    const copy = await copyDatabase(source, partial)
    if (old) {
      chmodSync(partial, old.mode & 0o777)
      if (process.getuid?.() === 0) chownSync(partial, old.uid, old.gid)
    }
    // `holder` has emptied and deleted the log, unless SQLite cannot read the old database.
    for (const suffix of ['-wal', '-shm', '-journal']) {
      if (!existsSync(target + suffix)) continue
      if (keepAs === undefined || suffix === '-shm') rmSync(target + suffix)
      else renameSync(target + suffix, keepAs + suffix)
    }
    // A hard link is made first, followed by a single rename, so that the database exists at every moment.
    if (old && keepAs !== undefined) linkSync(target, keepAs)
    renameSync(partial, target)
    syncPath(dirname(target))
    return copy
  } catch (error) {
    if (!(error instanceof DatabaseInUse)) removePartial(partial)
    throw error
  } finally {
    holder?.close()
  }
}

/**
 * Locks a database that no other process has open and copies its write-ahead log into the file; `close` unlocks it.
 * Returns null when SQLite cannot read the file.
 */
function lockExclusively(path: string): Connection | null {
  let holder: Connection | undefined
  try {
    holder = new Connection(path, 500, '')
    takeLock(holder, path)
    return holder
  } catch (error) {
    holder?.close()
    if (error instanceof SqlError && ['SQLITE_NOTADB', 'SQLITE_CORRUPT'].includes(error.code)) return null
    throw error
  }
}

/** Throws `DatabaseInUse` when the file is open in another process, or through another connection of this process. */
function takeLock(connection: Connection, path: string): void {
  try {
    // In WAL mode an open connection holds a shared lock, even when it is idle. Leaving WAL mode needs an exclusive
    // lock.
    connection.exec('pragma journal_mode = delete')
    connection.exec('begin exclusive')
  } catch (error) {
    throw isBusy(error) ? new DatabaseInUse(`${path} is open in another process`, { cause: error }) : error
  }
}

/**
 * Reads the schema of an existing database file as `inspectFile` does, and throws `DatabaseInUse` when another process
 * has the file open. It uses one connection for both, because a closed connection keeps its lock until the driver's
 * statements are garbage collected.
 */
export function inspectUnused(path: string): Promise<SchemaState> {
  return withConnection(path, async (connection) => {
    const schema = await inspectSchema(toClient(connection))
    // The file of another application is not changed.
    if (schema.applied.length > 0) takeLock(connection, path)
    return schema
  })
}

/** Throws `DatabaseInUse` when another process has a database file open. */
export const requireUnused = (path: string): void => lockExclusively(path)?.close()

/** Deletes the partial file of a killed copy. Throws `DatabaseInUse` when another process is writing it. */
function removeLeftover(partial: string): void {
  if (!existsSync(partial)) return removePartial(partial)
  try {
    lockExclusively(partial)?.close()
  } catch (error) {
    if (error instanceof DatabaseInUse) throw new DatabaseInUse(`another backup or restore is writing ${partial}`)
    throw error
  }
  removePartial(partial)
}

/** Deletes a partial file, and the journal that SQLite leaves when the disk is full. */
function removePartial(partial: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(partial + suffix, { force: true })
}

/** Syncs a file, or the names in a folder, to the disk. */
function syncPath(path: string): void {
  // Windows cannot sync a folder.
  if (process.platform === 'win32' && statSync(path).isDirectory()) return
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
