import { createWorker } from '@tributary/core/worker'
import { toScheduleHandler } from '@tributary/host-lambda'
import { serviceOptions } from './service.ts'

const options = await serviceOptions()

/** Once a minute: what must go out, what no message told of, what is old. */
export const handler = toScheduleHandler(createWorker(options), { logger: options.logger! })
