import type { Service, ServiceCounts } from '@tributary/core'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client'

/** What `/metrics` tells beside what the service and the host count themselves. */
export interface MetricSources {
  /** How often each rule of the verifier found something in a scrubbed trace. */
  readonly verificationFailures?: Readonly<Record<string, number>>
}

/** The metrics of the host, for `GET /metrics`. */
export interface Metrics {
  /** Counts an answered request under its route's pattern, so that ids do not become labels. */
  count(path: string, method: string, status: number, ms: number): void
  /** Returns the metrics in the Prometheus text format. */
  text(): Promise<string>
  readonly contentType: string
  stop(): void
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Creates the metrics of one service, and registers them in the registry of the app too; without one, with those of the process.
 * What the database counts is read for each scrape; while it does not answer, those metrics have no values.
 */
export function createMetrics(
  service: Pick<Service, 'routePattern' | 'securityEvents' | 'getRescrubProgress' | 'getCounts'>,
  appRegistry?: Registry,
  { verificationFailures = {} }: MetricSources = {},
): Metrics {
  const registry = new Registry()
  if (!appRegistry) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  let reading: Promise<ServiceCounts | null> | null = null
  /** Reads the counts once for all metrics of a scrape. */
  const readCounts = (): Promise<ServiceCounts | null> =>
    (reading ??= service
      .getCounts()
      .catch(() => null)
      .finally(() => (reading = null)))
  const requests = new Counter({
    name: 'tributary_requests_total',
    help: 'Answered requests.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'tributary_request_seconds',
    help: 'From the head of the request to its reply.',
    labelNames: ['route', 'method'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
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
    help: 'Stored traces, and people whose identity or blocked terms changed, that the worker has still to look at.',
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
      for (const [event, count] of Object.entries(service.securityEvents)) this.inc({ event }, count)
    },
  })
  const registered = registry.getMetricsAsArray() as unknown as readonly (Metric & { readonly name: string })[]
  for (const metric of appRegistry ? registered : []) appRegistry?.registerMetric(metric)
  // Resolving labels costs more than counting, so each combination is resolved once.
  const seriesByKey = new Map<string, { total: Counter.Internal; duration: Histogram.Internal<string> }>()
  return {
    count(path, method, status, ms) {
      const route = service.routePattern(path) ?? 'other'
      const knownMethod = methods.has(method) ? method : 'other'
      const key = `${status}${knownMethod}${route}`
      let series = seriesByKey.get(key)
      if (!series) {
        series = {
          total: requests.labels(route, knownMethod, String(status)),
          duration: seconds.labels(route, knownMethod),
        }
        seriesByKey.set(key, series)
      }
      series.total.inc()
      series.duration.observe(ms / 1000)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
    stop() {
      for (const { name } of registered) appRegistry?.removeSingleMetric(name)
      registry.clear()
    },
  }
}
