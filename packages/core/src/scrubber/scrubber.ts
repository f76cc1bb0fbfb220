import { phoneDetector, seedsOf } from './detectors/identity/known-identity.ts'
import { readAnswer } from './detectors/conversation/answer.ts'
import { toFindings } from './detectors/identity/detected-spans.ts'
import { findPemLine } from './detectors/secrets/pem.ts'
import { finders, finderGates } from './detectors/index.ts'
import { checkAsyncDetector, detectSpans } from './engine/async-detectors.ts'
import { CleanTexts } from './engine/clean-texts.ts'
import type { Table } from './engine/detect.ts'
import { drain, type Steps } from './engine/meter.ts'
import type { AsyncDetector, Detector, Finding, Rule } from './engine/rule.ts'
import { compileRules } from './engine/scanner.ts'
import { scrubTrace } from './engine/scrub-trace.ts'
import type { ScrubContext, ScrubOptions, ScrubResult, SteppedScrubber } from './engine/scrubber-types.ts'
import { rules } from './rules/index.ts'
import { versionOf } from './version.ts'

const compileTable = (all: readonly Rule[]): Table => ({
  scanner: compileRules(all, finders, finderGates),
  ranks: new Map(all.map((rule, index) => [rule.id, index])),
  findInRun: findPemLine,
  readAnswer,
})

let table: Table | undefined
/** Compiles the table without rules of an app at the first call. It holds no text. */
const loadTable = (): Table => (table ??= compileTable(rules))

/**
 * Creates a scrubber.
 * @throws {Error} where a rule or a detector of the options cannot be used: its id is taken, a rule has neither a
 * sticky pattern nor a finder, an asynchronous detector has a limit out of range.
 */
export function createScrubber(options: ScrubOptions = {}): SteppedScrubber {
  const { rules: added = [], detectors = [], names: findNames = null } = options
  checkRules(added)
  const asyncDetectors = detectors.filter(isAsync)
  for (const detector of asyncDetectors) checkAsyncDetector(detector)
  let ownTable: Table | undefined
  const load = (): Table =>
    (ownTable ??= {
      ...(added.length === 0 ? loadTable() : compileTable([...rules, ...added])),
      findNames: findNames ?? undefined,
    })
  const cleanTexts = new CleanTexts()
  const syncOptions = { ...options, detectors: detectors.filter((detector) => !isAsync(detector)) as Detector[] }
  const stepsWith = (texts: readonly string[], context: ScrubContext, given: Given): Steps<ScrubResult> =>
    scrubClosed(texts, syncOptions, context, { load, cleanTexts, given })
  const steps = (texts: readonly string[], context: ScrubContext = {}): Steps<ScrubResult> =>
    asyncDetectors.length === 0 || context.skipAsyncDetectors ? stepsWith(texts, context, null) : refuseUnread()
  return {
    version: versionOf(added, detectors, findNames !== null),
    steps,
    scrub: (texts, context) => drain(steps(texts, context)),
    async scrubAsync(texts, pause, context = {}) {
      const isRead = asyncDetectors.length > 0 && !context.skipAsyncDetectors
      const given = isRead ? toFindings(texts, await detectSpans(asyncDetectors, texts, pause)) : null
      const work = stepsWith(texts, context, given)
      for (let step = work.next(); ; step = work.next()) {
        if (step.done) return step.value
        await pause()
      }
    },
  }
}

/** What asynchronous detectors found in each text. */
type Given = readonly (readonly Finding[])[] | null

/** What all calls of one scrubber share, and what asynchronous detectors found in one. */
interface Compiled {
  readonly load: () => Table
  readonly cleanTexts: CleanTexts
  readonly given: Given
}

interface SyncOptions extends ScrubOptions {
  readonly detectors: readonly Detector[]
}

const isAsync = (detector: Detector | AsyncDetector): detector is AsyncDetector => 'detect' in detector

// eslint-disable-next-line require-yield
function* refuseUnread(): Steps<ScrubResult> {
  return { ok: false, reason: 'asynchronous detectors are asked by scrubAsync only' }
}

function checkRules(added: readonly Rule[]): void {
  const ids = new Set(rules.map(({ id }) => id))
  for (const { id, pattern, finder } of added) {
    if (ids.has(id)) throw new Error(`rules: the id ${id} is taken`)
    ids.add(id)
    if (!pattern?.sticky && !finder) throw new Error(`rules: ${id} needs a pattern with the flag y, or a finder`)
  }
}

/** Fails closed: an error or a passed time limit gives a refusal and no text. */
function* scrubClosed(
  texts: readonly string[],
  { now, limitMs = Infinity, reject, detectors }: SyncOptions,
  { identity, blockedTerms, counted, onPlaceholder }: ScrubContext,
  { load, cleanTexts, given }: Compiled,
): Steps<ScrubResult> {
  let spent = 0
  try {
    const phones = phoneDetector(identity?.phones ?? [])
    const all = phones ? [...detectors, phones] : detectors
    const work = scrubTrace(
      texts,
      {
        table: load(),
        cleanTexts,
        given,
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
