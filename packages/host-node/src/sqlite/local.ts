import { resolve } from 'node:path'
import { checkOptionNames } from '@tributary/core/adapter'
import { isRead, type SqlClient, type SqlResult, type SqlStatement } from '@tributary/core/libsql'
import { WalCheckpointer, type CheckpointWork } from './checkpoint.ts'
import { Connection, DatabaseLockedError, isBusy, isHarmless, SqlError } from './connection.ts'
import { DatabaseFile } from './database-file.ts'
import { clearUnallocated, everyTable } from './unallocated.ts'
import { runInDriver, type WriteLease } from './write-lock.ts'
import { grantWriteLease, WriteLockClient, WriteQueue, type WriteLock } from './write-queue.ts'

export interface LocalOptions {
  /**
   * Milliseconds that a statement may wait for other statements before it starts. Then it fails with SQLITE_BUSY.
   * Default: 5,000.
   */
  busyMs?: number
  /** For a worker thread: the lease that `shareWrites` returned in the main thread, so that both use one write lock. */
  writeLease?: WriteLease
  /**
   * Milliseconds after a write until the write-ahead log is truncated and deleted rows are gone from it. Default:
   * 5,000.
   */
  checkpointMs?: number
  /**
   * A function that is called once, within 2 s, when another program deleted or replaced the file or its log. The
   * message names the file. From then on every statement fails with SQLITE_READONLY_DBMOVED.
   */
  onReplaced?: (error: Error) => void
}

export interface LocalDatabase extends SqlClient {
  /**
   * Overwrites the copies of deleted rows, copies the write-ahead log into the file and truncates the log, so that
   * neither contains deleted rows. Throws SQLITE_BUSY if other connections read or write too long.
   */
  checkpoint(): Promise<void>
}

// The busy timeout (in the driver's options) is set before, because switching to WAL needs the whole file for a moment.
// synchronous = full: an acknowledged write is synced to the disk and survives a power loss. secure_delete: the
// connection that deletes content, which is this connection, overwrites it with zeroes. cache_size: a sale changes up
// to 1,000 pages in a transaction, which the default of 2 MB would write and read twice. wal_autocheckpoint:
// `WalCheckpointer` copies the log after writes; a commit copies it only at 16 MB.
const writerSetup =
  'pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; ' +
  'pragma cache_size = -8000; pragma wal_autocheckpoint = 4000'
const readerSetup = 'pragma query_only = on'

// The driver waits synchronously, which blocks the event loop, so it waits only as long as a short write takes.
const driverTimeoutMs = 25
const minRetryMs = 4
const maxRetryMs = 60
/** Statements that SQLite does not run inside a transaction. */
const withoutTransaction = /^\s*(?:pragma|vacuum|attach|detach)\b/i

/** The interval at which the files are compared. They are also compared before every acknowledgement. */
const detectMs = 1_000
/** The pause between two slices of the walk through the pages. */
const walkPauseMs = 4
/** The longest time for which `close` may clear pages. */
const closeClearMs = 1_000
/** The maximum number of times that a checkpoint clears again because pages moved meanwhile. */
const maxClearAttempts = 5

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

class LocalClient implements LocalDatabase {
  readonly #busyMs: number
  /** Null for a database in memory. */
  readonly file: DatabaseFile | null
  readonly #lease: WriteLease | undefined
  readonly writeLock: WriteLock
  readonly checkpointer: WalCheckpointer
  #writer: Connection | undefined
  #reader: Connection | undefined
  /** The connection that walks the trees, in its own read transactions. */
  #walker: Connection | undefined
  #isClosed = false
  #detectTimer: NodeJS.Timeout | undefined

  constructor(path: string, options: LocalOptions) {
    const { busyMs = 5_000, writeLease, checkpointMs = 5_000, onReplaced } = options
    this.#busyMs = busyMs
    this.#lease = writeLease
    // The path is resolved now. Otherwise a database that is opened again after a `chdir` could be another file.
    this.file = path === ':memory:' ? null : new DatabaseFile(resolve(path), writeLease?.file, onReplaced)
    const work: CheckpointWork = {
      checkpoint: () => this.#checkpointPassively(),
      truncate: () => this.#truncate(),
      clear: (tables) => this.#clear(tables),
    }
    // The process that opens the file clears data that an earlier process left uncleared. Its threads do not.
    this.checkpointer = new WalCheckpointer(work, checkpointMs, writeLease ? [] : [everyTable])
    this.writeLock = writeLease
      ? new WriteLockClient(writeLease, (...task) => this.checkpointer.runTask(...task))
      : new WriteQueue()
  }

