import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { batch, built, contributor, dev, run, type Dev } from './cli.fixture.ts'

// Real processes on a machine that does other things too.
vi.setConfig({ testTimeout: 90_000 })

let folder: string
const running: Dev[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-cli-'))
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop('SIGKILL')))
  rmSync(folder, { recursive: true, force: true })
})
const file = (): string => join(folder, 'db', 'test.db')
async function up(...more: string[]): Promise<Dev> {
  const one = await dev(file(), ...more)
  running.push(one)
  return one
}
const ended = (args: string[], env?: Record<string, string>) => run(args, env, folder).ended

describe.skipIf(!built)('the command line', () => {
  test.each(['dev', 'start', 'migrate', 'worker', 'doctor'])('%s --help lists every flag with its variable, an example and the exit codes', async (name) => {
    const { code, out } = await ended([name, '--help'])
    expect(code).toBe(0)
    const names = [...out.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag!)
    expect(names).toContain('database')
    for (const flag of names) expect(out).toContain(`TRIBUTARY_${flag.toUpperCase().replaceAll('-', '_')} `)
    expect(out).toMatch(new RegExp(`Example:\\n.*tributary ${name} `))
    expect(out).toContain('Exit codes')
  })

  test.each([
    [[], 2, 'dev'], [['nothing'], 2, 'no command "nothing"'], [['dev', '--prot', '1'], 2, '--prot'],
    [['dev', '--country', 'USA'], 2, 'two letters'], [['dev', '--admin-token', 'short'], 2, '16 characters'], [['dev', '--blobs', 's3'], 2, 'files:'],
    [['start'], 2, '--base-url https://'], [['start', '--base-url', 'http://x.example'], 2, 'must be https'],
    [['start', '--base-url', 'https://x.example'], 2, '--smtp-url'],
    [['start', '--base-url', 'https://x.example', '--smtp-url', 'smtp://127.0.0.1'], 2, '--mail-from'],
    [['start', '--base-url', 'https://x.example', '--smtp-url', 'smtp://127.0.0.1', '--mail-from', 'a@x.example'], 2, '--database'],
    [['migrate'], 2, '--database'],
  ] as [string[], number, string][])('%j ends with %i and says what to do', async (args, code, words) => {
    const result = await ended(args)
    expect([result.code, result.out + result.err]).toEqual([code, expect.stringContaining(words)])
  })

  test('with --json an error is JSON too', async () => {
    const { code, out } = await ended(['migrate', '--json'])
    expect([code, JSON.parse(out)]).toEqual([2, { ok: false, error: expect.stringContaining('--database') }])
  })

  test('migrate shows its SQL first, then two at once do it once, and doctor agrees', async () => {
    const dry = await ended(['migrate', '--database', file(), '--dry-run'])
    expect(dry.out).toMatch(/create table users/)
    const both = await Promise.all([0, 1].map(() => ended(['migrate', '--database', file(), '--json'])))
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    const applied = both.flatMap(({ out }) => (JSON.parse(out) as { migrations: string[] }).migrations)
    expect(new Set(applied).size).toBe(applied.length)
    expect(applied.length).toBeGreaterThan(0)
    const doctor = await ended(['doctor', '--database', file(), '--base-url', 'https://x.example', '--json'])
    const { checks } = JSON.parse(doctor.out) as { checks: { check: string; ok: boolean }[] }
    expect(checks.filter(({ ok }) => !ok).map(({ check }) => check)).toEqual(['mail'])
    expect(doctor.code).toBe(1)
  })

  test('doctor names a database that is not there or not migrated', async () => {
    const gone = await ended(['doctor', '--database', file()])
    expect([gone.code, gone.out]).toEqual([1, expect.stringMatching(/FAIL {2}database +.*tributary migrate/)])
    expect(existsSync(file())).toBe(false)
  })

  test('a taken port is said plainly', async () => {
    const one = await up()
    const { code, err } = await ended(['dev', '--port', new URL(one.url).port, '--database', join(folder, 'other.db')])
    expect([code, err]).toEqual([1, expect.stringContaining('is taken')])
  })

  test('dev contributes from sign-in to a scrubbed trace, and a restart keeps the operator\'s token and the data', async () => {
    const one = await up()
    const me = await contributor(one.url, 'me@x.example')
    const [trace] = batch(1, 100) as { messages: { content: string }[] }[]
    trace!.messages[0]!.content = 'write to jane.doe@corporation.com please'
    const job = await me.finished(await me.send([trace]))
    expect(job).toMatchObject({ status: 'done', traceCount: 1, rejectedCount: 0 })
    const [id] = await me.traces()
    const document = await me.call('GET', `/api/traces/${id}/download`)
    expect(JSON.stringify(document.body)).toContain('[EMAIL_1]')
    expect((await one.stop()).code).toBe(0)
    const again = await up()
    expect(again.adminToken).toBe(one.adminToken)
    const reply = await fetch(`${again.url}/api/traces/${id}`, { headers: { authorization: `Bearer ${me.token}` } })
    expect(reply.status).toBe(200)
  })
})

