export { toLambdaHandler, type LambdaHandler, type LambdaOptions } from './handler.ts'
export { UnsupportedEvent, type HttpEvent } from './events.ts'
export { emfMeter, type EmfMeter, type EmfOptions } from './emf.ts'
export type { HttpResult } from './replies.ts'
export { jsonLogger, lambdaPlatform } from './platform.ts'
export { toQueueHandler, type QueueOptions, type Visibility } from './queue.ts'
export { toScheduleHandler, type Scheduled, type ScheduleOptions } from './schedule.ts'
export { readSigningKeys } from './signing-keys.ts'
export {
  extensionSecrets,
  withSecrets,
  type Opened,
  type SecretsOptions,
  type SecretValues,
  type WithSecrets,
} from './secrets.ts'
