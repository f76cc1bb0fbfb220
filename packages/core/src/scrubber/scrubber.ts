import { phoneDetector, seedsOf } from './detectors/identity/known-identity.ts'
import { findPemLine } from './detectors/secrets/pem.ts'
import { finders, priorGates } from './detectors/index.ts'
import type { Table } from './engine/detect.ts'
import { drain, type Steps } from './engine/meter.ts'
import { compileRules } from './engine/scanner.ts'
import { scrubTrace } from './engine/scrub-trace.ts'
import type { ScrubContext, ScrubOptions, ScrubResult, SteppedScrubber } from './engine/scrubber-types.ts'
import { rules } from './rules/index.ts'
import { VERSION } from './version.ts'

let table: Table | undefined
/** Compiles the whole table at the first call. It holds no text. */
const loadTable = (): Table =>
  (table ??= {
    scanner: compileRules(rules, finders, priorGates),
    ranks: new Map(rules.map((rule, index) => [rule.id, index])),
    findInRun: findPemLine,
  })

export function createScrubber(options: ScrubOptions = {}): SteppedScrubber {
  const steps = (texts: readonly string[], context?: ScrubContext): Steps<ScrubResult> =>
    scrubClosed(texts, options, context ?? {})
  return {
    version: VERSION,
    steps,
    scrub: (texts, context) => drain(steps(texts, context)),
    async scrubAsync(texts, pause, context) {
      const work = steps(texts, context)
      for (let step = work.next(); ; step = work.next()) {
        if (step.done) return step.value
        await pause()
      }
    },
  }
}

/** Fails closed: an error or a passed time limit gives a refusal and no text. */
function* scrubClosed(
  texts: readonly string[],
  { now, limitMs = Infinity, reject, detectors = [] }: ScrubOptions,
  { identity, blockedTerms, counted }: ScrubContext,
): Steps<ScrubResult> {
  let spent = 0
  try {
    const phones = phoneDetector(identity?.phones ?? [])
    const all = phones ? [...detectors, phones] : detectors
    const work = scrubTrace(
      texts,
      {
        table: loadTable(),
        seeds: seedsOf(identity, blockedTerms),
        ...(reject && { reject }),
        ...(all.length > 0 && { detectors: all }),
      },
      counted,
    )
    for (;;) {
      const from = now?.() ?? 0
      const { done, value } = work.next()
      spent += (now?.() ?? 0) - from
      if (spent > limitMs) return { ok: false, reason: 'the scrubber ran out of time' }
      if (done) return value
      yield
    }
  } catch {
    return { ok: false, reason: 'the scrubber failed' }
  }
}
