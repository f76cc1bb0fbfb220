import type { Clock } from './ports.ts'
import type { Stores } from './stores.ts'

/**
 * The metrics that a service measures while it runs, in this process, by name with their labels. Durations are
 * histograms in seconds, the others counters. What the database counts is in `Service.getCounts`.
 */
export const measuredMetrics = {
  tributary_requests_total: { help: 'Answered requests.', labels: ['route', 'method', 'status'], kind: 'counter' },
  tributary_request_seconds: {
    help: 'From the head of the request to its reply.',
    labels: ['route', 'method'],
    kind: 'histogram',
  },
  tributary_store_seconds: {
    help: 'Calls of the stores, by port.',
    labels: ['store'],
    kind: 'histogram',
  },
  tributary_scrub_seconds: { help: 'Scrubbing and verifying one trace of an upload.', labels: [], kind: 'histogram' },
  tributary_jobs_total: {
    help: 'Attempts at ingest jobs that ended: done, failed for good, or to be tried again.',
    labels: ['outcome'],
    kind: 'counter',
  },
  tributary_lease_losses_total: {
    help: 'Jobs that another worker took over because this one did not renew its lease in time.',
    labels: ['worker'],
    kind: 'counter',
  },
  tributary_webhook_deliveries_total: {
    help: 'Attempts to deliver an event to a webhook.',
    labels: ['outcome'],
    kind: 'counter',
  },
} as const

export type MetricName = keyof typeof measuredMetrics
type LabelsOf<Name extends MetricName> = Readonly<Record<(typeof measuredMetrics)[Name]['labels'][number], string>>

/** One measurement. Labels have few values and nothing of a person. */
export interface Measurement {
  readonly name: MetricName
  readonly labels: Readonly<Record<string, string>>
  /** The duration of a histogram's metric; absent: a counter grows by one. */
  readonly seconds?: number
}

/** Receives what a service measures, for the metrics of a host. */
export interface Meter {
  /** Monotonic milliseconds with fractions, such as `performance.now()`. */
  readonly now: Clock
  /** Takes a measurement. Must not throw. */
  take(measurement: Measurement): void
}

/** Records a duration since its timer was started. */
export type StopTimer = <Name extends MetricName>(name: Name, labels: LabelsOf<Name>) => void

/** Hands measurements to the meters of a service; without one nothing is measured. */
export interface Measurements {
  /** Adds a meter. Returns what removes it. */
  addMeter(meter: Meter): () => void
  /** Adds one to a counter. */
  count<Name extends MetricName>(name: Name, labels: LabelsOf<Name>): void
  /** Starts a timer, whose duration is recorded when it is stopped. */
  startTimer(): StopTimer
  /** Takes a measurement of elsewhere, such as another thread. */
  take(measurement: Measurement): void
}

const ignore: StopTimer = () => undefined

/** Creates measurements without a meter. */
export function createMeasurements(): Measurements {
  const meters = new Set<Meter>()
  const take = (measurement: Measurement): void => {
    for (const meter of meters) meter.take(measurement)
  }
  return {
    addMeter(meter) {
      meters.add(meter)
      return () => void meters.delete(meter)
    },
    count: (name, labels) => take({ name, labels }),
    take,
    startTimer() {
      const [meter] = meters
      if (!meter) return ignore
      const startedAt = meter.now()
      return (name, labels) => take({ name, labels, seconds: (meter.now() - startedAt) / 1000 })
    },
  }
}

/** Returns the stores with their calls measured, also those of an app's own. A call that rejects counts too. */
export function measureStores(stores: Stores, measurements: Measurements): Stores {
  const ports = Object.entries(stores).filter(([, store]) => typeof store === 'object')
  const measured = ports.map(([port, store]) => [port, measureStore(store as object, port, measurements)])
  return { ...(Object.fromEntries(measured) as Stores), ready: () => stores.ready() }
}

type Method = (...args: unknown[]) => unknown

function measureStore(store: object, port: string, measurements: Measurements): object {
  const labels = { store: port }
  const measured = new Map<string | symbol, Method>()
  // Not a proxy of the store itself: one of a frozen object must return its members as they are.
  return new Proxy({} as object, {
    has: (_, name) => name in store,
    get(_, name) {
      const method = measured.get(name)
      if (method) return method
      const member: unknown = Reflect.get(store, name)
      if (typeof member !== 'function') return member
      const call: Method = (...args) => {
        const stop = measurements.startTimer()
        const result = (Reflect.get(store, name) as Method).apply(store, args)
        if (stop !== ignore && result instanceof Promise) {
          const record = (): void => stop('tributary_store_seconds', labels)
          result.then(record, record)
        }
        return result
      }
      measured.set(name, call)
      return call
    },
  })
}
