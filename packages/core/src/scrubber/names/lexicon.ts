import { CELLS } from './lexicon-cells.ts'

/**
 * What the lexicon knows of a word: a given name, a surname, both, a name that is a word or a place too, or a word that
 * is no name.
 */
export const WORD_KINDS = ['given', 'surname', 'both', 'ambiguous', 'word', 'unknown'] as const
export type WordKind = (typeof WORD_KINDS)[number]

/** The kinds that a cell can say; `unknown` is what no word of the lexicon has. */
const KINDS_OF_CELLS = 5
/** A cell is one character from `#` to `|`: a check of the word times its kind. */
export const CELL_VALUES = 90
export const FIRST_CELL = 35
const CHECKS = CELL_VALUES / KINDS_OF_CELLS

/** Returns the letters by which names are compared: in small letters, without marks. */
export const foldName = (name: string): string => (/^[A-Za-z ]*$/.test(name) ? name.toLowerCase() : foldMarks(name))

const foldMarks = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßøłıđðþæœ'’]/g, (letter) => LETTERS[letter]!)
const LETTERS: Readonly<Record<string, string>> = {
  'ß': 'ss',
  'ø': 'o',
  'ł': 'l',
  'ı': 'i',
  'đ': 'd',
  'ð': 'd',
  'þ': 'th',
  'æ': 'ae',
  'œ': 'oe',
  "'": '',
  '’': '',
}

/** The three cells whose sum says what a word is, and its check. */
export interface CellPlaces {
  readonly places: readonly [number, number, number]
  readonly check: number
}

/** Returns where in a table of three equal parts a folded word is looked up. */
export function placesOf(word: string, part: number): CellPlaces {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  const first = mix(hash)
  const second = mix(first + 0x9e3779b9)
  const third = mix(second + 0x9e3779b9)
  return {
    places: [first % part, part + (second % part), 2 * part + (third % part)],
    check: mix(third + 0x9e3779b9) % CHECKS,
  }
}

export function mix(value: number): number {
  let hash = value >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Returns what the sum of a word's cells is for a kind. */
export const sumOf = (check: number, kind: WordKind): number => check * KINDS_OF_CELLS + WORD_KINDS.indexOf(kind)

/**
 * Returns what a word is. A word that is not in the lexicon is `unknown`, but for one of 18, for which it says any of
 * the kinds.
 */
export function kindOf(word: string): WordKind {
  const { places, check } = placesOf(foldName(word), CELLS.length / 3)
  const sum = places.reduce((total, place) => total + CELLS.charCodeAt(place) - FIRST_CELL, 0) % CELL_VALUES
  return Math.floor(sum / KINDS_OF_CELLS) === check ? WORD_KINDS[sum % KINDS_OF_CELLS]! : 'unknown'
}
