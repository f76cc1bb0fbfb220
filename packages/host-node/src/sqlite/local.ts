import { resolve } from 'node:path'
import { isRead, type SqlClient, type SqlResult, type SqlStatement } from '@tributary/core/libsql'
import { WalCheckpointer, type LogWork } from './checkpoint.ts'
import { Connection, isBusy, isHarmless, DatabaseLockedError, SqlError } from './connection.ts'
import { DatabaseFile } from './database-file.ts'
import { drive, type WriteLease } from './write-lock.ts'
import { WriteLockClient, grantWriteLease, WriteQueue, type WriteLock } from './write-queue.ts'
import { clearUnallocated, everyTable } from './unallocated.ts'

export interface LocalOptions {
  /** How long a statement may wait for others, in ms, from the call to its start. Default 5,000. Then the driver's SQLITE_BUSY. */
  busyMs?: number
  /** In a worker thread: what the owner's `shareWrites` made, so that both write in one line. */
  writeLease?: WriteLease
  /** How long after a write the write-ahead log is emptied into the file, in ms, and what was deleted is gone from both. Default 5,000. */
  checkpointMs?: number
  /**
   * Called once, within 2 s, when another program deleted or replaced the file or its log; the message says which. From then
   * on everything is refused with SQLITE_READONLY_DBMOVED.
   */
  onReplaced?: (error: Error) => void
}

export interface LocalDatabase extends SqlClient {
  /**
   * Overwrites the copies of deleted rows, brings the write-ahead log into the file and empties it: what was deleted is then in
   * neither. Throws SQLITE_BUSY if others read or write too long.
   */
  checkpoint(): Promise<void>
}

// Bringing WAL about takes the whole file for a moment, so the busy timeout (in the driver's options) is there first.
// FULL: an acknowledged write has been synced to the disk, and outlives a power loss. secure_delete: what is deleted
// is overwritten with zeroes; it holds for the connection that deletes, which is this one.
// The log goes into the file after writes (`LogKeeper`); inside one only when it got to 16 MB, because nobody came to it.
const writing =
  'pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; pragma wal_autocheckpoint = 4000'
const reading = 'pragma query_only = on'

// The driver waits synchronously, which stops the event loop: it may wait as long as a short write takes, no longer.
const nativeMs = 25
const [firstWait, longestWait] = [4, 60]
const outside = /^\s*(?:pragma|vacuum|attach|detach)\b/i

/** How often the files are looked at, besides before every acknowledgement. */
const lookMs = 1_000

/** A slice of the walk through the pages and this pause alternate. */
const walkPauseMs = 4
/** How long closing may go on clearing. */
const closeMs = 1_000
/** How often a checkpoint looks for pages that moved while it overwrote others. */
const mostTries = 5

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

class LocalClient implements LocalDatabase {
  readonly #busyMs: number
  /** Null in memory. */
  readonly file: DatabaseFile | null
  readonly #lease: WriteLease | undefined
  readonly turns: WriteLock
  readonly log: WalCheckpointer
  #writer: Connection | undefined
  #reader: Connection | undefined
  /** Walks the trees in read transactions of its own. */
  #walker: Connection | undefined
  #closed = false
  #looking: NodeJS.Timeout | undefined

  constructor(path: string, options: LocalOptions) {
    this.#busyMs = options.busyMs ?? 5_000
    this.#lease = options.writeLease
    // Resolved now, as a later `chdir` must not lead a reopening to another file.
    this.file =
      path === ':memory:' ? null : new DatabaseFile(resolve(path), options.writeLease?.file, options.onReplaced)
    const work: LogWork = {
      flow: () => this.#flow(),
      empty: () => this.#empty(),
      clear: (tables) => this.#clear(tables),
    }
    // What a process left uncleared when it ended is cleared by the next that opens the file, and not by its threads too.
    this.log = new WalCheckpointer(work, options.checkpointMs ?? 5_000, options.writeLease ? [] : [everyTable])
    this.turns = options.writeLease
      ? new WriteLockClient(options.writeLease, (...order) => this.log.obey(...order))
      : new WriteQueue()
  }

