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

/** Ingests the jobs of a service until stopped. */
export function startWork(service: Pick<Service, 'work'>, logger: Logger): Work {
  const end = new AbortController()
  let rung = false
  let ring = (): void => void (rung = true)
  const wait = (): Promise<void> => {
    if (rung || end.signal.aborted) {
      rung = false
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        ring = () => void (rung = true)
        resolve()
      }
      const timer = setTimeout(done, lookMs)
      ring = done
    })
  }
  const ended = service.work({ signal: end.signal, wait }).catch((error: unknown) => logger.error({ err: error }, 'the worker ended'))
  return {
    wake: () => ring(),
    async stop() {
      end.abort()
      ring()
      await ended
    },
  }
}
