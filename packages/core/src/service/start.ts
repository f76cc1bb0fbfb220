/**
 * Every module that a service has loaded before its first request and that something loaded later uses too. The files of
 * `entries/`, which are loaded by `import()`, take one name from here. A bundler that splits (esbuild) puts modules into
 * one file when the same entries lead to them: so they are one file and not forty, of which each costs a cold start half
 * a millisecond. `bundle.test.ts` of host-lambda counts the files.
 */
export * from '../audit/rules.ts'
export * from '../ads/store.ts'
export * from '../ads/terminal.ts'
export * from '../auth/hmac.ts'
export * from '../auth/rules.ts'
export * from '../contributors/policy/gate.ts'
export * from '../contributors/policy/rules.ts'
export * from '../contributors/store.ts'
export * from '../deadline.ts'
export * from '../events/webhooks/store.ts'
export * from '../http/address.ts'
export * from '../http/body.ts'
export * from '../http/failures.ts'
export * from '../http/idempotency.ts'
export * from '../lazy.ts'
export * from '../http/message.ts'
export * from '../http/mount.ts'
export * from '../http/parse.ts'
export * from '../http/rate-limit.ts'
export * from '../http/route.ts'
export * from '../http/text.ts'
export * from '../ids.ts'
export * from '../ingest/rules.ts'
export * from '../ingest/store.ts'
export * from '../outbox/failure.ts'
export { channels } from '../outbox/store.ts'
export { resolveReportLimits } from '../reports/rules.ts'
export * from '../scrubber/version.ts'
export * from './replace-methods.ts'
export * from '../system.ts'
export * from '../stores/backend.ts'
export * from '../telemetry/rules.ts'
export * from '../traces/blocks.ts'
export * from '../traces/content-store.ts'
export * from '../traces/dataset/formats.ts'
export * from '../traces/hash.ts'
export * from '../traces/rules.ts'
export * from '../traces/title.ts'
export * from '../tracing.ts'
export * from '../unavailable.ts'

/** What an entry exports, so that a bundler finds this file through it; its value means nothing. */
export const start = true
