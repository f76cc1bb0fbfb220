import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { context, propagation, trace } from '@opentelemetry/api'
import { createService } from '@tributary/core'
import { memoryStores } from '@tributary/core/memory'
import { toNodeListener } from '@tributary/host-node'
import { Registry } from 'prom-client'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { runOnce, traceparent } from './once.ts'

const folder = fileURLToPath(new URL('../', import.meta.url))
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}
const queries = (JSON.parse(read('dashboard.json')) as Dashboard).panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr),
)

/** Returns the labels of each metric that a service registers. */
function listExportedMetrics(): Map<string, readonly string[]> {
  const registry = new Registry()
  toNodeListener(createService({ baseUrl: 'http://127.0.0.1:8787', stores: memoryStores() }), { metrics: { registry } })
  const metrics = registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[]
  return new Map(metrics.map(({ name, labelNames }) => [name, labelNames]))
}

describe('dashboard.json', () => {
  test('asks only for metrics and labels that a service exports, and for each of its metrics', () => {
    const metrics = listExportedMetrics()
    const named = new Set<string>()
    for (const query of queries) {
      const [name] = /tributary_\w+/.exec(query)!
      const metric = name.replace(/_bucket$/, '')
      named.add(metric)
      const labels = [...query.matchAll(/by \(([^)]*)\)|\{(\w+)=~?"/g)].flatMap(([, by, one]) =>
        (by ?? one!).split(',').map((label) => label.trim()),
      )
      expect([query, metrics.get(metric)]).toEqual([query, expect.any(Array)])
      for (const label of labels.filter((one) => one !== 'le')) expect(metrics.get(metric)).toContain(label)
    }
    expect([...named].toSorted()).toEqual([...metrics.keys()].toSorted())
  })
})

describe('once', () => {
  afterAll(() => {
    trace.disable()
    context.disable()
    propagation.disable()
  })

  test('prints the span of the request, in the trace that its caller began', async () => {
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
