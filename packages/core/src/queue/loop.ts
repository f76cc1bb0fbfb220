import type { Clock } from '../ports.ts'
import type { Loop, WorkOptions } from '../work.ts'

export interface LoopSteps {
  readonly loop: Loop
  /** Does the work that is due. Returns whether there may be more. */
  readonly step: () => Promise<boolean>
  /** Handles an error of `step`. If this function throws, the loop ends. */
  readonly onError: (error: unknown) => void
}

/**
 * Repeats a step until the signal is aborted. When nothing is due or the step failed, the loop calls `wait`, or ends if
 * there is no `wait`.
 */
export async function runLoop(
  { signal, wait }: Pick<WorkOptions, 'signal' | 'wait'>,
  { loop, step, onError }: LoopSteps,
): Promise<void> {
  while (!signal?.aborted) {
    try {
      if (await step()) continue
    } catch (error) {
      onError(error)
    }
    if (!wait) return
    await wait(loop)
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
