import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@tributary/test-kit'
import packageJson from '../../package.json' with { type: 'json' }
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeBatch, built, signInContributor, startDev, run, type Dev } from './cli.fixture.ts'
import { openLocal } from '../sqlite/local.ts'

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
async function startServer(...more: string[]): Promise<Dev> {
  const one = await startDev(locateDatabase(), ...more)
  running.push(one)
  return one
}
const runToEnd = (args: string[], env?: Record<string, string>) => run(args, env, folder).ended
/** The flags that `start` needs besides a database. */
const addresses = ['--base-url', 'https://x.example', '--smtp-url', 'smtp://127.0.0.1:9', '--mail-from', 'a@x.example']

describe.skipIf(!built)('the command line', () => {
  test('--version prints the version of the package', async () => {
    const { code, out } = await runToEnd(['--version'])
    expect([code, out]).toEqual([0, `${packageJson.version}\n`])
  })

  test.each(['dev', 'start', 'migrate', 'worker', 'doctor', 'backup', 'restore', 'seed'])(
    '%s --help lists every flag with its variable, an example and the exit codes',
    { tags: 'slow' },
    async (name) => {
      const { code, out } = await runToEnd([name, '--help'])
      expect(code).toBe(0)
      const names = [...out.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag!)
      expect(names).toContain('database')
      for (const flag of names) expect(out).toContain(`TRIBUTARY_${flag.toUpperCase().replaceAll('-', '_')}`)
      expect(out).toMatch(new RegExp(`Example:\\n.*tributary ${name} `))
      expect(out).toContain('Exit codes')
    },
  )

  test.each([
    [[], 2, 'dev'],
    [['nothing'], 2, "unknown command 'nothing'"],
    [['strat'], 2, 'did you mean start?'],
    [['dev', '--prot', '1'], 2, "unknown option '--prot'; did you mean --port?"],
    [['dev', '--country', 'USA'], 2, 'two letters'],
    [['start', ...addresses, '--admin-token', 'short'], 2, 'expected 20 or more'],
    [['dev', '--blobs', 's3'], 2, 'files:'],
    [['start'], 2, '--base-url is required'],
    [['start', '--base-url', 'http://x.example'], 2, 'must be https'],
    [['start', '--base-url', 'https://x.example'], 2, '--smtp-url'],
    [['start', '--base-url', 'https://x.example', '--smtp-url', 'smtp://127.0.0.1'], 2, '--mail-from'],
    [
      ['start', '--base-url', 'https://x.example', '--smtp-url', 'smtp://127.0.0.1', '--mail-from', 'a@x.example'],
      2,
      '--database',
    ],
    [['migrate'], 2, '--database'],
  ] as [string[], number, string][])(
    '%j exits with %i and prints a solution',
    { tags: 'slow' },
    async (args, code, words) => {
      const result = await runToEnd(args)
      expect([result.code, result.out + result.err]).toEqual([code, expect.stringContaining(words)])
    },
  )

  test(
    'start --require-database refuses a database file that does not exist, and does not create one',
    { tags: 'long' },
    async () => {
      const path = locateDatabase()
      const { code, out, err } = await runToEnd(['start', ...addresses, '--database', path, '--require-database'])
      expect([code, out + err]).toEqual([2, expect.stringContaining(`there is no database at ${path}`)])
      expect(existsSync(path)).toBe(false)
    },
  )

  test(
    'start prints that it created a database, and only its address if the database exists',
    { tags: 'long' },
    async () => {
      const path = locateDatabase()
      const quick = ['--port', '0', '--drain-seconds', '0']
      const start = async (...flags: string[]) => {
        const { child, ended, out } = run(['start', ...addresses, ...quick, '--database', path, ...flags])
        await new Promise<void>((resolve) => child.stdout!.on('data', () => out().includes(' at http:') && resolve()))
        child.kill('SIGTERM')
        await ended
        return out().replace(/:\d+\n/, ':PORT\n')
      }
      const serving = 'Serving https://x.example at http://127.0.0.1:PORT\n'
      expect(await start()).toBe(`created a new database at ${path}\n${serving}`)
      expect(await start('--require-database')).toBe(serving)
    },
  )

  test('an error is printed as JSON with --json', { tags: 'long' }, async () => {
    const { code, out } = await runToEnd(['migrate', '--json'])
    expect([code, JSON.parse(out)]).toEqual([2, { ok: false, error: expect.stringContaining('--database') }])
  })

  test(
    'migrate prints its SQL with --dry-run, applies it once when two processes run concurrently, and then doctor passes',
    { tags: 'slow' },
    async () => {
      const dry = await runToEnd(['migrate', '--database', locateDatabase(), '--dry-run'])
      expect(dry.out).toMatch(/create table users/)
      const both = await Promise.all([0, 1].map(() => runToEnd(['migrate', '--database', locateDatabase(), '--json'])))
      expect(both.map(({ code }) => code)).toEqual([0, 0])
      const applied = both.flatMap(({ out }) => (JSON.parse(out) as { migrations: string[] }).migrations)
      expect(new Set(applied).size).toBe(applied.length)
      expect(applied.length).toBeGreaterThan(0)
      const doctor = await runToEnd([
        'doctor',
        '--database',
        locateDatabase(),
        '--base-url',
        'https://x.example',
        '--json',
      ])
      const { checks } = JSON.parse(doctor.out) as { checks: { check: string; ok: boolean }[] }
      expect(checks.filter(({ ok }) => !ok).map(({ check }) => check)).toEqual(['mail'])
      expect(doctor.code).toBe(1)
    },
  )

  test('doctor fails for a missing database', { tags: 'long' }, async () => {
    const gone = await runToEnd(['doctor', '--database', locateDatabase()])
    expect([gone.code, gone.out]).toEqual([1, expect.stringMatching(/FAIL {2}database +.*tributary migrate/)])
    expect(existsSync(locateDatabase())).toBe(false)
  })

  test('dev exits with 1 and names the port when the port is in use', { tags: 'slow' }, async () => {
    const one = await startServer()
    const { code, err } = await runToEnd([
      'dev',
      '--port',
      new URL(one.url).port,
      '--database',
      join(folder, 'other.db'),
    ])
    expect([code, err]).toEqual([1, expect.stringContaining('is already in use')])
  })

  test(
    "dev accepts a contribution, and a restart keeps the operator's token and the data",
    { tags: 'slow' },
    async () => {
      const one = await startServer()
      const me = await signInContributor(one.url, 'me@x.example')
      const [trace] = makeBatch(1, 100) as { messages: { content: string }[] }[]
      trace!.messages[0]!.content = 'write to jana.dorn@corporation.com please'
      const job = await me.finished(await me.send([trace]))
      expect(job).toMatchObject({ status: 'done', traceCount: 1, rejectedCount: 0 })
      const [id] = await me.traces()
      const document = await me.call('GET', `/api/traces/${id}/download`)
      expect(JSON.stringify(document.body)).toContain('[EMAIL_1]')
      expect((await one.stop()).code).toBe(0)
      const again = await startServer()
      expect(again.adminToken).toBe(one.adminToken)
      const reply = await fetch(`${again.url}/api/traces/${id}`, { headers: { authorization: `Bearer ${me.token}` } })
      expect(reply.status).toBe(200)
    },
  )
})

