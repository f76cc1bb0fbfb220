import type { TraceDocument } from '@tributary/core'
import type { Counts, Totals } from './manifest.ts'
import { countTokens } from './parquet.ts'

/** Returns the totals of no trace. */
export const noTotals = (): Totals => ({
  traces: 0,
  tokens: 0,
  skipped: 0,
  scrubVersions: {},
  sources: {},
  models: {},
  outcomes: {},
  firstCreatedAt: null,
  lastCreatedAt: null,
})

/** Returns the totals with one more trace. Changes their counts: contributors write models, so there may be many. */
export function addTrace(totals: Totals, trace: TraceDocument): Totals {
  const { traces, tokens, scrubVersions, sources, models, outcomes, firstCreatedAt, lastCreatedAt } = totals
  const { scrub, source, model, createdAt, outcome } = trace
  increment(scrubVersions, scrub.version)
  increment(sources, source)
  if (model !== null) increment(models, model)
  if (outcome) increment(outcomes, outcome.status)
  return {
    ...totals,
    traces: traces + 1,
    tokens: tokens + countTokens(trace),
    firstCreatedAt: firstCreatedAt !== null && firstCreatedAt < createdAt ? firstCreatedAt : createdAt,
    lastCreatedAt: lastCreatedAt !== null && lastCreatedAt > createdAt ? lastCreatedAt : createdAt,
  }
}

/** Adds one to the count of a name, which may be `__proto__`. */
function increment(counts: Counts, name: string): void {
  const value = (Object.hasOwn(counts, name) ? counts[name]! : 0) + 1
  Object.defineProperty(counts, name, { value, enumerable: true, configurable: true, writable: true })
}
