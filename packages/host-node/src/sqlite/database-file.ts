import { closeSync, openSync, statSync } from 'node:fs'
import { SqlError } from './connection.ts'

/** The device and inode of a file. Null if it does not exist. */
export type FileIdentity = string | null

/** Returns the identity of a file, or undefined if it cannot be read. */
function readIdentity(path: string): FileIdentity | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats ? `${stats.dev}:${stats.ino}` : null
  } catch {
    // A temporary failure does not mean that the file was replaced.
    return undefined
  }
}

/**
 * The files of an open database. Detects that another program deleted or replaced a file: SQLite would continue to
 * write to the deleted file, and the next open would create an empty file. Uses only `stat`, because closing a
 * descriptor of these files drops SQLite's locks.
 */
export class DatabaseFile {
  readonly path: string
  readonly #onReplaced: ((error: SqlError) => void) | undefined
  #database: FileIdentity
  /**
   * The identities of the log and its index while a connection is open here, because SQLite deletes both with the last
   * connection.
   */
  readonly #log = new Map<string, string>()
  #replaced: SqlError | null = null

  /** `database` is the identity that another thread of this process found. Default: the identity at the first open. */
  constructor(path: string, database: FileIdentity = null, onReplaced?: (error: SqlError) => void) {
    this.path = path
    this.#database = database
    this.#onReplaced = onReplaced
  }

  get identity(): FileIdentity {
    return this.#database
  }

  /**
   * Runs `connect`, which opens a connection, and stores the identity of its file. Creates the file with mode 0600 if
   * this process opens it for the first time; SQLite gives the log the same mode. Never opens an existing file (`wx`),
   * because of SQLite's locks. Throws the errors of `check`.
   */
  open<T>(connect: () => T): T {
    this.check()
    if (this.#database === null) createPrivateFile(this.path)
    const connection = connect()
    this.#database ??= readIdentity(this.path) ?? null
    this.check()
    return connection
  }

  /**
   * Clears the recorded identities of the log and its index. Call it after the connections of this thread were closed.
   */
  forgetLog(): void {
    this.#log.clear()
  }

  /** Compares the files with the files that were opened. Does nothing after it found a deleted or replaced file. */
  detectReplaced(): void {
    if (this.#replaced) return
    const known: [string, FileIdentity][] = [['', this.#database], ...this.#log]
    for (const [suffix, identity] of known) {
      const current = readIdentity(this.path + suffix)
      if (identity === null || current === undefined || current === identity) continue
      this.#replaced = new SqlError(
        `${this.path}${suffix} was ${current === null ? 'deleted' : 'replaced'} by another program while it was in use; ` +
          'restart this process to read and write again',
        'SQLITE_READONLY_DBMOVED',
      )
      this.#onReplaced?.(this.#replaced)
      return
    }
  }

  /** Throws SQLITE_READONLY_DBMOVED if a file was found deleted or replaced. */
  throwIfReplaced(): void {
    if (this.#replaced) throw this.#replaced
  }

  /**
   * Checks the files after a write, before the write is acknowledged. Stores the identity of the log, which exists
   * after the first write.
   */
  checkWritten(): void {
    for (const suffix of ['-wal', '-shm']) {
      const identity = this.#log.has(suffix) ? null : readIdentity(this.path + suffix)
      if (identity) this.#log.set(suffix, identity)
    }
    this.check()
  }

  /** Compares the files and throws SQLITE_READONLY_DBMOVED if a file was deleted or replaced. */
  check(): void {
    this.detectReplaced()
    this.throwIfReplaced()
  }
}

function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // The file exists, or cannot be created. The driver reports the latter when it opens the file.
  }
}
