// A process whose ingest thread (the file in the first argument) sends a mail to the server in the last argument. On a
// signal, the process ends in the same way as the server.
import { migrate, libsqlStores } from '@tributary/core/libsql'
import { waitForSignal } from '../cli/signals.ts'
import { openLocal } from '../sqlite/local.ts'
import { startIngestThread } from './ingest-thread.ts'
import { pathToFileURL } from 'node:url'

const [thread = '', path = '', url = ''] = process.argv.slice(2)
const logger = { info() {}, warn() {}, error() {} }
const local = openLocal(path)
await migrate(local)
const now = Date.now()
const mail = { channel: 'mail', recipient: 'desk@example.com', subject: 'Report', payload: 'A report.' } as const
await libsqlStores(local).outbox.enqueue({ ...mail, id: '0198c0de-0000-7000-8000-000000000001', createdAt: now })
const ingester = startIngestThread({
  config: {
    database: { url: path },
    logLevel: 'error',
    smtp: { url, from: 'hello@example.com' },
    service: { baseUrl: 'http://127.0.0.1:8787', secret: 'secret-of-this-test-only' },
  },
  local,
  logger,
  file: pathToFileURL(thread),
})
process.exit(
  await waitForSignal(
    { stop: () => ingester.stop().finally(() => local.close()), halt: () => ingester.halt() },
    logger,
  ),
)
