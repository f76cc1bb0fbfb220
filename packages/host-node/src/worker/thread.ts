/**
 * The entry point of the worker thread. The thread validates and stores large batches, reads downloads and runs the
 * jobs. It has a separate database connection, so that this work does not block the event loop that answers requests.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable, type Mail } from '@tributary/core'
import { serviceDownloads, serviceIntake } from '@tributary/core/host'
import { createWorker } from '@tributary/core/worker'
import { createLogger } from '../log.ts'
import { openStore, toServiceOptions } from '../server-config.ts'
import type { ThreadCall, ThreadData, ThreadMessage, ThreadRequest } from './thread-messages.ts'

const port = parentPort
if (!port) throw new Error('thread.js must be started as a worker thread by the host')
const { config, writeLease, mailbox, runsJobs } = workerData as ThreadData
const send = (message: ThreadMessage): void => port.postMessage(message)
const logger = createLogger(config.logLevel ?? 'info')
const opened = await openStore(config.database, writeLease ? { writeLease } : {})
const mailer = mailbox ? { send: async (mail: Mail) => send({ kind: 'mail', mail }) } : undefined
const onFound = (rules: readonly string[]): void => send({ kind: 'found', rules })
const options = await toServiceOptions(config, { opened, logger, mailer, onFound })
const intake = serviceIntake(options)
const downloads = serviceDownloads(options)
const worker = runsJobs ? createWorker(options) : null
worker?.measure({ now: () => performance.now(), take: (measurement) => send({ kind: 'measured', measurement }) })
const loop = worker?.startWorker()
const warmUp = new AbortController()

port.on('message', (request: ThreadRequest) => {
  if (request.kind === 'wake') return loop?.wake()
  if (request.kind === 'stop') return void stop()
  answer(request).catch((error: unknown) => {
    const unavailable = Unavailable.is(error)
    if (!unavailable && request.kind === 'receive') logger.error({ err: error }, 'ingest.intake.failed')
    if (!unavailable && request.kind === 'read') logger.error({ err: error }, 'trace.download.failed')
    const message = error instanceof Error ? error.message : String(error)
    send({ kind: 'failed', id: request.id, message, unavailable })
  })
})

async function answer(request: ThreadCall): Promise<void> {
  const { id } = request
  if (request.kind === 'receive') {
    const { batch, limit, key } = request
    return send({ kind: 'receipt', id, receipt: await intake.receive(batch, limit, key) })
  }
  const download = await downloads.read(request.trace)
  const buffers = download.kind === 'document' ? download.chunks.map(({ buffer }) => buffer) : []
  port!.postMessage({ kind: 'download', id, download } satisfies ThreadMessage, buffers)
}

send({ kind: 'ready' })

void worker?.warmUp(warmUp.signal)

async function stop(): Promise<void> {
  warmUp.abort()
  await loop?.stop()
  await opened.close()
  // A mail server or a receiver that hangs keeps a connection open, so the thread would not end by itself.
  process.exit()
}
