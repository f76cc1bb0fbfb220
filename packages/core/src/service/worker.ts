import { lazy } from '../lazy.ts'
import type { WorkOptions, WorkSummary } from '../work.ts'
import type { Meter } from '../measurements.ts'
import { createCountReader, type CountReader } from './counts.ts'
import { resolveOptions } from './resolve-options.ts'
import type { ServiceOptions } from './options.ts'
import { createWork } from './work.ts'
import { startWorkerLoop, type StartWorkerOptions, type WorkerLoop } from './polling.ts'

/** The part of a service that works without requests. */
export interface ServiceWorker extends CountReader {
  /**
   * Processes ingest jobs and delivers the outbox (mails, telemetry, network impressions) until nothing is due. With
   * `wait`, both loops continue until the signal is aborted, and each loop waits independently. Any number of workers
   * may run, in any process.
   */
  work(options?: WorkOptions): Promise<WorkSummary>
  /**
   * Starts a worker in this event loop, which runs until `stop`. Jobs that this service queues wake the worker, which
   * finds other jobs by polling. Without a running worker a service stores uploads but does not process them.
   */
  startWorker(options?: StartWorkerOptions): WorkerLoop
  /**
   * Runs the scrubber on a sample text, so that its code is compiled and the first traces do not take longer than later
   * traces. Yields to the event loop, and may run while jobs run. Resolves at its end or when the signal is aborted.
   * `warmUp` does not reject when the scrubber does not load, but `work` does.
   */
  warmUp(signal?: AbortSignal): Promise<void>
  /** Resolves when the stores answer. Throws `Unavailable` when they do not. */
  ready(): Promise<void>
  /**
   * Sends all further measurements to a meter, for the metrics of a host. Returns a function that removes the meter.
   */
  measure(meter: Meter): () => void
}

/**
 * Makes the worker of a service, for a process or function that only processes jobs. The worker has the options of
 * `createService` and does not load routes. Throws on options that cannot work.
 *
 * ```ts
 * await createWorker({ baseUrl: 'http://127.0.0.1:8787', stores: libsqlStores(client) }).work()
 * ```
 */
export function createWorker(options: ServiceOptions): ServiceWorker {
  const resolved = resolveOptions(options)
  const work = lazy(() => createWork(resolved))
  const run = async (given: WorkOptions = {}): Promise<WorkSummary> => (await work())(given)
  return {
    work: run,
    startWorker: (given) => startWorkerLoop(run, resolved.logger, given),
    async warmUp(signal) {
      const pause = async (): Promise<void> => {
        await resolved.yieldToEventLoop()
        signal?.throwIfAborted()
      }
      await import('../scrubber/index.ts').then(({ warmUpScrubber }) => warmUpScrubber(pause)).catch(() => undefined)
    },
    ready: () => resolved.stores.ready(),
    measure: resolved.measurements.addMeter,
    ...createCountReader(resolved),
  }
}
