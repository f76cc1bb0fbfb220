import type { Service } from '@tributary/core'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

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

/** Creates the metrics of one service in their own registry. `jobs` returns the number of jobs by status. */
export function createMetrics(
  service: Pick<Service, 'routePattern' | 'securityEvents' | 'getRescrubProgress'>,
  jobs?: () => Promise<Readonly<Record<string, number>>>,
): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
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
  if (jobs) {
    new Gauge({
      name: 'tributary_jobs',
      help: 'Ingest jobs by status.',
      labelNames: ['status'],
      registers: [registry],
      async collect() {
        this.reset()
        for (const [status, count] of Object.entries(await jobs().catch(() => ({})))) this.set({ status }, count)
      },
    })
  }
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
    name: 'tributary_security_events_total',
    help: 'Security events by name, as in the log.',
    labelNames: ['event'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [event, count] of Object.entries(service.securityEvents)) this.inc({ event }, count)
    },
  })
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
    stop: () => registry.clear(),
  }
}
