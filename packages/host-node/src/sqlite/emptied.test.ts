import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDatabaseBytes } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openLocal } from './local.ts'

let folder: string
let path: string

const makeInsert = (id: string, body: string) => ({
  sql: 'insert into kept (id, body) values (?, ?)',
  args: [id, body],
})
const logSize = async (): Promise<number> => (await stat(`${path}-wal`).catch(() => ({ size: 0 }))).size

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-emptied-'))
  path = join(folder, 'a.db')
})
afterEach(() => rm(folder, { recursive: true }))

test('deleted rows leave the file and its log while the client stays open', { tags: 'long' }, async () => {
  const local = openLocal(path, { checkpointMs: 50 })
  const marker = ['gone', 'by', 'itself', '4711'].join('-')
  await local.execute({ sql: 'create table kept (id text primary key, body text)', args: [] })
  await local.batch(
    Array.from({ length: 50 }, (_, at) => makeInsert(`m${at}`, `${marker} ${'x'.repeat(at * 300)}`)),
    'write',
  )
  await local.execute({ sql: 'delete from kept', args: [] })
  await vi.waitFor(async () => expect((await readDatabaseBytes(path)).includes(marker)).toBe(false))
  local.close()
})

test('a reader of the old state only postpones the truncation, and writes continue', async () => {
  const local = openLocal(path, { checkpointMs: 50 })
  await local.execute({ sql: 'create table kept (id text primary key, body text)', args: [] })
  await local.execute(makeInsert('one', 'x'))
  const reader = new Database(path)
  reader.exec('begin')
  expect(reader.prepare('select count(*) as n from kept').get()).toMatchObject({ n: 1 })
  for (let at = 0; at < 20; at++) {
    await local.execute(makeInsert(`w${at}`, 'y'))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(await logSize()).toBeGreaterThan(0)
  reader.exec('commit')
  await vi.waitFor(async () => expect(await logSize()).toBe(0))
  expect((await local.execute({ sql: 'select count(*) as n from kept', args: [] })).rows[0]?.[0]).toBe(21)
  reader.close()
  local.close()
})
