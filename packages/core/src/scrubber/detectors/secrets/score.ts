import { weights } from '../../data/weights.ts'
import { FEATURES, featuresOf, LEVELS, PAIRS, type FeatureName, type Candidate, type ScoreSecret } from './features.ts'
import type { KeyClass } from './key-name.ts'
import { holdsPlaceholder, isCrossedOut, isCut, isDocumented, isEncodedFiller } from '../../engine/placeholder.ts'

/** Weights by level, in tenths. Levels with a weight of 0 are left out. */
type Weights = Readonly<Record<string, number>>
/** The weights of one class of names, in the form that `npm run fit:scrub` writes. */
export interface ClassWeights {
  readonly bias: number
  readonly features: Readonly<Record<string, Weights>>
  /**
   * The weights of two features together. The key contains the names of both features (`frame form`). Each level of the
   * first feature has the weights for the levels of the second feature.
   */
  readonly pairs: Readonly<Record<string, Readonly<Record<string, Weights>>>>
}
const classes: Readonly<Record<KeyClass, ClassWeights>> = weights

/** The weights of one class of names in tables, by level and by pair of levels. */
interface Model {
  readonly bias: number
  readonly singles: readonly Float64Array[]
  readonly pairs: readonly PairWeights[]
}

interface PairWeights {
  /** The indexes of both features in `FEATURES`, and the number of levels of the second feature. */
  readonly first: number
  readonly second: number
  readonly width: number
  readonly table: Float64Array
}

const tableOf = (feature: FeatureName, own: Weights = {}): Float64Array =>
  Float64Array.from(LEVELS[feature], (level) => (own[level] ?? 0) / 10)

function compile({ bias, features, pairs }: ClassWeights): Model {
  return {
    bias: bias / 10,
    singles: FEATURES.map((feature) => tableOf(feature, features[feature])),
    pairs: PAIRS.map(([first, second]) => {
      const rows = pairs[`${first} ${second}`] ?? {}
      return {
        first: FEATURES.indexOf(first),
        second: FEATURES.indexOf(second),
        width: LEVELS[second].length,
        table: Float64Array.from(LEVELS[first].flatMap((level) => [...tableOf(second, rows[level])])),
      }
    }),
  }
}

const models = new Map<KeyClass, Model>()

/** Returns the score of a candidate: the sum of the weights of its features. A score of 0 or more means a secret. */
function scoreOf(candidate: Candidate): number {
  let model = models.get(candidate.keyClass)
  if (!model) models.set(candidate.keyClass, (model = compile(classes[candidate.keyClass])))
  const levels = featuresOf(candidate)
  let score = model.bias
  const levelOf = (feature: number): number => levels[feature] ?? 0
  for (const [feature, table] of model.singles.entries()) score += table[levelOf(feature)] ?? 0
  for (const { first, second, width, table } of model.pairs)
    score += table[levelOf(first) * width + levelOf(second)] ?? 0
  return score
}

/** Words in the place of a secret: `your-api-key-here`, `insert_token`. */
const STAND_IN =
  /^(?:wrong|invalid|bad|incorrect)[-_]?pass(?:word)?\d{0,3}$|^(?:your|insert|replace|enter|put)(?:[-_ ][a-z]+)+$|^\$2[aby]\$\d\d\$[A-Z]{2,}(?:_[A-Z]+)+$|^[a-z]+(?:[-_ ][a-z]+)*[-_ ]here$/i
/** The word for a password in another language, as in a catalog of messages: `password: "contraseña"`. */
const TRANSLATED =
  /^(?:\p{L}+ ){0,3}(?:contraseña|passwort|kennwort|senha|mot de passe|пароль|密码|パスワード|비밀번호)(?: \p{L}+){0,3}$/iu
/** Most of the alphabet in its order, as in the characters of which passwords are generated. */
const ALPHABET = /[a-h]{8}ijklmnop|[A-H]{8}IJKLMNOP/
/** An id that a program made from the time in milliseconds: `order_1768659550718_x7k2mq`. */
const TIMED_ID = /^[a-z]{2,20}[_-]1[5-9]\d{11}[_-][a-z\d]{4,13}$/
/** A range of counts: `130K-200K`. */
const COUNTS = /^~?\d[\d.,]*[KM]?\+?[-–]~?\d[\d.,]*[KM]\+?$/i
/** Returns whether a value is a text in a script without capital letters, as in a catalog of messages. */
const isUncased = (raw: string): boolean =>
  /[A-Za-z\d]/.test(raw)
    ? /[\u3040-\u9fff\uac00-\ud7af]{3}/.test(raw) && /[\s\u3000-\u303f\uff01-\uff1f]/.test(raw)
    : /\p{Lo}{3}/u.test(raw)
/** A sentence of three or more words, as in a catalog of messages. */
const isSentence = (raw: string): boolean => /^\p{Lu}\P{Nd}{8,}\p{Ll}\.$/u.test(raw) && raw.split(' ').length > 2
/** The shortest value of each class that may be a secret. A shorter value cannot be distinguished from a word. */
const SHORTEST: Readonly<Record<KeyClass, number>> = { password: 3, secret: 4, hint: 16 }

/**
 * Returns whether a value can be a secret: it does not contain our placeholders and is not masked. An unquoted value is
 * code if it begins or ends with an opening bracket that is closed right after the value.
 */
export const isCandidate = ({ raw, keyClass, quote, next }: Candidate): boolean =>
  raw.length >= SHORTEST[keyClass] &&
  raw.length <= 16_384 &&
  !holdsPlaceholder(raw) &&
  !isCrossedOut(raw) &&
  !isDocumented(raw) &&
  !ALPHABET.test(raw) &&
  !STAND_IN.test(raw) &&
  !TRANSLATED.test(raw) &&
  !isEncodedFiller(raw) &&
  !isSentence(raw) &&
  !isUncased(raw) &&
  (keyClass === 'password' || !(isCut(raw) || TIMED_ID.test(raw) || COUNTS.test(raw))) &&
  (quote !== '' || !(BRACKETS.includes(raw.charAt(0) + next) || BRACKETS.includes(raw.slice(-1) + next)))

const BRACKETS: readonly string[] = ['{}', '[]', '()', '<>']

/** The minimum score of a value that is replaced. Nearly all candidates in code with a lower score are not secrets. */
const LEAST_SCORE = 0.9
/**
 * The minimum score of a value with a digit, a lower-case letter and a capital letter. Such values are rare in names
 * and words of code.
 */
const LEAST_SCORE_MIXED = 0.7
const MIXED = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])\S{8,}$/

/** Returns the probability that a candidate is a secret, or null if the value is not replaced. */
export const scoreSecret: ScoreSecret = (candidate) => {
  if (!isCandidate(candidate)) return null
  const score = 1 / (1 + Math.exp(-scoreOf(candidate)))
  return score < (MIXED.test(candidate.raw) ? LEAST_SCORE_MIXED : LEAST_SCORE) ? null : Math.min(0.99, score)
}
