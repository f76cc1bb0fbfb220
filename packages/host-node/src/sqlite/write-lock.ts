import type { MessagePort } from 'node:worker_threads'
import type { FileIdentity } from './database-file.ts'

/**
 * Lets a worker thread use the write lock of the main thread's database file. It is a part of the thread's
 * `workerData`, and its `port` is in `transferList`.
 */
export interface WriteLease {
  readonly port: MessagePort
  /** The state that both threads share. `slots` names its elements. */
  readonly state: Int32Array
  /** The file that the main thread has open, so that the worker thread opens the same file. */
  readonly file: FileIdentity
}

/**
 * The elements of a lease's state. `grant`: the number of a granted lock that the thread has not taken yet. `inDriver`:
 * whether the thread is inside a driver call. `halted`: whether the thread may not start another driver call.
 */
export const slots = { grant: 0, inDriver: 1, halted: 2 } as const

/**
 * Runs a driver call of a thread so that `haltThread` can keep the thread out of the driver. Without a state it only
 * runs the call.
 */
export function runInDriver<T>(state: Int32Array | undefined, call: () => T): T {
  if (!state) return call()
  Atomics.store(state, slots.inDriver, 1)
  if (Atomics.load(state, slots.halted) === 1) {
    Atomics.store(state, slots.inDriver, 0)
    // The wait blocks the thread until it is terminated.
    Atomics.wait(state, slots.halted, 1)
  }
  try {
    return call()
  } finally {
    Atomics.store(state, slots.inDriver, 0)
  }
}

/**
 * Keeps a thread out of the driver from now on, and returns whether it is already outside. If the thread or the process
 * ended while the thread is inside the driver, the process would abort.
 */
export function haltThread({ state }: WriteLease): boolean {
  Atomics.store(state, slots.halted, 1)
  return Atomics.load(state, slots.inDriver) === 0
}
