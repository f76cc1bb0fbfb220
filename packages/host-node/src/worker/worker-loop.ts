import type { Logger, Service, WorkOptions } from '@tributary/core'

type Loop = Parameters<NonNullable<WorkOptions['wait']>>[0]

/** A worker loop that runs. */
export interface WorkerLoop {
  /** A job waits: look now. */
  wake(): void
  /** Gives the job in hand back, its attempt not counted; resolves when all is put down. */
  stop(): Promise<void>
}

/** How often the worker looks by itself, for jobs that no message told of: other hosts', and those whose worker died. */
const lookMs = 1_000
const loops: readonly Loop[] = ['jobs', 'others', 'outbox', 'account']

/** Lets the event loop turn. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Ingests the jobs of a service, and sends what must go out, until stopped. */
export function startWorkerLoop(service: Pick<Service, 'work'>, logger: Logger): WorkerLoop {
  const end = new AbortController()
  const waiting = new Map<Loop, () => void>()
  // Loops that have not looked since it rang, because they were at work: they do not wait when they come next.
  const late = new Set<Loop>()
  const ring = (): void => {
    for (const loop of loops) if (!waiting.has(loop)) late.add(loop)
    for (const done of waiting.values()) done()
  }
  const wait = (loop: Loop): Promise<void> => {
    if (late.delete(loop) || end.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        waiting.delete(loop)
        resolve()
      }
      const timer = setTimeout(done, lookMs)
      waiting.set(loop, done)
    })
  }
  const ended = service
    .work({ signal: end.signal, wait })
    .catch((error: unknown) => logger.error({ err: error }, 'the worker ended'))
  return {
    wake: ring,
    async stop() {
      end.abort()
      ring()
      await ended
    },
  }
}
