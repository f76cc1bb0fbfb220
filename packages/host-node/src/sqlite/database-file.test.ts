import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openLocal, shareWrites, type LocalDatabase } from './local.ts'

let folder: string
let path: string
let local: LocalDatabase
const replaced = vi.fn<(error: Error) => void>()

const makeInsert = (id: string) => ({ sql: 'insert into acks (id) values (?)', args: [id] })
const refusal = { code: 'SQLITE_READONLY', extendedCode: 'SQLITE_READONLY_DBMOVED' }
const count = { sql: 'select count(*) from acks', args: [] }

function createDatabase(file: string): void {
  const database = new Database(file)
  database.exec('create table acks (id text primary key)')
  database.close()
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-file-'))
  path = join(folder, 'a.db')
  replaced.mockClear()
  local = openLocal(path, { onReplaced: replaced })
  await local.execute({ sql: 'create table acks (id text primary key)', args: [] })
})
afterEach(() => {
  local.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('openLocal', () => {
  test.each<[string, () => void]>([
    ['a.db was deleted', () => rmSync(path)],
    ['a.db-wal was deleted', () => rmSync(`${path}-wal`)],
    ['a.db-shm was deleted', () => rmSync(`${path}-shm`)],
    [
      'a.db was replaced',
      () => {
        createDatabase(join(folder, 'b.db'))
        renameSync(join(folder, 'b.db'), path)
      },
    ],
  ])(
    'refuses the next write with SQLITE_READONLY_DBMOVED, and then every statement, after %s',
    async (change, remove) => {
      await local.execute(makeInsert('kept'))
      remove()
      await expect(local.execute(makeInsert('lost'))).rejects.toMatchObject(refusal)
      await expect(local.execute(makeInsert('again'))).rejects.toMatchObject(refusal)
      await expect(local.execute(count)).rejects.toMatchObject(refusal)
      expect(replaced.mock.calls.map(([{ message }]) => message)).toEqual([
        expect.stringContaining(`${change} by another program`),
      ])
    },
  )

  test('detects a deleted file even if no statement runs, and never creates an empty file', async () => {
    rmSync(path)
    await vi.waitFor(() => expect(replaced).toHaveBeenCalledOnce())
    await expect(local.execute(count)).rejects.toMatchObject(refusal)
    expect(existsSync(path)).toBe(false)
  })

  test('creates no file in a worker thread when the file of its owner was deleted', async () => {
    const writeLease = shareWrites(local)
    rmSync(path)
    const thread = openLocal(path, { writeLease })
    await expect(thread.execute(count)).rejects.toMatchObject(refusal)
    expect(existsSync(path)).toBe(false)
    thread.close()
  })

  test('accepts the log that SQLite creates after reopening', async () => {
    const hasty = openLocal(path, { busyMs: 30, onReplaced: replaced })
    await hasty.execute(makeInsert('a'))
    local.close()
    const other = new Database(path)
    other.exec('begin immediate')
    // A statement that fails with SQLITE_BUSY makes the client close its connections. Then the remaining connection is
    // closed and deletes the log.
    await expect(hasty.execute({ sql: 'vacuum', args: [] })).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
    other.exec('commit')
    other.close()
    await hasty.execute(makeInsert('b'))
    await hasty.execute(makeInsert('c'))
    expect(replaced).not.toHaveBeenCalled()
    hasty.close()
  })

  test('uses the same file after a change of the working directory', async () => {
    const child = spawn(process.execPath, [await bundle(new URL('./directory.fixture.ts', import.meta.url)), 'a.db'], {
      cwd: folder,
      stdio: 'inherit',
    })
    expect(await once(child, 'close')).toEqual([0, null])
    expect((await local.execute(count)).rows[0]?.[0]).toBe(1)
  })
})
