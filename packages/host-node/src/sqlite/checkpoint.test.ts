import { statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { WalCheckpointer } from './checkpoint.ts'
import { openLocal, shareWrites, type LocalDatabase } from './local.ts'

let folder: string
let path: string

const megabyte = 1024 * 1024
const table = { sql: 'create table kept (id integer primary key, body blob)', args: [] }
const size = (of: string): number => statSync(of, { throwIfNoEntry: false })?.size ?? 0
const logOf = (local: LocalDatabase): WalCheckpointer => (local as unknown as { log: WalCheckpointer }).log

async function write(local: LocalDatabase, megabytes: number): Promise<void> {
  for (let at = 0; at < megabytes; at++) {
    await local.batch(
      [{ sql: 'insert into kept (body) values (?)', args: [new Uint8Array(megabyte).fill(at)] }],
      'write',
    )
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-checkpoint-'))
  path = join(folder, 'a.db')
})
afterEach(() => rm(folder, { recursive: true }))

test('much that was written goes into the file soon after the writes, not inside one of them', async () => {
  const local = openLocal(path, { checkpointMs: 60_000 })
  await local.execute(table)
  // No timer runs between these: awaiting a local write takes no turn of the event loop.
  await write(local, 14)
  expect(size(`${path}-wal`)).toBeGreaterThan(14 * megabyte)
  expect(size(path)).toBeLessThan(megabyte)
  await vi.waitFor(() => expect(size(path)).toBeGreaterThan(14 * megabyte), 10_000)
  // Brought over, not emptied; the next write starts it again.
  const log = size(`${path}-wal`)
  await write(local, 1)
  expect(size(`${path}-wal`)).toBe(log)
  local.close()
})

test('an owner leaves it to its thread while that lives, and does it itself afterwards', async () => {
  const local = openLocal(path, { checkpointMs: 50 })
  await local.execute(table)
  const writeLease = shareWrites(local)
  const thread = openLocal(path, { writeLease, checkpointMs: 60_000 })
  const obeyed = vi.spyOn(logOf(thread), 'obey')
  await write(local, 14)
  await vi.waitFor(() => expect(obeyed.mock.calls.map(([order]) => order).sort()).toEqual(['empty', 'flow']), 10_000)
  await vi.waitFor(() => expect(size(`${path}-wal`)).toBe(0), 10_000)
  expect(size(path)).toBeGreaterThan(14 * megabyte)

  // It ends with an order that it never got to.
  obeyed.mockImplementation(() => undefined).mockClear()
  await write(local, 1)
  await vi.waitFor(() => expect(obeyed).toHaveBeenCalledWith('empty', expect.anything()), 10_000)
  expect(size(`${path}-wal`)).toBeGreaterThan(0)
  writeLease.port.close()
  await vi.waitFor(() => expect(size(`${path}-wal`)).toBe(0), 10_000)
  thread.close()
  local.close()
})
