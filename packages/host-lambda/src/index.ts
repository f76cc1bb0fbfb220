export { toLambdaHandler, type LambdaHandler, type LambdaOptions } from './handler.ts'
export { UnsupportedEvent, type HttpEvent } from './events.ts'
export type { HttpResult } from './replies.ts'
export { jsonLogger, lambdaPlatform } from './platform.ts'
