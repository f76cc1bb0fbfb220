import { toQueueHandler } from '@tributary/host-lambda'
import { sqsVisibility } from '@tributary/host-lambda/aws'
import { createFunctionWorker } from './worker.ts'

const { worker, meter, logger } = await createFunctionWorker()

/** Processes ingest jobs when their messages arrive. */
export const handler = toQueueHandler(worker, {
  meter,
  visibility: sqsVisibility(process.env['QUEUE_URL'] ? { queueUrl: process.env['QUEUE_URL'] } : {}),
  logger,
})
