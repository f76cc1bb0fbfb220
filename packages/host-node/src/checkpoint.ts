/** What the log's keeper asks of whoever holds the connection. Neither throws. */
export interface LogWork {
  /** Brings what the log holds into the file as far as readers allow, without waiting; the log is then written from its start again. */
  flow(): void
  /** The same, and leaves the log without a byte. False when somebody reads or writes just now. */
  empty(): Promise<boolean>
}

/** Another thread's connection to the same file, which does this for us. */
export type Helper = (order: keyof LogWork) => void

/**
 * So many bytes written are worth bringing into the file: some 2,000 pages. Left longer, the log grows; done sooner, a page that
 * is written twice goes there twice, as those of an upload do: stored, then overwritten with zeroes once its job is done.
 */
const flowBytes = 8 * 1024 * 1024
/** A moment after the write, so that whoever waits for that one hears of it first. */
const flowMs = 20

/**
 * When the write-ahead log goes into the file. SQLite by itself does it inside whichever commit finds 1,000 pages in the log: then
 * a batch waits for twice what it writes, and a small write of the loop that answers requests for what a thread has written.
 * Here it follows the write; a host's own loop leaves it to its thread.
 */
export class LogKeeper {
  readonly #work: LogWork
  readonly #emptyMs: number
  #bytes = 0
  #flowing: NodeJS.Timeout | undefined
  #emptying: NodeJS.Timeout | undefined
  #helper: Helper | null = null
  #stopped = false

  constructor(work: LogWork, emptyMs: number) {
    this.#work = work
    this.#emptyMs = emptyMs
  }

  /** After a write of about so many bytes. */
  wrote(bytes: number): void {
    this.#bytes += bytes
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
    this.#emptyLater()
  }

  /** What another thread asks of us. */
  obey(order: keyof LogWork): void {
    if (order === 'flow') this.#flowSoon()
    else void this.#empty()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#flowing)
    clearTimeout(this.#emptying)
  }

  #flowSoon(): void {
    this.#bytes = 0
    if (this.#helper) return this.#helper('flow')
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
      if (this.#helper) this.#helper('empty')
      else void this.#empty()
    }, this.#emptyMs).unref()
  }

  async #empty(): Promise<void> {
    if (!this.#stopped && !(await this.#work.empty())) this.#emptyLater()
  }
}
