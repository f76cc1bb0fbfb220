import type { Clock } from '../ports.ts'
import { leaseMs, renewMs } from './rules.ts'
import type { Claim, IngestStore } from './store.ts'

/** The lease is another's: nothing more is written. */
export class LeaseLostError extends Error {
  override readonly name = 'Lost'
}
/** The host wants to stop. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}
/** The job gives its place to another person's, for now. */
export class Preempted extends Error {
  override readonly name = 'Preempted'
}
export interface KeeperDeps {
  readonly store: IngestStore
  readonly clock: Clock
  /** Lets the event loop turn. */
  readonly yieldToEventLoop: () => Promise<void>
}

export interface Lease {
  /** To be called between two steps: gives way, stops when asked to, and renews the lease when it is getting old. */
  check(): Promise<void>
  /** Whether it is getting old. */
  old(): boolean
  /** Until when a write at `now` makes the lease last. */
  until(now: number): number
}

/**
 * Keeps the lease of one attempt, which began a moment ago. There is no timer: it is renewed on the way, between two
 * steps.
 */
export function createLeaseKeeper(
  { store, clock, yieldToEventLoop }: KeeperDeps,
  claim: Claim,
  signal: AbortSignal | undefined,
): Lease {
  let renewed = clock()
  const until = (now: number): number => {
    renewed = now
    return now + leaseMs
  }
  // A clock that was set back makes it old too.
  const old = (): boolean => Math.abs(clock() - renewed) >= renewMs
  return {
    until,
    old,
    async check() {
      await yieldToEventLoop()
      if (signal?.aborted) throw new Stopped()
      if (old() && !(await store.renewLease({ claim, leaseUntil: until(clock()) }))) throw new LeaseLostError()
    },
  }
}
