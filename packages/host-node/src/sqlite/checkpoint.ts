import { everyTable } from './unallocated.ts'

/** What the log's keeper asks of whoever holds the connection. Neither throws. */
export interface LogWork {
  /** Brings what the log holds into the file as far as readers allow, without waiting; the log is then written from its start again. */
  flow(): void
  /** The same, and leaves the log without a byte. False when somebody reads or writes just now. */
  empty(): Promise<boolean>
  /** Overwrites the copies of deleted rows of these tables. Resolves with the tables that it has to be called for again. */
  clear(tables: ReadonlySet<string>): Promise<ReadonlySet<string>>
}

export type LogOrder = 'flow' | 'empty'

/** Another thread's connection to the same file, which does this for us; `tables` are those that something was deleted from. */
export type Helper = (order: LogOrder, tables: readonly string[]) => void

/**
 * So many bytes written are worth bringing into the file: some 2,000 pages. Left longer, the log grows; done sooner, a page that
 * is written twice goes there twice, as those of an upload do: stored, then overwritten with zeroes once its job is done.
 */
const flowBytes = 8 * 1024 * 1024
/** A moment after the write, so that whoever waits for that one hears of it first. */
const flowMs = 20
/** After clearing tables for some time, so many times as long nothing is cleared: at most a fifth of the time goes there. */
const restFactor = 4

/**
 * When the write-ahead log goes into the file. SQLite by itself does it inside whichever commit finds 1,000 pages in the log: then
 * a batch waits for twice what it writes, and a small write of the loop that answers requests for what a thread has written.
 * Here it follows the write; a host's own loop leaves it to its thread.
 */
export class WalCheckpointer {
  readonly #work: LogWork
  readonly #checkpointMs: number
  /** Tables that something was deleted from since they were last cleared. */
  readonly #deletedFrom: Set<string>
  #clearing: { readonly tables: ReadonlySet<string>; readonly done: Promise<boolean> } | undefined
  #restUntil = 0
  #bytes = 0
  #flowing: NodeJS.Timeout | undefined
  #emptying: NodeJS.Timeout | undefined
  #helper: Helper | null = null
  #stopped = false

  /** `tables` are to be cleared with the first write: a process that ended before it cleared them leaves them to the next. */
  constructor(work: LogWork, checkpointMs: number, tables: readonly string[]) {
    this.#work = work
    this.#checkpointMs = checkpointMs
    this.#deletedFrom = new Set(tables)
  }

  /** After a write of about so many bytes, which deleted from these tables. */
  wrote(bytes: number, tables: readonly string[]): void {
    this.#bytes += bytes
    for (const table of tables) this.#deletedFrom.add(table)
    if (this.#bytes >= flowBytes) this.#flowSoon()
    this.#emptyLater()
  }

  setHelper(helper: Helper): void {
    this.#helper = helper
  }

  /** It ended; what it was asked for last may not have happened. */
  loseHelper(helper: Helper): void {
    if (this.#helper !== helper) return
    this.#helper = null
    this.#deletedFrom.add(everyTable)
    this.#emptyLater()
  }

  /** What another thread asks of us. */
  obey(order: LogOrder, tables: readonly string[]): void {
    for (const table of tables) this.#deletedFrom.add(table)
    if (order === 'flow') this.#flowSoon()
    else void this.#empty()
  }

  /** Clears the tables that something was deleted from before the call. Resolves with false when not all could be. */
  async clear(): Promise<boolean> {
    while (this.#clearing) await this.#clearing.done
    if (this.#deletedFrom.size === 0) return true
    const tables = new Set(this.#deletedFrom)
    this.#deletedFrom.clear()
    this.#clearing = { tables, done: this.#clear(tables) }
    return this.#clearing.done
  }

  /** Returns the tables by name that were not cleared yet. */
  stop(): ReadonlySet<string> {
    this.#stopped = true
    clearTimeout(this.#flowing)
    clearTimeout(this.#emptying)
    const tables = new Set([...this.#deletedFrom, ...(this.#clearing?.tables ?? [])])
    tables.delete(everyTable)
    return tables
  }

  #flowSoon(): void {
    this.#bytes = 0
    if (this.#helper) return this.#helper('flow', [])
    if (this.#stopped) return
    this.#flowing ??= setTimeout(() => {
      this.#flowing = undefined
      this.#work.flow()
    }, flowMs).unref()
  }

  /** A deleted text stands in the log until that is emptied, and SQLite by itself only writes over it some day. */
  #emptyLater(): void {
    if (this.#stopped) return
    this.#emptying ??= setTimeout(() => {
      this.#emptying = undefined
      if (!this.#helper) return void this.#empty()
      this.#helper('empty', [...this.#deletedFrom])
      this.#deletedFrom.clear()
    }, this.#checkpointMs).unref()
  }

  async #empty(): Promise<void> {
    if (performance.now() >= this.#restUntil) await this.clear()
    if (this.#stopped) return
    if (!(await this.#work.empty()) || this.#deletedFrom.size > 0) this.#emptyLater()
  }

  async #clear(tables: ReadonlySet<string>): Promise<boolean> {
    const since = performance.now()
    const rest = await this.#work.clear(tables)
    for (const table of rest) this.#deletedFrom.add(table)
    this.#restUntil = performance.now() + restFactor * (performance.now() - since)
    this.#clearing = undefined
    return rest.size === 0
  }
}
