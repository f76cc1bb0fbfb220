import { DICTIONARY } from './dictionary-cells.ts'
import { CELL_VALUES, FIRST_CELL, foldName, mix } from './lexicon.ts'

/** What the dictionary says of a word: a word alone, or a word that is a name too. */
export const ENTRIES = ['word', 'name'] as const
export type Entry = (typeof ENTRIES)[number]

const CHECKS = CELL_VALUES / ENTRIES.length
const STEP = 0x9e3779b9
const PART = DICTIONARY.length / 3

/** What a hash is before the first letter of a word, see `hashLetter`. */
export const FIRST_HASH = 0x811c9dc5
/** Returns the hash of a word with one letter more: a small letter of ASCII. */
export const hashLetter = (hash: number, letter: number): number => Math.imul(hash ^ letter, 0x01000193)

export function hashWord(word: string): number {
  let hash = FIRST_HASH
  for (let i = 0; i < word.length; i++) hash = hashLetter(hash, word.charCodeAt(i))
  return hash
}

/** Returns where in a table of three equal parts a word is looked up, and what the sum of its cells is for an entry. */
export function cellsOf(word: string, part: number, entry: Entry) {
  const first = mix(hashWord(word))
  const second = mix(first + STEP)
  const third = mix(second + STEP)
  const sum = (mix(third + STEP) % CHECKS) * ENTRIES.length + ENTRIES.indexOf(entry)
  return { places: [first % part, part + (second % part), 2 * part + (third % part)] as const, sum }
}

/** Returns what the dictionary says of the word with a hash. One of 45 words that it does not have gets an entry too. */
export function entryOfHash(hash: number): Entry | null {
  const first = mix(hash)
  const second = mix(first + STEP)
  const third = mix(second + STEP)
  const sum =
    (DICTIONARY.charCodeAt(first % PART) +
      DICTIONARY.charCodeAt(PART + (second % PART)) +
      DICTIONARY.charCodeAt(2 * PART + (third % PART)) -
      3 * FIRST_CELL) %
    CELL_VALUES
  return (sum / ENTRIES.length) >> 0 === mix(third + STEP) % CHECKS ? ENTRIES[sum % ENTRIES.length]! : null
}

/** Returns what the dictionary says of a word, marks and capital letters aside. */
export const entryOf = (word: string): Entry | null => entryOfHash(hashWord(foldName(word)))
