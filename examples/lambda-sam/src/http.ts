import { lambdaPlatform, toLambdaHandler } from '@tributary/host-lambda'
import { makeService } from './service.ts'

/** Everything that people and clients ask for. */
export const handler = toLambdaHandler(makeService(), { logger: lambdaPlatform().logger })
