import { rememberWords } from '../engine/remember.ts'
import { commonWords } from '../rules/common-words.ts'
import { entryOf } from './dictionary.ts'
import { FUNCTION_WORDS, NEVER_NAME, SURNAME_END } from './evidence.ts'
import { kindOf } from './lexicon.ts'

/**
 * What a word is that no dictionary has as a word alone: a name of the lexicon, a name that is a word or a place too, a
 * login made of names, a word made of two, one that ends as surnames do, or one that nothing tells.
 */
export type RareKind = 'given' | 'surname' | 'both' | 'ambiguous' | 'login' | 'compound' | 'surnameEnd' | 'unknown'

const isWord = (word: string): boolean => {
  if (word.length < 3) return false
  return entryOf(word) !== null || kindOf(word) === 'word'
}
const isGiven = (word: string): boolean => {
  const kind = word.length > 2 ? kindOf(word) : 'unknown'
  return kind === 'given' || kind === 'both'
}
const isSurname = (word: string): boolean => {
  if (word.length < 4) return false
  const kind = kindOf(word)
  return kind === 'surname' || kind === 'both' || (SURNAME_END.test(word) && entryOf(word) === null)
}

/** What makes another word of one: `scanned`, `mirroring`, `reconnect`. */
const ENDS =
  's es ed d ing er ers r ly able ness ment ion ions al ally ity ic ism ist ists ish est ier iest ies y'.split(' ')
const BEGINNINGS = ['un', 're', 'non', 'over', 'out', 'pre', 'sub', 'super', 'inter', 'dis', 'mis', 'under']

/** Returns whether a word is another one with an end or a beginning. */
export const isFormOf = (word: string, isStem: (stem: string) => boolean): boolean =>
  ENDS.some((end) => {
    if (!word.endsWith(end) || word.length - end.length < 3) return false
    const stem = word.slice(0, -end.length)
    return (
      isStem(stem) ||
      isStem(`${stem}e`) ||
      isStem(`${stem}y`) ||
      (stem.at(-1) === stem.at(-2) && isStem(stem.slice(0, -1)))
    )
  }) ||
  BEGINNINGS.some(
    (begin) => word.startsWith(begin) && word.length > begin.length + 3 && isStem(word.slice(begin.length)),
  )

/** Returns whether a word is an initial and a surname, a first name and an initial, or both names: `jroe`, `janer`. */
function isLogin(word: string): boolean {
  if (isSurname(word.slice(1)) || isGiven(word.slice(0, -1))) return true
  for (let i = 3; i < word.length - 2; i++) if (isGiven(word.slice(0, i)) && isSurname(word.slice(i))) return true
  return false
}

function isCompound(word: string): boolean {
  for (let i = 4; i < word.length - 3; i++) if (isWord(word.slice(0, i)) && isWord(word.slice(i))) return true
  return false
}

/** Returns whether a word in small letters is made of two that a dictionary has and that name nobody: `onestop`. */
export function isTwoWords(word: string): boolean {
  const isStem = (part: string): boolean => part.length > 2 && (entryOf(part) === 'word' || commonWords.has(part))
  const isPlain = (part: string): boolean => isStem(part) || isFormOf(part, isStem)
  for (let i = 3; i < word.length - 2; i++) if (isPlain(word.slice(0, i)) && isPlain(word.slice(i))) return true
  return false
}

function classify(word: string): RareKind | null {
  if (word.length < 3) return null
  const entry = entryOf(word)
  if (entry === 'word' || commonWords.has(word) || FUNCTION_WORDS.has(word)) return null
  const kind = kindOf(word)
  if (kind === 'word') return null
  if (kind === 'ambiguous' || entry === 'name') return 'ambiguous'
  if (isFormOf(word, isWord)) return kind === 'unknown' || word.length > 11 ? null : 'ambiguous'
  if (kind !== 'unknown') return kind
  if (!/[aeiouy]/.test(word) || NEVER_NAME.test(word)) return null
  if (word.length > 5 && isLogin(word)) return 'login'
  if (word.length > 7 && isCompound(word)) return 'compound'
  return SURNAME_END.test(word) ? 'surnameEnd' : 'unknown'
}

/** Returns what a folded word of three letters and more is; null for one that names nobody. */
export const rareKindOf = rememberWords(classify)
