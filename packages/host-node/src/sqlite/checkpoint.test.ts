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
const table = { sql: 'create table blobs (id integer primary key, body blob)', args: [] }
const measureFile = (of: string): number => statSync(of, { throwIfNoEntry: false })?.size ?? 0
const readCheckpointer = (local: LocalDatabase): WalCheckpointer =>
  (local as unknown as { checkpointer: WalCheckpointer }).checkpointer

async function write(local: LocalDatabase, megabytes: number): Promise<void> {
  for (let index = 0; index < megabytes; index++) {
    await local.batch(
      [{ sql: 'insert into blobs (body) values (?)', args: [new Uint8Array(megabyte).fill(index)] }],
      'write',
    )
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-checkpoint-'))
  path = join(folder, 'a.db')
})
afterEach(() => rm(folder, { recursive: true }))

test('the write-ahead log is copied into the file after large writes, not during a write', async () => {
  const local = openLocal(path, { checkpointMs: 60_000 })
  await local.execute(table)
  // No timer runs between these writes: awaiting a local write does not yield to the event loop.
  await write(local, 14)
  expect(measureFile(`${path}-wal`)).toBeGreaterThan(14 * megabyte)
  expect(measureFile(path)).toBeLessThan(megabyte)
  await vi.waitFor(() => expect(measureFile(path)).toBeGreaterThan(14 * megabyte))
  // The log is copied but not truncated. The next write starts again at the beginning of the log.
  const log = measureFile(`${path}-wal`)
  await write(local, 1)
  expect(measureFile(`${path}-wal`)).toBe(log)
  local.close()
})

test('the owner delegates checkpoints to its thread while the thread lives, and runs them itself afterwards', async () => {
  const local = openLocal(path, { checkpointMs: 50 })
  await local.execute(table)
  const writeLease = shareWrites(local)
  const thread = openLocal(path, { writeLease, checkpointMs: 60_000 })
  const runTask = vi.spyOn(readCheckpointer(thread), 'runTask')
  await write(local, 14)
  await vi.waitFor(() => expect(runTask.mock.calls.map(([task]) => task).sort()).toEqual(['checkpoint', 'truncate']))
  await vi.waitFor(() => expect(measureFile(`${path}-wal`)).toBe(0))
  expect(measureFile(path)).toBeGreaterThan(14 * megabyte)

  // The thread ends before its last task runs.
  runTask.mockImplementation(() => undefined).mockClear()
  await write(local, 1)
  await vi.waitFor(() => expect(runTask).toHaveBeenCalledWith('truncate', expect.anything()))
  expect(measureFile(`${path}-wal`)).toBeGreaterThan(0)
  writeLease.port.close()
  await vi.waitFor(() => expect(measureFile(`${path}-wal`)).toBe(0))
  thread.close()
  local.close()
})
