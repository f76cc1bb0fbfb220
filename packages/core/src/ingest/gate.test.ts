import { createMemoryBlobs, createTestStores, fixedClock, type Fixture, type Signed } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { jobMessages } from '../messages/jobs.ts'
import type { ServiceOptions } from '../service/options.ts'
import {
  admin,
  signInContributor,
  openAutoApprovingService,
  makeTraceInput,
  listWaitingBlobs,
} from './contributor.fixture.ts'

const day = 24 * 3600 * 1000

describe('POST /api/ingest and POST /api/ingest/uploads', () => {
  const refused: [
    reason: string,
    extra: Record<string, unknown>,
    options: Partial<ServiceOptions>,
    undo: (who: Signed, ask: ReturnType<typeof openAutoApprovingService>['ask']) => Promise<unknown>,
  ][] = [
    [
      'contributor_approval_required',
      { status: 'pending', applyUrl: 'http://127.0.0.1:8787/apply' },
      { approval: 'manual' },
      async () => undefined,
    ],
    [
      'country_unknown',
      {
        policy: {
          ok: true,
          eligible: false,
          reason: 'country_unknown',
          country: null,
          policyVersion: '2026-11-01',
          termsVersion: '2026-12-01',
          termsAccepted: true,
          residencyConfirmed: true,
          acceptanceUrl: 'http://127.0.0.1:8787/terms',
          waitlistUrl: 'http://127.0.0.1:8787/waitlist',
        },
      },
      { country: () => null },
      async () => undefined,
    ],
    ['us_upload_required', {}, { country: () => 'DE' }, async () => undefined],
    [
      'residency_required',
      {},
      {},
      (who, ask) =>
        ask('POST', '/api/account/terms', {
          headers: who.bearer,
          json: { termsVersion: '2026-12-01', residencyConfirmed: false },
        }),
    ],
    [
      'contributor_paused',
      {},
      {},
      (who, ask) => ask('PATCH', '/api/account', { headers: who.bearer, json: { paused: true } }),
    ],
  ]

  test.each(refused)('return 403 %s', async (reason, extra, options, undo) => {
    const made = openAutoApprovingService(createTestStores(), options)
    const who = await signInContributor(made)
    await undo(who, made.ask)
    for (const [path, json] of [
      ['/api/ingest', { traces: [makeTraceInput('a')] }],
      ['/api/ingest/uploads', { bytes: 10 }],
    ] as const) {
      const answer = await made.ask('POST', path, { headers: who.bearer, json })
      expect([answer.status, answer.json]).toEqual([403, { ok: false, error: reason, ...extra }])
    }
  })
})

/** Creates a job of one trace that failed because its upload was unavailable for a while. */
async function makeFailedJob() {
  const clock = fixedClock()
  const stores = { ...createTestStores(), blobs: createMemoryBlobs(clock) }
  const made = openAutoApprovingService(stores, { clock })
  const who = await signInContributor(made)
  const { jobId } = (
    await made.ask('POST', '/api/ingest', { headers: who.bearer, json: { traces: [makeTraceInput('a')] } })
  ).json
  const bytes = (await stores.blobs.get(`upload/${jobId}/0`))!
  await stores.blobs.delete(`upload/${jobId}/0`)
  for (let attempt = 0; attempt < 5; attempt++) {
    await made.service.work()
    made.clock.advance(3_600_000)
  }
  await stores.blobs.put(`upload/${jobId}/0`, bytes)
  return { made, stores, who, jobId: String(jobId) }
}

test('POST /api/admin/jobs/:jobId/retry retries a failed job within a day, and fails once its upload is deleted', async () => {
  const { made, stores, jobId } = await makeFailedJob()
  made.clock.advance(21 * 3_600_000)
  await made.service.work()
  expect(await listWaitingBlobs(stores)).toEqual([`upload/${jobId}/0`])
  made.clock.advance(2 * day)
  await made.service.work()
  expect(await listWaitingBlobs(stores)).toEqual([])
  expect(await made.ask('POST', `/api/admin/jobs/${jobId}/retry`, { headers: admin })).toMatchObject({
    status: 410,
    json: { ok: false, error: 'upload_gone' },
  })
})

