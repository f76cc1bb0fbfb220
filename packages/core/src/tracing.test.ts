import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base'
import manifest from '../package.json' with { type: 'json' }
import { createRecordingMailer } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  admin,
  signInContributor,
  openAutoApprovingService,
  places,
  makeTraceInput,
  type Place,
} from './ingest/contributor.fixture.ts'
import type { Fetch } from './ports.ts'
import { describeStatements } from './stores/libsql/statement-span.ts'

const exporter = new InMemorySpanExporter()
const startSdk = (): void => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
}
// Test files share modules, so the SDK is removed after this file.
const stopSdk = (): void => {
  trace.disable()
  context.disable()
}

const [traceId, callerId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
const traceparent = `00-${traceId}-${callerId}-01`
const webhookUrl = 'https://hooks.example.com/T0/B0/secret-path'

let place: Place
let made: ReturnType<typeof openAutoApprovingService>
let sentHeaders: Record<string, string>[]
const fetch: Fetch = async (_, { headers }) => (sentHeaders.push({ ...headers }), { status: 204, body: null })

beforeEach(async () => {
  place = await places['a local file']!()
  sentHeaders = []
  made = openAutoApprovingService(place.stores, {
    webhooks: { fetch },
    mailer: createRecordingMailer(),
    queue: { send: async () => undefined },
  })
  exporter.reset()
})
afterEach(() => place.close())

const listSpans = (): ReadableSpan[] => exporter.getFinishedSpans()
const findSpans = (name: string): ReadableSpan[] => listSpans().filter((span) => span.name === name)
const listChildren = (parent: ReadableSpan): ReadableSpan[] =>
  listSpans().filter((span) => span.parentSpanContext?.spanId === parent.spanContext().spanId)

/** Signs in a contributor, discards the spans of the sign-in, and uploads one trace. */
async function upload(headers: Record<string, string>) {
  const ann = await signInContributor(made)
  exporter.reset()
  const content = 'my mail is carol@initech.io, please write to it'
  const json = { traces: [makeTraceInput('one', { messages: [{ role: 'user', content }] })] }
  const answer = await made.ask('POST', '/api/ingest', { headers: { ...ann.bearer, ...headers }, json })
  return { ann, content, jobId: answer.json.jobId as string }
}

describe('spans', () => {
  beforeAll(startSdk)
  afterAll(stopSdk)

  test("belong to the caller's trace, including the spans of the job, the scrubber and the database", async () => {
    const { jobId } = await upload({ traceparent })
    await made.service.work()
    const [request] = findSpans('tributary POST /api/ingest')
    expect(request).toMatchObject({ kind: SpanKind.SERVER, parentSpanContext: { traceId, spanId: callerId } })
    expect(request!.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/api/ingest',
      'http.response.status_code': 202,
      'url.path': '/api/ingest',
      'url.scheme': 'http',
    })
    expect(request!.instrumentationScope).toMatchObject({ name: '@tributary/core', version: manifest.version })
    expect(listChildren(request!).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['BATCH', 'tributary queue.send']),
    )
    const [job] = findSpans('tributary ingest.job')
    expect(job).toMatchObject({
      kind: SpanKind.CONSUMER,
      parentSpanContext: { traceId, spanId: request!.spanContext().spanId },
      attributes: { 'tributary.job.id': jobId, 'tributary.job.attempt': 1, 'tributary.job.traces': 1 },
    })
    const [scrub] = listChildren(job!).filter(({ name }) => name === 'tributary scrub')
    expect(scrub!.attributes).toMatchObject({ 'tributary.traces': 1, 'tributary.redactions': 1 })
    const writes = listChildren(job!).filter(({ attributes }) => attributes['db.system.name'] === 'sqlite')
    expect(writes.map(({ attributes }) => attributes['db.query.summary']).join()).toContain('INSERT traces')
    expect(new Set([request!, job!, scrub!, ...writes].map((span) => span.spanContext().traceId))).toEqual(
      new Set([traceId]),
    )
  })

  test('contain no personal data', async () => {
    const { ann, content } = await upload({})
    await made.service.work()
    await made.ask('GET', '/api/traces?q=secret-word', { headers: ann.bearer })
    expect(listSpans().length).toBeGreaterThan(10)
    const written = JSON.stringify(
      listSpans().map(({ name, attributes, status, events }) => [name, attributes, status, events]),
    )
    for (const secret of [content, 'carol@', ann.email, ann.userId, 'secret-word', ann.bearer.authorization])
      expect(written).not.toContain(secret)
  })

  test('name the route instead of the path for a path with parameters', async () => {
    const ann = await signInContributor(made)
    exporter.reset()
    const id = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
    await made.ask('GET', `/api/traces/${id}`, { headers: ann.bearer })
    const [request] = findSpans('tributary GET /api/traces/:id')
    expect(request!.attributes).toMatchObject({ 'http.route': '/api/traces/:id', 'http.response.status_code': 404 })
    expect(request!.status.code).toBe(SpanStatusCode.UNSET)
    expect(JSON.stringify(request!.attributes)).not.toContain(id)
  })

  test('are children of a span of the app around the request, whatever the headers contain', async () => {
    const app = trace.getTracer('app').startSpan('POST', { kind: SpanKind.SERVER })
    await context.with(trace.setSpan(context.active(), app), () =>
      made.ask('GET', '/api/cli/session', { headers: { traceparent } }),
    )
    app.end()
    expect(findSpans('tributary GET /api/cli/session')[0]).toMatchObject({
      kind: SpanKind.INTERNAL,
      parentSpanContext: { spanId: app.spanContext().spanId },
    })
  })

  test.each([
    `00-${'0'.repeat(32)}-${callerId}-01`,
    `ff-${traceId}-${callerId}-01`,
    `${traceparent}-00`,
    traceparent.toUpperCase(),
    'x'.repeat(10_000),
  ])('start a new trace for the invalid traceparent %.60s', async (invalid) => {
    await made.ask('GET', '/api/cli/session', { headers: { traceparent: invalid } })
    expect(findSpans('tributary GET /api/cli/session')[0]!.parentSpanContext).toBeUndefined()
  })

  test('are named _OTHER for an unknown method, and have an error status when the store does not answer', async () => {
    await made.ask('BREW', '/api/cli/session')
    expect(findSpans('tributary _OTHER /api/cli/session')[0]!.attributes['http.response.status_code']).toBe(405)
    const failReady = () => Promise.reject(new Error('no answer from 192.0.2.7'))
    await openAutoApprovingService({ ...place.stores, ready: failReady }).ask('GET', '/readyz')
    const [failed] = findSpans('tributary GET /readyz')
    expect(failed!.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(failed!.attributes).toMatchObject({ 'error.type': '503', 'http.response.status_code': 503 })
  })

  test('pass the trace on in a webhook request, and do not contain the path of its URL', async () => {
    await made.ask('POST', '/api/admin/webhooks', { headers: admin, json: { url: webhookUrl } })
    const json = {
      reporter: { agent_vendor: 'example', agent_product: 'agent' },
      subject: { surface: 'POST /api/ingest' },
      content: { title: 'It fails' },
    }
    await made.ask('POST', '/api/v1/feedback', { json })
    await made.service.work()
    const [webhook] = findSpans('tributary POST webhook')
    expect(webhook).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 204,
        'server.address': 'hooks.example.com',
        'server.port': 443,
      },
    })
    const { traceId: sentTrace, spanId } = webhook!.spanContext()
    expect(sentHeaders[0]!['traceparent']).toBe(`00-${sentTrace}-${spanId}-01`)
    expect(JSON.stringify(listSpans().map(({ attributes }) => attributes))).not.toContain('secret-path')
  })

  test('do not contain the text of an e-mail that is sent', async () => {
    await made.ask('POST', '/api/auth/email', { json: { email: 'dora@example.com' } })
    expect(findSpans('tributary mail.send')[0]).toMatchObject({ kind: SpanKind.CLIENT, attributes: {} })
  })

  test('are not created for polls that find nothing to do', async () => {
    await made.service.work()
    expect(listSpans()).toEqual([])
  })
})

