import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { bundle } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLocal, shareWrites, type LocalDatabase } from './local.ts'
import type { WriteLock } from './write-queue.ts'

let folder: string
let path: string
let local: LocalDatabase

const table = 'create table acks (id text primary key, body text)'
const insert = (id: string) => ({ sql: 'insert into acks (id) values (?)', args: [id] })
const ids = async (): Promise<string[]> =>
  (await local.execute({ sql: 'select id from acks', args: [] })).rows.map((row) => String(row.id))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-turns-'))
  path = join(folder, 'a.db')
  local = openLocal(path)
  await local.execute({ sql: table, args: [] })
})
afterEach(async () => {
  local.close()
  await rm(folder, { recursive: true })
})

const entry = await bundle(new URL('./queued-writer.fixture.ts', import.meta.url))
function start(name: string, busyMs?: number): Worker {
  const writeLease = shareWrites(local)
  return new Worker(entry, { workerData: { path, writeLease, name, busyMs }, transferList: [writeLease.port] })
}
const block = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
const turnsOf = (of: LocalDatabase): WriteLock => (of as unknown as { turns: WriteLock }).turns

test('two threads and their owner write in one line, and a thread that dies gives its turn back', async () => {
  const workers = [start('one'), start('two')]
  const done = workers.map((worker) => once(worker, 'message'))
  for (const worker of workers) worker.postMessage({ writes: 60 })
  for (let at = 0; at < 60; at++) await local.batch([insert(`own-${at}`)], 'write')
  expect(await Promise.all(done)).toEqual([['done'], ['done']])
  expect((await ids()).length).toBe(180)

  const holding = once(workers[0] as Worker, 'message')
  workers[0]?.postMessage({ spin: 1 })
  expect(await holding).toEqual(['holding'])
  let through = false
  const blocked = local.batch([insert('mine')], 'write').then(() => (through = true))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(through).toBe(false)
  await workers[0]?.terminate()
  await blocked
  expect(await ids()).toContain('mine')
  await workers[1]?.terminate()
})

test('whoever waits too long for a turn gets SQLITE_BUSY, and the line goes on', async () => {
  const hasty = openLocal(path, { busyMs: 60, writeLease: shareWrites(local) })
  const { turns } = local as unknown as { turns: { acquire(ms: number): Promise<() => void> } }
  const leave = await turns.acquire(1_000)
  await expect(hasty.batch([insert('late')], 'write')).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
  leave()
  await hasty.batch([insert('in time')], 'write')
  await local.batch([insert('after')], 'write')
  expect(await ids()).toEqual(['after', 'in time'])
  hasty.close()
})

describe('shareWrites', () => {
  test('passes a turn on when the thread does not take it, and the thread writes once its event loop runs again', async () => {
    // The thread is blocked for longer than it may wait.
    const worker = start('slow', 700)
    const leave = await turnsOf(local).acquire(1_000)
    const blocked = once(worker, 'message')
    worker.postMessage({ blocked: 1_500 })
    expect(await blocked).toEqual(['blocked'])
    const done = once(worker, 'message')
    leave()
    // Rejects with SQLITE_BUSY if the thread keeps the turn.
    const next = await turnsOf(local).acquire(1_000)
    next()
    expect(await done).toEqual(['done'])
    expect(await ids()).toEqual(['slow-late'])
    await worker.terminate()
  })

  test('gives the turn to a write whose time ran out while the event loop was blocked', async () => {
    const worker = start('brief')
    const holding = once(worker, 'message')
    worker.postMessage({ hold: 50 })
    await holding
    const waiting = turnsOf(local).acquire(100)
    waiting.catch(() => undefined)
    // The thread gives its turn back meanwhile, unread.
    block(500)
    const leave = await waiting
    expect(leave).toBeTypeOf('function')
    leave()
    await worker.terminate()
  })
})
