import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Helper, LogKeeper } from './checkpoint.ts'
import { SqlError } from './connection.ts'

/** The right to write to one file, one holder at a time, first come first served. */
export interface Turns {
  /** Resolves when it is the caller's turn, with the function that ends it. Rejects (SQLITE_BUSY) after `ms`. */
  take(ms: number): Promise<() => void>
}

const late = (ms: number): SqlError => new SqlError(`no turn to write within ${ms} ms`, 'SQLITE_BUSY')

export class WriteQueue implements Turns {
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

  take(ms: number): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const wait: { timer?: NodeJS.Timeout; over?: true } = {}
      const leave = this.enter(() => {
        wait.over = true
        clearTimeout(wait.timer)
        // `leave` is not there yet when the turn comes at once.
        resolve(() => leave())
      })
      if (wait.over) return
      wait.timer = setTimeout(() => {
        leave()
        reject(late(ms))
      }, ms)
    })
  }
}

/** From the owner to a thread; a number above 0 is a turn. */
const orders = { flow: 0, empty: -1 } as const

/**
 * The owner's end: a port for one worker thread, to be sent to it (in `transferList`) and given to its `openLocal`
 * as `gate`. The thread stands in the same line as the owner's own writes; if it ends, its turn ends with it. As long as it
 * lives it brings the log into the file for the owner.
 */
export function leasePort(queue: WriteQueue, log: LogKeeper): MessagePort {
  const { port1, port2 } = new MessageChannel()
  let leave: (() => void) | undefined
  // A positive number asks for a turn and comes back when it is there; 0 ends the turn or the waiting.
  port1.on('message', (ask: number) => {
    leave?.()
    leave = ask === 0 ? undefined : queue.enter(() => port1.postMessage(ask))
  })
  const helper: Helper = (order) => port1.postMessage(orders[order])
  log.setHelper(helper)
  port1.on('close', () => {
    leave?.()
    log.loseHelper(helper)
  })
  port1.unref()
  return port2
}

/** The thread's end: its own writes line up here first, so that one at a time asks the owner. */
export class Gate implements Turns {
  readonly #own = new WriteQueue()
  readonly #port: MessagePort
  #ask = 0
  #granted: (() => void) | undefined

  constructor(port: MessagePort, help: Helper) {
    this.#port = port
    port.on('message', (told: number) => {
      if (told === orders.flow) help('flow')
      else if (told === orders.empty) help('empty')
      // A turn that comes after its asker gave up bears an old number.
      else if (told === this.#ask) this.#granted?.()
    })
    port.unref()
  }

  async take(ms: number): Promise<() => void> {
    const start = performance.now()
    const leave = await this.#own.take(ms)
    const end = (): void => {
      this.#granted = undefined
      this.#port.postMessage(0)
      this.#port.unref()
      leave()
    }
    // The thread must stay alive while it waits, and only then.
    this.#port.ref()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        end()
        reject(late(ms))
      }, Math.max(0, start + ms - performance.now()))
      this.#granted = () => {
        clearTimeout(timer)
        resolve(end)
      }
      this.#port.postMessage(++this.#ask)
    })
  }
}
