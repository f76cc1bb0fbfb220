// A worker thread that runs long statements endlessly and never stops by itself.
import { parentPort, workerData } from 'node:worker_threads'
import { openLocal } from './local.ts'
import type { ThreadData, ThreadMessage, ThreadRequest } from '../worker/thread-messages.ts'

const { config, writeLease } = workerData as ThreadData
const local = openLocal(config.database.url, writeLease ? { writeLease } : {})
const send = (message: ThreadMessage): void => parentPort?.postMessage(message)
const long = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000000) select count(*) from n'

parentPort?.on('message', async (request: ThreadRequest) => {
  if (request.kind !== 'receive') return
  send({ kind: 'receipt', id: request.id, receipt: { kind: 'kept', total: 0, parts: 0, bytes: 0, source: '' } })
  for (;;) {
    await local.execute({ sql: 'insert into acks (id) values (hex(randomblob(16))) returning id', args: [] })
    await local.execute({ sql: long, args: [] })
  }
})
send({ kind: 'ready' })
