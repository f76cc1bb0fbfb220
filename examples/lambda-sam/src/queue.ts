import { lambdaPlatform, toQueueHandler } from '@tributary/host-lambda'
import { sqsVisibility } from '@tributary/host-lambda/aws'
import { makeService } from './service.ts'

/** Ingest jobs, as their messages come. */
export const handler = toQueueHandler(makeService(), {
  visibility: sqsVisibility(process.env['QUEUE_URL'] ? { queueUrl: process.env['QUEUE_URL'] } : {}), logger: lambdaPlatform().logger,
})
