import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { SendCheckpointTask, WalCheckpointer } from './checkpoint.ts'
import { SqlError } from './connection.ts'
import type { FileIdentity } from './database-file.ts'
import { slots, type WriteLease } from './write-lock.ts'

/** The lock for writes to one file, granted in the order of the requests. */
export interface WriteLock {
  /** Resolves with the function that releases the lock. Rejects (SQLITE_BUSY) after `ms`. */
  acquire(ms: number): Promise<() => void>
}

const timeoutError = (ms: number): SqlError => new SqlError(`no write lock within ${ms} ms`, 'SQLITE_BUSY')

/** The write lock inside one thread. */
export class WriteQueue implements WriteLock {
  readonly #requests: { grant: () => void }[] = []

  /** Whether another request waits for the request that holds the lock. */
  get isContended(): boolean {
    return this.#requests.length > 1
  }

  /**
   * Queues a request and calls `grant` when the request holds the lock, synchronously if the lock is free. Returns an
   * idempotent release.
   */
  enqueue(grant: () => void): () => void {
    const request = { grant }
    this.#requests.push(request)
    if (this.#requests.length === 1) grant()
    return () => {
      const index = this.#requests.indexOf(request)
      if (index >= 0) this.#requests.splice(index, 1)
      if (index !== 0) return
      // Writes are synchronous, so without yielding the whole queue would block the event loop at once.
      const next = this.#requests[0]
      if (next) setImmediate(() => this.#requests[0] === next && next.grant())
    }
  }

  acquire(ms: number): Promise<() => void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined = undefined
      let isSettled = false
      const grant = (): void => {
        isSettled = true
        clearTimeout(timer)
        // `grant` runs before `release` is assigned if the lock is free.
        resolve(() => release())
      }
      const release = this.enqueue(grant)
      if (isSettled) return
      // After a blocked event loop, timers run first. `setImmediate` lets a pending release be processed before the
      // timeout.
      timer = setTimeout(
        () =>
          setImmediate(() => {
            // The first request gets the lock immediately after this check.
            if (isSettled || this.#requests[0]?.grant === grant) return
            release()
            reject(timeoutError(ms))
          }),
        ms,
      )
    })
  }
}

/**
 * The longest time for which a thread may leave a granted lock unused while others wait. A thread with a blocked event
 * loop cannot use the lock.
 */
const takeTimeoutMs = 50

/**
 * Creates the lease of a worker thread. The requests of the thread wait in one queue with the owner's own writes. Its
 * lock is released when the thread ends, and is granted to the next request if the thread does not use it in time and
 * others wait. While the thread lives, it runs the checkpoints for the owner.
 */
export function grantWriteLease(queue: WriteQueue, checkpointer: WalCheckpointer, file: FileIdentity): WriteLease {
  const { port1, port2 } = new MessageChannel()
  const state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(slots).length))
  let release: (() => void) | undefined
  // A positive number requests the lock, and is sent back when the lock is granted. 0 releases the lock or withdraws
  // the request.
  port1.on('message', (requestNumber: number) => {
    release?.()
    if (requestNumber === 0) return
    let timer: NodeJS.Timeout | undefined = undefined
    const dequeue = queue.enqueue(() => {
      Atomics.store(state, slots.grant, requestNumber)
      port1.postMessage(requestNumber)
      const passOn = (): void => {
        if (!queue.isContended) timer = setTimeout(passOn, takeTimeoutMs).unref()
        // Either the thread or this code exchanges the number, so that only one of them owns the grant.
        else if (Atomics.compareExchange(state, slots.grant, requestNumber, 0) === requestNumber) dequeue()
      }
      timer = setTimeout(passOn, takeTimeoutMs).unref()
    })
    release = () => {
      clearTimeout(timer)
      dequeue()
    }
  })
  const sendTask: SendCheckpointTask = (...task) => port1.postMessage(task)
  checkpointer.delegateTo(sendTask)
  port1.on('close', () => {
    release?.()
    checkpointer.stopDelegating(sendTask)
  })
  port1.unref()
  return { port: port2, state, file }
}

/**
 * The write lock in a worker thread. The writes of the thread wait in a queue here, and only the first of them requests
 * the owner's lock.
 */
export class WriteLockClient implements WriteLock {
  readonly #ownQueue = new WriteQueue()
  readonly #port: MessagePort
  readonly #state: Int32Array
  #requestNumber = 0
  #handleGrant: (() => void) | undefined

  /** `runTask` runs the checkpoints that the owner delegates. */
  constructor({ port, state }: WriteLease, runTask: SendCheckpointTask) {
    this.#port = port
    this.#state = state
    port.on('message', (message: number | Parameters<SendCheckpointTask>) => {
      if (typeof message !== 'number') runTask(...message)
      // A grant of a request that was withdrawn has an old number.
      else if (message === this.#requestNumber) this.#handleGrant?.()
    })
    port.unref()
  }

  async acquire(ms: number): Promise<() => void> {
    const startedAt = performance.now()
    const releaseOwn = await this.#ownQueue.acquire(ms)
    const release = (): void => {
      this.#handleGrant = undefined
      this.#port.postMessage(0)
      this.#port.unref()
      releaseOwn()
    }
    // The port keeps the thread alive only while the thread waits for the lock.
    this.#port.ref()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          const requestNumber = this.#requestNumber
          // The grant may have arrived while the event loop was blocked, as in WriteQueue.
          setImmediate(() => {
            if (this.#handleGrant !== takeGrant || this.#requestNumber !== requestNumber) return
            release()
            reject(timeoutError(ms))
          })
        },
        Math.max(0, startedAt + ms - performance.now()),
      )
      const takeGrant = (): void => {
        if (Atomics.compareExchange(this.#state, slots.grant, this.#requestNumber, 0) === this.#requestNumber) {
          this.#handleGrant = undefined
          clearTimeout(timer)
          return resolve(release)
        }
        // Another writer got the lock while this thread was blocked. This thread requests the lock again, with a new
        // time limit.
        timer.refresh()
        this.#sendRequest()
      }
      this.#handleGrant = takeGrant
      this.#sendRequest()
    })
  }

  #sendRequest(): void {
    // The number must stay within the 32 bits of the shared slot.
    this.#requestNumber = (this.#requestNumber % 0x3fff_ffff) + 1
    this.#port.postMessage(this.#requestNumber)
  }
}
