// A worker thread that writes in turn with its owner. What it is told to do comes as messages.
import { parentPort, workerData } from 'node:worker_threads'
import { openLocal } from './local.ts'

type Ask = { writes: number } | { spin: number } | { blocked: number } | { hold: number }

const { path, writeLease, name, busyMs = 5_000 } = workerData
const local = openLocal(path, { writeLease, busyMs })
const { turns } = local as unknown as { turns: { acquire(ms: number): Promise<() => void> } }
const write = (id: string) => local.batch([{ sql: 'insert into acks (id) values (?)', args: [id] }], 'write')

parentPort?.on('message', async (ask: Ask) => {
  if ('spin' in ask) {
    // Holds its turn for good, as a thread that dies inside a write would.
    await turns.acquire(5_000)
    parentPort?.postMessage('holding')
    return
  }
  if ('hold' in ask) {
    const leave = await turns.acquire(5_000)
    parentPort?.postMessage('holding')
    setTimeout(leave, ask.hold)
    return
  }
  if ('blocked' in ask) {
    const written = write(`${name}-late`)
    // Asks for its turn, and then reads no message for a while.
    setImmediate(() => {
      parentPort?.postMessage('blocked')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ask.blocked)
    })
    await written
    parentPort?.postMessage('done')
    return
  }
  for (let at = 0; at < ask.writes; at++) await write(`${name}-${at}`)
  parentPort?.postMessage('done')
})
