import { createWorker } from '@tributary/core/worker'
import { emfMeter, toScheduleHandler } from '@tributary/host-lambda'
import { readServiceOptions } from './service.ts'

const options = await readServiceOptions()

const worker = createWorker(options)
const meter = emfMeter()
worker.measure(meter)

/** Once a minute: what must go out, what no message told of, what is old. */
export const handler = toScheduleHandler(worker, { logger: options.logger!, meter })
