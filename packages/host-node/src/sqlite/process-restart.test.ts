import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFullRun } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeBatch, built, signInContributor, startDev, run, type Dev } from '../cli/cli.fixture.ts'

let folder: string
const running: Dev[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-cli-'))
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop('SIGKILL')))
  rmSync(folder, { recursive: true, force: true })
})
const locateDatabase = (): string => join(folder, 'db', 'test.db')
async function startHost(...more: string[]): Promise<Dev> {
  const one = await startDev(locateDatabase(), ...more)
  running.push(one)
  return one
}

describe.skipIf(!built)('ingest jobs when their process ends', () => {
  const total = 1_000

  /** Starts a large job and resolves when only a part of it is stored. */
  async function startPartialJob(one: Dev) {
    const me = await signInContributor(one.url, 'me@x.example')
    const jobId = await me.send(makeBatch(total, 16_000))
    for (;;) {
      const stored = (await me.traces()).length
      if (stored >= total) throw new Error('the job was done too soon for this test')
      if (stored > 0) return { me, jobId, stored }
    }
  }

  async function expectComplete(
    one: Dev,
    me: Awaited<ReturnType<typeof signInContributor>>,
    jobId: string,
  ): Promise<void> {
    expect(await me.finished(jobId, one.url)).toMatchObject({ status: 'done', traceCount: total, rejectedCount: 0 })
    const database = new Database(locateDatabase(), { readonly: true } as Database.Options)
    const rows = database.prepare('select count(*) as n, count(distinct source_id) as names from traces').all() as {
      n: number
      names: number
    }[]
    database.close()
    expect(rows).toEqual([{ n: total, names: total }])
  }

  test(
    'SIGTERM during a job exits with 0, releases the lease, and the next process completes the job',
    { tags: 'slow' },
    async () => {
      const one = await startHost()
      const { me, jobId } = await startPartialJob(one)
      const { code } = await one.stop()
      expect(code).toBe(0)
      const database = new Database(locateDatabase(), { readonly: true } as Database.Options)
      expect(database.prepare('select lease from jobs').all()).toEqual([{ lease: null }])
      database.close()
      await expectComplete(await startHost(), me, jobId)
    },
  )

  // In every run `core/src/ingest/worker.test.ts` ends a worker before and after each of its steps.
  test('every trace is stored exactly once after SIGKILL during a job', { tags: 'slow' }, async () => {
    const one = await startHost()
    const { me, jobId } = await startPartialJob(one)
    await one.stop('SIGKILL')
    // The lease of a dead worker expires after 30 seconds. The test ends it instead of waiting.
    const database = new Database(locateDatabase())
    database.exec('update jobs set lease_until = 1 where lease_until is not null')
    database.close()
    await expectComplete(await startHost(), me, jobId)
  })

  test('a second signal ends the process immediately', { tags: 'slow' }, async () => {
    const one = await startHost()
    const health = await fetch(`${one.url}/healthz`)
    expect(health.status).toBe(200)
    const { port } = new URL(one.url)
    const { connect } = await import('node:net')
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      'POST /api/cli/device/start HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    )
    await fetch(`${one.url}/healthz`)
    one.child.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 300))
    const { code } = await one.stop('SIGTERM')
    expect(code).toBe(143)
  })

  test('two hosts on one file share the jobs and store each trace once', { tags: 'slow' }, async () => {
    const [one, two] = [await startHost(), await startHost()]
    const me = await signInContributor(one.url, 'me@x.example')
    const jobs = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const url = i % 2 === 0 ? one.url : two.url
        const reply = await fetch(`${url}/api/ingest`, {
          method: 'POST',
          headers: { 'authorization': `Bearer ${me.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ traces: makeBatch(100, 2_000, i * 50) }),
        })
        expect(reply.status).toBe(202)
        return ((await reply.json()) as { jobId: string }).jobId
      }),
    )
    for (const [i, jobId] of jobs.entries())
      expect(await me.finished(jobId, i % 2 === 0 ? two.url : one.url)).toMatchObject({ status: 'done' })
    expect(new Set(await me.traces()).size).toBe(450)
  })
})

describe.skipIf(!built)('a one-trace job that was queued after many jobs of 1,000 traces of another person', () => {
  const jobs = isFullRun ? 60 : 30
  const countQueued = (): number => {
    const database = new Database(locateDatabase(), { readonly: true } as Database.Options)
    const [row] = database.prepare("select count(*) as n from jobs where status = 'queued'").all() as { n: number }[]
    database.close()
    return row!.n
  }

  // promise: nobody-batch-waits-another
  test.each([1, 2])('is done before most of these jobs with %i worker(s)', { tags: 'slow' }, async (workers) => {
    const one = await startHost('--worker', 'off')
    const extra: ReturnType<typeof run>[] = []
    try {
      const [ann, bob] = [
        await signInContributor(one.url, 'ann@x.example'),
        await signInContributor(one.url, 'bob@x.example'),
      ]
      await Promise.all(Array.from({ length: jobs }, (_, index) => ann.send(makeBatch(1_000, 1_000, index * 1_000))))
      const jobId = await bob.send(makeBatch(1, 1_000))
      expect(countQueued()).toBe(jobs + 1)
      for (let n = 0; n < workers; n++) extra.push(run(['worker', '--json', '--database', locateDatabase()]))
      await bob.finished(jobId)
      expect(countQueued()).toBeGreaterThan(jobs / 2)
    } finally {
      for (const { child, ended } of extra) {
        child.kill('SIGKILL')
        await ended
      }
    }
  })
})

describe.skipIf(!built)('a database that cannot be written', () => {
  test(
    'makes the server return 503 while another process locks the database; requests succeed afterwards',
    { tags: 'slow' },
    async () => {
      const one = await startHost()
      const me = await signInContributor(one.url, 'me@x.example')
      const other = new Database(locateDatabase())
      other.exec('begin immediate')
      const paused = await me.call('PATCH', '/api/account', { paused: true })
      expect([paused.status, paused.body]).toEqual([503, { ok: false, error: 'unavailable' }])
      expect((await fetch(`${one.url}/healthz`)).status).toBe(200)
      other.exec('rollback')
      other.close()
      expect((await me.call('PATCH', '/api/account', { paused: true })).status).toBe(200)
    },
  )

  test('makes the server return 503 when the database is read-only', { tags: 'slow' }, async () => {
    const firstHost = await startHost()
    const me = await signInContributor(firstHost.url, 'me@x.example')
    await firstHost.stop()
    // Root may write a file of any mode. With a write version that SQLite does not know, the file is read-only for
    // everybody (https://www.sqlite.org/fileformat.html, section 1.3.3).
    const handle = openSync(locateDatabase(), 'r+')
    writeSync(handle, Uint8Array.of(3), 0, 1, 18)
    closeSync(handle)
    const one = await startHost()
    expect((await fetch(`${one.url}/healthz`)).status).toBe(200)
    const reply = await me.call('PATCH', '/api/account', { paused: true }, one.url)
    expect([reply.status, reply.body]).toEqual([503, { ok: false, error: 'unavailable' }])
  })
})