describe.skipIf(!built)('a database in memory', () => {
  test('dev runs on :memory: with --demo and leaves no file', { tags: 'slow' }, async () => {
    const one = await startDev(':memory:', '--demo')
    running.push(one)
    const me = await signInContributor(one.url, 'me@x.example')
    expect(await me.finished(await me.send(makeBatch(30, 3_000)))).toMatchObject({ status: 'done', traceCount: 30 })
    const listed = await fetch(`${one.url}/api/admin/contributors?limit=200`, {
      headers: { authorization: `Bearer ${one.adminToken}` },
    })
    expect(((await listed.json()) as { items: unknown[] }).items.length).toBeGreaterThan(8)
    const { code, err } = await one.stop()
    expect([code, err]).toEqual([0, 'Adding demo data…\n'])
  })
})

describe.skipIf(!built)('dev --base-url', () => {
  test.each([
    ['localhost', 'data-passkey="registration"'],
    ['127.0.0.1', 'open this page there'],
  ])('decides whether operators can add a passkey: %s', { tags: 'long' }, async (host, text) => {
    const port = await findFreePort()
    const one = await startDev(':memory:', '--port', `${port}`, '--base-url', `http://${host}:${port}/`)
    running.push(one)
    expect(one.url).toBe(`http://${host}:${port}`)
    const signedIn = await fetch(`${one.url}/dev/sign-in?as=operator`, { redirect: 'manual' })
    const cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const page = await fetch(`${one.url}/admin/keys`, { headers: { cookie } })
    expect(await page.text()).toContain(text)
  })
})

