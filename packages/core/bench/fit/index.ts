/**
 * `npm run fit:scrub`: fits the weights of contextual secrets to the labelled cases, and prints precision and recall of
 * a held-out half. `-- --wrong` lists the labelled cases with a wrong result.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { labelledCases } from '@tributary/test-kit/scrubber'
import { FEATURES, LEVELS, PAIRS, type FeatureName } from '../../src/scrubber/detectors/secrets/features.ts'
import type { KeyClass } from '../../src/scrubber/detectors/secrets/key-name.ts'
import type { ClassWeights } from '../../src/scrubber/detectors/secrets/score.ts'
import { readCode, type PinnedPackage, type Source } from '../precision/sources.ts'
import { groupBy } from '../precision/tally.ts'
import { markdownTable, percent } from '../table.ts'
import { fitWeights, scoreOf, type Example } from './logistic.ts'
import { collectRows, type Row } from './rows.ts'

const CLASSES: readonly KeyClass[] = ['password', 'secret', 'hint']
const PENALTY = 0.00008
const ROUNDS = 250
/** The number of fits. Before each fit, the weight of cases and code with a wrong result is doubled. */
const REFITS = 7
/**
 * The weight of a row by its source. Code weighs less than labelled cases, because nobody labelled it and it is
 * repetitive.
 */
const SOURCE_WEIGHT = { labelled: 6, generated: 1, code: 4 } as const

/** The index in the list of weights at which the levels of a feature or of a pair of features start. */
const starts: number[] = []
let size = 1
for (const feature of FEATURES) size = starts[starts.push(size) - 1]! + LEVELS[feature].length
for (const [first, second] of PAIRS)
  size = starts[starts.push(size) - 1]! + LEVELS[first].length * LEVELS[second].length

function activeOf(levels: readonly number[]): number[] {
  const active = [0]
  for (let i = 0; i < FEATURES.length; i++) active.push(starts[i]! + levels[i]!)
  for (const [i, [first, second]] of PAIRS.entries())
    active.push(
      starts[FEATURES.length + i]! +
        levels[FEATURES.indexOf(first)]! * LEVELS[second].length +
        levels[FEATURES.indexOf(second)]!,
    )
  return active
}

interface Entry {
  readonly row: Row
  readonly active: readonly number[]
  weight: number
}

function fit(entries: readonly Entry[]): Float64Array {
  let weights: Float64Array = new Float64Array(size)
  let rounded = weights
  for (let refit = 0; refit < REFITS; refit++) {
    const examples: Example[] = entries.map(({ row, active, weight }) => ({ active, isPositive: row.isSecret, weight }))
    weights = fitWeights(examples, weights, PENALTY, ROUNDS)
    rounded = round(weights)
    for (const entry of entries)
      if (entry.row.source !== 'generated' && scoreOf(rounded, entry.active) >= 0 !== entry.row.isSecret)
        entry.weight *= 2
  }
  return rounded
}

const round = (weights: Float64Array): Float64Array => weights.map((weight) => Math.round(weight * 10) / 10)

const entriesOf = (rows: readonly Row[]): Entry[] =>
  rows.map((row) => ({
    row,
    active: activeOf(row.levels),
    weight:
      SOURCE_WEIGHT[row.source] * (row.source === 'code' ? Math.min(4, Math.sqrt(row.weight)) : Math.sqrt(row.weight)),
  }))

/** Returns the weights of one class as an object with names, in tenths, in the form that `score.ts` reads. */
function nameWeights(weights: Float64Array): ClassWeights {
  const namesOf = (feature: FeatureName, start: number): Record<string, number> =>
    Object.fromEntries(
      LEVELS[feature]
        .map((level, i) => [level, Math.round(weights[start + i]! * 10)] as const)
        .filter(([, weight]) => weight !== 0),
    )
  const isFilled = ([, names]: readonly [string, object]): boolean => Object.keys(names).length > 0
  const features = FEATURES.map((feature, i) => [feature, namesOf(feature, starts[i]!)] as const)
  const pairs = PAIRS.map(([first, second], i) => {
    const start = starts[FEATURES.length + i]!
    const rows = LEVELS[first].map(
      (level, row) => [level, namesOf(second, start + row * LEVELS[second].length)] as const,
    )
    return [`${first} ${second}`, Object.fromEntries(rows.filter(isFilled))] as const
  })
  return {
    bias: Math.round(weights[0]! * 10),
    features: Object.fromEntries(features.filter(isFilled)),
    pairs: Object.fromEntries(pairs.filter(isFilled)),
  }
}

