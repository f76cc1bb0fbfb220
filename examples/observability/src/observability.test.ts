import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { context, propagation, trace } from '@opentelemetry/api'
import { createService, securityEvents } from '@tributary/core'
import { libsqlStores } from '@tributary/core/libsql'
import { openLocal, toNodeListener } from '@tributary/host-node'
import { Registry } from 'prom-client'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { runOnce, traceparent } from './once.ts'

const folder = fileURLToPath(new URL('../', import.meta.url))
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}
const queries = (JSON.parse(read('dashboard.json')) as Dashboard).panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr),
)

interface AlertRule {
  readonly alert: string
  readonly expr: string
}
const alerts = (parse(read('alerts.yml')) as { groups: { rules: AlertRule[] }[] }).groups.flatMap(({ rules }) => rules)

/** Returns the labels of each metric that a service registers. */
function listExportedMetrics(): Map<string, readonly string[]> {
  const registry = new Registry()
  toNodeListener(createService({ baseUrl: 'http://127.0.0.1:8787', stores: libsqlStores(openLocal(':memory:')) }), {
    metrics: { registry },
  })
  const metrics = registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[]
  return new Map(metrics.map(({ name, labelNames }) => [name, labelNames]))
}

const metrics = listExportedMetrics()

/**
 * Returns the metrics that a query names. Fails if no metric of a service has that name, or if the metric lacks a label
 * of the query.
 */
function checkQuery(query: string): string[] {
  const names = [...query.matchAll(/tributary_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''))
  const labels = [...query.matchAll(/by \(([^)]*)\)|[{,](\w+)=~?"/g)].flatMap(([, by, one]) =>
    (by ?? one!).split(',').map((label) => label.trim()),
  )
  for (const name of names) {
    expect([query, metrics.get(name)]).toEqual([query, expect.any(Array)])
    // Every histogram has the label `le`. Prometheus itself adds the labels `job` and `instance`.
    for (const label of labels.filter((one) => !['le', 'job', 'instance'].includes(one)))
      expect([query, metrics.get(name)]).toEqual([query, expect.arrayContaining([label])])
  }
  return names
}

describe('dashboard.json', () => {
  test("uses only metrics and labels that a service exports, and uses each of the service's metrics", () => {
    const named = new Set(queries.flatMap(checkQuery))
    expect([...named].toSorted()).toEqual([...metrics.keys()].toSorted())
  })
})

describe('alerts.yml', () => {
  test('uses only metrics and labels that a service exports, and only events that the service counts', () => {
    expect(
      alerts.filter(({ expr }) => expr.includes('tributary_')).flatMap(({ expr }) => checkQuery(expr)),
    ).not.toEqual([])
    const events = alerts.flatMap(({ expr }) =>
      [...expr.matchAll(/event=~?"([^"]+)"/g)].flatMap(([, names]) => names!.split('|')),
    )
    expect(events.filter((event) => !(event in securityEvents))).toEqual([])
  })

  test('has the rules that docs/observability.md lists', () => {
    const document = readFileSync(join(folder, '../../docs/observability.md'), 'utf8')
    const listed = [...document.matchAll(/^\| `(Tributary\w+)` \|/gm)].map(([, name]) => name)
    expect(listed).toEqual(alerts.map(({ alert }) => alert))
  })

  test('is loaded by prometheus.yml', () => {
    expect(parse(read('prometheus.yml'))).toMatchObject({ rule_files: ['alerts.yml'] })
  })
})

describe('runOnce', () => {
  afterAll(() => {
    trace.disable()
    context.disable()
    propagation.disable()
  })

  test('prints the span of the request, as a part of the trace that the caller started', async () => {
    const printed = vi.spyOn(console, 'dir').mockImplementation(() => undefined)
    await runOnce()
    const spans = printed.mock.calls.map(([span]) => span as { name: string; traceId: string; attributes: object })
    printed.mockRestore()
    expect(spans.find(({ name }) => name === 'tributary GET /api/cli/session')).toMatchObject({
      traceId: traceparent.split('-')[1],
      attributes: { 'http.response.status_code': 401 },
    })
  })
})