describe.skipIf(!built)('serving in production', () => {
  test(
    'start --worker off prints that a worker is needed, and doctor reports overdue work',
    { tags: 'slow' },
    async () => {
      const flags = [
        '--base-url',
        'https://x.example',
        '--port',
        '0',
        '--host',
        '127.0.0.1',
        '--database',
        locateDatabase(),
        '--smtp-url',
        'smtp://127.0.0.1:9',
        '--mail-from',
        'a@x.example',
        '--contact-email',
        'desk@x.example',
        '--worker',
        'off',
        '--drain-seconds',
        '0',
      ]
      const { child, ended: over, out } = run(['start', ...flags])
      await new Promise<void>((resolve) =>
        child.stdout!.on('data', () => out().includes('tributary worker') && resolve()),
      )
      const url = /at (http:\S+)/.exec(out())![1]!
      const report = {
        reporter: { agent_vendor: 'a', agent_product: 'b' },
        subject: { surface: 'c' },
        content: { title: 'd' },
      }
      expect(
        (
          await fetch(`${url}/api/v1/feedback`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(report),
          })
        ).status,
      ).toBe(201)
      child.kill('SIGTERM')
      await over
      const runDoctor = async () =>
        JSON.parse(
          (await runToEnd(['doctor', '--database', locateDatabase(), '--base-url', 'https://x.example', '--json'])).out,
        ) as {
          checks: { check: string; ok: boolean; found: string }[]
        }
      const findCheck = async (name: string) => (await runDoctor()).checks.find(({ check }) => check === name)
      expect(await findCheck('outbox')).toMatchObject({ ok: true, found: 'nothing is overdue' })
      const opened = openLocal(locateDatabase())
      await opened.execute({ sql: 'update outbox set due_at = due_at - 3600000', args: [] })
      opened.close()
      expect(await findCheck('outbox')).toMatchObject({
        ok: false,
        found: expect.stringMatching(/^1 due .*tributary worker/),
      })
      expect(await findCheck('jobs')).toMatchObject({ ok: true })
    },
  )

  test('start migrates, answers its probes, logs JSON, serves no mailbox, and exits with 0', async () => {
    const { child, ended, out } = run([
      'start',
      '--base-url',
      'https://x.example/t',
      '--port',
      '0',
      '--database',
      locateDatabase(),
      '--smtp-url',
      'smtp://127.0.0.1:9',
      '--mail-from',
      'a@x.example',
      '--json',
      '--drain-seconds',
      '0',
    ])
    await new Promise<void>((resolve) => child.stdout!.on('data', () => out().includes('\n') && resolve()))
    const { url, created } = JSON.parse(out()) as { url: string; created: string }
    expect(created).toMatch(/\.db$/)
    const readStatus = async (path: string): Promise<number> => (await fetch(url + path)).status
    expect([
      await readStatus('/t/healthz'),
      await readStatus('/t/readyz'),
      await readStatus('/t/metrics'),
      await readStatus('/t/dev/mail'),
      await readStatus('/healthz'),
    ]).toEqual([200, 200, 200, 404, 404])
    // Without --host only this machine can reach the server: a server on every address would accept 127.0.0.2.
    await expect(fetch(`http://127.0.0.2:${new URL(url).port}/t/healthz`)).rejects.toThrow()
    // Links contain only the base address, even if the request names another host.
    const started = await fetch(`${url}/t/api/cli/device/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-host': 'evil.example' },
      body: '{"machine":"m"}',
    })
    expect(((await started.json()) as { verificationUrl: string }).verificationUrl).toBe('https://x.example/t/device')
    child.kill('SIGTERM')
    const { code, err } = await ended
    expect(code).toBe(0)
    const lines = err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string })
    expect(lines.map(({ msg }) => msg).filter((event) => event !== 'http.request')).toEqual([
      'database.migrated',
      'service.operator.missing',
      'service.country.missing',
      'host.stopping',
    ])
  })

  test('worker ingests the jobs of a server without a worker, and serves its metrics', { tags: 'slow' }, async () => {
    const one = await startServer('--worker', 'off')
    const me = await signInContributor(one.url, 'me@x.example')
    const jobId = await me.send(makeBatch(20, 500))
    const worker = run(['worker', '--database', locateDatabase(), '--metrics-port', '0', '--json'])
    try {
      expect(await me.finished(jobId)).toMatchObject({ status: 'done', traceCount: 20 })
      const { metrics } = JSON.parse(worker.out()) as { metrics: string }
      expect(await (await fetch(`${metrics}/metrics`)).text()).toContain('tributary_jobs_total{outcome="done"} 1')
    } finally {
      worker.child.kill('SIGTERM')
    }
    expect((await worker.ended).code).toBe(0)
  })

  test('--blobs files:DIR stores raw uploads until their job is done', { tags: 'slow' }, async () => {
    const one = await startServer('--blobs', `files:${join(folder, 'blobs')}`)
    const me = await signInContributor(one.url, 'me@x.example')
    expect(await me.finished(await me.send(makeBatch(50, 4_000)))).toMatchObject({ status: 'done', traceCount: 50 })
    const left = readdirSync(join(folder, 'blobs'), { recursive: true }).filter((name) =>
      String(name).includes('.blob'),
    )
    expect(left).toEqual([])
  })
})
