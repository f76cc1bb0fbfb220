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

/** Lets the event loop turn. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Ingests the jobs of a service, and sends what must go out, until stopped. */
export function startWork(service: Pick<Service, 'work'>, logger: Logger): Work {
  const end = new AbortController()
  // Two loops wait: jobs, and what must go out. A ring while nobody waits is heard by the next who does.
  const waiting = new Set<() => void>()
  let rung = false
  const ring = (): void => {
    rung = waiting.size === 0
    for (const done of waiting) done()
  }
  const wait = (): Promise<void> => {
    if (rung || end.signal.aborted) {
      rung = false
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