describe.skipIf(!built)('serving in production', () => {
  test('start migrates, answers its probes, logs JSON, has no mailbox, and ends with 0', async () => {
    const { child, ended, out } = run([
      'start', '--base-url', 'https://x.example/t', '--port', '0', '--host', '127.0.0.1', '--database', file(),
      '--smtp-url', 'smtp://127.0.0.1:9', '--mail-from', 'a@x.example', '--json',
    ])
    await new Promise<void>((resolve) => child.stdout!.on('data', () => out().includes('\n') && resolve()))
    const { url } = JSON.parse(out()) as { url: string }
    const status = async (path: string): Promise<number> => (await fetch(url + path)).status
    expect([await status('/t/healthz'), await status('/t/readyz'), await status('/t/metrics'), await status('/t/dev/mail'), await status('/healthz')])
      .toEqual([200, 200, 200, 404, 404])
    // Links come from the base address alone, whatever the request says of its host.
    const started = await fetch(`${url}/t/api/cli/device/start`, {
      method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-host': 'evil.example' }, body: '{"machine":"m"}',
    })
    expect((await started.json() as { verificationUrl: string }).verificationUrl).toBe('https://x.example/t/device')
    child.kill('SIGTERM')
    const { code, err } = await ended
    expect(code).toBe(0)
    const lines = err.trim().split('\n').map((line) => JSON.parse(line) as { msg: string })
    expect(lines.map(({ msg }) => msg)).toEqual(['the database was brought up to date', expect.stringContaining('stopping')])
  })

  test('a worker process ingests what a host without one took in', async () => {
    const one = await up('--worker', 'off')
    const me = await contributor(one.url, 'me@x.example')
    const jobId = await me.send(batch(20, 500))
    const worker = run(['worker', '--database', file()])
    try {
      expect(await me.finished(jobId)).toMatchObject({ status: 'done', traceCount: 20 })
    } finally {
      worker.child.kill('SIGTERM')
    }
    expect((await worker.ended).code).toBe(0)
  })

  test('raw uploads may wait in files, and are gone when the job is done', async () => {
    const one = await up('--blobs', `files:${join(folder, 'blobs')}`)
    const me = await contributor(one.url, 'me@x.example')
    expect(await me.finished(await me.send(batch(50, 4_000)))).toMatchObject({ status: 'done', traceCount: 50 })
    const left = readdirSync(join(folder, 'blobs'), { recursive: true }).filter((name) => String(name).includes('.blob'))
    expect(left).toEqual([])
  })
})

