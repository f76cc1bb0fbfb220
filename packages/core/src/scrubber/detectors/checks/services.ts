import { isPlaceholderWord } from '../../engine/placeholder-word.ts'
import { isRandom, shapeOf } from '../../engine/randomness.ts'
import { isBase58Check } from './base58.ts'
import { luhn } from './checksum.ts'

/** The checks of keys and secrets. Rules refer to a check by its name. */
export const serviceChecks = {
  base58Check: isBase58Check,
  luhn,
  placeholderWord: isPlaceholderWord,
  random: isRandom,
  /** Accepts a value that is random after its first word. With the first word, 1 key in 20 would not look random. */
  randomAfterWord: (value: string): boolean => isRandom(value.replace(/^[a-z]+_/, '')),
  /** Accepts a cookie whose value before the signature is random. */
  randomPart: (value: string): boolean => isRandom(value.replace(/^s(?:%3A|:)|[.=%].*$/g, '')),
  /** Accepts a long value whose beginning is random. */
  randomStart: (value: string): boolean => isRandom(value.slice(0, 60)),
  /** Accepts groups of letters that are not words. */
  randomLetters: (value: string): boolean => shapeOf(value.replace(/[ -]/g, '')).cost >= 5,
}
