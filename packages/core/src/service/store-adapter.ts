/**
 * The exports that an app's own store needs: the types of its ports, and the decisions and times that every store
 * shares.
 */
export type { Stores } from '../stores.ts'
export type * from '../admin/overview/store.ts'
export type * from '../ads/program/store.ts'
export type * from '../ads/store.ts'
export type * from '../audit/store.ts'
export type * from '../auth/passkeys/store.ts'
export type * from '../auth/store.ts'
export type {
  AccountJob,
  AccountStore,
  NewAccountJob,
  PreparedExport,
  StoredExport,
} from '../contributors/account/store.ts'
export type * from '../contributors/blocked-terms/store.ts'
export type * from '../contributors/policy/store.ts'
export type * from '../contributors/store.ts'
export type * from '../http/idempotency-store.ts'
export type { ListPage, ListParams } from '../http/list.ts'
export type * from '../ingest/store.ts'
export type * from '../ledger/store.ts'
export type { NewEvent } from '../events/event.ts'
export type * from '../outbox/store.ts'
export type { ConsumeParams, Rate, RateDecision, RateLimiter, RefundParams } from '../ports.ts'
export type * from '../reports/store.ts'
export type * from '../telemetry/store.ts'
export type * from '../traces/buyers/store.ts'
export type { ContentStore, MovableContent } from '../traces/contents/store.ts'
export type { Overlap, SaleCandidate, TokenRanges } from '../traces/copies/rules.ts'
export type * from '../traces/copies/store.ts'
export type * from '../traces/rescrub/store.ts'
export type * from '../traces/store.ts'

export { clockSkewMs } from '../ports.ts'
export { expiredAuthorizationMs, guessWindowMs, newestFirst } from '../auth/store.ts'
export * from '../events/webhooks/store.ts'
export { decideOutcome, estimate, hasReplacedDuplicate, type DecisionInput } from '../ingest/rules.ts'
export { divideByTokens, entryIdAt, type SoldPart } from '../ledger/rules.ts'
export type { SaleShares } from '../ledger/sale-shares.ts'
export { queueTimes } from '../queue/times.ts'
export * from '../traces/dataset/store.ts'
export { redactionCounts, traceState } from '../traces/rules.ts'
export { withBackend, type Backend } from '../stores/backend.ts'
