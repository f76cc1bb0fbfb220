import { createWorker } from '@tributary/core/worker'
import { toQueueHandler } from '@tributary/host-lambda'
import { sqsVisibility } from '@tributary/host-lambda/aws'
import { serviceOptions } from './service.ts'

const options = await serviceOptions()

/** Ingest jobs, as their messages come. */
export const handler = toQueueHandler(createWorker(options), {
  visibility: sqsVisibility(process.env['QUEUE_URL'] ? { queueUrl: process.env['QUEUE_URL'] } : {}),
  logger: options.logger!,
})
