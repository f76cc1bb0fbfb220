import { THRESHOLDS, WEIGHTS } from '../../rules/weights.ts'
import type { Candidate, ScoreSecret } from './candidate.ts'
import { FEATURES, featuresOf, LEVELS, PAIRS } from './features.ts'
import type { KeyClass } from './key-name.ts'
import { holdsPlaceholder, isCrossedOut } from './placeholder-word.ts'

/** The weights of one class of names as tables, by level and by pair of levels. */
interface Model {
  readonly singles: readonly Float64Array[]
  readonly pairs: readonly Float64Array[]
  /** For each pair of features: where they are in `FEATURES`, and how many levels the second has. */
  readonly columns: readonly (readonly [first: number, second: number, width: number])[]
}

const columns = PAIRS.map(
  ([first, second]) => [FEATURES.indexOf(first), FEATURES.indexOf(second), LEVELS[second].length] as const,
)

function compile(keyClass: KeyClass): Model {
  const weights = weightsOf(WEIGHTS[keyClass])
  const singles = FEATURES.map((feature) => read(weights.get(feature), LEVELS[feature].length))
  const pairs = PAIRS.map(([first, second]) => {
    const width = LEVELS[second].length
    const table = new Float64Array(LEVELS[first].length * width)
    for (const [row, level] of LEVELS[first].entries())
      table.set(read(weights.get(`${first} ${second} ${level}`), width), row * width)
    return table
  })
  return { singles, pairs, columns }
}

/** Splits the lines of a class: `length:3,,-12` by its feature, ` blank:,,-5` by the pair above it and its level. */
function weightsOf(text: string): ReadonlyMap<string, string> {
  const weights = new Map<string, string>()
  let pair = ''
  for (const line of text.split('\n')) {
    const [key, values] = line.split(':')
    if (values === undefined) pair = line
    else weights.set(key!.startsWith(' ') ? pair + key : key!, values)
  }
  return weights
}

/** Parses weights in tenths, one for each level: `3,,-12`. An empty weight is 0; `b` to `z` are 2 to 26 commas. */
function read(text: string | undefined, width: number): Float64Array {
  const weights = new Float64Array(width)
  const whole = text?.replace(/[a-z]/g, (letter) => ','.repeat(letter.charCodeAt(0) - 96))
  if (whole) for (const [level, weight] of whole.split(',').entries()) weights[level] = Number(weight) / 10
  return weights
}

const models = new Map<KeyClass, Model>()

/** Returns the score of a candidate: the sum of the weights of its features. At or above 0 it is a secret. */
export function scoreOf(candidate: Candidate): number {
  let model = models.get(candidate.keyClass)
  if (!model) models.set(candidate.keyClass, (model = compile(candidate.keyClass)))
  const levels = featuresOf(candidate)
  let score = -THRESHOLDS[candidate.keyClass]
  for (let i = 0; i < levels.length; i++) score += model.singles[i]![levels[i]!]!
  for (let i = 0; i < model.columns.length; i++) {
    const [first, second, width] = model.columns[i]!
    score += model.pairs[i]![levels[first]! * width + levels[second]!]!
  }
  return score
}

/** How the keys of AWS's documentation end. */
const DOCUMENTED = /EXAMPLE(?:KEY)?$/
/** The shortest value of a class that may be a secret: below, nothing tells it from a word. */
const SHORTEST: Readonly<Record<KeyClass, number>> = { password: 3, secret: 4, hint: 16 }

/**
 * Returns whether a value can be a secret: it holds no placeholder of ours, is not crossed out and is no half of a bracketed word or of a
 * call.
 */
export const isCandidate = ({ raw, keyClass, quote, next }: Candidate): boolean =>
  raw.length >= SHORTEST[keyClass] &&
  raw.length <= 16_384 &&
  !holdsPlaceholder(raw) &&
  !isCrossedOut(raw) &&
  !DOCUMENTED.test(raw) &&
  (quote !== '' || !(BRACKETS.includes(raw[0]! + next) || BRACKETS.includes(raw.at(-1)! + next)))

const BRACKETS: readonly string[] = ['{}', '[]', '()', '<>']

/** The least score of what is replaced: of candidates in code below it, nearly all are no secrets. */
const LEAST_SCORE = 0.9
/** The same for values with a digit, a small letter and a capital one, as names and words of code rarely have. */
const LEAST_SCORE_MIXED = 0.7
const MIXED = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])\S{8,}$/

/** Scores a candidate by the model: how likely it is a secret. Returns null for what stays. */
export const scoreSecret: ScoreSecret = (candidate) => {
  if (!isCandidate(candidate)) return null
  const score = 1 / (1 + Math.exp(-scoreOf(candidate)))
  return score < (MIXED.test(candidate.raw) ? LEAST_SCORE_MIXED : LEAST_SCORE) ? null : Math.min(0.99, score)
}
