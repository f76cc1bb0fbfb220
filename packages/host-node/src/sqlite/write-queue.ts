import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Helper, WalCheckpointer } from './checkpoint.ts'
import { SqlError } from './connection.ts'
import type { FileIdentity } from './database-file.ts'
import { words, type WriteLease } from './write-lock.ts'

/** The right to write to one file, one holder at a time, first come first served. */
export interface WriteLock {
  /** Resolves when it is the caller's turn, with the function that ends it. Rejects (SQLITE_BUSY) after `ms`. */
  acquire(ms: number): Promise<() => void>
}

const late = (ms: number): SqlError => new SqlError(`no turn to write within ${ms} ms`, 'SQLITE_BUSY')

export class WriteQueue implements WriteLock {
  readonly #line: { grant: () => void }[] = []

  /** Stands in line and calls `grant` when the turn comes, at once if nobody is before. The result leaves, once. */
  enter(grant: () => void): () => void {
    const turn = { grant }
    this.#line.push(turn)
    if (this.#line.length === 1) grant()
    return () => {
      const at = this.#line.indexOf(turn)
      if (at >= 0) this.#line.splice(at, 1)
      if (at !== 0) return
      // Writes are synchronous: handing over without a turn of the event loop would run the whole line in one stall.
      const next = this.#line[0]
      if (next) setImmediate(() => this.#line[0] === next && next.grant())
    }
  }

  acquire(ms: number): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const wait: { timer?: NodeJS.Timeout; over?: true } = {}
      const grant = (): void => {
        wait.over = true
        clearTimeout(wait.timer)
        // `leave` is not there yet when the turn comes at once.
        resolve(() => leave())
      }
      const leave = this.enter(grant)
      if (wait.over) return
      // After a blocked event loop timers come first: what freed the turn meanwhile is read before `setImmediate`.
      wait.timer = setTimeout(
        () =>
          setImmediate(() => {
            // The first in line is granted its turn right after this.
            if (wait.over || this.#line[0]?.grant === grant) return
            leave()
            reject(late(ms))
          }),
        ms,
      )
    })
  }
}

/** How long a thread may leave a granted turn untaken; its event loop is blocked then. */
const untakenMs = 50

/**
 * The owner's end of a lease for one worker thread. The thread stands in the same line as the owner's own writes; if it ends,
 * its turn ends with it, and one that it does not take in time passes on. As long as it lives it brings the log into the file
 * for the owner.
 */
export function grantWriteLease(queue: WriteQueue, log: WalCheckpointer, file: FileIdentity): WriteLease {
  const { port1, port2 } = new MessageChannel()
  const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(words).length))
  let leave: (() => void) | undefined
  // A positive number asks for a turn and comes back when it is there; 0 ends the turn or the waiting.
  port1.on('message', (ask: number) => {
    leave?.()
    if (ask === 0) return
    const own = queue.enter(() => {
      Atomics.store(state, words.turn, ask)
      port1.postMessage(ask)
      // Either the thread exchanges the number or this does, so that never both write.
      setTimeout(() => Atomics.compareExchange(state, words.turn, ask, 0) === ask && own(), untakenMs).unref()
    })
    leave = own
  })
  const helper: Helper = (...order) => port1.postMessage(order)
  log.setHelper(helper)
  port1.on('close', () => {
    leave?.()
    log.loseHelper(helper)
  })
  port1.unref()
  return { port: port2, state, file }
}

/** The thread's end: its own writes line up here first, so that one at a time asks the owner. */
export class WriteLockClient implements WriteLock {
  readonly #own = new WriteQueue()
  readonly #port: MessagePort
  readonly #state: Int32Array
  #ask = 0
  #granted: (() => void) | undefined

  constructor({ port, state }: WriteLease, help: Helper) {
    this.#port = port
    this.#state = state
    port.on('message', (told: number | Parameters<Helper>) => {
      if (typeof told !== 'number') help(...told)
      // A turn that comes after its asker gave up bears an old number.
      else if (told === this.#ask) this.#granted?.()
    })
    port.unref()
  }

  async acquire(ms: number): Promise<() => void> {
    const start = performance.now()
    const leave = await this.#own.acquire(ms)
    const end = (): void => {
      this.#granted = undefined
      this.#port.postMessage(0)
      this.#port.unref()
      leave()
    }
    // The thread must stay alive while it waits, and only then.
    this.#port.ref()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          const ask = this.#ask
          // As in WriteQueue: the turn may have come while the event loop was blocked.
          setImmediate(() => {
            if (this.#granted !== granted || this.#ask !== ask) return
            end()
            reject(late(ms))
          })
        },
        Math.max(0, start + ms - performance.now()),
      )
      const granted = (): void => {
        if (Atomics.compareExchange(this.#state, words.turn, this.#ask, 0) === this.#ask) {
          this.#granted = undefined
          clearTimeout(timer)
          return resolve(end)
        }
        // It passed on while this thread was blocked, which is not the others' doing: the time starts again.
        timer.refresh()
        this.#request()
      }
      this.#granted = granted
      this.#request()
    })
  }

  #request(): void {
    // Stays within the 32 bits of the shared word.
    this.#ask = (this.#ask % 0x3fff_ffff) + 1
    this.#port.postMessage(this.#ask)
  }
}
