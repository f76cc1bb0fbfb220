import { lambdaPlatform, toScheduleHandler } from '@tributary/host-lambda'
import { makeService } from './service.ts'

/** Once a minute: what must go out, what no message told of, what is old. */
export const handler = toScheduleHandler(makeService(), { logger: lambdaPlatform().logger })
