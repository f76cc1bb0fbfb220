import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openLocal } from './local.ts'

// Real processes on a machine that does other things too.
vi.setConfig({ testTimeout: 90_000 })

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

/** A process that writes through `openLocal`; `acknowledged` grows as its writes are confirmed. */
async function startWriter(name: string): Promise<{ child: ChildProcess; acknowledged: string[] }> {
  const child = spawn(process.execPath, [await bundle(new URL('./writer.fixture.ts', import.meta.url)), path, name], { stdio: ['ignore', 'pipe', 'inherit'] })
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

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'close')
}

/** Opens, copies and closes the database in another process; resolves with its exit code. */
async function backUp(target: string): Promise<number> {
  const child = spawn(process.execPath, [await bundle(new URL('./backup.fixture.ts', import.meta.url)), path, target], { stdio: 'inherit' })
  const [code] = await once(child, 'close') as [number]
  return code
}

function rowsOf(file: string): { ids: Set<string>; integrity: string } {
  const database = new Database(file)
  const ids = (database.prepare('select id from acks').all([]) as { id: string }[]).map(({ id }) => id)
  const [checked] = database.prepare('pragma integrity_check').all([]) as { integrity_check: string }[]
  database.close()
  return { ids: new Set(ids), integrity: checked!.integrity_check }
}

describe('openLocal beside another program that opens and closes the same file', () => {
  test('keeps every acknowledged write through five backups and SIGKILL', async () => {
    const { child, acknowledged } = await startWriter('w')
    for (let at = 0; at < 5; at++) {
      const enough = acknowledged.length + 60
      await until(() => acknowledged.length >= enough)
      const before = [...acknowledged]
      const target = join(folder, `backup-${at}.db`)
      expect(await backUp(target)).toBe(0)
      const { ids, integrity } = rowsOf(target)
      expect(integrity).toBe('ok')
      expect(before.filter((id) => !ids.has(id))).toEqual([])
    }
    const enough = acknowledged.length + 60
    await until(() => acknowledged.length >= enough)
    await kill(child)
    const { ids, integrity } = rowsOf(path)
    expect(integrity).toBe('ok')
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([])
  })
})

describe('.ci/files.mjs', () => {
  test('rejects a plain file call on a database that this process has open', async () => {
    const local = openLocal(path)
    await local.execute({ sql: "insert into acks (id) values ('a')", args: [] })
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(() => readFileSync(file)).toThrow('never open it with a plain file call')
    local.close()
  })
})
