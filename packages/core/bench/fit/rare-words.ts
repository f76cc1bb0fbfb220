/**
 * `npm run fit:words`: fits the weights of rare words to the words of the labelled cases and of the documents and code
 * of `node_modules`. Prints for each held-out set what weights find that were fitted without it.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { draw, drawHeldOut, heldOutCases, labelledCases } from '@tributary/test-kit/scrubber'
import { load, PART } from '../../src/scrubber/engine/bytes.ts'
import { foldName } from '../../src/scrubber/names/lexicon.ts'
import { forgetCode, lineFeatures, nearFeatures } from '../../src/scrubber/names/rare-features.ts'
import { eachRareWord, isInAddress, isInIdentifier } from '../../src/scrubber/names/rare-scan.ts'
import { markdownTable, percent } from '../table.ts'
import { fitWeights, type Example } from './logistic.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..', '..')
const PENALTY = 0.00001
const ROUNDS = 400
/** A feature of fewer words says nothing of others. */
const LEAST = 4
/** So few of the words that are found may be passed over because of what stands right beside them. */
const LEFT_OUT = 40
/** What a row counts by where it is from. */
const WEIGHT = { case: 1, stays: 4, code: 0.5 }

interface Row {
  readonly word: string
  readonly near: readonly string[]
  readonly features: readonly string[]
  readonly isPositive: boolean
  readonly weight: number
  /** The held-out set that it is of. */
  readonly set: string
}

/**
 * Returns the rare words of a text with their features.
 * @param isPositive whether a folded word names somebody; null leaves it out.
 */
function rowsOf(
  text: string,
  isPositive: (word: string) => boolean | null,
  set: string,
  weightOf: (word: string) => number,
): Row[] {
  const rows: Row[] = []
  for (let from = 0; from < text.length; from += PART) {
    const to = Math.min(text.length, from + PART)
    load(text, from, to)
    forgetCode()
    eachRareWord(text, from, to, (word) => {
      if (isInIdentifier(text, word.start, word.end) || isInAddress(text, word.start, word.end)) return
      const raw = text.slice(word.start, word.end)
      const label = isPositive(foldName(raw))
      if (label === null) return
      const features: string[] = []
      nearFeatures(text, word, features)
      const near = [...features]
      lineFeatures(text, word, features)
      rows.push({ word: raw, near, features, isPositive: label, weight: weightOf(foldName(raw)), set })
    })
  }
  return rows
}

/** Words of the held-out cases: those of a mark name somebody, what marks of secrets and numbers hold is left out. */
function caseRows(): Row[] {
  const rows: Row[] = []
  const groups = heldOutCases(pathToFileURL(join(root, 'packages/test-kit/src/fixtures/scrubber/heldout/')))
  for (const [group, cases] of Object.entries(groups))
    for (const [index, entry] of cases.entries()) {
      const set = entry.category.endsWith(' set') ? entry.category : 'first set'
      const { texts, gone, stays } = drawHeldOut(entry, index + 1)
      const marked = gone.map(foldName)
      const staying = foldName(entry.stays ? stays.join(' ') : '')
      const isMarked = (word: string): boolean =>
        marked.some((value) => value.split(/[^a-z]+/).includes(word) || (word.length > 4 && value.includes(word)))
      for (const text of texts)
        rows.push(
          ...rowsOf(
            text,
            (word) => (isMarked(word) ? (group === 'identity' ? true : null) : false),
            set,
            (word) => (staying.includes(word) && !isMarked(word) ? WEIGHT.stays : WEIGHT.case),
          ),
        )
    }
  return rows
}

/** Words that must stay in the labelled cases that the tests hold. */
function labelledRows(): Row[] {
  const rows: Row[] = []
  const folder = (name: string): URL => pathToFileURL(join(root, 'packages/test-kit/src/fixtures/scrubber', name, '/'))
  for (const list of Object.values(labelledCases(folder('cases'))))
    for (const [index, { text: template }] of list.entries()) {
      const text = draw(template, index + 1)
      const marked = foldName([...text.matchAll(/«([^»]+)»/g)].map((mark) => mark[1]).join(' '))
      const plain = text.replace(/[«»]/g, '')
      // What is drawn may be the secret.
      if (marked === '' && plain !== template && !list[index]!.gone) continue
      const gone = foldName(list[index]!.gone ?? '')
      rows.push(
        ...rowsOf(
          plain,
          (word) => (marked.includes(word) || gone.includes(word) ? null : false),
          '',
          () => WEIGHT.stays,
        ),
      )
    }
  for (const cases of Object.values(heldOutCases(folder('traces'))))
    for (const [index, entry] of cases.entries()) {
      const { texts, gone } = drawHeldOut(entry, index + 1)
      const marked = foldName(gone.join(' '))
      for (const text of texts)
        rows.push(
          ...rowsOf(
            text,
            (word) => (marked.includes(word) ? null : false),
            '',
            () => WEIGHT.stays,
          ),
        )
    }
  return rows
}

