// A worker thread that writes in turn with its owner. What it is told to do comes as messages.
import { parentPort, workerData } from 'node:worker_threads'
import { openLocal } from './local.ts'

const { path, gate, name } = workerData
const local = openLocal(path, { gate })

parentPort?.on('message', async (ask: { writes: number } | { spin: number }) => {
  if ('spin' in ask) {
    // Holds its turn for good, as a thread that dies inside a write would.
    await (local as unknown as { turns: { take(ms: number): Promise<unknown> } }).turns.take(5_000)
    parentPort?.postMessage('holding')
    return
  }
  for (let at = 0; at < ask.writes; at++) {
    await local.batch([{ sql: 'insert into acks (id) values (?)', args: [`${name}-${at}`] }], 'write')
  }
  parentPort?.postMessage('done')
})
