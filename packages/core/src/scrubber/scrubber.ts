import { phoneDetector, seedsOf } from './detectors/identity/known-identity.ts'
import { findPemLine } from './detectors/secrets/pem.ts'
import type { Table } from './engine/detect.ts'
import { drain, type Steps } from './engine/meter.ts'
import { rememberWords, CleanTexts } from './engine/remember.ts'
import { maxLimitMs, type AsyncDetector, type Detector, type Finding, type Rule } from './engine/rule.ts'
import { compileRules } from './engine/compile-rules.ts'
import { holdsKeyword } from './engine/scanner.ts'
import { scrubTrace } from './engine/scrub-trace.ts'
import {
  packIds,
  type PackId,
  type ScrubContext,
  type ScrubOptions,
  type ScrubResult,
  type SteppedScrubber,
} from './engine/scrubber-types.ts'
import { startOfToken, wordsThatGoOn } from './engine/views.ts'
import { base } from './packs/base.ts'
import { mergeFunctions, loadPacks, rulesOf, type PackSource, type RulePack } from './packs/pack.ts'
import { versionOf } from './version.ts'

/** The functions of a table that come from one pack. */
type Hook = 'isPublished' | 'isSampleData' | 'findInRecords' | 'formsOfAuthor' | 'spellings'

/** Compiles the rules of packs, followed by the rules of an app. The table does not store any text. */
function compileTable(packs: readonly RulePack[], added: readonly Rule[]): Table {
  const all = [...rulesOf(packs), ...added]
  const hookOf = <K extends Hook>(name: K): RulePack[K] => packs.find((pack) => pack[name])?.[name]
  const scanner = compileRules(all, mergeFunctions(packs), [...wordsThatGoOn, startOfToken])
  return {
    scanner,
    isLabel: rememberWords((text) => holdsKeyword(text, scanner)),
    ranks: new Map(all.map((rule, index) => [rule.id, index])),
    findInRun: findPemLine,
    isPublished: hookOf('isPublished'),
    isSampleData: hookOf('isSampleData'),
    findInRecords: hookOf('findInRecords'),
    formsOfAuthor: hookOf('formsOfAuthor'),
    spellings: hookOf('spellings'),
  }
}

/** Returns `createScrubber` for a source of packs. Scrubbers without rules of an app share compiled tables. */
export function scrubberFactory(source: PackSource): (options?: ScrubOptions) => SteppedScrubber {
  const tables = new Map<string, Table>()
  return (options = {}) => createScrubber(source, tables, options)
}

function createScrubber(source: PackSource, tables: Map<string, Table>, options: ScrubOptions): SteppedScrubber {
  const { rules: added = [], detectors = [], packs: chosen = packIds } = options
  const wanted = packIds.filter((id) => chosen.includes(id))
  const without = packIds.filter((id) => !chosen.includes(id))
  const missing = (): PackId[] => wanted.filter((id) => !source.loaded.has(id))
  const packs = (): RulePack[] => [base, ...wanted.flatMap((id) => source.loaded.get(id) ?? [])]
  checkRules(added, rulesOf(packs()))
  const asyncDetectors = detectors.filter(isAsync)
  for (const detector of asyncDetectors) checkAsyncDetector(detector)

  const loadTable = (): Table => {
    const key = wanted.join()
    const table = (added.length === 0 && tables.get(key)) || compileTable(packs(), added)
    if (added.length === 0) tables.set(key, table)
    return table
  }
  let ownTable: Table | undefined
  const cleanTexts = new CleanTexts()
  const table = (): Table => (ownTable ??= loadTable())
  const syncOptions = { ...options, detectors: detectors.filter((detector) => !isAsync(detector)) as Detector[] }
  const stepsWith = (texts: readonly string[], context: ScrubContext, given: Given): Steps<ScrubResult> =>
    scrubClosed(texts, syncOptions, context, { load: table, cleanTexts, given })
  const steps = (texts: readonly string[], context: ScrubContext = {}): Steps<ScrubResult> => {
    if (missing().length > 0) return refuse(`rule packs are not loaded: ${missing().join(', ')}`)
    if (asyncDetectors.length > 0 && !context.skipAsyncDetectors)
      return refuse('asynchronous detectors are asked by scrubAsync only')
    return stepsWith(texts, context, null)
  }
  const load = async (): Promise<void> => {
    await loadPacks(source, missing())
    checkRules(added, rulesOf(packs()))
  }
  return {
    version: versionOf(added, detectors, without),
    get missing() {
      return missing()
    },
    load,
    steps,
    scrub: (texts, context) => drain(steps(texts, context)),
    async scrubAsync(texts, pause, context = {}) {
      if (missing().length > 0) await load()
      const isRead = asyncDetectors.length > 0 && !context.skipAsyncDetectors
      const given = isRead ? await findSpans(asyncDetectors, texts, pause) : null
      const work = stepsWith(texts, context, given)
      for (let step = work.next(); ; step = work.next()) {
        if (step.done) return step.value
        await pause()
      }
    },
  }
}

