import type { WorkOptions } from '../../work.ts'
import type { Measurements } from '../../measurements.ts'
import type { Clock, Random } from '../../ports.ts'
import { createPacer, runLoop, createLease, createLeaseKeeper, LeaseLostError, StoppedError } from '../../queue/loop.ts'
import { queueTimes, retryDelay } from '../../queue/times.ts'
import { inSpan } from '../../tracing.ts'
import { Unavailable } from '../../unavailable.ts'
import { isCurrent, rescrubTrace, type RescrubDeps } from '../rescrub.ts'
import type { ChangedPerson, RescrubStore, StaleTrace, StaleTraces, StoreRescrubbedParams } from './store.ts'
import { isNewerVersion } from '../rules.ts'
import type { StoredTrace, TraceStore } from '../store.ts'

export interface RescrubWorkerDeps extends RescrubDeps {
  readonly store: RescrubStore
  readonly traces: Pick<TraceStore, 'readTrace'>
  readonly clock: Clock
  readonly random: Random
  readonly measurements: Measurements
}

const times = queueTimes.rescrub
/** The maximum number of traces that one step scrubs. */
const tracesPerStep = 500

/** A trace that could not be scrubbed, for example because a model does not answer. */
interface FailingTrace {
  readonly id: string
  readonly error: unknown
  readonly attempts: number
  readonly retryAt: number
}

/**
 * Makes the worker that scrubs stored traces again: the traces of each person whose identity or blocked terms changed,
 * and all traces once after the scrubber's version changed. It works in steps and yields between them. It holds a
 * lease, so that only one worker runs at a time. After a crash, the next worker continues at the same step. A trace
 * that was sold, deleted or changed meanwhile is not changed. A trace that fails is tried five times, a minute apart,
 * and then withheld; an outage of the stores does not count.
 */