  async execute(statement: SqlStatement): Promise<SqlResult> {
    if (isRead(statement.sql)) return this.#read((reader) => reader.run(statement))
    if (outside.test(statement.sql)) return this.#write((writer) => writer.run(statement))
    return (await this.batch([statement], 'write'))[0] as SqlResult
  }

  batch(statements: SqlStatement[], mode: 'write' | 'read' | 'deferred'): Promise<SqlResult[]> {
    if (mode === 'read') return this.#read((reader) => reader.transaction(statements, 'begin'))
    return this.#write((writer) => writer.transaction(statements, 'begin immediate'))
  }

  async checkpoint(): Promise<void> {
    for (let tries = 1; !this.#closed && !(await this.log.clear()); tries++) {
      if (tries === mostTries)
        throw new DatabaseLockedError('others move the pages that hold copies of deleted rows', 'SQLITE_BUSY')
    }
    await this.#write((writer) => {
      const [row] = writer.run({ sql: 'pragma wal_checkpoint(truncate)', args: [] }).rows
      // Readers of the old state are not an error to SQLite, just a first column.
      if (row?.[0] === 1) throw new DatabaseLockedError('the write-ahead log is being read', 'SQLITE_BUSY')
    })
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    const uncleared = this.log.stop()
    this.#drive(() => {
      this.#reader?.close()
      if (uncleared.size > 0) this.#clearAtOnce(uncleared)
      try {
        this.file?.check()
        // The file alone is then the database, for whoever copies it. The gate's owner does this for its threads.
        if (this.turns instanceof WriteQueue) this.#writer?.exec('pragma wal_checkpoint(truncate)')
      } catch {
        // Another host is at work, and the log keeps everything; or the files are no longer ours.
      }
      this.#walker?.close()
      this.#writer?.close()
    })
    clearInterval(this.#looking)
  }

  #drive<T>(call: () => T): T {
    return drive(this.#lease?.state, call)
  }

  /** Reads never stand in the line: in WAL they see the last commit, whoever made it, while a write is under way. */
  async #read<T>(work: (reader: Connection) => T): Promise<T> {
    if (!this.file) return this.#write(work)
    // The writer makes the file and its log if need be.
    if (this.#writer === undefined && this.#reader === undefined) await this.#write(() => {})
    return this.#tried(performance.now() + this.#busyMs, () => {
      return work(this.#opened('reader'))
    })
  }

  async #write<T>(work: (writer: Connection) => T): Promise<T> {
    const deadline = performance.now() + this.#busyMs
    const leave = await this.turns.acquire(this.#busyMs)
    try {
      return await this.#tried(deadline, () => {
        const writer = this.#opened('writer')
        const result = work(writer)
        // Nothing is acknowledged that went into a deleted file.
        this.file?.checkWritten()
        if (this.file) this.log.wrote(writer.written(), writer.deletedFrom())
        return result
      })
    } finally {
      leave()
    }
  }

  #opened(which: 'writer' | 'reader' | 'walker'): Connection {
    const { file } = this
    if (!file) return (this.#writer ??= new Connection(':memory:', nativeMs, ''))
    this.#looking ??= setInterval(() => file.look(), lookMs).unref()
    file.refuse()
    if (which === 'reader') return (this.#reader ??= file.open(() => new Connection(file.path, nativeMs, reading)))
    if (which === 'walker') return (this.#walker ??= file.open(() => new Connection(file.path, nativeMs, reading)))
    return (this.#writer ??= file.open(() => new Connection(file.path, nativeMs, writing)))
  }

  /** Takes no turn: others may write meanwhile. */
  #flow(): void {
    if (this.#closed) return
    this.#drive(() => {
      try {
        this.#opened('writer').run({ sql: 'pragma wal_checkpoint(passive)', args: [] })
      } catch {
        this.#renew()
      }
    })
  }

  /** Once and without waiting inside the turn: while somebody reads the old state, it is put off and nobody stands in line for it. */
  async #empty(): Promise<boolean> {
    const leave = await this.turns.acquire(this.#busyMs).catch(() => null)
    try {
      if (leave === null) return false
      if (this.#closed) return true
      return this.#drive(() => {
        try {
          const [row] = this.#opened('writer').run({ sql: 'pragma wal_checkpoint(truncate)', args: [] }).rows
          return row?.[0] !== 1
        } catch {
          this.#renew()
          return false
        }
      })
    } finally {
      leave?.()
    }
  }

  async #clear(tables: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (!this.file) return new Set()
    try {
      const steps = this.#drive(() => clearUnallocated(this.#opened('walker'), tables))
      for (;;) {
        const step = this.#drive(() => steps.next())
        if (step.done) return step.value
        await (step.value ? this.#write(step.value) : sleep(walkPauseMs))
        if (this.#closed) return tables
      }
    } catch {
      this.#drive(() => this.#walker?.close())
      this.#walker = undefined
      return tables
    }
  }

  /** Clears as far as it gets in a moment, since nothing else runs meanwhile. */
  #clearAtOnce(tables: ReadonlySet<string>): void {
    const until = performance.now() + closeMs
    // The one at hand may be in the middle of a walk.
    this.#walker?.close()
    this.#walker = undefined
    try {
      for (const clear of clearUnallocated(this.#opened('walker'), tables)) {
        clear?.(this.#opened('writer'))
        if (performance.now() > until) return
      }
    } catch {
      // Another process writes; the next that opens the file clears it.
    }
  }

  /** Tries, and while the file is locked tries again, letting the event loop run in between. */
  async #tried<T>(deadline: number, attempt: () => T): Promise<T> {
    for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
      if (this.#closed) throw new SqlError('the database was closed', 'CLIENT_CLOSED')
      try {
        return this.#drive(attempt)
      } catch (error) {
        if (!isHarmless(error)) this.#drive(() => this.#renew())
        if (!isBusy(error) || performance.now() + wait > deadline) throw error
      }
      // Not in step with another host that does the same.
      await sleep(wait * (0.5 + Math.random() / 2))
    }
  }

  /** A connection that met BUSY inside a statement acknowledges writes and loses them: never use it again. */
  #renew(): void {
    if (!this.file) return
    // With the last connection SQLite deletes the log itself.
    this.file.look()
    this.#writer?.close()
    this.#reader?.close()
    this.#walker?.close()
    this.#writer = this.#reader = this.#walker = undefined
    this.file.closed()
  }
}

