import { settlesWithin } from '../deadline.ts'
import { toHex } from '../ids.ts'
import type { Clock, Random } from '../ports.ts'

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