/** Writes the weights of all classes, with one feature or pair of features on each line. */
function writeWeights(path: string, all: Readonly<Record<string, ClassWeights>>): void {
  const print = (value: unknown): string =>
    JSON.stringify(value)
      .replace(/"([a-z]\w*)":/g, '$1:')
      .replaceAll('"', "'")
  const lines = (rows: object): string =>
    Object.entries(rows)
      .map(([name, row]) => `      '${name}': ${print(row)},\n`)
      .join('')
  const classes = Object.entries(all).map(
    ([name, { bias, features, pairs }]) =>
      `  ${name}: {\n    bias: ${bias},\n    features: {\n${lines(features)}    },\n    pairs: {\n${lines(pairs)}    },\n  },\n`,
  )
  writeFileSync(
    path,
    `/**
 * The weights of contextual secrets in tenths, by class of name, feature and level, made by \`npm run fit:scrub\` of
 * what \`bench/fit/packages.json\` pins and of the labelled cases.
 */
export const weights = {
${classes.join('')}}
`,
  )
}

/** Returns the levels of a row in words. */
const levelsOf = ({ levels }: Row): string => FEATURES.map((feature, i) => LEVELS[feature][levels[i]!]).join(' ')

/** Replaces the generated table in a document. */
function writePart(path: string, content: string): void {
  const [open, close] = ['<!-- contextual secrets: made by npm run fit:scrub -->', '<!-- end of contextual secrets -->']
  const [before, rest] = readFileSync(path, 'utf8').split(open)
  writeFileSync(path, `${before}${open}\n\n${content}\n${close}${rest!.split(close)[1]}`)
}

/** Parts of paths that mark tests and examples, which contain sample passwords. */
const TESTS = /test|spec|fixture|example/i

/**
 * Reads the code of packages that are pinned by name, version and hash. `--precision` does not measure these packages.
 * Throws if a package is missing, because the result would change.
 */
function readPinnedCode(root: string): Source[] {
  const list = readFileSync(join(root, 'packages/core/bench/fit/packages.json'), 'utf8')
  const refuse = (reason: string): never => {
    throw new Error(`cannot read ${reason}`)
  }
  return [...groupBy(JSON.parse(list) as PinnedPackage[], ({ language }) => language).values()].flatMap((pinned) =>
    readCode(pinned, refuse).filter(({ name }) => !TESTS.test(name)),
  )
}

function main(): void {
  const root = join(import.meta.dirname, '..', '..', '..', '..', '..')
  const cases = labelledCases(pathToFileURL(join(root, 'packages/test-kit/src/fixtures/scrubber/cases/')))
  const rows = collectRows(cases, readPinnedCode(root))
  const report: (readonly (string | number)[])[] = []
  const all: Record<string, ClassWeights> = {}
  const wrong: string[] = []
  for (const keyClass of CLASSES) {
    const own = rows.filter((row) => row.keyClass === keyClass)
    const half = fit(entriesOf(own.filter(({ isHeldOut }) => !isHeldOut)))
    for (const source of ['labelled', 'generated', 'code'] as const) {
      const tally = { found: 0, missed: 0, wrong: 0, left: 0 }
      for (const row of own) {
        if (!row.isHeldOut || row.source !== source) continue
        const decided = scoreOf(half, activeOf(row.levels)) >= 0
        tally[row.isSecret ? (decided ? 'found' : 'missed') : decided ? 'wrong' : 'left'] += row.weight
      }
      const { found, missed, wrong: alarms, left } = tally
      report.push([
        `${keyClass}, ${source}`,
        found + missed,
        alarms + left,
        percent(found, found + alarms),
        percent(found, found + missed),
        alarms,
      ])
    }
    const weights = fit(entriesOf(own))
    for (const row of own)
      if (row.source !== 'code' && scoreOf(weights, activeOf(row.levels)) >= 0 !== row.isSecret)
        wrong.push(
          `${row.source} ${keyClass} ${row.isSecret ? 'missed' : 'alarm'} x${row.weight} [${levelsOf(row)}] ` +
            `${row.example.replaceAll('\n', '\\n')}`,
        )
    all[keyClass] = nameWeights(weights)
  }
  const measured = markdownTable(
    ['class of name, source', 'secrets', 'others', 'precision', 'recall', 'false alarms'],
    report,
  )
  console.log(`### Contextual secrets: the half of the candidates that the weights were not fitted to\n\n${measured}`)
  writePart(join(root, 'packages/core/SCRUB.md'), measured)
  console.log(`${rows.length} rows; fitted to all of them, ${wrong.length} of those with a label are decided wrongly\n`)
  if (process.argv.includes('--wrong')) console.log(`${wrong.join('\n')}\n`)
  writeWeights(join(root, 'packages/core/src/scrubber/data/weights.ts'), all)
}

main()