/** Loads the code for asynchronous detectors, which few scrubbers need, and returns their findings in each text. */
async function findSpans(
  detectors: readonly AsyncDetector[],
  texts: readonly string[],
  pause: () => Promise<void>,
): Promise<Given> {
  const { detectSpans } = await import('./engine/async-detectors.ts')
  const { toFindings } = await import('./detectors/identity/detected-spans.ts')
  return toFindings(texts, await detectSpans(detectors, texts, pause))
}

/** The findings of asynchronous detectors in each text. */
type Given = readonly (readonly Finding[])[] | null

/** The parts that all calls of one scrubber share, and the findings of asynchronous detectors in one call. */
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
function* refuse(reason: string): Steps<ScrubResult> {
  return { ok: false, reason }
}

function checkRules(added: readonly Rule[], rules: readonly Rule[]): void {
  const ids = new Set(rules.map(({ id }) => id))
  for (const { id, pattern, finder } of added) {
    if (ids.has(id)) throw new Error(`rules: the id ${id} is taken`)
    ids.add(id)
    if (!pattern?.sticky && !finder) throw new Error(`rules: ${id} needs a pattern with the flag y, or a finder`)
  }
}

/** Throws if a detector of an app has an invalid limit. */
function checkAsyncDetector({ id, maxChars, batchSize, limitMs }: AsyncDetector): void {
  checkRange(id, 'maxChars', maxChars, 64, Infinity)
  checkRange(id, 'batchSize', batchSize, 1, Infinity)
  checkRange(id, 'limitMs', limitMs, 1, maxLimitMs)
}

function checkRange(id: string, name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || (value >= least && value <= most)) return
  const range = most === Infinity ? `${least} or more` : `${least} to ${most}`
  throw new Error(`detectors: ${name} of ${id} must be ${range}, not ${value}`)
}

/** Scrubs a trace. After an error or an exceeded time limit, returns a refusal without text. */
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

/**
 * V8 compiles regular expressions at their second use, and functions after some hundred calls, so more rounds would
 * change little.
 */
const ROUNDS = 6
const RULES_PER_TEXT = 40
/** Separators between the sentences of a text, as in lines of a log, items of a list, and one line of escaped JSON. */
const SEPARATORS = ['\n', '\n- ', '\\n']

/** Returns texts with keywords of each rule. The text after a keyword looks like a value, so that the rule reads it. */
function sampleTexts(rules: readonly Rule[], round: number): string[] {
  const texts: string[] = []
  for (let from = 0; from < rules.length; from += RULES_PER_TEXT)
    texts.push(
      rules
        .slice(from, from + RULES_PER_TEXT)
        .map(({ keywords }, i) => sampleSentence(keywords[round % keywords.length] ?? '', i))
        .join(SEPARATORS[texts.length % SEPARATORS.length]),
    )
  return texts
}

const sampleSentence = (keyword: string, i: number): string =>
  `In step ${i} we read {"${keyword}": "value_${i}"} from /srv/app/file${i}.ts:${i} at 10:4${i % 10}, and it was fine.`

/** Returns `warmUpScrubber` with the rules of a source. */
export const warmUpFactory =
  (source: PackSource) =>
  async (pause: () => Promise<void>): Promise<void> => {
    await loadPacks(source)
    const rules = rulesOf([base, ...source.loaded.values()])
    const scrubber = scrubberFactory(source)()
    for (let round = 0; round < ROUNDS; round++) await scrubber.scrubAsync(sampleTexts(rules, round), pause)
  }
