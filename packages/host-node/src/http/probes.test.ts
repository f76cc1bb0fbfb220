import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { createService } from '@tributary/core'
import { createTestStores, makeId } from '@tributary/test-kit'
import { Counter, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { choosePort, openConnection, formatJsonHead, startEchoServer, decodeText } from './connection.fixture.ts'
import { refuseMetrics } from './metrics-access.ts'
import { sendRequest } from './wire.fixture.ts'

test('probes and documents are served below the prefix', async () => {
  const { url } = await startEchoServer(
    {},
    createService({ baseUrl: 'https://x.example/t', stores: createTestStores() }),
  )
  const get = async (path: string, method = 'GET') => sendRequest(url, method, path)
  expect((await get('/t/healthz')).status).toBe(200)
  expect((await get('/t/readyz')).status).toBe(200)
  expect((await get('/healthz')).status).toBe(404)
  expect((await get('/t/healthz', 'POST')).status).toBe(405)
  expect((await get('/t/healthz', 'HEAD')).body).toHaveLength(0)
  const document = JSON.parse(decodeText((await get('/t/openapi.json')).body)) as {
    paths: object
    servers: { url: string }[]
  }
  expect(Object.keys(document.paths)).toContain('/api/ingest')
  expect(document.servers).toEqual([{ url: 'https://x.example/t' }])
  expect(decodeText((await get('/t/llms.txt')).body)).toContain('`POST /api/ingest`')
  const plain = await get('/t/docs')
  expect(new Map(plain.headers).get('content-security-policy')).toContain("default-src 'none'; style-src 'self'")
  expect(decodeText(plain.body)).toContain('/api/ingest/jobs/:jobId')
  expect(decodeText(plain.body)).toContain('<a href="/t/docs/interactive">')
  expect(gzipSync(plain.body).byteLength).toBeLessThan(1_000_000)
  const docs = await get('/t/docs/interactive')
  expect(new Map(docs.headers).get('content-security-policy')).toContain("default-src 'none'; script-src 'self';")
  expect(decodeText(docs.body)).toContain('data-url="/t/openapi.json"')
  const script = await get('/t/docs/scalar.js')
  expect([script.status, new Map(script.headers).get('content-encoding')]).toEqual([200, 'gzip'])
  expect(script.body.byteLength).toBeLessThan(1_000_000)
})

test('GET /llms-full.txt returns every document in one text, which the build creates', async () => {
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('../../documents.mjs', import.meta.url))])
  const { url } = await startEchoServer()
  const reply = await sendRequest(url, 'GET', '/llms-full.txt')
  expect([reply.status, new Map(reply.headers).get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const text = decodeText(reply.body)
  for (const file of ['README.md', 'docs/getting-started.md', 'docs/stores.md', 'packages/core/SCRUB.md'])
    expect(text).toContain(`<!-- ${file} -->`)
})

test('GET /metrics is served only when the app enables it', async () => {
  const { url } = await startEchoServer()
  expect((await sendRequest(url, 'GET', '/metrics')).status).toBe(404)
})

test('GET /metrics counts requests by route pattern', async () => {
  const { url } = await startEchoServer({ metrics: true })
  for (const word of ['a', 'b', 'c']) await sendRequest(url, 'GET', `/echo/${word}`)
  await sendRequest(url, 'GET', '/no/such/path')
  await sendRequest(url, 'POST', '/json')
  const metrics = decodeText((await sendRequest(url, 'GET', '/metrics')).body)
  expect(metrics).toContain('tributary_requests_total{route="/echo/:word",method="GET",status="200"} 3')
  expect(metrics).toContain('tributary_requests_total{route="/json",method="POST",status="415"} 1')
  expect(metrics).toContain('tributary_rescrub_remaining{of="traces"} 0')
  expect(metrics).toContain('tributary_request_seconds_bucket')
  expect(metrics).toContain('nodejs_eventloop_lag_seconds')
  expect(metrics).toContain('tributary_security_events_total{event="auth.admin.denied"} 0')
  expect(metrics).not.toContain('/echo/a')
})

