// A worker thread that shares the write lock of its owner and runs the commands that it receives.
import { parentPort, workerData } from 'node:worker_threads'
import { openLocal } from './local.ts'
import type { WriteLock } from './write-queue.ts'

type Command = { writes: number } | { spin: number } | { blocked: number } | { hold: number }

const { path, writeLease, name, busyMs = 5_000 } = workerData
const local = openLocal(path, { writeLease, busyMs })
const { writeLock } = local as unknown as { writeLock: WriteLock }
const write = (id: string) => local.batch([{ sql: 'insert into acks (id) values (?)', args: [id] }], 'write')

parentPort?.on('message', async (command: Command) => {
  if ('spin' in command) {
    // The lock is never released, as if the thread had died inside a write.
    await writeLock.acquire(5_000)
    parentPort?.postMessage('holding')
    return
  }
  if ('hold' in command) {
    const release = await writeLock.acquire(5_000)
    parentPort?.postMessage('holding')
    setTimeout(release, command.hold)
    return
  }
  if ('blocked' in command) {
    const writing = write(`${name}-late`)
    // The thread requests the lock and then processes no message for a while.
    setImmediate(() => {
      parentPort?.postMessage('blocked')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, command.blocked)
    })
    await writing
    parentPort?.postMessage('done')
    return
  }
  for (let index = 0; index < command.writes; index++) await write(`${name}-${index}`)
  parentPort?.postMessage('done')
})