export function rescrubWorker(
  deps: RescrubWorkerDeps,
): (options: Pick<WorkOptions, 'signal' | 'wait'>) => Promise<void> {
  const { store, clock, random, logger, scrubVersion } = deps
  let failing: FailingTrace | null = null

  /** Returns whether there are traces that this worker may scrub again now. */
  async function isDue(): Promise<boolean> {
    if (failing && clock() < failing.retryAt && failing.retryAt - clock() <= times.retryMs[0]) return false
    const { version, cursor, last, people } = await store.getProgress()
    // A newer release already scrubs the traces. The newer release would treat traces that this release stores as
    // stale.
    if (version !== null && isNewerVersion(version, scrubVersion)) return false
    const isPassOpen = version === scrubVersion ? cursor < last : last > 0
    return isPassOpen || (people > 0 && (await store.findChangedPerson()) !== null)
  }

  async function runOnce(signal: AbortSignal | undefined): Promise<void> {
    if (!(await isDue())) return
    const [lease, now] = [createLease(random), clock()]
    if (!(await store.claimPass({ lease, scrubVersion, now, leaseUntil: now + times.leaseMs }))) return
    const counts = { scrubbed: 0, withheld: 0 }
    try {
      await scrubStale(lease, counts, signal)
    } catch (error) {
      if (error instanceof LeaseLostError) {
        deps.measurements.count('tributary_lease_losses_total', { worker: 'rescrub' })
        return logger.warn({}, 'traces.rescrub.lease_lost')
      }
      if (!(error instanceof StoppedError)) throw error
    } finally {
      if (counts.scrubbed + counts.withheld > 0) logger.info({ ...counts, scrubVersion }, 'traces.rescrubbed')
    }
    await store.releasePass({ lease })
  }

  /**
   * Scrubs the traces of each changed person, then the traces that are stale because of the version. People whose
   * identity or blocked terms change meanwhile come first.
   */
  async function scrubStale(
    lease: string,
    counts: { scrubbed: number; withheld: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    /** The position that was reached. Each renewal of the lease saves the position, even while one trace takes long. */
    let reached: { readonly person: ChangedPerson | null; readonly cursor: number }
    const keeper = createLeaseKeeper({
      ...deps,
      times,
      signal,
      renew: (leaseUntil) => store.saveCursor({ lease, ...reached, leaseUntil }),
    })
    const yieldToEventLoop = createPacer(clock, keeper.check)
    /** Finds the next stale traces, skipping many positions of current traces if necessary. */
    const findNext = async (person: ChangedPerson | null, cursor: number): Promise<StaleTraces> => {
      const ownerId = person?.ownerId ?? null
      let at: number | null = null
      for (;;) {
        reached = { person, cursor: at ?? cursor }
        const found = await store.listStaleTraces({
          ownerId,
          scrubVersion,
          cursor: reached.cursor,
          limit: tracesPerStep,
        })
        await keeper.check()
        if (found.traces.length > 0) return found
        if (found.next === null) return { traces: [], next: at }
        at = found.next
      }
    }
    /** Scrubs the stale traces after a position. Returns the position that it reached, or null at the end. */
    const step = async (person: ChangedPerson | null, cursor: number): Promise<number | null> => {
      const { traces, next } = await findNext(person, cursor)
      for (const trace of traces) {
        const stored = await inSpan(
          () => ({ name: 'tributary traces.rescrub' }),
          () => scrubOne(trace, yieldToEventLoop),
        )
        if (stored) counts[stored]++
        reached = { person, cursor: trace.num }
        if (keeper.isOld()) await keeper.renew()
      }
      if (next !== null) {
        reached = { person, cursor: next }
        await keeper.renew()
      }
      await keeper.check()
      return next
    }
    for (;;) {
      const person = await store.findChangedPerson()
      if (person) {
        for (let cursor: number | null = person.cursor; cursor !== null;) cursor = await step(person, cursor)
        await store.completePerson({ lease, person })
        continue
      }
      const { cursor } = await store.getProgress()
      if ((await step(null, cursor)) === null) return
    }
  }

  /** Scrubs a trace and stores it. Returns null when it was deleted or changed meanwhile. */
  async function scrubOne(
    { id, ownerId }: StaleTrace,
    yieldToEventLoop: () => Promise<void>,
  ): Promise<'scrubbed' | 'withheld' | null> {
    const trace = await deps.traces.readTrace({ ownerId, id })
    if (!trace || isCurrent(trace, scrubVersion)) return null
    try {
      const result = await rescrubOne(trace, yieldToEventLoop)
      const isStored = await store.storeRescrubbed({ ownerId, id, expected: trace, result })
      failing = null
      return isStored ? result.kind : null
    } catch (error) {
      if (error instanceof StoppedError || error instanceof LeaseLostError || Unavailable.is(error)) throw error
      const attempts = failing?.id === id ? failing.attempts + 1 : 1
      const delay = retryDelay(times, attempts)
      failing = delay === null ? null : { id, error, attempts, retryAt: clock() + delay }
      logger.error({ err: error, traceId: id, attempts }, 'trace.rescrub_failed')
      if (failing) throw error
      const { ownerRevision: identityRevision } = trace
      const result = { kind: 'withheld', reason: 'refused', scrubVersion, identityRevision } as const
      return (await store.storeRescrubbed({ ownerId, id, expected: trace, result })) ? 'withheld' : null
    }
  }

  async function rescrubOne(
    trace: StoredTrace,
    yieldToEventLoop: () => Promise<void>,
  ): Promise<StoreRescrubbedParams['result']> {
    const shown = await rescrubTrace(trace, { ...deps, yieldToEventLoop })
    if (typeof shown !== 'string') return { kind: 'scrubbed', trace: shown }
    return { kind: 'withheld', reason: shown, scrubVersion, identityRevision: trace.ownerRevision }
  }

  return (options) =>
    runLoop(options, {
      loop: 'rescrub',
      logger,
      outage: 'traces.rescrub.postponed',
      async step() {
        try {
          await runOnce(options.signal)
        } catch (error) {
          // The error of a trace was logged with the id of the trace.
          if (error !== failing?.error) throw error
          logger.warn({ err: error }, 'traces.rescrub.postponed')
        }
        return false
      },
    })
}