test('GET /metrics shows each queue with its depth and the age of its oldest entry, and redactions by category', async () => {
  const stores = createTestStores()
  const clock = () => Date.UTC(2026, 10, 22, 12)
  const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores, clock })
  const { url } = await startEchoServer({ metrics: true, worker: false }, service)
  const entry = { channel: 'telemetry', recipient: '', subject: '', payload: '{}' } as const
  await stores.outbox.enqueue({ ...entry, id: makeId('entry', 1), createdAt: clock() - 90_000 })
  await stores.outbox.enqueue({ ...entry, id: makeId('entry', 2), createdAt: clock() - 1_000 })
  stores.overview.listDailyCounts = async () => [
    { day: 1, name: 'redactions.secret', count: 2 },
    { day: 2, name: 'redactions.secret', count: 3 },
    { day: 2, name: 'uploads', count: 7 },
  ]
  const lines = decodeText((await sendRequest(url, 'GET', '/metrics')).body).split('\n')
  expect(lines).toContain('tributary_queue_depth{queue="telemetry"} 2')
  expect(lines).toContain('tributary_queue_oldest_age_seconds{queue="telemetry"} 90')
  expect(lines).toContain('tributary_queue_depth{queue="ingest"} 0')
  expect(lines).toContain('tributary_queue_oldest_age_seconds{queue="ingest"} 0')
  expect(lines.filter((line) => line.startsWith('tributary_redactions_total'))).toEqual([
    'tributary_redactions_total{category="secret"} 5',
  ])
})

test('GET /metrics omits the metrics of the database when the database does not answer', async () => {
  const stores = createTestStores()
  stores.overview.listQueues = () => Promise.reject(new Error('no answer'))
  const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores })
  const { url } = await startEchoServer({ metrics: true, worker: false }, service)
  const reply = await sendRequest(url, 'GET', '/metrics')
  expect(reply.status).toBe(200)
  expect(decodeText(reply.body)).not.toContain('tributary_queue_depth{')
})

test('docs/observability.md lists every metric of the service, with its labels', async () => {
  const registry = new Registry()
  await startEchoServer({ metrics: { registry } })
  const listed = readFileSync(new URL('../../../../docs/observability.md', import.meta.url), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name, labels] = /^\| `(tributary_\w+)` \| (.*?) \|/.exec(line) ?? []
      return name === undefined
        ? []
        : [{ name, labels: labels === 'none' ? [] : labels!.replaceAll('`', '').split(', ') }]
    })
  const registered = registry.getMetricsAsArray() as unknown as readonly { name: string; labelNames: string[] }[]
  expect(listed).toEqual(registered.map(({ name, labelNames }) => ({ name, labels: labelNames })))
})

test("metrics with a registry are added to the app's own metrics, are not served at /metrics, and are removed on close", async () => {
  const registry = new Registry()
  new Counter({ name: 'app_orders_total', help: 'Orders.', registers: [registry] }).inc()
  const listening = await startEchoServer({ metrics: { registry } })
  await sendRequest(listening.url, 'GET', '/echo/a')
  expect((await sendRequest(listening.url, 'GET', '/metrics')).status).toBe(404)
  expect(await registry.metrics()).toContain('app_orders_total 1')
  expect(await registry.metrics()).toContain(
    'tributary_requests_total{route="/echo/:word",method="GET",status="200"} 1',
  )
  await listening.close()
  expect(registry.getMetricsAsArray()).toMatchObject([{ name: 'app_orders_total' }])
})

test('GET /metrics counts the findings of the verifier by rule', async () => {
  const { url } = await startEchoServer({ metrics: true, verificationFailures: { 'github/GITHUB_TOKEN': 2 } })
  const metrics = decodeText((await sendRequest(url, 'GET', '/metrics')).body)
  expect(metrics).toContain('tributary_verification_failures_total{rule="github/GITHUB_TOKEN"} 2')
})