/**
 * Opens a local SQLite file the safe way; nothing happens before the first statement. Acknowledged means: seen by
 * every other process, and there after a kill or a power loss. `:memory:` works too, on one connection.
 *
 * Every write is one `begin immediate` transaction, one at a time in this process; a lock of another process is
 * waited for in short steps that leave the event loop free. `begin` and `commit` of one's own are refused by SQLite.
 * Integers beyond 2^53 throw a RangeError when read, as in `@libsql/client`.
 *
 * ```ts
 * const local = openLocal('tributary.db')
 * const database = openDatabase(local)
 * ```
 */
export function openLocal(path: string, options: LocalOptions = {}): LocalDatabase {
  return new LocalClient(path, options)
}

/**
 * A share in the writes for one worker thread that writes to the same file: `new Worker(file, { workerData: { writeLease },
 * transferList: [gate.port] })`, there `openLocal(path, { writeLease })`. The thread asks this one for each turn and gives it back
 * after the commit, so neither ever waits in SQLite for the other. A thread that dies gives its turn back.
 */
export function shareWrites(local: LocalDatabase): WriteLease {
  if (!(local instanceof LocalClient) || !(local.turns instanceof WriteQueue)) {
    throw new TypeError('only what openLocal opened without a writeLease can share its turns')
  }
  return grantWriteLease(local.turns, local.log, local.file?.identity ?? null)
}
