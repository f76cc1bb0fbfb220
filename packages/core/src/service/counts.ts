import type { QueueName } from '../admin/overview/store.ts'
import { channels } from '../outbox/store.ts'
import { remainingRescrub } from '../traces/rules.ts'
import type { ResolvedOptions } from './resolve-options.ts'

/** The counts in the database of a service. Every host that uses the database returns the same counts. */
export interface ServiceCounts {
  readonly queues: readonly { readonly queue: QueueName; readonly depth: number; readonly oldestAgeMs: number }[]
  readonly redactions: Readonly<Record<string, number>>
}

/** Reads the database for the metrics of a host. */
export interface CountReader {
  /**
   * Counts the remaining work of background re-scrubbing, for the host's metrics. `people` counts people whose identity
   * or blocked terms changed. `traces` counts the row numbers that the pass over all traces has not reached since the
   * scrubber's version changed.
   */
  getRescrubProgress(): Promise<{ readonly people: number; readonly traces: number }>
  /**
   * Returns the counts of the database, for the host's metrics. Each queue has the number of its unfinished jobs or
   * entries and the age of the oldest (0 for an empty queue). Each category has the number of its redactions in all
   * traces ever stored.
   */
  getCounts(): Promise<ServiceCounts>
}

/** Creates the reader of a service or worker. */
export function createCountReader({
  stores,
  clock,
  scrubVersion,
}: Pick<ResolvedOptions, 'stores' | 'clock' | 'scrubVersion'>): CountReader {
  async function getCounts(): Promise<ServiceCounts> {
    const [waiting, daily] = await Promise.all([
      stores.overview.listQueues(),
      stores.overview.listDailyCounts({ fromDay: 0 }),
    ])
    const queues = (['ingest', ...channels] as const).map((queue) => {
      const state = waiting.find((one) => one.queue === queue)
      return { queue, depth: state?.depth ?? 0, oldestAgeMs: state ? Math.max(0, clock() - state.oldestAt) : 0 }
    })
    const redactions: Record<string, number> = {}
    for (const { name, count } of daily) {
      if (!name.startsWith('redactions.')) continue
      const category = name.slice('redactions.'.length)
      redactions[category] = (redactions[category] ?? 0) + count
    }
    return { queues, redactions }
  }

  return {
    getRescrubProgress: async () => remainingRescrub(await stores.rescrub.getProgress(), scrubVersion),
    getCounts,
  }
}