describe('DELETE /api/ingest/jobs/:jobId/upload', () => {
  const remove = (made: Fixture, jobId: string, headers: Record<string, string>) =>
    made.ask('DELETE', `/api/ingest/jobs/${jobId}/upload`, { headers })

  test('deletes the upload of a failed job, by token or cookie and also when repeated; the job cannot be retried afterwards', async () => {
    const { made, stores, who, jobId } = await makeFailedJob()
    for (const headers of [who.bearer, who.cookie]) {
      const { status, text } = await remove(made, jobId, headers)
      expect([status, text, await listWaitingBlobs(stores)]).toEqual([204, '', []])
    }
    expect(await made.ask('POST', `/api/admin/jobs/${jobId}/retry`, { headers: admin })).toMatchObject({
      status: 410,
      json: { error: 'upload_gone' },
    })
    expect((await made.ask('GET', `/api/ingest/jobs/${jobId}`, { headers: who.bearer })).json.job).toMatchObject({
      status: 'failed',
    })
  })

  test('returns 404 and deletes nothing for a job of another user and for an unknown job', async () => {
    const { made, stores, who, jobId } = await makeFailedJob()
    const stranger = await signInContributor(made)
    for (const [id, headers] of [
      [jobId, stranger.bearer],
      ['018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', who.bearer],
    ] as const) {
      expect(await remove(made, id, headers)).toMatchObject({ status: 404, json: { ok: false, error: 'not_found' } })
    }
    expect(await listWaitingBlobs(stores)).toHaveLength(1)
  })

  test('returns 409 job_not_finished for a waiting job, and 204 for a job that is done', async () => {
    const made = openAutoApprovingService(createTestStores())
    const who = await signInContributor(made)
    const { jobId } = (
      await made.ask('POST', '/api/ingest', { headers: who.bearer, json: { traces: [makeTraceInput('a')] } })
    ).json
    expect(await remove(made, jobId, who.bearer)).toMatchObject({
      status: 409,
      json: { ok: false, error: 'job_not_finished' },
    })
    expect(await made.service.work()).toMatchObject({ done: 1 })
    expect((await remove(made, jobId, who.bearer)).status).toBe(204)
  })
})

describe('GET /jobs/:jobId', () => {
  const readPage = async (made: Fixture, jobId: string, who: Signed): Promise<string> =>
    (await made.ask('GET', `/jobs/${jobId}`, { headers: who.cookie })).text

  test('shows the progress of a waiting job, and the reason of each outcome of a finished job', async () => {
    const made = openAutoApprovingService(createTestStores())
    const who = await signInContributor(made)
    const json = { traces: [makeTraceInput('a'), makeTraceInput('a', { segmentIndex: 1 }), makeTraceInput('a')] }
    const { jobId } = (await made.ask('POST', '/api/ingest', { headers: who.bearer, json })).json
    expect(await readPage(made, jobId, who)).toContain('<progress id="progress" value="0" max="3"></progress>')
    await made.service.work()
    const text = await readPage(made, jobId, who)
    expect(text).not.toContain('<progress')
    expect(text).toMatch(/You can exclude a trace until it is first sold: <a href="[^"]*\/traces">see your traces</)
    const { outcomes } = (await made.ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { headers: who.bearer })).json
    expect(outcomes.map(({ outcome }: { outcome: string }) => outcome)).toContain('duplicate_in_batch')
    expect(text).toContain(jobMessages['outcome.duplicate_in_batchReason'])
  })

  test('says why a job failed, and how to send the upload again', async () => {
    const { made, who, jobId } = await makeFailedJob()
    const { errorMessage } = (await made.ask('GET', `/api/ingest/jobs/${jobId}`, { headers: who.bearer })).json.job
    const text = await readPage(made, jobId, who)
    expect(errorMessage).not.toBe('')
    expect(text).not.toContain('Stored traces are for sale')
    expect(/<[^>]*role="alert"[^>]*>(.*?)<\/(?:div|p)>/s.exec(text)?.[1]).toContain(errorMessage)
    expect(text).toMatch(/<code>[^<]*upload --yes<\/code>/)
  })
})
