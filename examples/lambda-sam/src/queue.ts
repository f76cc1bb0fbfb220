import { createWorker } from '@tributary/core/worker'
import { emfMeter, toQueueHandler } from '@tributary/host-lambda'
import { sqsVisibility } from '@tributary/host-lambda/aws'
import { readServiceOptions } from './service.ts'

const options = await readServiceOptions()

const worker = createWorker(options)
const meter = emfMeter()
worker.measure(meter)

/** Ingest jobs, as their messages come. */
export const handler = toQueueHandler(worker, {
  meter,
  visibility: sqsVisibility(process.env['QUEUE_URL'] ? { queueUrl: process.env['QUEUE_URL'] } : {}),
  logger: options.logger!,
})
