/**
 * The entry of the worker thread: validates and stores large batches and runs the jobs, with a database connection of
 * its own, so that neither blocks the event loop that answers requests.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable, type Mail } from '@tributary/core'
import { serviceIntake } from '@tributary/core/host'
import { createWorker } from '@tributary/core/worker'
import { createLogger } from '../log.ts'
import { openStore, toServiceOptions } from '../server-config.ts'
import type { ThreadData, ThreadMessage, ThreadRequest } from './thread-messages.ts'

const port = parentPort
if (!port) throw new Error('thread.js must be started as a worker thread by the host')
const { config, writeLease, mailbox } = workerData as ThreadData
const send = (message: ThreadMessage): void => port.postMessage(message)
const logger = createLogger(config.logLevel ?? 'info')
const opened = openStore(config.database, writeLease ? { writeLease } : {})
const mailer = mailbox ? { send: async (mail: Mail) => send({ kind: 'mail', mail }) } : undefined
const onFound = (rules: readonly string[]): void => send({ kind: 'found', rules })
const options = await toServiceOptions(config, { opened, logger, mailer, onFound })
const intake = serviceIntake(options)
const worker = createWorker(options)
worker.measure({ now: () => performance.now(), take: (measurement) => send({ kind: 'measured', measurement }) })
const loop = worker.startWorker()
const warmUp = new AbortController()

port.on('message', (request: ThreadRequest) => {
  if (request.kind === 'wake') return loop.wake()
  if (request.kind === 'stop') return void stop()
  const { id, batch, limit, key } = request
  intake.receive(batch, limit, key).then(
    (receipt) => send({ kind: 'receipt', id, receipt }),
    (error: unknown) => {
      const unavailable = Unavailable.is(error)
      if (!unavailable) logger.error({ err: error }, 'ingest.intake.failed')
      send({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error), unavailable })
    },
  )
})
send({ kind: 'ready' })

void worker.warmUp(warmUp.signal)

async function stop(): Promise<void> {
  warmUp.abort()
  await loop.stop()
  opened.client.close()
  send({ kind: 'stopped' })
  port!.close()
}
