import { createWorker } from '@tributary/core/worker'
import { emfMeter, toScheduleHandler } from '@tributary/host-lambda'
import { readServiceOptions } from './service.ts'

const options = await readServiceOptions()

const worker = createWorker(options)
const meter = emfMeter()
worker.measure(meter)

/** Once a minute: sends what waits, finds jobs without a message, deletes what is old. */
export const handler = toScheduleHandler(worker, { logger: options.logger!, meter })
