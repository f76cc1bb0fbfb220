import { everyTable } from './unallocated.ts'

/** The checkpoint work of the connection's owner. Neither method throws. */
export interface CheckpointWork {
  /**
   * Copies the log into the file as far as readers allow, without waiting; later writes start again at the beginning of
   * the log.
   */
  checkpoint(): void
  /** Copies the log into the file and truncates it. Resolves with false while another connection reads or writes. */
  truncate(): Promise<boolean>
  /** Overwrites the copies of deleted rows of these tables. Resolves with the tables for which it must run again. */
  clear(tables: ReadonlySet<string>): Promise<ReadonlySet<string>>
}

export type CheckpointTask = 'checkpoint' | 'truncate'

/**
 * Sends a task to another thread's connection to the same file. `tables` are the tables from which rows were deleted.
 */
export type SendCheckpointTask = (task: CheckpointTask, tables: readonly string[]) => void

/**
 * The number of bytes after which the log is copied into the file, some 2,000 pages. With a larger number the log
 * grows. With a smaller number, a page that is written twice is also copied twice, such as the pages of an upload,
 * which are overwritten with zeroes after its job.
 */
const checkpointBytes = 8 * 1024 * 1024
/** A delay after the write, so that the caller of the write is answered first. */
const checkpointDelayMs = 20
/**
 * After each clearing, the next clearing is delayed by this factor times the duration, so that clearing takes at most a
 * fifth of the time.
 */
const restFactor = 4

/**
 * Copies the write-ahead log into the file after writes. SQLite itself does this inside the commit that finds 1,000
 * pages in the log. A batch then waits for twice as many bytes as it writes, and a small write waits for the bytes that
 * another thread has written. The thread that answers requests delegates the work to its worker thread.
 */
export class WalCheckpointer {
  readonly #work: CheckpointWork
  readonly #truncateMs: number
  /** The tables from which rows were deleted since the tables were last cleared. */
  readonly #deletedFrom: Set<string>
  #clearing: { readonly tables: ReadonlySet<string>; readonly done: Promise<boolean> } | undefined
  #restUntil = 0
  #bytes = 0
  #checkpointTimer: NodeJS.Timeout | undefined
  #truncateTimer: NodeJS.Timeout | undefined
  #sendTask: SendCheckpointTask | null = null
  #isStopped = false

  /**
   * `truncateMs` is the delay after a write until the log is truncated. `tables` are cleared after the first write,
   * because an earlier process may have ended before it cleared them.
   */
  constructor(work: CheckpointWork, truncateMs: number, tables: readonly string[]) {
    this.#work = work
    this.#truncateMs = truncateMs
    this.#deletedFrom = new Set(tables)
  }

  /** Records a write of about `bytes` bytes that deleted rows from `tables`. */
  recordWrite(bytes: number, tables: readonly string[]): void {
    this.#bytes += bytes
    for (const table of tables) this.#deletedFrom.add(table)
    if (this.#bytes >= checkpointBytes) this.#scheduleCheckpoint()
    this.#scheduleTruncate()
  }

  /** Delegates the work to another thread. */
  delegateTo(sendTask: SendCheckpointTask): void {
    this.#sendTask = sendTask
  }

  /**
   * Runs the tasks in this thread from now on, because the other thread has ended. The last task of the other thread
   * may not have run.
   */
  stopDelegating(sendTask: SendCheckpointTask): void {
    if (this.#sendTask !== sendTask) return
    this.#sendTask = null
    this.#deletedFrom.add(everyTable)
    this.#scheduleTruncate()
  }

  /** Runs a task that another thread delegated. */
  runTask(task: CheckpointTask, tables: readonly string[]): void {
    for (const table of tables) this.#deletedFrom.add(table)
    if (task === 'checkpoint') this.#scheduleCheckpoint()
    else void this.#truncate()
  }

  /**
   * Clears the tables from which rows were deleted before the call. Resolves with false if a table could not be
   * cleared.
   */
  async clear(): Promise<boolean> {
    while (this.#clearing) await this.#clearing.done
    if (this.#deletedFrom.size === 0) return true
    const tables = new Set(this.#deletedFrom)
    this.#deletedFrom.clear()
    this.#clearing = { tables, done: this.#clear(tables) }
    return this.#clearing.done
  }

  /** Stops the timers. Returns the names of the tables that were not cleared yet. */
  stop(): ReadonlySet<string> {
    this.#isStopped = true
    clearTimeout(this.#checkpointTimer)
    clearTimeout(this.#truncateTimer)
    const tables = new Set([...this.#deletedFrom, ...(this.#clearing?.tables ?? [])])
    tables.delete(everyTable)
    return tables
  }

  #scheduleCheckpoint(): void {
    this.#bytes = 0
    if (this.#sendTask) return this.#sendTask('checkpoint', [])
    if (this.#isStopped) return
    this.#checkpointTimer ??= setTimeout(() => {
      this.#checkpointTimer = undefined
      this.#work.checkpoint()
    }, checkpointDelayMs).unref()
  }

  /**
   * Schedules the truncation. Until then the log contains deleted text, because SQLite overwrites the log only later.
   */
  #scheduleTruncate(): void {
    if (this.#isStopped) return
    this.#truncateTimer ??= setTimeout(() => {
      this.#truncateTimer = undefined
      if (!this.#sendTask) return void this.#truncate()
      this.#sendTask('truncate', [...this.#deletedFrom])
      this.#deletedFrom.clear()
    }, this.#truncateMs).unref()
  }

  async #truncate(): Promise<void> {
    if (performance.now() >= this.#restUntil) await this.clear()
    if (this.#isStopped) return
    if (!(await this.#work.truncate()) || this.#deletedFrom.size > 0) this.#scheduleTruncate()
  }

  async #clear(tables: ReadonlySet<string>): Promise<boolean> {
    const startedAt = performance.now()
    const uncleared = await this.#work.clear(tables)
    for (const table of uncleared) this.#deletedFrom.add(table)
    this.#restUntil = performance.now() + restFactor * (performance.now() - startedAt)
    this.#clearing = undefined
    return uncleared.size === 0
  }
}
