import { createTestStores } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  admin,
  signInContributor,
  makeTraceInputs,
  openAutoApprovingService,
} from '../../../core/src/ingest/contributor.fixture.ts'
import { startEchoServer, decodeText } from './connection.fixture.ts'
import { sendRequest } from './wire.fixture.ts'

const secret = 'secret of the metrics tests'
let stores: ReturnType<typeof createTestStores>
let made: ReturnType<typeof openAutoApprovingService>
let url: string
beforeEach(async () => {
  stores = createTestStores()
  const fetch = async (url: string) => ({ status: url.includes('refuses') ? 500 : 204, body: null })
  made = openAutoApprovingService(stores, { webhooks: { fetch }, secret })
  url = (await startEchoServer({ metrics: true, worker: false }, made.service)).url
})

/** Returns the samples of a metric with a value above 0, such as `{outcome="done"} 1`. */
async function listSamples(name: string): Promise<string[]> {
  const lines = decodeText((await sendRequest(url, 'GET', '/metrics')).body).split('\n')
  return lines
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => !line.endsWith(' 0'))
    .map((line) => line.slice(name.length).trim())
}

/** Uploads traces as a new contributor. */
async function upload(count = 3): Promise<void> {
  const { bearer } = await signInContributor(made)
  const answer = await made.ask('POST', '/api/ingest', { headers: bearer, json: { traces: makeTraceInputs(count) } })
  expect(answer.status).toBe(202)
}

describe('GET /metrics after requests and work', () => {
  test('contains rate, errors and duration of requests by route', async () => {
    await made.ask('GET', '/api/traces/018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71')
    stores.ready = () => Promise.reject(new Error('down'))
    await made.ask('GET', '/readyz')
    expect(await listSamples('tributary_requests_total')).toEqual([
      '{route="/api/traces/:id",method="GET",status="401"} 1',
      '{route="/readyz",method="GET",status="503"} 1',
    ])
    expect(await listSamples('tributary_request_seconds_count')).toContain('{route="/readyz",method="GET"} 1')
  })

  test('counts every request when there are more requests than fit into a batch of measurements', async () => {
    for (let count = 0; count < 300; count++) await made.ask('GET', '/healthz')
    expect(await listSamples('tributary_requests_total')).toEqual(['{route="/healthz",method="GET",status="200"} 300'])
    expect(await listSamples('tributary_request_seconds_count')).toEqual(['{route="/healthz",method="GET"} 300'])
  })

  test('contains the depth and age of the queue until the job is done', async () => {
    await upload()
    made.clock.advance(5_000)
    expect(await listSamples('tributary_queue_depth')).toContain('{queue="ingest"} 1')
    expect(await listSamples('tributary_queue_oldest_age_seconds')).toContain('{queue="ingest"} 5')
    await made.service.work()
    expect(await listSamples('tributary_queue_depth')).not.toContain('{queue="ingest"} 1')
    expect(await listSamples('tributary_jobs_total')).toEqual(['{outcome="done"} 1'])
  })

  test('contains the time of scrubbing and the redactions by category', async () => {
    const { bearer } = await signInContributor(made)
    const content = 'write to carol@initech.io'
    const traces = [{ ...makeTraceInputs(1)[0]!, messages: [{ role: 'user', content }] }]
    await made.ask('POST', '/api/ingest', { headers: bearer, json: { traces } })
    await made.service.work()
    expect(await listSamples('tributary_scrub_seconds_count')).toEqual(['1'])
    expect(await listSamples('tributary_redactions_total')).toEqual(['{category="email"} 1'])
  })

  test('contains the time of store calls by port', async () => {
    await upload()
    const [ingest] = (await listSamples('tributary_store_seconds_count')).filter((one) => one.includes('"ingest"'))
    expect(Number(ingest!.split(' ')[1])).toBeGreaterThan(0)
    expect(await listSamples('tributary_store_seconds_sum')).not.toEqual([])
  })

  test('counts a job that another worker took over', async () => {
    await upload()
    stores.ingest.completeJob = async () => false
    stores.ingest.releaseJob = async () => undefined
    await made.service.work()
    expect(await listSamples('tributary_lease_losses_total')).toEqual(['{worker="ingest"} 1'])
  })

  test('counts deliveries to webhooks', async () => {
    for (const name of ['takes', 'refuses']) {
      const json = { url: `https://hooks.example.com/${name}`, events: ['job.completed'] }
      expect((await made.ask('POST', '/api/admin/webhooks', { headers: admin, json })).status).toBe(201)
    }
    await upload()
    // The first call completes the job, the second call delivers its event.
    for (let calls = 0; calls < 2; calls++) await made.service.work()
    expect((await listSamples('tributary_webhook_deliveries_total')).toSorted()).toEqual([
      '{outcome="accepted"} 1',
      '{outcome="failed"} 1',
    ])
  })

  test('counts security events', async () => {
    await made.ask('GET', '/api/admin/jobs', { headers: { authorization: 'Bearer wrong' } })
    expect(await listSamples('tributary_security_events_total')).toEqual(['{event="auth.admin.denied"} 1'])
  })
})
