import type { Logger, Service } from '@tributary/core'

/** A worker loop that runs. */
export interface Work {
  /** A job waits: look now. */
  wake(): void
  /** Gives the job in hand back, its attempt not counted; resolves when all is put down. */
  stop(): Promise<void>
}

/** How often the worker looks by itself, for jobs that no message told of: other hosts', and those whose worker died. */
const lookMs = 1_000
/** How many of `Service.work` wait at once. */
const loops = 2

/** Lets the event loop turn. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Ingests the jobs of a service, and sends what must go out, until stopped. */
export function startWork(service: Pick<Service, 'work'>, logger: Logger): Work {
  const end = new AbortController()
  // Two loops wait: for jobs, and for what must go out. A loop that is at work when it rings does not wait when it comes next.
  const waiting = new Set<() => void>()
  let unheard = 0
  const ring = (): void => {
    unheard = loops - waiting.size
    for (const done of waiting) done()
  }
  const wait = (): Promise<void> => {
    if (unheard > 0 || end.signal.aborted) {
      unheard = Math.max(0, unheard - 1)
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, lookMs)
      waiting.add(done)
    })
  }
  const ended = service.work({ signal: end.signal, wait }).catch((error: unknown) => logger.error({ err: error }, 'the worker ended'))
  return {
    wake: ring,
    async stop() {
      end.abort()
      ring()
      await ended
    },
  }
}