  async execute(statement: SqlStatement): Promise<SqlResult> {
    if (isRead(statement.sql)) return this.#read((reader) => reader.run(statement))
    if (withoutTransaction.test(statement.sql)) return this.#write((writer) => writer.run(statement))
    return (await this.batch([statement], 'write'))[0] as SqlResult
  }

  batch(statements: SqlStatement[], mode: 'write' | 'read' | 'deferred'): Promise<SqlResult[]> {
    if (mode === 'read') return this.#read((reader) => reader.transaction(statements, 'begin'))
    return this.#write((writer) => writer.transaction(statements, 'begin immediate'))
  }

  async checkpoint(): Promise<void> {
    for (let attempt = 1; !this.#isClosed && !(await this.checkpointer.clear()); attempt++) {
      if (attempt === maxClearAttempts)
        throw new DatabaseLockedError('other writes moved the pages with copies of deleted rows', 'SQLITE_BUSY')
    }
    await this.#write((writer) => {
      if (!truncateLog(writer)) throw new DatabaseLockedError('the write-ahead log is being read', 'SQLITE_BUSY')
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const uncleared = this.checkpointer.stop()
    this.#runInDriver(() => {
      this.#reader?.close()
      if (uncleared.size > 0) this.#clearSynchronously(uncleared)
      try {
        this.file?.check()
        // After the log is truncated, the file alone is the whole database, which matters for copies of the file. The
        // main thread truncates the log for its worker threads.
        if (this.#writer && this.writeLock instanceof WriteQueue) truncateLog(this.#writer)
      } catch {
        // Another process uses the database and the log keeps everything, or the files were replaced.
      }
      this.#walker?.close()
      this.#writer?.close()
    })
    clearInterval(this.#detectTimer)
  }

  #runInDriver<T>(call: () => T): T {
    return runInDriver(this.#lease?.state, call)
  }

  /** Reads bypass the write lock: in WAL mode they see the last commit of any connection while a write is running. */
  async #read<T>(work: (reader: Connection) => T): Promise<T> {
    if (!this.file) return this.#write(work)
    // The writer creates the file and its log if they do not exist.
    if (this.#writer === undefined && this.#reader === undefined) await this.#write(() => {})
    return this.#retry(performance.now() + this.#busyMs, () => work(this.#open('reader')))
  }

