/**
 * The decisions that every store makes alike, and their times: what a store of an app's own needs beside the types of
 * the ports.
 */
export { clockSkewMs } from '../ports.ts'
export { expiredAuthorizationMs, guessWindowMs, newestFirst } from '../auth/store.ts'
export { advanceWindow, remainingCalls, retryAfterMs, windowStart, type Window } from '../http/rate-limit.ts'
export { decideOutcome, estimate, hasReplacedDuplicate, type DecisionInput } from '../ingest/rules.ts'
export { entryIdAt } from '../ledger/rules.ts'
export { queueTimes } from '../queue/times.ts'
export { redactionCounts, traceState } from '../traces/rules.ts'
export { withBackend, type Backend } from './backend.ts'
