/**
 * The entry of the worker thread: validates and stores large batches and ingests the jobs, on a database connection of
 * its own, so that neither ever holds up the loop that answers requests.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { Unavailable } from '@tributary/core'
import { serviceIntake } from '@tributary/core/host'
import { createWorker } from '@tributary/core/worker'
import { createLogger } from '../log.ts'
import type { News, Order, Setup } from './thread-messages.ts'
import { toServiceOptions, openStore } from '../server-config.ts'
import { startWorkerLoop } from './worker-loop.ts'

const port = parentPort
if (!port) throw new Error('thread.js is started by the host, not by itself')
const { plan, gate, mailbox } = workerData as Setup
const tell = (news: News): void => port.postMessage(news)
const logger = createLogger(plan.logLevel ?? 'info')
const opened = openStore(plan.database, gate ? { gate } : {})
const mailer = mailbox
  ? { send: async (mail: { to: string; subject: string; text: string }) => tell({ kind: 'mail', mail }) }
  : undefined
const options = await toServiceOptions(plan, { opened, logger, mailer })
const intake = serviceIntake(options)
const work = startWorkerLoop(createWorker(options), logger)

port.on('message', (order: Order) => {
  if (order.kind === 'wake') return work.wake()
  if (order.kind === 'stop') return void stop()
  const { id, batch, limit, key } = order
  intake.receive(batch, limit, key).then(
    (receipt) => tell({ kind: 'receipt', id, receipt }),
    (error: unknown) => {
      const unavailable = Unavailable.is(error)
      if (!unavailable) logger.error({ err: error }, 'the intake failed')
      tell({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error), unavailable })
    },
  )
})
tell({ kind: 'ready' })

async function stop(): Promise<void> {
  await work.stop()
  opened.client.close()
  tell({ kind: 'stopped' })
  port!.close()
}