describe.skipIf(!built)('jobs outlive their process', () => {
  const total = 1_000

  /** Starts a large job and resolves when some of it is stored and some is not. */
  async function halfway(one: Dev) {
    const me = await contributor(one.url, 'me@x.example')
    const jobId = await me.send(batch(total, 16_000))
    for (;;) {
      const stored = (await me.traces()).length
      if (stored >= total) throw new Error('the job was done too soon for this test')
      if (stored > 0) return { me, jobId, stored }
    }
  }

  async function complete(one: Dev, me: Awaited<ReturnType<typeof contributor>>, jobId: string): Promise<void> {
    expect(await me.finished(jobId, one.url)).toMatchObject({ status: 'done', traceCount: total, rejectedCount: 0 })
    const database = new Database(file(), { readonly: true } as Database.Options)
    const rows = database.prepare('select count(*) as n, count(distinct source_id) as names from traces').all() as { n: number; names: number }[]
    database.close()
    expect(rows).toEqual([{ n: total, names: total }])
  }

  test('SIGTERM in the middle of a job: exit 0, the lease given back, finished by the next', async () => {
    const one = await up()
    const { me, jobId } = await halfway(one)
    const { code } = await one.stop()
    expect(code).toBe(0)
    const database = new Database(file(), { readonly: true } as Database.Options)
    expect(database.prepare('select lease from jobs').all()).toEqual([{ lease: null }])
    database.close()
    await complete(await up(), me, jobId)
  })

  test('SIGKILL in the middle of a job: each trace once, none lost', async () => {
    const one = await up()
    const { me, jobId } = await halfway(one)
    await one.stop('SIGKILL')
    // A dead worker's lease runs out after 30 seconds; the test puts its end into the past instead of waiting.
    const database = new Database(file())
    database.exec('update jobs set lease_until = 1 where lease_until is not null')
    database.close()
    await complete(await up(), me, jobId)
  })

  test('a second signal ends it at once', async () => {
    const one = await up()
    const waiting = await fetch(`${one.url}/healthz`)
    expect(waiting.status).toBe(200)
    const { port } = new URL(one.url)
    const { connect } = await import('node:net')
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST /api/cli/device/start HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{')
    await fetch(`${one.url}/healthz`)
    one.child.kill('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 300))
    const { code } = await one.stop('SIGTERM')
    expect(code).toBe(143)
  })

  test('two hosts on one file share the work, and each trace is stored once', async () => {
    const [one, two] = [await up(), await up()]
    const me = await contributor(one.url, 'me@x.example')
    const jobs = await Promise.all(Array.from({ length: 8 }, async (_, i) => {
      const url = i % 2 === 0 ? one.url : two.url
      const reply = await fetch(`${url}/api/ingest`, {
        method: 'POST', headers: { 'authorization': `Bearer ${me.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ traces: batch(100, 2_000, i * 50) }),
      })
      expect(reply.status).toBe(202)
      return (await reply.json() as { jobId: string }).jobId
    }))
    for (const [i, jobId] of jobs.entries()) expect(await me.finished(jobId, i % 2 === 0 ? two.url : one.url)).toMatchObject({ status: 'done' })
    expect(new Set(await me.traces()).size).toBe(450)
  })
})

describe.skipIf(!built)('a database in trouble', () => {
  test('locked by another process: 503, not a hang; well again afterwards', async () => {
    const one = await up()
    const me = await contributor(one.url, 'me@x.example')
    const other = new Database(file())
    other.exec('begin immediate')
    const paused = await me.call('PATCH', '/api/account', { paused: true })
    expect([paused.status, paused.body]).toEqual([503, { ok: false, error: 'unavailable' }])
    expect((await fetch(`${one.url}/healthz`)).status).toBe(200)
    other.exec('rollback')
    other.close()
    expect((await me.call('PATCH', '/api/account', { paused: true })).status).toBe(200)
  })

  test('read-only: 503', async () => {
    const before = await up()
    const me = await contributor(before.url, 'me@x.example')
    await before.stop()
    // Root may write whatever a file's mode says. A write version that SQLite does not know makes the file read-only to all
    // (https://www.sqlite.org/fileformat.html, section 1.3.3).
    const handle = openSync(file(), 'r+')
    writeSync(handle, Uint8Array.of(3), 0, 1, 18)
    closeSync(handle)
    const one = await up()
    expect((await fetch(`${one.url}/healthz`)).status).toBe(200)
    const reply = await me.call('PATCH', '/api/account', { paused: true }, one.url)
    expect([reply.status, reply.body]).toEqual([503, { ok: false, error: 'unavailable' }])
  })
})
