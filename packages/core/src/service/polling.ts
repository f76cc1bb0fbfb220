import type { WorkOptions, WorkSummary } from '../work.ts'
import type { Logger } from '../ports.ts'
import { checkOptionNames } from '../option-names.ts'

type LoopName = Parameters<NonNullable<WorkOptions['wait']>>[0]

/** A worker that runs. */
export interface WorkerLoop {
  /** Polls now, because a job was queued. */
  wake(): void
  /** Returns the current job to the queue without counting its attempt. Resolves when every job is released. */
  stop(): Promise<void>
}

const loopNames: readonly LoopName[] = ['jobs', 'others', 'outbox', 'webhooks', 'account', 'rescrub', 'copies']

/** Options of a worker that runs. */
export interface StartWorkerOptions {
  /** Milliseconds between two polls, for jobs of other hosts and of workers that died. Default: 1,000. */
  readonly pollMs?: number
}

/** Runs jobs and sends mail, telemetry and impressions until stopped. */
export function startWorkerLoop(
  work: (options: WorkOptions) => Promise<WorkSummary>,
  logger: Logger,
  options: StartWorkerOptions = {},
): WorkerLoop {
  checkOptionNames(options, { pollMs: true })
  const { pollMs = 1_000 } = options
  const abort = new AbortController()
  const waiting = new Map<LoopName, () => void>()
  // Loops that were busy during the last wake. These loops poll once more before they wait.
  const missedWakes = new Set<LoopName>()
  const wake = (): void => {
    for (const name of loopNames) if (!waiting.has(name)) missedWakes.add(name)
    for (const resume of waiting.values()) resume()
  }
  const wait = (name: LoopName): Promise<void> => {
    if (missedWakes.delete(name) || abort.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const resume = (): void => {
        clearTimeout(timer)
        waiting.delete(name)
        resolve()
      }
      const timer = setTimeout(resume, pollMs)
      waiting.set(name, resume)
    })
  }
  const ended = work({ signal: abort.signal, wait }).catch((error: unknown) =>
    logger.error({ err: error }, 'worker.failed'),
  )
  return {
    wake,
    async stop() {
      abort.abort()
      wake()
      await ended
    },
  }
}