describe('without an SDK', () => {
  test('does not store a trace context with a job, and does not send a trace context to a webhook', async () => {
    const { ann, jobId } = await upload({ traceparent })
    const claim = { lease: 'a', now: made.clock(), leaseUntil: made.clock() + 1, jobId }
    expect((await place.stores.ingest.claimJob(claim))!.traceparent).toBeNull()
    expect(ann.userId).toBeTruthy()
    expect(exporter.getFinishedSpans()).toEqual([])
  })
})

describe('describeStatements', () => {
  test('names a statement by its operation and table, also after a WITH clause', () => {
    const describeOne = (sql: string) => describeStatements([{ sql }]).name
    expect(describeOne('select "id" from "jobs" where "id" = ?')).toBe('SELECT jobs')
    expect(describeOne('with "a" (v) as (select 1 from "traces") update "jobs" set "x" = ?')).toBe('UPDATE jobs')
    expect(describeOne('insert into "outcomes" ("job") select ? from "jobs"')).toBe('INSERT outcomes')
    expect(describeOne('select 1')).toBe('SELECT')
  })

  test('returns one span for a batch, with its size', () => {
    const [first, second] = [{ sql: 'delete from "jobs" where "id" = ?' }, { sql: 'select 1 from "users"' }]
    expect(describeStatements([first, first])).toMatchObject({
      name: 'BATCH DELETE jobs',
      attributes: { 'db.operation.name': 'BATCH DELETE', 'db.operation.batch.size': 2, 'db.query.text': first.sql },
    })
    expect(describeStatements([first, second])).toMatchObject({
      name: 'BATCH',
      attributes: { 'db.query.summary': 'DELETE jobs; SELECT users', 'db.operation.batch.size': 2 },
    })
  })
})
