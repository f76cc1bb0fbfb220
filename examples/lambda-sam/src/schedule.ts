import { toScheduleHandler } from '@tributary/host-lambda'
import { createFunctionWorker } from './worker.ts'

const { worker, meter, logger } = await createFunctionWorker()

/** Runs once a minute: sends waiting messages, finds jobs without a message, and deletes old data. */
export const handler = toScheduleHandler(worker, { logger, meter })
