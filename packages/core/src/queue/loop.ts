import { toHex } from '../ids.ts'
import type { Clock, Logger, Random } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import type { Loop, WorkOptions } from '../work.ts'

/** Thrown when another worker has the lease, or the item no longer exists. The worker must then stop writing. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}
/** Thrown when the host stops the worker. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
}

/** Returns a new lease: 128 random bits that identify one claim. */
export const createLease = (random: Random): string => toHex(random(16))

/** Claims items of a queue. */
export interface Claimer {
  /** The lease with which the next claim is made. */
  readonly lease: string
  /**
   * Calls `claim` with a lease. The same lease is used until the store returns an item. If a claim was stored but its
   * reply was lost, the next call therefore gets the same item immediately.
   */
  claim<Item>(claim: (lease: string) => Promise<Item | null>): Promise<Item | null>
}

export function createClaimer(random: Random): Claimer {
  let lease = createLease(random)
  return {
    get lease() {
      return lease
    },
    async claim(claim) {
      const item = await claim(lease)
      if (item) lease = createLease(random)
      return item
    },
  }
}

export interface LeaseKeeperOptions {
  readonly times: { readonly leaseMs: number; readonly renewMs: number }
  readonly clock: Clock
  readonly yieldToEventLoop: () => Promise<void>
  readonly signal: AbortSignal | undefined
  /** Renews the lease in the store. Resolves with false when it is lost. */
  readonly renew: (leaseUntil: number) => Promise<boolean>
}

export interface LeaseKeeper {
  /**
   * Yields to the event loop, and renews a lease that is old. The work calls this function between its steps. Throws
   * `StoppedError` when the signal is aborted and `LeaseLostError` when the lease is lost.
   */
  check(): Promise<void>
  /** Waits for work that does not call `check`, checks the lease until the work ends, and returns the result. */
  during<Result>(work: Promise<Result>): Promise<Result>
  /** Renews the lease now. Throws `LeaseLostError` when it is lost. */
  renew(): Promise<void>
  /** Returns whether the lease must be renewed. */
  isOld(): boolean
  /** Returns the new end of a lease that a write at `now` renews. */
  extend(now: number): number
}

/** Keeps a lease that was just claimed. The work calls `check` between its steps; only `during` uses a timer. */
export function createLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const { times, clock, signal } = options
  let renewedAt = clock()
  // The lease is also old if the clock was set back.
  const isOld = (): boolean => Math.abs(clock() - renewedAt) >= times.renewMs
  const extend = (now: number): number => (renewedAt = now) + times.leaseMs
  const renew = async (): Promise<void> => {
    if (!(await options.renew(extend(clock())))) throw new LeaseLostError()
  }
  const check = async (): Promise<void> => {
    await options.yieldToEventLoop()
    if (signal?.aborted) throw new StoppedError()
    if (isOld()) await renew()
  }
  return {
    isOld,
    extend,
    renew,
    check,
    async during(work) {
      while (!(await settlesWithin(times.renewMs, work))) await check()
      return work
    },
  }
}

/** Returns whether a promise settles within `ms` milliseconds. */
async function settlesWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const settled = promise.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([settled, late])
  } finally {
    clearTimeout(timer)
  }
}

export interface LoopLog {
  readonly loop: Loop
  readonly logger: Logger
  /** The name of the event that says that the store did not answer. */
  readonly outage: string
}

/** Logs an error of a loop: an outage, or else a bug. The fields identify the item that the loop was working on. */
export function logLoopError(error: unknown, { loop, logger, outage }: LoopLog, fields = {}): void {
  if (Unavailable.is(error)) logger.warn({ err: error, ...fields }, outage)
  else logger.error({ err: error, loop, ...fields }, 'worker.loop.failed')
}

export interface LoopSteps extends LoopLog {
  /** Does the work that is due. Returns whether there may be more. */
  readonly step: () => Promise<boolean>
}

/**
 * Repeats a step until the signal is aborted, and logs its errors. When nothing is due or the step failed, the loop calls
 * `wait`. Without `wait`, the loop ends: it resolves when nothing is due, and rejects with the error of the step.
 */
export async function runLoop({ signal, wait }: Pick<WorkOptions, 'signal' | 'wait'>, steps: LoopSteps): Promise<void> {
  while (!signal?.aborted) {
    try {
      if (await steps.step()) continue
    } catch (error) {
      logLoopError(error, steps)
      if (!wait) throw error
    }
    if (!wait) return
    await wait(steps.loop)
  }
}

/** Returns a function that calls `sweep` with the time, unless the last sweep was less than `ms` ago. */
export function createSweep(
  ms: number,
  clock: Clock,
  sweep: (now: number, signal?: AbortSignal) => Promise<void>,
): (signal?: AbortSignal) => Promise<void> {
  let sweptAt = Number.NEGATIVE_INFINITY
  return async (signal) => {
    const now = clock()
    // After the clock was set back, the last sweep is in the future, so the sweep runs immediately.
    if (now >= sweptAt && now - sweptAt < ms) return
    sweptAt = now
    await sweep(now, signal)
  }
}

/** Milliseconds of work between two yields to the event loop. */
const yieldMs = 8

/** Returns a function to call often during long work. It calls `run` after each 8 ms of work. */
export function createPacer(clock: Clock, run: () => Promise<void>): () => Promise<void> {
  let ranAt = clock()
  return async () => {
    if (Math.abs(clock() - ranAt) < yieldMs) return
    await run()
    ranAt = clock()
  }
}
