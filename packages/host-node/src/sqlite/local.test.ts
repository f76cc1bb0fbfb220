import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, raw } from '@tributary/core/libsql'
import { bundle, readDatabaseBytes } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLocal, type LocalDatabase } from './local.ts'

let folder: string
let path: string
let local: LocalDatabase
const children: ChildProcess[] = []

const table = 'create table if not exists acks (id text primary key, body text)'
const makeInsert = (id: string, body: string | null = null) => ({
  sql: 'insert into acks (id, body) values (?, ?)',
  args: [id, body],
})
const listIds = async (from: LocalDatabase): Promise<string[]> =>
  (await from.execute({ sql: 'select id from acks', args: [] })).rows.map((row) => String(row.id))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-local-'))
  path = join(folder, 'a.db')
  local = openLocal(path)
  await local.execute({ sql: table, args: [] })
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  local.close()
  await rm(folder, { recursive: true })
})

test('every acknowledged write of two killed processes is visible to a third', { tags: 'long' }, async () => {
  const entry = await bundle(new URL('./writer.fixture.ts', import.meta.url))
  // With `TRIBUTARY_TEST_CLIENT=naive` this test fails, because the plain client loses acknowledged writes after its
  // first SQLITE_BUSY.
  const kind = process.env.TRIBUTARY_TEST_CLIENT ?? 'local'
  const writers = ['a', 'b'].map((name) => {
    const child = spawn(process.execPath, [entry, path, name, kind], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const lines: string[] = []
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    })
    return { child, lines }
  })
  // A third host, with slow transactions, makes sure that both writers find the database locked.
  const third = new Database(path, { timeout: 15_000 } as Database.Options)
  const hasEnoughLines = (): boolean =>
    writers.every(({ lines }) => lines.filter((line) => line !== 'busy').length >= 200)
  for (let round = 0; !hasEnoughLines() && round < 400; round++) {
    third.exec('begin immediate')
    await new Promise((resolve) => setTimeout(resolve, 40))
    third.exec('commit')
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  const before = writers.map(({ lines }) => [...lines])
  const seen = new Set(await listIds(local))
  for (const { child } of writers) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  const after = new Set(await listIds(local))
  third.close()
  for (const [at, { lines }] of writers.entries()) {
    const acknowledged = lines.filter((line) => line !== 'busy')
    expect(acknowledged.length).toBeGreaterThanOrEqual(200)
    expect(before[at]?.filter((line) => line !== 'busy' && !seen.has(line))).toEqual([])
    expect(acknowledged.filter((line) => !after.has(line))).toEqual([])
  }
})

test('writes to a file that another process locks fail with SQLITE_BUSY after busyMs, and reads continue', async () => {
  const other = new Database(path)
  other.exec('begin immediate')
  const hasty = openLocal(path, { busyMs: 200 })
  let turns = 0
  const ticking = setInterval(() => turns++, 5)
  const attempts = await Promise.allSettled([
    hasty.batch([makeInsert('x')], 'write'),
    hasty.batch([makeInsert('y')], 'write'),
  ])
  clearInterval(ticking)
  for (const attempt of attempts) expect(attempt).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_BUSY' } })
  // The event loop continued while the writes waited.
  expect(turns).toBeGreaterThan(0)
  const database = openDatabase(hasty)
  await expect(database.write([raw('delete from acks')])).rejects.toMatchObject({ name: 'Unavailable' })
  expect(await listIds(hasty)).toEqual([])
  other.exec('commit')
  await hasty.batch([makeInsert('z')], 'write')
  expect(other.prepare('select id from acks').all([])).toEqual([{ id: 'z' }])
  other.close()
  hasty.close()
})

test('a write waits for a lock that is released in time', async () => {
  const other = new Database(path)
  other.exec('begin immediate')
  const writing = local.batch([makeInsert('patient')], 'write')
  await new Promise((resolve) => setTimeout(resolve, 150))
  other.exec('commit')
  await writing
  expect(other.prepare('select id from acks').all([])).toEqual([{ id: 'patient' }])
  other.close()
})

