import { createService } from '@tributary/core'
import { createWorker } from '@tributary/core/worker'
import { createTestStores } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import {
  signInContributor,
  makeTraceInputs,
  openAutoApprovingService,
} from '../../../core/src/ingest/contributor.fixture.ts'
import { cleanups } from './connection.fixture.ts'
import { listenMetrics, type ListenMetricsOptions } from './listen-metrics.ts'

const baseUrl = 'http://127.0.0.1:8787'
const token = 'token-of-these-tests'
const secret = 'secret-of-these-tests'

/** Serves the metrics of a process that is only a worker. It shares its stores with a service. */
async function start(options: Partial<ListenMetricsOptions> = {}, stores = createTestStores()) {
  const made = openAutoApprovingService(stores, { secret })
  const worker = createWorker({
    baseUrl,
    stores,
    secret,
    clock: made.clock,
    logger: { info() {}, warn() {}, error() {} },
  })
  const listening = await listenMetrics(worker, { port: 0, ...options })
  cleanups.push(() => listening.close())
  const get = (path: string, headers: Record<string, string> = {}) => fetch(listening.url + path, { headers })
  return { made, worker, get, url: listening.url, stores }
}
/** Headers of a request that came through a proxy, as from another machine. */
const proxied = { 'x-forwarded-for': '203.0.113.7' }

describe('listenMetrics', () => {
  test('serves the queue, the jobs, the time of scrubbing and the lost leases of a process that is only a worker', async () => {
    const { made, worker, get, stores } = await start()
    const { bearer } = await signInContributor(made)
    const upload = () => made.ask('POST', '/api/ingest', { headers: bearer, json: { traces: makeTraceInputs(3) } })
    expect((await upload()).status).toBe(202)
    made.clock.advance(5_000)
    const before = await (await get('/metrics')).text()
    expect(before).toContain('tributary_queue_depth{queue="ingest"} 1')
    expect(before).toContain('tributary_queue_oldest_age_seconds{queue="ingest"} 5')
    stores.ingest.completeJob = async () => false
    stores.ingest.releaseJob = async () => undefined
    await worker.work()
    const after = await (await get('/metrics')).text()
    expect(after).toContain('tributary_lease_losses_total{worker="ingest"} 1')
    expect(after).toContain('tributary_scrub_seconds_count 3')
    expect(after).toMatch(/tributary_store_seconds_count\{store="ingest"\} [1-9]/)
  })

  test('serves the metrics of a service whose worker runs without a server', async () => {
    const service = createService({ baseUrl, stores: createTestStores() })
    const { url, close } = await listenMetrics(service, { port: 0 })
    cleanups.push(close)
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('tributary_security_events_total')
  })

  test('refuses another machine without the token, and accepts the token as a bearer', async () => {
    const { get } = await start({ token })
    expect((await get('/metrics')).status).toBe(200)
    const refused = await get('/metrics', proxied)
    expect([refused.status, refused.headers.get('www-authenticate'), await refused.json()]).toEqual([
      401,
      'Bearer',
      { ok: false, error: 'unauthorized' },
    ])
    for (const wrong of [token, 'Bearer ', `Bearer ${token}x`])
      expect((await get('/metrics', { ...proxied, authorization: wrong })).status).toBe(401)
    expect((await get('/metrics', { ...proxied, authorization: `Bearer ${token}` })).status).toBe(200)
  })

  test('refuses every other machine if no token is configured', async () => {
    const { get } = await start()
    for (const authorization of ['Bearer undefined', 'Bearer '])
      expect((await get('/metrics', { ...proxied, authorization })).status).toBe(401)
  })

  test('answers probes (503 while the database does not answer), and returns 404 for other paths', async () => {
    const stores = createTestStores()
    const { get } = await start({}, stores)
    expect([(await get('/healthz')).status, (await get('/readyz')).status]).toEqual([200, 200])
    stores.ready = () => Promise.reject(new Error('down'))
    expect([(await get('/healthz')).status, (await get('/readyz')).status]).toEqual([200, 503])
    expect((await get('/api/traces')).status).toBe(404)
  })

  test('throws when the port is taken', async () => {
    const { url, worker } = await start()
    await expect(listenMetrics(worker, { port: Number(new URL(url).port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })
})
