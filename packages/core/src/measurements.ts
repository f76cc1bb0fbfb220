import type { Clock } from './ports.ts'

/**
 * The metrics that a service measures while it runs, in this process, by name with their labels. Durations are
 * histograms in seconds; all other metrics are counters. `Service.getCounts` returns the counts of the database.
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
  tributary_mails_total: {
    help: 'Mails: sent, retried or dead (not accepted), unknown (may have been sent).',
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

/** One measurement. Labels have few values and no data of a person. */
export interface Measurement {
  readonly name: MetricName
  readonly labels: Readonly<Record<string, string>>
  /** The duration, for a histogram. Without a duration, the counter is increased by one. */
  readonly seconds?: number
}

/** Receives the measurements of a service, for the metrics of a host. */
export interface Meter {
  /** Monotonic milliseconds with fractions, such as `performance.now()`. */
  readonly now: Clock
  /** Receives a measurement. Must not throw. */
  take(measurement: Measurement): void
}

/** Records the time since the timer was started. */
export type StopTimer = <Name extends MetricName>(name: Name, labels: LabelsOf<Name>) => void

/** Passes measurements to the meters of a service. Without a meter nothing is measured. */
export interface Measurements {
  /** Adds a meter. Returns a function that removes the meter. */
  addMeter(meter: Meter): () => void
  /** Adds one to a counter. */
  count<Name extends MetricName>(name: Name, labels: LabelsOf<Name>): void
  /** Starts a timer. When the timer is stopped, its duration is recorded. */
  startTimer(): StopTimer
  /** Passes on a measurement of another thread. */
  take(measurement: Measurement): void
}

/** The timer of a service without a meter. */
export const ignoredTimer: StopTimer = () => undefined

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
      if (!meter) return ignoredTimer
      const startedAt = meter.now()
      return (name, labels) => take({ name, labels, seconds: (meter.now() - startedAt) / 1000 })
    },
  }
}