test('GET /metrics with access local answers this machine, and operators with their token', async () => {
  const adminToken = 'operator-'.repeat(3)
  const service = createService({ baseUrl: 'http://127.0.0.1:8787/t', stores: createTestStores(), adminToken })
  const { url } = await startEchoServer({ metrics: 'local' }, service)
  const get = async (headers: Record<string, string> = {}) => fetch(`${url}/t/metrics`, { headers })
  expect((await get()).status).toBe(200)
  const far = { 'x-forwarded-for': '198.51.100.7' }
  for (const headers of [far, { forwarded: 'for=198.51.100.7' }, { via: '1.1 proxy' }] as Record<string, string>[]) {
    const refused = await get(headers)
    expect([refused.status, refused.headers.get('www-authenticate'), await refused.json()]).toEqual([
      401,
      'Bearer resource_metadata="http://127.0.0.1:8787/t/.well-known/oauth-protected-resource"',
      { ok: false, error: 'unauthorized' },
    ])
    expect((await get({ ...headers, authorization: 'Bearer wrong' })).status).toBe(401)
    const allowed = await get({ ...headers, authorization: `Bearer ${adminToken}` })
    expect([allowed.status, await allowed.text()]).toEqual([200, expect.stringContaining('tributary_requests_total')])
  }
  const refuseFrom = (address: string | null, host = 'localhost:8787', trustedProxies = 0) =>
    refuseMetrics({ ...service, trustedProxies }, 'local', {
      method: 'GET',
      path: '/t/metrics',
      query: [],
      headers: { host },
      address,
      body: null,
    })
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    expect(await refuseFrom(address)).toBeNull()
  for (const host of ['api.example.com', 'evil.example:8787', ''])
    expect(await refuseFrom('127.0.0.1', host)).toMatchObject({ status: 401 })
  for (const address of ['10.0.0.2', '198.51.100.7', 'fe80::1', '::ffff:10.0.0.1', '127', null])
    expect(await refuseFrom(address)).toMatchObject({ status: 401 })
  // A request through a proxy that sets no header looks like a request from this machine.
  expect(await refuseFrom('127.0.0.1', 'localhost:8787', 1)).toMatchObject({ status: 401 })
  // Wrong tokens are also counted on this path.
  for (let n = 0; n < 17; n++) expect((await get({ ...far, authorization: `Bearer ${n}` })).status).toBe(401)
  const stopped = await get({ ...far, authorization: 'Bearer again' })
  expect([stopped.status, await stopped.json(), Number(stopped.headers.get('retry-after')) > 0]).toEqual([
    429,
    { ok: false, error: 'rate_limited' },
    true,
  ])
  expect((await get()).status).toBe(200)
  const without = await startEchoServer(
    { metrics: 'local' },
    createService({ baseUrl: 'http://127.0.0.1:8787', stores: createTestStores() }),
  )
  expect((await fetch(`${without.url}/metrics`, { headers: { ...far, authorization: 'Bearer any' } })).status).toBe(401)
  const off = await startEchoServer(
    { metrics: false },
    createService({ baseUrl: 'http://127.0.0.1:8787', stores: createTestStores() }),
  )
  expect((await fetch(`${off.url}/metrics`)).status).toBe(404)
})

test('GET /readyz returns 503 while the store does not answer', async () => {
  let answers = false
  const stores = createTestStores()
  const checkReady = (): Promise<void> => (answers ? Promise.resolve() : Promise.reject(new Error('gone')))
  const { url } = await startEchoServer(
    {},
    createService({ baseUrl: 'http://x.example', stores: { ...stores, ready: checkReady } }),
  )
  const out = await sendRequest(url, 'GET', '/readyz')
  expect([out.status, decodeText(out.body)]).toEqual([503, '{"ok":false,"error":"unavailable","reason":"store"}'])
  answers = true
  expect((await sendRequest(url, 'GET', '/readyz')).status).toBe(200)
})

test('close finishes running requests, answers 503 at /readyz and rejects new connections', async () => {
  const listening = await startEchoServer({ port: choosePort() })
  const running = await openConnection(listening)
  running.socket.write(`${formatJsonHead('Content-Length: 11')}{"text"`)
  await sendRequest(listening.url, 'GET', '/healthz')
  // A keep-alive connection in the middle of a request head is neither idle nor running.
  const probe = await openConnection(listening)
  probe.socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n')
  await sendRequest(listening.url, 'GET', '/healthz')
  const closed = listening.close()
  probe.socket.write('\r\n')
  const ready = await probe.waitFor('close')
  expect(ready).toMatch(/^HTTP\/1\.1 503 /)
  expect(ready).toContain('draining')
  await expect(openConnection(listening)).rejects.toThrow('ECONNREFUSED')
  running.socket.write(':""}')
  const reply = await running.waitFor('close')
  expect(reply).toMatch(/^HTTP\/1\.1 200 /)
  expect(reply).toMatch(/connection: close/i)
  await closed
})

test('close cuts off running requests after stopMs', async () => {
  const listening = await startEchoServer({ stopMs: 100 })
  const { socket, waitFor } = await openConnection(listening)
  socket.write(`${formatJsonHead('Content-Length: 11')}{"text"`)
  await sendRequest(listening.url, 'GET', '/healthz')
  await listening.close()
  expect(await waitFor('close')).toBeTypeOf('string')
})
