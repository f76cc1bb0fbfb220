import type { Counts, Sums, Totals } from './manifest.ts'
import type { TraceWithOrigin } from './source.ts'

/** Returns the totals of zero traces. */
export const createEmptyTotals = (): Totals => ({
  traces: 0,
  tokens: 0,
  skipped: 0,
  scrubVersions: {},
  sources: {},
  models: {},
  outcomes: {},
  termsVersions: {},
  countries: {},
  firstCreatedAt: null,
  lastCreatedAt: null,
})

/** The fields of a trace that a package counts. */
export type CountedTrace = Pick<TraceWithOrigin, 'source' | 'model' | 'createdAt' | 'outcome' | 'origin'> & {
  readonly scrub: Pick<TraceWithOrigin['scrub'], 'version'>
}

/**
 * Returns the totals with one more trace. Changes the given counts instead of copying them: contributors choose the
 * names of models, so there may be many counts.
 */
export function addTrace(totals: Totals, trace: CountedTrace, tokenCount: number): Totals {
  const {
    traces,
    tokens,
    scrubVersions,
    sources,
    models,
    outcomes,
    termsVersions,
    countries,
    firstCreatedAt,
    lastCreatedAt,
  } = totals
  const { scrub, source, model, createdAt, outcome, origin } = trace
  const sum = { traces: 1, tokens: tokenCount }
  increment(scrubVersions, scrub.version)
  increment(sources, source)
  if (model !== null) increment(models, model)
  if (outcome) increment(outcomes, outcome.status)
  add(termsVersions, origin?.termsVersion ?? 'unknown', sum)
  add(countries, origin?.country ?? 'unknown', sum)
  return {
    ...totals,
    traces: traces + 1,
    tokens: tokens + tokenCount,
    firstCreatedAt: firstCreatedAt !== null && firstCreatedAt < createdAt ? firstCreatedAt : createdAt,
    lastCreatedAt: lastCreatedAt !== null && lastCreatedAt > createdAt ? lastCreatedAt : createdAt,
  }
}

function add(sums: Sums, name: string, { traces, tokens }: Sums[string]): void {
  const before = Object.hasOwn(sums, name) ? sums[name]! : { traces: 0, tokens: 0 }
  setOwn(sums, name, { traces: before.traces + traces, tokens: before.tokens + tokens })
}

function increment(counts: Counts, name: string): void {
  setOwn(counts, name, (Object.hasOwn(counts, name) ? counts[name]! : 0) + 1)
}

/** Sets a property of an object. The name may be `__proto__`. */
function setOwn(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
