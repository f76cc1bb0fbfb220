import type { Measurement, Meter, MetricName, Service, ServiceCounts, ServiceWorker } from '@tributary/core'
import { checkOptionNames, measuredMetrics } from '@tributary/core/adapter'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client'

/** The sources of `/metrics` in addition to the counts of the service and the host. */
export interface MetricSources {
  /** The number of times that each rule of the verifier found something in a scrubbed trace. */
  readonly verificationFailures?: Readonly<Record<string, number>>
  /** Workers of the service in other threads. Their measurements are included. */
  readonly sources?: readonly Pick<ServiceWorker, 'measure'>[]
}

/** The measured object: a service, or only a worker, which has no security events. */
export type MeasuredService = Pick<ServiceWorker, 'measure' | 'getRescrubProgress' | 'getCounts'> &
  Partial<Pick<Service, 'securityEvents'>>

/** The metrics of the host, for `GET /metrics`. */
export interface Metrics {
  /** Returns the metrics in the Prometheus text format. */
  text(): Promise<string>
  readonly contentType: string
  stop(): void
}

/**
 * The bounds of histogram buckets in seconds, from the duration of a statement in memory to the duration of a request
 * that times out.
 */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/**
 * Creates the metrics of one service or worker, and registers them in the registry of the app. Without such a registry,
 * they are registered in a new one, together with the metrics of the process. The counts of the database are read for
 * each scrape. While the database does not answer, the metrics of these counts have no values.
 */
export function createMetrics(service: MeasuredService, appRegistry?: Registry, options: MetricSources = {}): Metrics {
  checkOptionNames(options, { verificationFailures: true, sources: true })
  const { verificationFailures = {}, sources = [] } = options
  const registry = new Registry()
  if (!appRegistry) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  let reading: Promise<ServiceCounts | null> | null = null
  /** Reads the counts once for all metrics of a scrape. */
  const readCounts = (): Promise<ServiceCounts | null> =>
    (reading ??= service
      .getCounts()
      .catch(() => null)
      .finally(() => (reading = null)))
  const meter = registerMeasured(registry)
  const stopSources = [service, ...sources].map(({ measure }) => measure(meter))
  new Gauge({
    name: 'tributary_queue_depth',
    help: 'Ingest jobs, and outbox entries by channel, that are not finished, in the database.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const state of (await readCounts())?.queues ?? []) this.set({ queue: state.queue }, state.depth)
    },
  })
  new Gauge({
    name: 'tributary_queue_oldest_age_seconds',
    help: 'How long the oldest of them has waited; 0 for an empty queue.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const { queue, oldestAgeMs } of (await readCounts())?.queues ?? []) this.set({ queue }, oldestAgeMs / 1000)
    },
  })
  new Counter({
    name: 'tributary_redactions_total',
    help: 'What the scrubber replaced in stored traces, by category, in the database.',
    labelNames: ['category'],
    registers: [registry],
    async collect() {
      this.reset()
      const counts = await readCounts()
      for (const [category, count] of Object.entries(counts?.redactions ?? {})) this.inc({ category }, count)
    },
  })
  new Gauge({
    name: 'tributary_rescrub_remaining',
    help: 'Stored traces, and people whose identity or blocked terms changed, that the worker must still process.',
    labelNames: ['of'],
    registers: [registry],
    async collect() {
      this.reset()
      const remaining = await service.getRescrubProgress().catch(() => ({}))
      for (const [of, count] of Object.entries(remaining)) this.set({ of }, count)
    },
  })
  new Counter({
    name: 'tributary_verification_failures_total',
    help: 'Scrubbed traces that were not kept or shown because the verifier found something, by its rule.',
    labelNames: ['rule'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [rule, count] of Object.entries(verificationFailures)) this.inc({ rule }, count)
    },
  })
  new Counter({
    name: 'tributary_security_events_total',
    help: 'Security events by name, as in the log.',
    labelNames: ['event'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [event, count] of Object.entries(service.securityEvents ?? {})) this.inc({ event }, count)
    },
  })
  const registered = registry.getMetricsAsArray() as unknown as readonly (Metric & { readonly name: string })[]
  for (const metric of appRegistry ? registered : []) appRegistry?.registerMetric(metric)
  return {
    text: () => registry.metrics(),
    contentType: registry.contentType,
    stop() {
      for (const stopSource of stopSources) stopSource()
      for (const { name } of registered) appRegistry?.removeSingleMetric(name)
      registry.clear()
    },
  }
}

/** The number of measurements that are collected before they are counted. */
const batchSize = 256

/**
 * Registers the metrics that a service measures, and returns the meter that fills them. Measurements are counted in
 * batches and before a scrape. Counting them one by one would cost a tenth of a short request's processor time (`bench
 * session`).
 */
function registerMeasured(registry: Registry): Meter {
  let taken: Measurement[] = []
  const metrics = new Map(
    (Object.keys(measuredMetrics) as MetricName[]).map((name) => {
      const { help, labels, kind } = measuredMetrics[name]
      const options = { name, help, labelNames: [...labels], registers: [registry], collect: countTaken }
      const metric = kind === 'counter' ? new Counter(options) : new Histogram({ ...options, buckets })
      return [name, metric] as const
    }),
  )

  function countTaken(): void {
    const batch = taken
    taken = []
    for (const { name, labels, seconds } of batch) {
      const metric = metrics.get(name)!
      if (metric instanceof Counter) metric.inc(labels)
      else metric.observe(labels, seconds ?? 0)
    }
  }

  return {
    now: () => performance.now(),
    take(measurement) {
      taken.push(measurement)
      if (taken.length >= batchSize) countTaken()
    },
  }
}
