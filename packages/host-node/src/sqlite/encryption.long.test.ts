import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { libsqlStores } from '@tributary/core/libsql'
import { createMigratedFile, readDatabaseBytes, fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileBlobs } from './blobs.ts'
import { openLocal, type LocalDatabase } from './local.ts'

const secret = 'obviously-fake-'.repeat(2)
const adminToken = 'operator-of-these-tests'
const hour = 60 * 60 * 1000

describe.each(['the database', 'a folder'])('raw uploads that wait in %s', (where) => {
  let folder: string
  let local: LocalDatabase
  let made: Fixture
  let ann: Signed
  /** While this is true, all attempts at a job fail. */
  let isBroken: boolean
  const locateDatabase = (): string => join(folder, 'a.db')
  const locateBlobFolder = (): string => join(folder, 'blobs')

  const openHost = (secrets: readonly string[]): Fixture => {
    const stores = libsqlStores(local)
    const traces = new Proxy(stores.traces, {
      get: (target, key) =>
        key === 'findKnownHashes' && isBroken
          ? async () => Promise.reject(new Error('a bug'))
          : (Reflect.get(target, key) as unknown),
    })
    return fixture({
      stores: { ...stores, traces },
      secret: secrets,
      adminToken,
      approval: 'automatic',
      country: () => 'US',
      ...(made ? { clock: made.clock } : {}),
      ...(where === 'a folder' ? { blobs: fileBlobs(locateBlobFolder()) } : {}),
    })
  }
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-encryption-'))
    await createMigratedFile(locateDatabase())
    local = openLocal(locateDatabase())
    isBroken = true
    made = openHost([secret])
    ann = await made.signIn('ann@corp.example')
    await made.ask('POST', '/api/account/terms', {
      headers: ann.bearer,
      json: { termsVersion: '2026-12-01', residencyConfirmed: true },
    })
    const application = {
      companyName: 'Acme',
      website: 'https://acme.example',
      email: 'a@acme.example',
      role: 'dev',
      authorized: true,
    }
    await made.ask('POST', '/api/account/application', { headers: ann.bearer, json: application })
  })
  afterEach(async () => {
    local.close()
    await rm(folder, { recursive: true })
  })

  const planted = ['kumquat', 'loquat', 'quince']
  const makeBody = (fruit: string): Uint8Array =>
    new TextEncoder().encode(
      JSON.stringify({
        traces: [
          {
            sourceId: `${fruit}-name`,
            createdAt: '2026-11-01T00:00:00Z',
            messages: [{ role: 'user', content: `${fruit} begins ${'a word '.repeat(20_000)}` }],
          },
        ],
      }),
    )

  /** Uploads a batch as JSON, a compressed batch, and a batch through an upload URL. Returns their jobs. */
  async function submitBodies(): Promise<string[]> {
    const [plain, packed, put] = planted.map(makeBody) as [Uint8Array, Uint8Array, Uint8Array]
    const send = async (bytes: Uint8Array, headers: Record<string, string>): Promise<string> => {
      const reply = await made.service.fetch(
        new Request('http://127.0.0.1:8787/api/ingest', {
          method: 'POST',
          body: bytes as BodyInit,
          headers: { ...ann.bearer, 'content-type': 'application/json', ...headers },
        }),
      )
      return ((await reply!.json()) as { jobId: string }).jobId
    }
    const jobs = [await send(plain, {}), await send(gzipSync(packed), { 'content-encoding': 'gzip' })]
    const { uploadId, url } = (
      await made.ask('POST', '/api/ingest/uploads', { headers: ann.bearer, json: { bytes: put.length } })
    ).json
    await made.service.fetch(
      new Request(url as string, {
        method: 'PUT',
        body: put as BodyInit,
        headers: { 'content-type': 'application/json' },
      }),
    )
    expect(await findPlanted()).toEqual([])
    jobs.push((await made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { uploadId } })).json.jobId as string)
    return jobs
  }

  /** Returns the planted words that the bytes of the database, its log or the folder contain. */
  async function findPlanted(): Promise<string[]> {
    const files = (await readdir(locateBlobFolder(), { recursive: true, withFileTypes: true }).catch(() => [])).filter(
      (entry) => entry.isFile(),
    )
    const bytes = [
      await readDatabaseBytes(locateDatabase()),
      ...(await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))))),
    ]
    return planted.filter((word) => bytes.some((one) => one.includes(word)))
  }

  const readStatuses = async (jobs: readonly string[]): Promise<string[]> =>
    Promise.all(
      jobs.map(
        async (id) =>
          (await made.ask('GET', `/api/ingest/jobs/${id}`, { headers: ann.bearer })).json.job.status as string,
      ),
    )

  async function fail(): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt++) {
      await made.service.work()
      made.clock.advance(hour / 4)
    }
  }

  // promise: upload-waits-encrypted-worker
  test('are encrypted before they are processed and after a failure, and can be decrypted by the worker', async () => {
    const jobs = await submitBodies()
    expect([await findPlanted(), await readStatuses(jobs)]).toEqual([[], ['queued', 'queued', 'queued']])
    await fail()
    expect([await findPlanted(), await readStatuses(jobs)]).toEqual([[], ['failed', 'failed', 'failed']])
    isBroken = false
    const rotated = openHost(['a-new-secret-of-this-test', secret])
    const headers = { authorization: `Bearer ${adminToken}` }
    for (const id of jobs)
      expect((await rotated.ask('POST', `/api/admin/jobs/${id}/retry`, { headers })).status).toBe(200)
    expect(await rotated.service.work()).toMatchObject({ done: 3 })
    expect(await findPlanted()).toEqual(planted)
  })

  test('that were encrypted with a removed secret fail the job with a message that names a solution', async () => {
    const jobs = await submitBodies()
    isBroken = false
    made = openHost(['a-new-secret-of-this-test'])
    await fail()
    const { json } = await made.ask('GET', `/api/ingest/jobs/${jobs[0]}`, { headers: ann.bearer })
    expect(json.job).toMatchObject({
      status: 'failed',
      errorMessage: 'The uploaded batch can no longer be read. Please send it again.',
    })
  })

  // promise: processing-fails-hours-earlier
  test('are deleted after their job failed only if their contributor requests it', async () => {
    const jobs = await submitBodies()
    await fail()
    expect((await made.ask('DELETE', `/api/ingest/jobs/${jobs[0]}/upload`, { headers: ann.bearer })).status).toBe(204)
    const blobs = where === 'a folder' ? fileBlobs(locateBlobFolder()) : libsqlStores(local).blobs
    expect(await blobs.stale(Number.MAX_SAFE_INTEGER, 100, '')).toEqual(
      jobs
        .slice(1)
        .map((id) => `upload/${id}/0`)
        .sort(),
    )
  })
})
