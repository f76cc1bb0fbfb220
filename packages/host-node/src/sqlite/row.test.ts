import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLocal, type LocalDatabase } from './local.ts'

let folder: string
let path: string
let local: LocalDatabase

const table = 'create table acks (id text primary key, body text)'
const makeInsert = (id: string) => ({ sql: 'insert into acks (id) values (?)', args: [id] })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-row-'))
  path = join(folder, 'a.db')
  local = openLocal(path)
  await local.execute({ sql: table, args: [] })
})
afterEach(async () => {
  local.close()
  await rm(folder, { recursive: true })
})

test('rows are read by name and position, and every type round-trips', async () => {
  const blob = new Uint8Array([0, 1, 255])
  const { rows, columns } = await local.execute({
    sql: 'select ? as text, ? as number, ? as "nothing", ? as bytes, ? as big, 7 as "0", 8 as "0"',
    args: ['ä\u{1f600}', 1.5, null, blob, 2n ** 53n - 1n],
  })
  expect(columns).toEqual(['text', 'number', 'nothing', 'bytes', 'big', '0', '0'])
  expect(rows[0]?.text).toBe('ä\u{1f600}')
  expect(rows[0]?.[1]).toBe(1.5)
  expect(rows[0]?.nothing).toBeNull()
  expect(new Uint8Array(rows[0]?.bytes as ArrayBuffer)).toEqual(blob)
  expect(rows[0]?.big).toBe(2 ** 53 - 1)
  const [plain] = (await local.execute({ sql: 'select 1 as a, 2 as b', args: [] })).rows
  expect([{ ...plain }, plain?.length, plain?.[1]]).toEqual([{ a: 1, b: 2 }, 2, 2])
  await expect(local.execute({ sql: 'select ?', args: [2n ** 53n] })).rejects.toThrow(RangeError)
  await expect(local.execute({ sql: 'select ?', args: [undefined as never] })).rejects.toThrow(TypeError)
})

test('a cached statement returns columns that another host added', async () => {
  const all = { sql: 'select * from acks', args: [] }
  await local.batch([makeInsert('c')], 'write')
  expect({ ...(await local.execute(all)).rows[0] }).toEqual({ id: 'c', body: null })
  const other = new Database(path)
  other.exec("alter table acks add column more text default 'new'")
  const after = await local.execute(all)
  expect([{ ...after.rows[0] }, after.columns]).toEqual([{ id: 'c', body: null, more: 'new' }, ['id', 'body', 'more']])
  other.close()
})

test('text with invalid UTF-8 is returned with U+FFFD, by select and by returning', async () => {
  const read = "select cast(x'61c3' as text) as text, '[\"\\ud800\"]' ->> 0 as escaped"
  const [row] = (await local.execute({ sql: read, args: [] })).rows
  expect(row).toMatchObject({ text: 'a\ufffd', escaped: expect.stringContaining('\ufffd') })
  for (const clause of ['id, body as "a, b", (select count(*) from acks) as n', '*']) {
    const sql = `insert into acks (id, body) values (?, cast(x'61ff' as text)) returning ${clause};`
    const [result] = await local.batch([{ sql, args: [`, returning ) ${clause.length}`] }], 'write')
    expect(result!.rows[0]![0]).toBe(`, returning ) ${clause.length}`)
    expect(result!.rows[0]![1]).toBe('a\ufffd')
  }
})
