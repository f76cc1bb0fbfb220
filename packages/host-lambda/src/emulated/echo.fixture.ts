import { echoService } from '../../../test-kit/src/emulators/echo.ts'
import { toLambdaHandler } from '../index.ts'

/** The service of the host's contract tests as a Lambda function. */
export const handler = toLambdaHandler(echoService())
