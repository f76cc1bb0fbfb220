import { toScheduleHandler } from '@tributary/host-lambda'
import { createFunctionWorker } from './worker.ts'

const { worker, meter, logger } = await createFunctionWorker()

/** Once a minute: sends what waits, finds jobs without a message, deletes what is old. */
export const handler = toScheduleHandler(worker, { logger, meter })
