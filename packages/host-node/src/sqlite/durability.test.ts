import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle, isFullRun } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeBatch, built, signInContributor, startDev, type Contributor, type Dev } from '../cli/cli.fixture.ts'
import { openLocal } from './local.ts'

let folder: string
let path: string
const children: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-durability-'))
  path = join(folder, 'a.db')
  const database = new Database(path)
  database.exec('create table acks (id text primary key, body text)')
  database.close()
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

interface Writing {
  readonly child: ChildProcess
  /** The acknowledged ids. The list grows while the process writes. */
  readonly acknowledged: string[]
}

/** Starts a process that writes and prints each acknowledged id on a separate line. */
async function startProgram(fixture: string, ...args: string[]): Promise<Writing> {
  const child = spawn(process.execPath, [await bundle(new URL(fixture, import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const acknowledged: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    acknowledged.push(...lines.filter((line) => line !== 'busy'))
  })
  return { child, acknowledged }
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** Opens, copies and closes the database in another process. Resolves with its exit code. */
async function backUpDatabase(target: string): Promise<number> {
  const child = spawn(process.execPath, [await bundle(new URL('./backup.fixture.ts', import.meta.url)), path, target], {
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number]
  return code
}

function readRows(file: string, table = 'acks'): { ids: Set<string>; integrity: string } {
  const database = new Database(file)
  const ids = (database.prepare(`select id from ${table}`).all([]) as { id: string }[]).map(({ id }) => id)
  const [checked] = database.prepare('pragma integrity_check').all([]) as { integrity_check: string }[]
  database.close()
  return { ids: new Set(ids), integrity: checked!.integrity_check }
}

describe('openLocal while another program opens and closes the same file', () => {
  // promise: another-program-may-open
  test('keeps every acknowledged write through five backups and SIGKILL', { tags: 'slow' }, async () => {
    const { child, acknowledged } = await startProgram('./writer.fixture.ts', path, 'w')
    for (let at = 0; at < 5; at++) {
      const enough = acknowledged.length + 60
      await waitUntil(() => acknowledged.length >= enough)
      const before = [...acknowledged]
      const target = join(folder, `backup-${at}.db`)
      expect(await backUpDatabase(target)).toBe(0)
      const { ids, integrity } = readRows(target)
      expect(integrity).toBe('ok')
      expect(before.filter((id) => !ids.has(id))).toEqual([])
    }
    const enough = acknowledged.length + 60
    await waitUntil(() => acknowledged.length >= enough)
    await kill(child)
    const { ids, integrity } = readRows(path)
    expect(integrity).toBe('ok')
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([])
  })
})

describe('open-databases.mjs', () => {
  test('rejects a plain file call on a database that this process has open', async () => {
    const local = openLocal(path)
    await local.execute({ sql: "insert into acks (id) values ('a')", args: [] })
    for (const file of [path, `${path}-wal`, `${path}-shm`])
      expect(() => readFileSync(file)).toThrow('never open it with a plain file call')
    local.close()
  })
})

describe.skipIf(!built)('servers on one database file', () => {
  const running = new Set<Dev>()
  beforeEach(() => rmSync(path))
  afterEach(async () => {
    await Promise.all([...running].map((one) => one.stop('SIGKILL')))
    running.clear()
  })
  async function startServer(file = path): Promise<Dev> {
    const one = await startDev(file)
    running.add(one)
    return one
  }
  async function stopServer(one: Dev, signal: 'SIGTERM' | 'SIGKILL') {
    running.delete(one)
    return one.stop(signal)
  }

  /** Sends one batch after another, and repeats each batch until it is acknowledged, as a client does. */
  function startClient(
    me: Contributor,
    url: () => string,
    from: number,
  ): { acknowledged: string[]; stop(): Promise<void> } {
    const acknowledged: string[] = []
    let stopped = false
    const sending = (async () => {
      for (let at = from; !stopped;) {
        // The content is new each time, because after a lost reply the same batch would be a duplicate of the stored
        // batch.
        const reply = await me.call('POST', '/api/ingest', { traces: makeBatch(1, 200, at++) }, url()).catch(() => null)
        if (reply?.status === 202) acknowledged.push(String(reply.body['jobId']))
        else await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })()
    return {
      acknowledged,
      stop() {
        stopped = true
        return sending
      },
    }
  }

  const listLost = (acknowledged: readonly string[], { ids }: { ids: Set<string> }): string[] =>
    acknowledged.filter((id) => !ids.has(id))

  test(
    'keep every acknowledged job when one of two servers restarts repeatedly, with a backup before each restart',
    { tags: 'slow' },
    async () => {
      const staying = await startServer()
      let restarting = await startServer()
      const me = await signInContributor(staying.url, 'me@x.example')
      const clients = [startClient(me, () => staying.url, 0), startClient(me, () => restarting.url, 1_000_000)]
      const listAcknowledged = (): string[] => clients.flatMap(({ acknowledged }) => acknowledged)
      for (let at = 0; at < (isFullRun ? 4 : 1); at++) {
        const enough = listAcknowledged().length + 20
        await waitUntil(() => listAcknowledged().length >= enough)
        const before = listAcknowledged()
        const target = join(folder, `backup-${at}.db`)
        expect(await backUpDatabase(target)).toBe(0)
        const backup = readRows(target, 'jobs')
        expect(backup.integrity).toBe('ok')
        expect(listLost(before, backup)).toEqual([])
        expect(await stopServer(restarting, 'SIGTERM')).toMatchObject({ code: 0 })
        restarting = await startServer()
      }
      await Promise.all(clients.map((client) => client.stop()))
      await Promise.all([stopServer(staying, 'SIGKILL'), stopServer(restarting, 'SIGKILL')])
      const jobs = readRows(path, 'jobs')
      expect(jobs.integrity).toBe('ok')
      expect(listLost(listAcknowledged(), jobs)).toEqual([])
    },
  )

  // `npm run soak -- --kills 40` does the same and kills each process 40 times.
  // promise: machine-dies-loses-nothing
  test(
    'keep all data without duplicates when both are killed while a third process takes the write lock at random times',
    { tags: 'slow' },
    async () => {
      const servers = [await startServer(), await startServer()]
      const me = await signInContributor(servers[0]!.url, 'me@x.example')
      let locker = await startProgram('./locker.fixture.ts', path, 'locker')
      const lockers = [locker]
      const clients = servers.map((_, at) => startClient(me, () => servers[at]!.url, at * 1_000_000))
      const listAcknowledged = (): string[] => clients.flatMap(({ acknowledged }) => acknowledged)
      for (let round = 0; round < (isFullRun ? 2 : 1); round++) {
        const enough = listAcknowledged().length + 20
        await waitUntil(() => listAcknowledged().length >= enough)
        await Promise.all(
          [...servers.keys()].map(async (at) => {
            await stopServer(servers[at]!, 'SIGKILL')
            servers[at] = await startServer()
          }),
        )
        await kill(locker.child)
        locker = await startProgram('./locker.fixture.ts', path, `locker-${round}`)
        lockers.push(locker)
      }
      await waitUntil(() => locker.acknowledged.length > 0)
      await kill(locker.child)
      await Promise.all(clients.map((client) => client.stop()))
      // The leases of killed workers expire after 30 seconds. The test moves their end into the past instead of
      // waiting.
      const database = new Database(path, { timeout: 10_000 } as Database.Options)
      database.exec('update jobs set lease_until = 1 where lease_until is not null')
      database.close()
      for (const jobId of listAcknowledged())
        expect(await me.finished(jobId, servers[0]!.url)).toMatchObject({ status: 'done', rejectedCount: 0 })
      await Promise.all(servers.map((one) => stopServer(one, 'SIGKILL')))
      const jobs = readRows(path, 'jobs')
      expect(jobs.integrity).toBe('ok')
      expect(listLost(listAcknowledged(), jobs)).toEqual([])
      expect(
        listLost(
          lockers.flatMap(({ acknowledged }) => acknowledged),
          readRows(path),
        ),
      ).toEqual([])
      const stored = new Database(path)
      expect(
        stored.prepare('select source_id from traces group by owner, source, source_id having count(*) > 1').all([]),
      ).toEqual([])
      stored.close()
    },
  )

  const changes: readonly [string, (file: string) => void][] = [
    ['is replaced', (file) => renameSync(`${file}.other`, file)],
    ['is deleted', (file) => rmSync(file)],
    ['loses its log', (file) => rmSync(`${file}-wal`)],
  ]
  // Each change needs a separate server. In every run, `database-file.test.ts` tests that all changes are detected.
  test.each(isFullRun ? changes : changes.slice(0, 1))(
    'answer 503, log the problem once, and create no file when the database %s',
    { tags: 'long' },
    async (_, change) => {
      const file = join(folder, 'served.db')
      const one = await startServer(file)
      const me = await signInContributor(one.url, 'me@x.example')
      const other = new Database(`${file}.other`)
      other.exec('create table a (b)')
      other.close()
      change(file)
      const there = existsSync(file)
      await vi.waitFor(async () => expect((await fetch(`${one.url}/readyz`)).status).toBe(503))
      expect(await me.call('PATCH', '/api/account', { paused: true })).toMatchObject({
        status: 503,
        body: { ok: false, error: 'unavailable' },
      })
      expect((await fetch(`${one.url}/healthz`)).status).toBe(200)
      const { code, err } = await stopServer(one, 'SIGTERM')
      expect(code).toBe(0)
      expect(err.match(/"msg":"database.file_replaced"/g)).toHaveLength(1)
      expect(existsSync(file)).toBe(there)
    },
  )
})
