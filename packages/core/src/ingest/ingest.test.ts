import { gzipSync } from 'node:zlib'
import { isFullRun, type Fixture, type Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PlainRequest } from '../http/message.ts'
import { Unavailable } from '../unavailable.ts'
import {
  admin,
  signInContributor,
  makeTraceInputs,
  openAutoApprovingService,
  listOutcomes,
  places,
  makeTraceInput,
  listWaitingBlobs,
  type Place,
} from './contributor.fixture.ts'

const day = 24 * 3600 * 1000

describe.each(Object.keys(places))('ingest over %s', (name) => {
  let place: Place
  let made: Fixture
  let ann: Signed
  beforeEach(async () => {
    place = await places[name]!()
    made = openAutoApprovingService(place.stores)
    ann = await signInContributor(made)
  })
  afterEach(() => place.close())

  const post = (traces: unknown, who = ann, on = made) =>
    on.ask('POST', '/api/ingest', { headers: who.bearer, json: { traces } })
  const readJob = async (jobId: string, who = ann) =>
    (await made.ask('GET', `/api/ingest/jobs/${jobId}`, { headers: who.bearer })).json.job

  /** Sends bytes as they are. */
  async function put(path: string, bytes: Uint8Array, headers: Record<string, string> = {}, method = 'PUT', on = made) {
    const request: PlainRequest = {
      method,
      path,
      query: [],
      headers: { 'content-length': String(bytes.length), ...headers },
      address: null,
      body: async function* () {
        yield bytes
      },
    }
    const reply = (await on.service.handle(request))!
    return { status: reply.status, headers: Object.fromEntries(reply.headers), json: JSON.parse(reply.body as string) }
  }

  test('POST /api/ingest with an empty batch returns a job that is done', async () => {
    const { jobId } = (await post([])).json
    expect(await made.service.work()).toEqual({ done: 1, failed: 0, later: 0 })
    expect(await readJob(jobId)).toMatchObject({
      status: 'done',
      source: 'unknown',
      traceCount: 0,
      rejectedCount: 0,
      estimatedUsd: 0,
    })
  })

  describe('POST /api/ingest and POST /api/ingest/uploads of a user with many pending bytes', () => {
    const [ingestLimit, waitingUploadBytes] = [100_000, 150_000]
    const policy = `"waiting_upload_bytes";q=${waitingUploadBytes};qu="content-bytes"`
    const openLimited = () =>
      openAutoApprovingService(place.stores, {
        ingestLimit,
        quotas: { waitingUploadBytes },
        rates: {},
        clock: made.clock,
      })
    const makeLargeTraces = (name: string) => [
      makeTraceInput(name, { messages: [{ content: `${name} ${'lorem ipsum '.repeat(7_000)}` }] }),
    ]
    const requestUploadUrl = (bytes: number, on: Fixture, who = ann) =>
      on.ask('POST', '/api/ingest/uploads', { headers: who.bearer, json: { bytes } })

    test('return 429 with the limit and store nothing, and accept the batch when the pending jobs are done', async () => {
      const host = openLimited()
      const bob = await signInContributor(made)
      expect((await post(makeLargeTraces('a'), ann, host)).status).toBe(202)
      const refused = await post(makeLargeTraces('b'), ann, host)
      expect([refused.status, refused.json]).toEqual([429, { ok: false, error: 'rate_limited' }])
      expect([refused.headers.get('retry-after'), refused.headers.get('ratelimit-policy')]).toEqual(['60', policy])
      expect(await listWaitingBlobs(place.stores)).toHaveLength(1)
      expect((await post(makeLargeTraces('b'), bob, host)).status).toBe(202)
      await host.service.work()
      expect((await post(makeLargeTraces('b'), ann, host)).status).toBe(202)
    })

    test('count a compressed batch by its unpacked size', async () => {
      const host = openLimited()
      const send = (name: string) => {
        const bytes = gzipSync(JSON.stringify({ traces: makeLargeTraces(name) }))
        return put(
          '/api/ingest',
          bytes,
          { ...ann.bearer, 'content-type': 'application/json', 'content-encoding': 'gzip' },
          'POST',
          host,
        )
      }
      expect((await send('a')).status).toBe(202)
      expect([(await send('b')).status, await listWaitingBlobs(place.stores)]).toEqual([429, [expect.any(String)]])
    })

    test('count open upload URLs until they expire', async () => {
      const host = openLimited()
      expect((await requestUploadUrl(90_000, host)).status).toBe(200)
      const refused = await requestUploadUrl(60_001, host)
      expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, policy])
      expect((await post(makeLargeTraces('a'), ann, host)).status).toBe(429)
      expect((await requestUploadUrl(60_000, host)).status).toBe(200)
      made.clock.advance(2 * 3600 * 1000)
      expect((await post(makeLargeTraces('a'), ann, host)).status).toBe(202)
    })

    test('accept an upload that was refused because its unpacked batch was too large, once other jobs are done', async () => {
      const host = openLimited()
      const bytes = gzipSync(JSON.stringify({ traces: makeLargeTraces('by upload') }))
      const { uploadId, url } = (await requestUploadUrl(bytes.length, host)).json
      await put(new URL(url).pathname, bytes, { 'content-type': 'application/json' })
      expect((await post(makeLargeTraces('a'), ann, host)).status).toBe(202)
      const send = () => host.ask('POST', '/api/ingest', { headers: ann.bearer, json: { uploadId } })
      expect((await send()).status).toBe(429)
      await host.service.work()
      expect((await send()).status).toBe(202)
    })

    test('are not limited if rates are off', async () => {
      const host = openAutoApprovingService(place.stores, {
        ingestLimit,
        quotas: { waitingUploadBytes },
        rates: 'off',
        clock: made.clock,
      })
      for (const name of ['a', 'b', 'c']) expect((await post(makeLargeTraces(name), ann, host)).status).toBe(202)
    })

    test('createService throws for quotas that are smaller than one batch of ingestLimit', () => {
      for (const quotas of [
        { waitingUploadBytes: 99_999 },
        { personBodyBytes: 100_000 },
        { processBodyBytes: 1_148_576 },
      ]) {
        expect(() => openAutoApprovingService(place.stores, { ingestLimit, quotas, rates: {} })).toThrow(
          `quotas.${Object.keys(quotas)[0]} must be`,
        )
      }
    })
  })

  test('GET /jobs/:jobId links stored traces by title, or by source id without a title', async () => {
    const spoken = makeTraceInput('titled', {
      messages: [{ role: 'user', content: 'Fix the <parser> of jana.dorn@corp.io' }],
    })
    const { jobId } = (
      await post([spoken, makeTraceInput('untitled', { messages: [{ role: 'assistant', content: 'Hi.' }] })])
    ).json
    await made.service.work()
    const { outcomes } = (await made.ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { headers: ann.bearer })).json
    const { text } = await made.ask('GET', `/jobs/${jobId}`, { headers: ann.cookie })
    const links = [...text.matchAll(/traces\/([0-9a-f-]{36})"\s*><bdi>(.*?)<\/bdi>/gs)].map(([, id, name]) => [
      id,
      name,
    ])
    expect(links).toEqual([
      [outcomes[0].traceId, 'Fix the &lt;parser&gt; of [EMAIL_1]'],
      [outcomes[1].traceId, 'untitled'],
    ])
    expect(text).toContain('<code>titled</code>')
    await made.ask('DELETE', '/api/traces/bulk', { headers: ann.bearer, json: { ids: [outcomes[0].traceId] } })
    const later = (await made.ask('GET', `/jobs/${jobId}`, { headers: ann.cookie })).text
    expect([...later.matchAll(/class="tag[^>]*>(\w+)<.span><.td>/g)].map(([, name]) => name)).toEqual([
      'Deleted',
      'Stored',
    ])
    expect(later).not.toContain(`/traces/${outcomes[0].traceId}`)
  })

  test('GET /jobs/:jobId says whether the contributor must send a failed upload again', async () => {
    const { stores } = place
    const readPage = async (jobId: string) =>
      (await made.ask('GET', `/jobs/${jobId}`, { headers: ann.cookie })).text.replace(/\s+/g, ' ')
    const failWith = async (errorClass: 'verifier_timeout' | 'upload_gone'): Promise<string[]> => {
      const { jobId } = (await post([makeTraceInput(errorClass)])).json
      const failure = { errorStage: 'reading', errorClass } as const
      const claim = async (lease: string) => {
        const claimed = { jobId, lease, now: made.clock(), leaseUntil: made.clock() + 1_000 }
        return (await stores.ingest.claimJob(claimed))!
      }
      await stores.ingest.postponeJob({ claim: await claim('one'), dueAt: made.clock(), end: 'error', failure })
      const waiting = await readPage(jobId)
      await stores.ingest.failJob({
        claim: await claim('two'),
        message: 'It broke.',
        usdPerMillionTokens: 1,
        now: made.clock(),
        failure,
      })
      return [waiting, await readPage(jobId)]
    }
    const [waiting, failed] = await failWith('verifier_timeout')
    expect(waiting).toContain('It is tried again: you do not have to do anything.')
    expect(failed).toContain('Your upload is not the cause. The service keeps it until')
    expect(failed).not.toContain('Start the upload again in your client')
    expect((await failWith('upload_gone'))[1]).toContain('Start the upload again in your client')
  })

  test('POST /api/ingest queues a batch, a worker processes it, and only its contributor can read the job', async () => {
    const accepted = await post([
      makeTraceInput('a'),
      makeTraceInput('b', {
        createdAt: '2026-01-02T03:04+02',
        messages: [
          {
            content: 'mail jana.dorn@corp.io or jana.dorn@corp.io',
            createdAt: '2026-01-02T03:04:05-0130',
            truncated: true,
          },
        ],
      }),
    ])
    expect([accepted.status, accepted.json]).toEqual([202, { ok: true, jobId: expect.any(String), status: 'queued' }])
    const { jobId } = accepted.json
    const enqueuedAt = new Date(made.clock()).toISOString()
    expect(await readJob(jobId)).toEqual({
      id: jobId,
      source: 'unknown',
      status: 'queued',
      traceCount: 0,
      rejectedCount: 0,
      estimatedUsd: null,
      errorMessage: null,
      enqueuedAt,
      startedAt: null,
      finishedAt: null,
    })
    expect(await listWaitingBlobs(place.stores)).toEqual([`upload/${jobId}/0`])
    made.clock.advance(1000)
    expect(await made.service.work()).toEqual({ done: 1, failed: 0, later: 0 })
    const job = await readJob(jobId)
    expect(job).toMatchObject({
      status: 'done',
      traceCount: 2,
      rejectedCount: 0,
      errorMessage: null,
      startedAt: new Date(made.clock()).toISOString(),
    })
    expect(job.estimatedUsd).toBeGreaterThan(0)
    expect(await listWaitingBlobs(place.stores)).toEqual([])

    const { outcomes } = (await made.ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { headers: ann.bearer })).json
    expect(outcomes).toEqual([
      { index: 0, sourceId: 'a', outcome: 'stored', traceId: expect.any(String), redactions: 0 },
      { index: 1, sourceId: 'b', outcome: 'stored', traceId: expect.any(String), redactions: 2 },
    ])
    const document = (await made.ask('GET', `/api/traces/${outcomes[1].traceId}/download`, { headers: ann.bearer }))
      .json
    expect(document).toMatchObject({
      source: 'unknown',
      sourceId: 'b',
      createdAt: '2026-01-02T01:04:00.000Z',
      scrub: { redactions: { email: 2 } },
      messages: [
        {
          position: 0,
          role: null,
          content: 'mail [EMAIL_1] or [EMAIL_1]',
          createdAt: '2026-01-02T04:34:05.000Z',
          truncated: true,
        },
      ],
    })

    const bob = await signInContributor(made)
    for (const path of [`/api/ingest/jobs/${jobId}`, `/api/ingest/jobs/${jobId}/outcomes`]) {
      expect(await made.ask('GET', path, { headers: bob.bearer })).toMatchObject({
        status: 404,
        json: { ok: false, error: 'not_found' },
      })
      expect((await made.ask('GET', path)).status).toBe(401)
    }
    expect(await made.ask('GET', '/api/ingest/jobs/x', { headers: ann.bearer })).toMatchObject({
      status: 400,
      json: { ok: false, error: 'invalid_id' },
    })
  })

  test('POST /api/ingest refuses a user who may not upload before it reads the body', async () => {
    const stranger = await made.signIn()
    let read = false
    const ask = async (path: string) =>
      (await made.service.handle({
        method: 'POST',
        path,
        query: [],
        headers: { ...stranger.bearer, 'content-type': 'application/json' },
        address: null,
        body: () => {
          read = true
          throw new Error('read')
        },
      }))!
    for (const path of ['/api/ingest', '/api/ingest/uploads']) {
      const reply = await ask(path)
      expect([reply.status, JSON.parse(reply.body as string)]).toEqual([
        403,
        { ok: false, error: 'terms_required', acceptUrl: 'http://127.0.0.1:8787/terms' },
      ])
    }
    expect(read).toBe(false)
  })

  test('POST /api/ingest does not store an invalid batch: not JSON, invalid JSON, another content type, too large', async () => {
    const body = JSON.stringify({ traces: [makeTraceInput('a')] })
    const small = openAutoApprovingService(place.stores, { ingestLimit: body.length, clock: made.clock })
    const who = ann
    const ask = async (bytes: Uint8Array | string, headers: Record<string, string> = {}) => {
      const sentBytes = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
      const reply = (await small.service.handle({
        method: 'POST',
        path: '/api/ingest',
        query: [],
        address: null,
        headers: { 'content-type': 'application/json', ...who.bearer, ...headers },
        body: async function* () {
          yield sentBytes
        },
      }))!
      return {
        status: reply.status,
        headers: Object.fromEntries(reply.headers),
        json: JSON.parse(reply.body as string),
      }
    }
    expect(await ask('{"traces":[')).toMatchObject({ status: 400, json: { ok: false, error: 'invalid_json' } })
    expect(await ask('{"traces":[{}]}')).toMatchObject({
      status: 400,
      json: { ok: false, error: 'invalid_body', issues: expect.any(Array) },
    })
    expect(await ask('{"traces":{}}')).toMatchObject({
      status: 400,
      json: { error: 'invalid_body', issues: [{ path: ['traces'] }] },
    })
    expect(await ask(body, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
    expect(await ask(body, { 'content-encoding': 'br' })).toMatchObject({ status: 415 })
    expect(await ask(`${body} `)).toMatchObject({
      status: 413,
      json: { error: 'body_too_large' },
      headers: { 'x-body-limit': String(body.length) },
    })
    expect(await ask(gzipSync(`${body} `), { 'content-encoding': 'gzip' })).toMatchObject({
      status: 413,
      headers: { 'x-body-limit': String(body.length) },
    })
    expect(await ask('junk', { 'content-encoding': 'gzip' })).toMatchObject({
      status: 400,
      json: { error: 'invalid_json' },
    })
    expect(await listWaitingBlobs(place.stores)).toEqual([])
    expect((await ask(body)).status).toBe(202)
    expect((await ask(gzipSync(body), { 'content-encoding': 'gzip' })).status).toBe(202)
  })

  test('POST /api/ingest returns 500 enqueue_failed and stores nothing when the queue refuses the job', async () => {
    const broken = openAutoApprovingService(place.stores, {
      queue: { send: async () => Promise.reject(new Error('down')) },
      clock: made.clock,
    })
    const who = ann
    expect(await post([makeTraceInput('a')], who, broken)).toMatchObject({
      status: 500,
      json: { ok: false, error: 'enqueue_failed' },
    })
    expect(await listWaitingBlobs(place.stores)).toEqual([])
    expect((await place.stores.ingest.listAllJobs({ cursor: null, limit: 10 })).items).toEqual([])
  })

  test('POST /api/ingest sends each job to the queue, and work with a job id processes this job', async () => {
    const sentIds: string[] = []
    const queued = openAutoApprovingService(place.stores, {
      queue: { send: async (id) => void sentIds.push(id) },
      clock: made.clock,
    })
    const who = ann
    for (const label of ['a', 'b']) await post([makeTraceInput(label)], who, queued)
    expect(sentIds).toHaveLength(2)
    expect(await queued.service.work({ jobId: sentIds[1]! })).toEqual({ done: 1, failed: 0, later: 0 })
    expect(
      (await place.stores.ingest.listAllJobs({ status: 'queued', cursor: null, limit: 10 })).items.map(({ id }) => id),
    ).toEqual([sentIds[0]])
    expect(await queued.service.work({ jobId: sentIds[1]! })).toEqual({ done: 0, failed: 0, later: 0 })
  })

  test('POST /api/ingest accepts an upload URL once, from its owner, and deletes the upload afterwards', async () => {
    const body = new TextEncoder().encode(JSON.stringify({ traces: makeTraceInputs(3) }))
    const start = async (bytes: number, who = ann) =>
      await made.ask('POST', '/api/ingest/uploads', { headers: who.bearer, json: { bytes } })
    const started = await start(body.length)
    expect(started.json).toEqual({
      ok: true,
      uploadId: expect.any(String),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8787\/api\/ingest\/uploads\/[0-9a-f]{64}$/),
      headers: { 'content-type': 'application/json' },
      expiresAt: new Date(made.clock() + day / 24).toISOString(),
    })
    const { uploadId, url } = started.json as { uploadId: string; url: string }
    const path = new URL(url).pathname
    const submitUpload = (id: string, who = ann) =>
      made.ask('POST', '/api/ingest', { headers: who.bearer, json: { uploadId: id } })
    expect(await submitUpload(uploadId)).toMatchObject({ status: 404, json: { ok: false, error: 'upload_not_found' } })
    expect(await put(path, new Uint8Array([...body, 32]))).toMatchObject({
      status: 413,
      json: { error: 'body_too_large' },
      headers: { 'x-body-limit': String(body.length) },
    })
    expect(await put(`${path.slice(0, -1)}${path.endsWith('0') ? 1 : 0}`, body)).toMatchObject({ status: 404 })
    expect(await put(`${path}0`, body)).toMatchObject({ status: 400, json: { error: 'invalid_id' } })
    expect(await put(path, body)).toMatchObject({ status: 200, json: { ok: true } })
    expect(await put(path, body)).toMatchObject({ status: 200 })
    const bob = await signInContributor(made)
    expect(await submitUpload(uploadId, bob)).toMatchObject({ status: 404, json: { error: 'upload_not_found' } })
    const answers = await Promise.all(Array.from({ length: 5 }, () => submitUpload(uploadId.toUpperCase())))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)!.json).toEqual({ ok: false, error: 'upload_taken' })
    expect(await put(path, body)).toMatchObject({ status: 409, json: { error: 'upload_taken' } })
    expect((await listWaitingBlobs(place.stores)).filter((key) => key.startsWith('put/'))).toEqual([])
    expect(await made.service.work()).toMatchObject({ done: 1 })
    expect(await start(64 * 1024 * 1024)).toMatchObject({ status: 200 })
    expect(await start(64 * 1024 * 1024 + 1)).toMatchObject({ status: 413, json: { error: 'body_too_large' } })
    expect(await start(0)).toMatchObject({ status: 400, json: { error: 'invalid_body' } })
  })

  test('POST /api/ingest returns 503 when the reply to claiming an upload was lost, and accepts the next attempt', async () => {
    const { ingest } = place.stores
    let lost = false
    const shaky = openAutoApprovingService({
      ...place.stores,
      ingest: {
        ...ingest,
        async claimUpload(params) {
          const refused = await ingest.claimUpload(params)
          if (lost) return refused
          lost = true
          throw new Unavailable(new Error('the reply was lost'))
        },
      },
    })
    const body = new TextEncoder().encode(JSON.stringify({ traces: makeTraceInputs(2) }))
    const { uploadId, url } = (
      await made.ask('POST', '/api/ingest/uploads', { headers: ann.bearer, json: { bytes: body.length } })
    ).json
    expect(await put(new URL(url).pathname, body)).toMatchObject({ status: 200 })
    const submitUpload = () => shaky.ask('POST', '/api/ingest', { headers: ann.bearer, json: { uploadId } })
    expect(await submitUpload()).toMatchObject({ status: 503 })
    expect(await submitUpload()).toMatchObject({ status: 202 })
    expect(await made.service.work()).toEqual({ done: 1, failed: 0, later: 0 })
  })

  test('POST /api/ingest accepts a compressed upload, discards an invalid upload, and refuses an expired upload', async () => {
    const upload = async (bytes: Uint8Array) => {
      const { json } = await made.ask('POST', '/api/ingest/uploads', {
        headers: ann.bearer,
        json: { bytes: bytes.length },
      })
      await put(new URL(json.url).pathname, bytes)
      return {
        name: () => made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { uploadId: json.uploadId } }),
        path: new URL(json.url).pathname,
      }
    }
    expect(await (await upload(gzipSync(JSON.stringify({ traces: makeTraceInputs(3) })))).name()).toMatchObject({
      status: 202,
    })
    expect(await made.service.work()).toMatchObject({ done: 1 })
    const wrong = await upload(new TextEncoder().encode('{"traces":[{}]}'))
    expect(await wrong.name()).toMatchObject({ status: 400, json: { error: 'invalid_body' } })
    expect(await wrong.name()).toMatchObject({ status: 409, json: { error: 'upload_taken' } })
    expect(await listWaitingBlobs(place.stores)).toEqual([])
    const nested = await upload(new TextEncoder().encode('{"uploadId":"0198a1b2-0000-7000-8000-000000000000"}'))
    expect(await nested.name()).toMatchObject({ status: 400, json: { error: 'invalid_body' } })
    const late = await upload(new TextEncoder().encode('{}'))
    made.clock.advance(day / 24)
    expect(await late.name()).toMatchObject({ status: 410, json: { error: 'upload_expired' } })
    expect(await put(late.path, new Uint8Array(1))).toMatchObject({ status: 410, json: { error: 'upload_expired' } })
  })

  test('POST /api/ingest returns deleted_before for a longer version while the secret of its last upload is configured', async () => {
    const [secret, next] = ['a-secret-of-this-test', 'the-next-secret-of-this-test']
    const openHost = (secrets: readonly string[]) =>
      openAutoApprovingService(place.stores, { secret: secrets, clock: made.clock })
    const upload = async (at: Fixture, content: string) => {
      const { jobId } = (
        await at.ask('POST', '/api/ingest', {
          headers: ann.bearer,
          json: { traces: [makeTraceInput('jana.dorn@corp.io', { messages: [{ content }] })] },
        })
      ).json
      await at.service.work()
      return (await at.ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { headers: ann.bearer })).json.outcomes[0] as {
        outcome: string
        traceId: string
      }
    }
    const first = openHost([secret])
    const { traceId } = await upload(first, 'a')
    await first.ask('DELETE', '/api/traces/bulk', { headers: ann.bearer, json: { ids: [traceId] } })
    expect((await upload(first, 'a b')).outcome).toBe('deleted_before')
    expect((await upload(openHost([next, secret]), 'a b c')).outcome).toBe('deleted_before')
    expect((await upload(openHost([next]), 'a b c d')).outcome).toBe('deleted_before')
    expect((await upload(openHost(['a-third-secret-of-this-test']), 'a b c d e')).outcome).toBe('stored')
  })

  test('GET /api/admin/jobs lists jobs by status, page by page, and only failed jobs can be retried', async () => {
    for (const label of ['a', 'b', 'c']) await post([makeTraceInput(label)])
    const list = async (query: string) => (await made.ask('GET', `/api/admin/jobs${query}`, { headers: admin })).json
    const first = await list('?limit=2')
    expect(first.items).toHaveLength(2)
    expect(first.items[0]).toMatchObject({ userId: ann.userId, attempts: 0, total: 1, status: 'queued' })
    const second = await list(`?limit=2&cursor=${first.nextCursor}`)
    expect([second.items.length, second.nextCursor]).toEqual([1, null])
    const retry = (id: string) => made.ask('POST', `/api/admin/jobs/${id}/retry`, { headers: admin })
    const { id } = second.items[0]
    expect(await retry(id)).toMatchObject({ status: 409, json: { ok: false, error: 'not_failed' } })
    expect(await retry('0198a1b2-0000-7000-8000-000000000000')).toMatchObject({ status: 404 })

    const [part] = (await listWaitingBlobs(place.stores)).filter((key) => key.includes(id))
    const bytes = (await place.stores.blobs.get(part!))!
    await place.stores.blobs.delete(part!)
    for (let attempt = 0; attempt < 5; attempt++) {
      await made.service.work()
      made.clock.advance(3_600_000)
    }
    expect((await list('?status=failed')).items).toMatchObject([
      { id, attempts: 5, errorMessage: 'The uploaded batch is no longer there. Please send it again.' },
    ])
    await place.stores.blobs.put(part!, bytes)
    expect(await retry(id)).toMatchObject({
      status: 200,
      json: { ok: true, job: { id, status: 'queued', errorMessage: null } },
    })
    expect(await made.service.work()).toEqual({ done: 1, failed: 0, later: 0 })
    expect((await list('?status=done')).items).toHaveLength(3)
    expect((await made.ask('GET', '/api/admin/jobs')).status).toBe(401)
  })

  test('DELETE /api/account deletes jobs and uploads, and stops a worker from storing their traces', async () => {
    const { jobId } = (await post(makeTraceInputs(3))).json
    const { json } = await made.ask('POST', '/api/ingest/uploads', { headers: ann.bearer, json: { bytes: 10 } })
    await put(new URL(json.url).pathname, new Uint8Array(10))
    const exported = (await made.ask('GET', '/api/account/export', { headers: ann.bearer })).text
    expect(exported).toContain(jobId)
    expect((await made.ask('DELETE', '/api/account', { headers: ann.cookie })).status).toBe(200)
    await made.service.work()
    await made.service.work()
    expect(await listWaitingBlobs(place.stores)).toEqual([])
    expect((await place.stores.ingest.listAllJobs({ cursor: null, limit: 9 })).items).toEqual([])
    expect((await place.stores.dataset.readSellableTraces({ cursor: null, limit: 9 })).next).toBeNull()
  })

  test('POST /api/ingest stores every trace once when the same batch is sent many times concurrently', async () => {
    const traces = makeTraceInputs(40)
    const times = isFullRun ? 50 : 10
    const answers = await Promise.all(Array.from({ length: times }, () => post(traces)))
    expect(answers.every(({ status }) => status === 202)).toBe(true)
    const other = openAutoApprovingService(place.others, { clock: made.clock })
    const worked = await Promise.all([made.service.work(), other.service.work(), made.service.work()])
    expect(worked.reduce((sum, { done }) => sum + done, 0)).toBe(times)
    const all = await Promise.all(answers.map(({ json }) => listOutcomes(made, ann, json.jobId)))
    expect(all.flat().filter((outcome) => outcome === 'stored')).toHaveLength(40)
    expect(all.flat().filter((outcome) => outcome === 'duplicate')).toHaveLength(40 * (times - 1))
    const listed = await made.ask('GET', '/api/traces?limit=200', { headers: ann.bearer })
    expect(listed.json.traces).toHaveLength(40)
    expect(await listWaitingBlobs(place.stores)).toEqual([])
  })
})
