// A process whose ingest thread (the file in the first argument) is inside the driver. On a signal, the process ends in
// the same way as the server.
import { pathToFileURL } from 'node:url'
import { startIngestThread } from './ingest-thread.ts'
import { openLocal } from '../sqlite/local.ts'
import { waitForSignal } from '../cli/signals.ts'

const [thread = '', path = '', stopMs = ''] = process.argv.slice(2)
const logger = { info() {}, warn() {}, error() {} }
const local = openLocal(path)
await local.execute({ sql: 'create table acks (id text primary key)', args: [] })
const config = { database: { url: path }, service: { baseUrl: 'http://x' } }
const ingester = startIngestThread({ config, local, logger, file: pathToFileURL(thread), stopMs: Number(stopMs) })
let busy = false
while (!busy)
  busy = await ingester.intake.receive({ blob: 'b' }, 1, 'k').then(
    () => true,
    () => false,
  )
const ended = waitForSignal(
  {
    stop: () => ingester.stop().finally(() => local.close()),
    halt: () => ingester.halt(),
  },
  logger,
)
process.stdout.write('busy\n')
process.exit(await ended)