/** What names people in documents and code: such lines are no examples of words that name nobody. */
const CREDIT = /@|author|license|licence|copyright|contributor|maintain|thanks|by \[|github\.com/i
const PARTS = 12_000
const PART_LENGTH = 4000

/** Words of parts of documents and code, which name nobody. */
function codeRows(): Row[] {
  const folder = join(root, 'node_modules', '.pnpm')
  const rows: Row[] = []
  let count = 0
  for (const name of readdirSync(folder)) {
    if (name.startsWith('@cspell') || /faker|gender|^node_modules$|yaml$/.test(name)) continue
    let own = 0
    for (const path of files(join(folder, name))) {
      if (own++ > 20 || count > PARTS) break
      const text = readFileSync(path, 'utf8')
      const from = (count++ * 7919) % Math.max(1, text.length - PART_LENGTH)
      const lines = text
        .slice(from, from + PART_LENGTH)
        .split('\n')
        .slice(1, -1)
      rows.push(
        ...rowsOf(
          lines.filter((line) => line.length < 400 && !CREDIT.test(line)).join('\n'),
          () => false,
          '',
          () => WEIGHT.code,
        ),
      )
    }
  }
  return rows
}

function* files(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* files(path)
    else if (
      entry.isFile() &&
      /\.(?:md|[cm]?[jt]s|json)$/.test(entry.name) &&
      !/license|licence|package\.json|changelog|history|\.min\./i.test(entry.name) &&
      statSync(path).size < 400_000
    )
      yield path
  }
}

type Weights = ReadonlyMap<string, number>
function fit(rows: readonly Row[]): Weights {
  const counts = new Map<string, number>()
  for (const { features } of rows) for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1)
  const names = ['', ...[...counts].filter(([, count]) => count >= LEAST).map(([name]) => name)]
  const places = new Map(names.map((name, place) => [name, place]))
  const examples: Example[] = rows.map(({ features, isPositive, weight }) => ({
    active: [0, ...features.map((feature) => places.get(feature)).filter((place) => place !== undefined)],
    isPositive,
    weight,
  }))
  const fitted = fitWeights(examples, new Float64Array(names.length), PENALTY, ROUNDS)
  return new Map(
    [...fitted]
      .map((weight, place) => [names[place]!, Math.round(weight * 10)] as const)
      .filter(([name, weight]) => weight !== 0 || name === ''),
  )
}

const scoreOf = (weights: Weights, features: readonly string[]): number =>
  features.reduce((sum, feature) => sum + (weights.get(feature) ?? 0), weights.get('')!)

const THRESHOLD = 8
const held = caseRows()
const others = [...labelledRows(), ...codeRows()]
console.log(held.length, others.length)
const sets = [...new Set(held.map(({ set }) => set))]
const only = process.argv.find((word) => word.startsWith('--without='))?.slice(10)
if (!only && !process.argv.includes('--all')) {
  const rows = sets.map((set) => {
    const weights = fit([...held.filter((row) => row.set !== set), ...others.filter((_, i) => i % 2 === 0)])
    const own = held.filter((row) => row.set === set)
    const found = (list: readonly Row[]): Row[] =>
      list.filter(({ features }) => scoreOf(weights, features) >= THRESHOLD)
    const positives = own.filter((row) => row.isPositive)
    const negatives = own.filter((row) => !row.isPositive)
    const code = others.filter((_, i) => i % 2 === 1)
    return [
      set,
      positives.length,
      percent(found(positives).length, positives.length),
      found(negatives).length,
      found(code).length,
    ]
  })
  console.log(
    markdownTable(
      ['set left out', 'words of identities', 'found', 'false alarms in its cases', 'in other cases and code'],
      rows,
    ),
  )
}
const rows = [...held.filter(({ set }) => set !== only), ...others]
const weights = fit(rows)
const nearest = Math.min(
  ...rows
    .filter((row) => row.isPositive && scoreOf(weights, row.features) >= THRESHOLD)
    .map((row) => scoreOf(weights, row.near))
    .sort((a, b) => a - b)
    .slice(LEFT_OUT),
)
const passing = rows.filter((row) => scoreOf(weights, row.near) >= nearest).length
console.log('weights', weights.size, 'least near', nearest, 'passing', passing, 'of', rows.length)
const bias = weights.get('')
const lines = [...weights]
  .filter(([name]) => name !== '')
  .map(([name, weight]) => `  ${JSON.stringify(name)}: ${weight},`)
writeFileSync(
  join(root, 'packages/core/src/scrubber/names/rare-weights.ts'),
  `/** Made by \`npm run fit:words\`: the weight of each feature of a rare word, in tenths. */
export const RARE_WEIGHTS: Readonly<Record<string, number>> = {
${lines.sort().join('\n')}
}

/** What is added to each sum. */
export const BIAS = ${bias}
/** What stands right beside a word weighs at least so much where it names somebody. */
export const LEAST_NEAR = ${nearest}
`,
)