test('repeated failures do not leak file descriptors', async () => {
  const other = new Database(path)
  const hasty = openLocal(path, { busyMs: 30 })
  await hasty.batch([makeInsert('first')], 'write')
  const open = (): number => {
    // Only Linux shows the open files. The test does not check them on other systems.
    if (process.platform !== 'linux') return 0
    const links = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return ''
      }
    })
    return links.filter((link) => link.startsWith(path)).length
  }
  other.exec('begin immediate')
  const before = open()
  for (let at = 0; at < 20; at++) await hasty.batch([makeInsert(`no-${at}`)], 'write').catch(() => {})
  expect(open()).toBeLessThanOrEqual(before)
  other.exec('commit')
  await hasty.batch([makeInsert('last')], 'write')
  expect(await listIds(local)).toEqual(['first', 'last'])
  hasty.close()
  other.close()
})

test('checkpoint removes deleted rows from the bytes of the file and its log', async () => {
  const marker = ['gone', 'for', 'good', '4711'].join('-')
  await local.batch(
    Array.from({ length: 50 }, (_, at) => makeInsert(`m${at}`, `${marker} ${'x'.repeat(at * 300)}`)),
    'write',
  )
  const readBytes = async (): Promise<string> => (await readDatabaseBytes(path)).toString('latin1')
  await local.checkpoint()
  expect(await readBytes()).toContain(marker)
  await local.execute({ sql: 'delete from acks', args: [] })
  expect(await readBytes()).toContain(marker)
  await local.checkpoint()
  expect(await readBytes()).not.toContain(marker)
})

// promise: row-overwritten-zeroes-same
test('the writing connection has secure_delete and synchronous = full', async () => {
  const asked = await Promise.all(
    ['secure_delete', 'synchronous', 'journal_mode'].map((name) => local.execute({ sql: `pragma ${name}`, args: [] })),
  )
  expect(asked.map((result) => result.rows[0]?.[0])).toEqual([1, 2, 'wal'])
})

test('a second client of the same file sees a commit immediately and never sees a failed batch', async () => {
  const second = openLocal(path)
  for (let at = 0; at < 50; at++) {
    await local.batch([makeInsert(`s${at}`)], 'write')
    expect((await listIds(second)).length).toBe(at + 1)
  }
  await expect(local.batch([makeInsert('new'), makeInsert('s1')], 'write')).rejects.toMatchObject({
    code: 'SQLITE_CONSTRAINT',
    extendedCode: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  })
  expect(await listIds(second)).not.toContain('new')
  second.close()
})

test(':memory: uses one database for reads and writes', async () => {
  const memory = openLocal(':memory:')
  await memory.batch([{ sql: table, args: [] }, makeInsert('m')], 'write')
  expect(await listIds(memory)).toEqual(['m'])
  memory.close()
  await expect(listIds(memory)).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
})

test('close leaves no write-ahead log', async () => {
  await local.batch([makeInsert('kept')], 'write')
  local.close()
  expect((await stat(`${path}-wal`).catch(() => ({ size: 0 }))).size).toBe(0)
})

// promise: new-database-readable-owner
test('a new file and its log have mode 0600, and an existing file keeps its mode', async () => {
  await local.execute(makeInsert('a'))
  const listModes = async (): Promise<string[]> =>
    Promise.all(['', '-wal', '-shm'].map(async (end) => ((await stat(path + end)).mode & 0o777).toString(8)))
  expect(await listModes()).toEqual(['600', '600', '600'])
  local.close()
  await chmod(path, 0o640)
  local = openLocal(path)
  await local.execute(makeInsert('b'))
  expect((await listModes())[0]).toBe('640')
})

test('opening a file in a missing folder fails with SQLITE_CANTOPEN, and with Unavailable in a store', async () => {
  const lost = openLocal(join(folder, 'no', 'such.db'), { busyMs: 50 })
  await expect(listIds(lost)).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' })
  await expect(openDatabase(lost).read(raw('select 1'))).rejects.toMatchObject({ name: 'Unavailable' })
})
