import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { bundle } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openLocal, shareWrites, type LocalDatabase } from './local.ts'
import { WalCheckpointer } from './checkpoint.ts'
import { slots } from './write-lock.ts'
import { grantWriteLease, WriteQueue, type WriteLock } from './write-queue.ts'

let folder: string
let path: string
let local: LocalDatabase

const table = 'create table acks (id text primary key, body text)'
const makeInsert = (id: string) => ({ sql: 'insert into acks (id) values (?)', args: [id] })
const listIds = async (): Promise<string[]> =>
  (await local.execute({ sql: 'select id from acks', args: [] })).rows.map((row) => String(row.id))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-write-queue-'))
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
const blockThread = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
const writeLockOf = (local: LocalDatabase): WriteLock => (local as unknown as { writeLock: WriteLock }).writeLock

test('two threads and their owner share the write lock, which a thread that dies releases', async () => {
  const workers = [start('one'), start('two')]
  const done = workers.map((worker) => once(worker, 'message'))
  for (const worker of workers) worker.postMessage({ writes: 60 })
  for (let index = 0; index < 60; index++) await local.batch([makeInsert(`own-${index}`)], 'write')
  expect(await Promise.all(done)).toEqual([['done'], ['done']])
  expect((await listIds()).length).toBe(180)

  const holding = once(workers[0] as Worker, 'message')
  workers[0]?.postMessage({ spin: 1 })
  expect(await holding).toEqual(['holding'])
  let isWritten = false
  const blocked = local.batch([makeInsert('mine')], 'write').then(() => (isWritten = true))
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(isWritten).toBe(false)
  await workers[0]?.terminate()
  await blocked
  expect(await listIds()).toContain('mine')
  await workers[1]?.terminate()
})

test('a write that waits too long for the lock fails with SQLITE_BUSY, and later writes succeed', async () => {
  const hasty = openLocal(path, { busyMs: 60, writeLease: shareWrites(local) })
  const release = await writeLockOf(local).acquire(1_000)
  await expect(hasty.batch([makeInsert('late')], 'write')).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
  release()
  await hasty.batch([makeInsert('in time')], 'write')
  await local.batch([makeInsert('after')], 'write')
  expect(await listIds()).toEqual(['after', 'in time'])
  hasty.close()
})

describe('shareWrites', () => {
  test('grants the lock to the next write if the thread does not use it; the thread writes when its event loop continues', async () => {
    // The thread is blocked for longer than it may wait for the lock.
    const worker = start('slow', 700)
    const release = await writeLockOf(local).acquire(1_000)
    const blocked = once(worker, 'message')
    worker.postMessage({ blocked: 1_500 })
    expect(await blocked).toEqual(['blocked'])
    const done = once(worker, 'message')
    release()
    // The call rejects with SQLITE_BUSY if the thread keeps the lock.
    const releaseNext = await writeLockOf(local).acquire(1_000)
    releaseNext()
    expect(await done).toEqual(['done'])
    expect(await listIds()).toEqual(['slow-late'])
    await worker.terminate()
  })

  test('keeps a granted lock for a thread that has not taken it yet, until another write waits', async () => {
    const queue = new WriteQueue()
    const work = { checkpoint: () => {}, truncate: async () => true, clear: async () => new Set<string>() }
    const { port, state } = grantWriteLease(queue, new WalCheckpointer(work, 1_000, []), null)
    port.postMessage(7)
    const readGrantedNumber = (): number => Atomics.load(state, slots.grant)
    await vi.waitFor(() => expect(readGrantedNumber()).toBe(7))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(readGrantedNumber()).toBe(7)
    const release = await queue.acquire(5_000)
    expect(readGrantedNumber()).toBe(0)
    release()
    port.close()
  })

  test('grants the lock to a write if its time ran out while the event loop was blocked', async () => {
    const worker = start('brief')
    const holding = once(worker, 'message')
    worker.postMessage({ hold: 50 })
    await holding
    const waiting = writeLockOf(local).acquire(100)
    waiting.catch(() => undefined)
    // The thread releases the lock, but this thread has not processed the message yet.
    blockThread(500)
    const release = await waiting
    expect(release).toBeTypeOf('function')
    release()
    await worker.terminate()
  })
})