  async #write<T>(work: (writer: Connection) => T): Promise<T> {
    const deadline = performance.now() + this.#busyMs
    const release = await this.writeLock.acquire(this.#busyMs)
    try {
      return await this.#retry(deadline, () => {
        const writer = this.#open('writer')
        const result = work(writer)
        // A write to a deleted file must not be acknowledged.
        this.file?.checkWritten()
        if (this.file) this.checkpointer.recordWrite(writer.takeWrittenBytes(), writer.takeDeletedFrom())
        return result
      })
    } finally {
      release()
    }
  }

  #open(role: 'writer' | 'reader' | 'walker'): Connection {
    const { file } = this
    if (!file) return (this.#writer ??= new Connection(':memory:', driverTimeoutMs, ''))
    this.#detectTimer ??= setInterval(() => file.detectReplaced(), detectMs).unref()
    file.throwIfReplaced()
    const connect = (setup: string): Connection => file.open(() => new Connection(file.path, driverTimeoutMs, setup))
    if (role === 'reader') return (this.#reader ??= connect(readerSetup))
    if (role === 'walker') return (this.#walker ??= connect(readerSetup))
    return (this.#writer ??= connect(writerSetup))
  }

  /** Copies the log without the write lock, so that other connections may write at the same time. */
  #checkpointPassively(): void {
    if (this.#isClosed) return
    this.#runInDriver(() => {
      try {
        this.#open('writer').run({ sql: 'pragma wal_checkpoint(passive)', args: [] })
      } catch {
        this.#closeConnections()
      }
    })
  }

  /**
   * Tries once, and does not wait while it holds the write lock, because a reader of the old state must not delay other
   * writes.
   */
  async #truncate(): Promise<boolean> {
    const release = await this.writeLock.acquire(this.#busyMs).catch(() => null)
    try {
      if (release === null) return false
      if (this.#isClosed) return true
      return this.#runInDriver(() => {
        try {
          return truncateLog(this.#open('writer'))
        } catch {
          this.#closeConnections()
          return false
        }
      })
    } finally {
      release?.()
    }
  }

  async #clear(tables: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (!this.file) return new Set()
    try {
      const steps = this.#runInDriver(() => clearUnallocated(this.#open('walker'), tables))
      for (;;) {
        const step = this.#runInDriver(() => steps.next())
        if (step.done) return step.value
        await (step.value ? this.#write(step.value) : sleep(walkPauseMs))
        if (this.#isClosed) return tables
      }
    } catch {
      this.#runInDriver(() => this.#walker?.close())
      this.#walker = undefined
      return tables
    }
  }

  /** Clears as many pages as possible within `closeClearMs`, for which it blocks the event loop. */
  #clearSynchronously(tables: ReadonlySet<string>): void {
    const deadline = performance.now() + closeClearMs
    // The open walker may be in the middle of a walk.
    this.#walker?.close()
    this.#walker = undefined
    try {
      for (const clearPages of clearUnallocated(this.#open('walker'), tables)) {
        clearPages?.(this.#open('writer'))
        if (performance.now() > deadline) return
      }
    } catch {
      // Another process is writing. The next process that opens the file clears the pages.
    }
  }

  /** Runs `attempt` and, while the file is locked, retries with pauses that yield to the event loop. */
  async #retry<T>(deadline: number, attempt: () => T): Promise<T> {
    for (let waitMs = minRetryMs; ; waitMs = Math.min(waitMs * 2, maxRetryMs)) {
      if (this.#isClosed) throw new SqlError('the database was closed', 'CLIENT_CLOSED')
      try {
        return this.#runInDriver(attempt)
      } catch (error) {
        if (!isHarmless(error)) this.#runInDriver(() => this.#closeConnections())
        if (!isBusy(error) || performance.now() + waitMs > deadline) throw error
      }
      // The delay is random, so that two processes do not retry at the same time.
      await sleep(waitMs * (0.5 + Math.random() / 2))
    }
  }

  /**
   * Closes the connections after an error. Otherwise a connection that failed with BUSY inside a statement would
   * acknowledge writes and lose them.
   */
  #closeConnections(): void {
    if (!this.file) return
    // The files are compared before the connections close, because SQLite deletes the log with the last connection.
    this.file.detectReplaced()
    this.#writer?.close()
    this.#reader?.close()
    this.#walker?.close()
    this.#writer = this.#reader = this.#walker = undefined
    this.file.forgetLog()
  }
}

/**
 * Copies the log into the file and truncates it. Returns false while other connections read the old state. SQLite
 * reports this case as a row.
 */
function truncateLog(writer: Connection): boolean {
  const [row] = writer.run({ sql: 'pragma wal_checkpoint(truncate)', args: [] }).rows
  return row?.[0] !== 1
}

/**
 * Opens a local SQLite file; nothing happens before the first statement. An acknowledged write is visible to every
 * other process and survives a kill or a power loss. `:memory:` uses a single connection.
 *
 * Every write is one `begin immediate` transaction, one at a time in this process; the lock of another process is
 * polled in short steps that yield to the event loop. SQLite rejects explicit `begin` and `commit`. Integers beyond
 * 2^53 throw a RangeError when read, as in `@libsql/client`.
 *
 * ```ts
 * const local = openLocal('tributary.db')
 * const database = openDatabase(local)
 * ```
 */
export function openLocal(path: string, options: LocalOptions = {}): LocalDatabase {
  checkOptionNames(options, { busyMs: true, writeLease: true, checkpointMs: true, onReplaced: true })
  return new LocalClient(path, options)
}

/**
 * Returns a share in the write lock for one worker thread that writes to the same file: `new Worker(file, { workerData:
 * { writeLease }, transferList: [writeLease.port] })`, and in that thread `openLocal(path, { writeLease })`. The two
 * threads then do not wait for each other inside SQLite. If the thread dies, its lock is released.
 */
export function shareWrites(local: LocalDatabase): WriteLease {
  if (!(local instanceof LocalClient) || !(local.writeLock instanceof WriteQueue)) {
    throw new TypeError('only a database that was opened by openLocal without a writeLease can share its write lock')
  }
  return grantWriteLease(local.writeLock, local.checkpointer, local.file?.identity ?? null)
}
