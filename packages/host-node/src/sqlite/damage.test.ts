import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { libsqlStores, openDatabase, raw } from '@tributary/core/libsql'
import { bundle, createMigratedFile, fixture } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLocal, type LocalDatabase } from './local.ts'

test(
  'the server survives invalid UTF-8 in every text column and lone surrogates in requests',
  { tags: 'slow' },
  async () => {
    const entry = await bundle(new URL('./damage.fixture.ts', import.meta.url))
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [entry], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
    expect([status, signal, status === 0 ? '' : stderr]).toEqual([0, null, ''])
    const { surrogates, columns, statuses } = JSON.parse(stdout) as { [key: string]: never; statuses: never }
    expect(surrogates).toEqual([200, 202, 201, 200, 200, 200, 200])
    expect(columns).toBeGreaterThan(100)
    expect(statuses[200]).toBeGreaterThan(300)
  },
)

describe('a job', () => {
  let folder: string
  let path: string
  let local: LocalDatabase
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tributary-damage-'))
    path = join(folder, 'a.db')
    await createMigratedFile(path)
    local = openLocal(path)
  })
  afterEach(() => {
    local.close()
    rmSync(folder, { recursive: true })
  })

  const open = (from = local) =>
    fixture({
      stores: libsqlStores(from),
      approval: 'automatic',
      country: () => 'US',
      yieldToEventLoop: async () => undefined,
    })
  /** Signs in, and submits a batch of 40 kilobytes. */
  async function submitBatch() {
    const made = open()
    const { bearer } = await made.signIn('ann@example.com')
    const { json: policy } = await made.ask('GET', '/api/traces/upload-policy', { headers: bearer })
    const about = {
      companyName: 'Acme',
      website: 'https://acme.example',
      email: 'a@acme.example',
      role: 'dev',
      authorized: true,
    }
    await made.ask('POST', '/api/account/terms', {
      headers: bearer,
      json: { termsVersion: policy.termsVersion, residencyConfirmed: true },
    })
    await made.ask('POST', '/api/account/application', { headers: bearer, json: about })
    const traces = Array.from({ length: 10 }, (_, n) => ({
      sourceId: `t-${n}`,
      createdAt: '2026-01-01T00:00:00Z',
      messages: [{ content: `${n} `.repeat(2_000) }],
    }))
    const { json } = await made.ask('POST', '/api/ingest', { headers: bearer, json: { traces } })
    return { made, bearer, jobId: json.jobId as string }
  }
  type Submitted = Awaited<ReturnType<typeof submitBatch>>
  const readJob = async ({ made, bearer, jobId }: Submitted) =>
    (await made.ask('GET', `/api/ingest/jobs/${jobId}`, { headers: bearer })).json.job
  const readKept = (from = local) =>
    openDatabase(from).read(raw('select attempts, (select count(*) from blobs) as blobs from jobs'))

  test('returns to the queue with its upload while the disk is full, and completes afterwards', async () => {
    const one = await submitBatch()
    const [{ page_count: pages }] = (await local.execute({ sql: 'pragma page_count', args: [] })).rows as unknown as [
      { page_count: number },
    ]
    await local.execute({ sql: `pragma max_page_count = ${pages + 1}`, args: [] })
    await expect(one.made.service.work()).rejects.toThrow('the store does not answer')
    expect(await readJob(one)).toMatchObject({ status: 'queued', rejectedCount: 0 })
    expect(await readKept()).toEqual([{ attempts: 0, blobs: 1 }])
    await local.execute({ sql: 'pragma max_page_count = 1000000', args: [] })
    one.made.clock.advance(5_000)
    expect(await one.made.service.work()).toEqual({ done: 1, failed: 0, later: 0 })
    expect(await readJob(one)).toMatchObject({ status: 'done', traceCount: 10, rejectedCount: 0 })
  })

  test.each(['seen', 'traces', 'contents'])(
    'fails with its reason and keeps its upload when a page of %s is damaged',
    { tags: 'long' },
    async (table) => {
      const one = await submitBatch()
      const [{ rootpage }] = (
        await local.execute({ sql: 'select rootpage from sqlite_master where name = ?', args: [table] })
      ).rows as unknown as [{ rootpage: number }]
      await local.checkpoint()
      local.close()
      const overwrite =
        "const fs = require('fs'); const file = fs.openSync(process.argv[1], 'r+'); fs.writeSync(file, " +
        'Buffer.alloc(64, 0xa5), 0, 64, process.argv[2] * 4096)'
      expect(spawnSync(process.execPath, ['-e', overwrite, path, String(rootpage - 1)]).status).toBe(0)
      local = openLocal(path)
      const again = { ...one, made: open() }
      again.made.clock.advance(one.made.clock() - again.made.clock())
      // Scrubbing again also reads the stored traces, so it may report the damage.
      await Promise.allSettled([again.made.service.work()])
      const at = expect.stringMatching(/^20.*Z$/) as unknown
      expect(await readJob(again)).toEqual({
        id: one.jobId,
        source: 'unknown',
        status: 'failed',
        traceCount: 0,
        rejectedCount: 0,
        estimatedUsd: 0,
        errorMessage: 'The upload could not be stored, because the database of the service is damaged.',
        enqueuedAt: at,
        startedAt: at,
        finishedAt: at,
      })
      expect(await readKept()).toEqual([{ attempts: 1, blobs: 1 }])
    },
  )
})
