import type { MessagePort } from 'node:worker_threads'
import type { FileIdentity } from './database-file.ts'

/** What a worker thread needs to write to its owner's file: goes into its `workerData`, with `port` in `transferList`. */
export interface WriteLease {
  readonly port: MessagePort
  /** Shared between both threads; `words` names its places. */
  readonly state: Int32Array
  /** The file that the owner has open, so that the thread opens no other. */
  readonly file: FileIdentity
}

/** `turn`: the number of a granted turn that was not taken yet. `driving`: the thread is in the driver. `halted`: it may not go there. */
export const words = { turn: 0, driving: 1, halted: 2 } as const

/** Runs a driver call of a thread so that `haltThread` can keep the thread out of the driver; without a state just runs it. */
export function drive<T>(state: Int32Array | undefined, call: () => T): T {
  if (!state) return call()
  Atomics.store(state, words.driving, 1)
  if (Atomics.load(state, words.halted) === 1) {
    Atomics.store(state, words.driving, 0)
    // Ends with the thread.
    Atomics.wait(state, words.halted, 1)
  }
  try {
    return call()
  } finally {
    Atomics.store(state, words.driving, 0)
  }
}

/**
 * Keeps a thread out of the driver from now on. Returns whether it is out already: ending a thread, or the process, while
 * one is inside the driver aborts the process.
 */
export function haltThread({ state }: WriteLease): boolean {
  Atomics.store(state, words.halted, 1)
  return Atomics.load(state, words.driving) === 0
}
