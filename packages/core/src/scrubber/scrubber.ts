import { phoneDetector, seedsOf } from './detectors/identity/known-identity.ts'
import { findPemLine } from './detectors/secrets/pem.ts'
import { finders, priorGates } from './detectors/index.ts'
import type { Table } from './engine/detect.ts'
import { drain, type Steps } from './engine/meter.ts'
import type { Detector, Rule } from './engine/rule.ts'
import { compileRules } from './engine/scanner.ts'
import { scrubTrace } from './engine/scrub-trace.ts'
import type { ScrubContext, ScrubOptions, ScrubResult, SteppedScrubber } from './engine/scrubber-types.ts'
import { rules } from './rules/index.ts'
import { VERSION } from './version.ts'
import { bytesToHex } from '@noble/hashes/utils.js'
import { sha256 } from '@noble/hashes/sha2.js'

const compileTable = (all: readonly Rule[]): Table => ({
  scanner: compileRules(all, finders, priorGates),
  ranks: new Map(all.map((rule, index) => [rule.id, index])),
  findInRun: findPemLine,
})

let table: Table | undefined
/** Compiles the table without rules of an app at the first call. It holds no text. */
const loadTable = (): Table => (table ??= compileTable(rules))

/**
 * Creates a scrubber.
 * @throws {Error} where a rule of the options cannot be used: its id is taken, or it has neither a sticky pattern nor a finder.
 */
export function createScrubber(options: ScrubOptions = {}): SteppedScrubber {
  const { rules: added = [], detectors = [] } = options
  checkRules(added)
  let ownTable: Table | undefined
  const load = added.length === 0 ? loadTable : (): Table => (ownTable ??= compileTable([...rules, ...added]))
  const steps = (texts: readonly string[], context?: ScrubContext): Steps<ScrubResult> =>
    scrubClosed(texts, options, context ?? {}, load)
  return {
    version: versionOf(added, detectors),
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

function checkRules(added: readonly Rule[]): void {
  const ids = new Set(rules.map(({ id }) => id))
  for (const { id, pattern, finder } of added) {
    if (ids.has(id)) throw new Error(`rules: the id ${id} is taken`)
    ids.add(id)
    if (!pattern?.sticky && !finder) throw new Error(`rules: ${id} needs a pattern with the flag y, or a finder`)
  }
}

/** Returns `VERSION`, followed by a digest of the rules and detectors that an app adds. */
function versionOf(added: readonly Rule[], detectors: readonly Detector[]): string {
  if (added.length === 0 && detectors.length === 0) return VERSION
  const content = JSON.stringify([
    added.map(({ pattern, valid, ...rule }) => ({ ...rule, pattern: String(pattern), valid: String(valid) })),
    detectors.map(({ id, version, category, placeholder }) => [id, version, category, placeholder]),
  ])
  return `${VERSION}+${bytesToHex(sha256(new TextEncoder().encode(content))).slice(0, 12)}`
}

/** Fails closed: an error or a passed time limit gives a refusal and no text. */
function* scrubClosed(
  texts: readonly string[],
  { now, limitMs = Infinity, reject, detectors = [] }: ScrubOptions,
  { identity, blockedTerms, counted, onPlaceholder }: ScrubContext,
  load: () => Table,
): Steps<ScrubResult> {
  let spent = 0
  try {
    const phones = phoneDetector(identity?.phones ?? [])
    const all = phones ? [...detectors, phones] : detectors
    const work = scrubTrace(
      texts,
      {
        table: load(),
        seeds: seedsOf(identity, blockedTerms),
        onPlaceholder,
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
