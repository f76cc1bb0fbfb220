import { closeSync, openSync, statSync } from 'node:fs'
import { SqlError } from './connection.ts'

/** Device and inode of a file; null when there is none. */
export type FileIdentity = string | null

function identityOf(path: string): FileIdentity | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats ? `${stats.dev}:${stats.ino}` : null
  } catch {
    // A file that cannot be looked at for a moment has not been replaced.
    return undefined
  }
}

/**
 * The files of an open database. Detects that another program deleted or replaced one of them: SQLite would go on
 * writing into the deleted file, and the next open would create an empty one. Looks by `stat` alone, because closing
 * a descriptor of these files drops SQLite's locks.
 */
export class DatabaseFile {
  readonly path: string
  readonly #onReplaced: ((error: SqlError) => void) | undefined
  #database: FileIdentity
  /** The log and its index; SQLite deletes both with the last of all connections, so they are known only while one is open here. */
  readonly #log = new Map<string, string>()
  #replaced: SqlError | null = null

  /** `database` is the identity that another thread of this process has found; default: whatever the first open finds. */
  constructor(path: string, database: FileIdentity = null, onReplaced?: (error: SqlError) => void) {
    this.path = path
    this.#database = database
    this.#onReplaced = onReplaced
  }

  get identity(): FileIdentity {
    return this.#database
  }

  /**
   * Runs `connect`, which opens a connection, and remembers which file it works on. If this process opens the database for the
   * first time, creates its file for its owner alone; SQLite gives the log the mode of the file. An existing file is never
   * opened (`wx`), for the sake of SQLite's locks. Throws like `check`.
   */
  open<T>(connect: () => T): T {
    this.check()
    if (this.#database === null) createPrivate(this.path)
    const connection = connect()
    this.#database ??= identityOf(this.path) ?? null
    this.check()
    return connection
  }

  /** Forgets the log, as the connections of this thread are closed now. */
  closed(): void {
    this.#log.clear()
  }

  /** Looks whether the files are still the ones that were opened, until once they are not. */
  look(): void {
    if (this.#replaced) return
    const known: [string, FileIdentity][] = [['', this.#database], ...this.#log]
    for (const [end, identity] of known) {
      const now = identityOf(this.path + end)
      if (identity === null || now === undefined || now === identity) continue
      this.#replaced = new SqlError(
        `${this.path}${end} was ${now === null ? 'deleted' : 'replaced'} by another program while it was in use; ` +
          'all reads and writes are refused until this process is restarted',
        'SQLITE_READONLY_DBMOVED',
      )
      this.#onReplaced?.(this.#replaced)
      return
    }
  }

  /** Throws SQLITE_READONLY_DBMOVED if an earlier look found a file deleted or replaced. */
  refuse(): void {
    if (this.#replaced) throw this.#replaced
  }

  /** Checks after a write, which is not acknowledged otherwise. Remembers the log, which is there from the first write on. */
  checkWritten(): void {
    for (const end of ['-wal', '-shm']) {
      const identity = this.#log.has(end) ? null : identityOf(this.path + end)
      if (identity) this.#log.set(end, identity)
    }
    this.check()
  }

  /** Looks, and throws SQLITE_READONLY_DBMOVED if a file was deleted or replaced. */
  check(): void {
    this.look()
    this.refuse()
  }
}

function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // It exists, or cannot be created: the driver reports the latter in its own words.
  }
}
