/** The parts that an adapter for a platform or framework needs beside a service. They load no other part. */
export { within } from '../deadline.ts'
export { createNetworkTest } from '../http/address.ts'
export { createDispatcher, type Dispatcher } from '../http/dispatch.ts'
export { fail, Failure, implied as impliedFailures } from '../http/failures.ts'
export { createMatcher } from '../http/match.ts'
export { mount } from '../http/route.ts'
export { standardHeaders } from '../http/replies.ts'
export { readRequestId, type DispatchOptions } from '../http/serve.ts'
export {
  redirect,
  Reply,
  reply,
  route,
  type LoadedRoute,
  type Mounted,
  type NamedRoute,
  type RouteShape,
} from '../http/route.ts'
export { uuid7 } from '../ids.ts'
export type { IntakeDeps } from '../ingest/intake.ts'
export { createMeasurements, measuredMetrics } from '../measurements.ts'
export { checkOptionNames } from '../option-names.ts'
export { redactAddresses } from '../outbox/failure.ts'
