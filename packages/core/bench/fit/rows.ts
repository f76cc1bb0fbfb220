import { draw, examples, generatedCases, secretOf, type Case } from '@tributary/test-kit/scrubber'
import { assignmentFinder } from '../../src/scrubber/detectors/secrets/assignment.ts'
import { featuresOf, type Candidate, type ScoreSecret } from '../../src/scrubber/detectors/secrets/features.ts'
import type { KeyClass } from '../../src/scrubber/detectors/secrets/key-name.ts'
import { proseCredentialFinder } from '../../src/scrubber/detectors/secrets/prose-credential.ts'
import { tableFinders } from '../../src/scrubber/detectors/tables/layouts.ts'
import { isCandidate } from '../../src/scrubber/detectors/secrets/score.ts'
import { drain, Meter } from '../../src/scrubber/engine/meter.ts'
import { decode, mayBeEncoded } from '../../src/scrubber/engine/decode.ts'
import { detect } from '../../src/scrubber/engine/detect.ts'
import type { Finder } from '../../src/scrubber/engine/findings.ts'
import { compileRules } from '../../src/scrubber/engine/compile-rules.ts'
import { rules } from '../../src/scrubber/packs/table.ts'
import type { Source } from '../precision/sources.ts'

/** Candidates of one source with the same features. */
export interface Row {
  readonly keyClass: KeyClass
  readonly levels: readonly number[]
  readonly isSecret: boolean
  readonly source: 'labelled' | 'generated' | 'code'
  /** True if the row belongs to the half that is left out of the fit while precision and recall are measured. */
  readonly isHeldOut: boolean
  weight: number
  /** The first text of the row, for a person who inspects it. */
  readonly example: string
}

/** Creates every finder that decides by evidence. */
const contextualFinders = (decide: ScoreSecret): Readonly<Record<string, Finder>> => ({
  assignment: assignmentFinder(decide),
  proseCredential: proseCredentialFinder(decide),
  ...tableFinders(decide),
})
let current = contextualFinders(() => null)
const CONTEXTUAL = rules.filter(({ finder }) => finder !== undefined && finder in current)
const scanner = compileRules(CONTEXTUAL, {
  finders: Object.fromEntries(Object.keys(current).map((name) => [name, (hit) => current[name]!(hit)])),
  gates: {},
  checks: {},
})

/** Returns every candidate of a text, whatever its score is. */
function candidatesIn(text: string): Candidate[] {
  const candidates: Candidate[] = []
  const collect: ScoreSecret = (candidate) => {
    if (isCandidate(candidate)) candidates.push(candidate)
    return null
  }
  current = contextualFinders(collect)
  const table = { scanner, ranks: new Map<string, number>(), isLabel: () => false, findInRun: () => {} }
  const meter = new Meter()
  const views = mayBeEncoded(text) ? drain(decode(text, 0, text.length, meter)) : []
  drain(detect({ content: { text }, views }, [[0, text.length]], null, { table, detectors: undefined, meter }))
  return candidates
}

const overlaps = (raw: string, gone: string): boolean =>
  raw === gone || (gone.length >= 4 && raw.includes(gone)) || (raw.length >= 4 && gone.includes(raw))

/** Collects rows from labelled cases, generated cases and code. Code is assumed to contain no secrets. */
export function collectRows(cases: Record<string, Case[]>, code: readonly Source[]): Row[] {
  const rows = new Map<string, Row>()
  const add = (
    candidate: Candidate,
    isSecret: boolean,
    source: Row['source'],
    isHeldOut: boolean,
    example: string,
  ): void => {
    const { keyClass, name, operator, raw } = candidate
    const levels = featuresOf(candidate)
    const key = `${keyClass} ${levels.join(',')} ${isSecret} ${source} ${isHeldOut}`
    const row = rows.get(key)
    if (row) row.weight++
    else
      rows.set(key, {
        keyClass,
        levels,
        isSecret,
        source,
        isHeldOut,
        weight: 1,
        example: `${name}|${operator}|${raw}  in  ${example.slice(0, 160)}`,
      })
  }
  for (const [file, list] of Object.entries(cases))
    for (const [index, { text: template, gone: given }] of list.entries()) {
      const drawn = draw(template, index + 1)
      const text = drawn.replace(/[«»]/g, '')
      const isNegative = file.endsWith('negatives.json')
      const marked = /«([^»]+)»/.exec(drawn)?.[1]
      const gone = given ?? marked ?? secretOf(template, text)
      for (const candidate of candidatesIn(text))
        if (isNegative) add(candidate, false, 'labelled', index % 2 === 1, text)
        else if (overlaps(candidate.raw, gone)) add(candidate, true, 'labelled', index % 2 === 1, text)
    }
  let seed = 0
  for (const { match, miss } of examples.values()) {
    seed++
    const text = draw(match, seed)
    const gone = secretOf(match, text)
    if (gone)
      for (const candidate of candidatesIn(text))
        if (overlaps(candidate.raw, gone)) add(candidate, true, 'labelled', seed % 2 === 1, text)
    for (const candidate of candidatesIn(draw(miss, seed))) add(candidate, false, 'labelled', seed % 2 === 1, miss)
  }
  let index = 0
  for (const { text, gone } of generatedCases()) {
    index++
    for (const candidate of candidatesIn(text))
      if (gone === null) add(candidate, false, 'generated', index % 2 === 1, text)
      else if (overlaps(candidate.raw, gone)) add(candidate, true, 'generated', index % 2 === 1, text)
  }
  for (const { name, texts } of code)
    for (const candidate of candidatesIn(texts[0]!)) add(candidate, false, 'code', name.length % 2 === 1, name)
  return [...rows.values()]
}
