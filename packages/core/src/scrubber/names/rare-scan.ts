import { bytes } from '../engine/bytes.ts'
import { entryOfHash, FIRST_HASH, hashLetter } from './dictionary.ts'
import { PUBLIC_NAMES } from './evidence.ts'
import { foldName } from './lexicon.ts'
import type { RareWord } from './rare-features.ts'
import { rareKindOf } from './rare-kinds.ts'

/** By byte: whether it is a small letter, a capital letter or beyond ASCII. */
const LETTERS = new Uint8Array(256)
const SMALL = 1
const CAPITAL = 2
LETTERS.fill(SMALL, 97, 123)
LETTERS.fill(CAPITAL, 65, 91)
const BEYOND = 0xff
LETTERS[BEYOND] = 3
const isSmall = (byte: number): boolean => LETTERS[byte] === SMALL
const isCapital = (byte: number): boolean => LETTERS[byte] === CAPITAL
/** A word of a text, its camel case split: `Voltmere`, `voltmere`, `VOLTMERE`. */
const WORD = /\p{Lu}?[\p{Ll}\p{M}]{2,}|\p{Lu}{3,}(?!\p{Ll})|\p{Lu}{2,}(?=\p{Lu}\p{Ll})/uy
const LONGEST = 40
/** The first character behind the letters of Latin scripts. */
const BEHIND_LATIN = 0x250

/** Hashes of words that name nobody, of which a few thousand are most of a text. */
const nobody = new Int32Array(8192)
const isNobody = (hash: number): boolean => nobody[hash & 8191] === hash

/** Calls `read` with each word of a part of a text, which stands in `bytes`, that no dictionary has. */
export function eachRareWord(text: string, from: number, to: number, read: (word: RareWord) => void): void {
  const length = to - from
  let i = 0
  // A word that began before this part was read with that.
  if (from > 0 && /[\p{L}\p{M}]/u.test(text[from - 1]!)) while (i < length && LETTERS[bytes[i]!] !== 0) i++
  while (i < length) {
    const first = bytes[i]!
    if (LETTERS[first] === 0) {
      i++
      continue
    }
    let hash = hashLetter(FIRST_HASH, first | 32)
    let end = i + 1
    let isAscii = first !== BEYOND
    if (isCapital(first) && isCapital(bytes[end]!)) {
      while (isCapital(bytes[end]!)) hash = hashLetter(hash, bytes[end++]! | 32)
      if (bytes[end] === BEYOND || isSmall(bytes[end]!)) isAscii = false
    } else for (let byte = bytes[end]!; LETTERS[byte] === SMALL; byte = bytes[++end]!) hash = hashLetter(hash, byte)
    if (bytes[end] === BEYOND) isAscii = false
    if (isAscii && end <= length) {
      if (end - i > 3 && end - i < LONGEST && !isNobody(hash))
        if (entryOfHash(hash) === 'word' || !readWord(text, from + i, from + end, read)) nobody[hash & 8191] = hash
      i = end
    } else i = readSlowly(text, from + i, read) - from
  }
}

/** Reads one word that has letters beyond ASCII or capital letters inside. Returns where the next one may begin. */
function readSlowly(text: string, start: number, read: (word: RareWord) => void): number {
  if (text.charCodeAt(start) >= BEHIND_LATIN) return start + 1
  WORD.lastIndex = start
  if (!WORD.test(text)) return start + 1
  const end = WORD.lastIndex
  if (end - start > 3 && end - start < LONGEST) readWord(text, start, end, read)
  return end
}

const isEscape = (text: string, start: number): boolean =>
  text.charCodeAt(start - 1) === 92 && 'nrt'.includes(text[start]!) && text.charCodeAt(start - 2) !== 92

/** Calls `read` with a word unless it names nobody. Returns whether it may name somebody elsewhere. */
function readWord(text: string, start: number, end: number, read: (word: RareWord) => void): boolean {
  if (isEscape(text, start)) {
    if (end - start > 4) readWord(text, start + 1, end, read)
    return true
  }
  const word = text.slice(start, end)
  const folded = foldName(word)
  const kind = /^[a-z]+$/.test(folded) && !PUBLIC_WORDS.has(folded) ? rareKindOf(folded) : null
  if (kind === null) return false
  const form = word === word.toUpperCase() ? 'capitals' : word === word.toLowerCase() ? 'small' : 'capitalized'
  read({ start, end, kind, form })
  return true
}

/** The surnames of people of public life. */
const PUBLIC_WORDS: ReadonlySet<string> = new Set(
  [...PUBLIC_NAMES].map((name) => name.slice(name.lastIndexOf(' ') + 1)).filter((word) => word.length > 5),
)

/**
 * Returns whether a word stands before the `@` of a mail address, in one of documents, is a package's scope, or owns a
 * module that is listed with its version.
 */
export function isInAddress(text: string, start: number, end: number): boolean {
  const behind = text.slice(end, end + 60)
  if (text[start - 1] === '@' && /^[\w.-]*\//.test(behind)) return true
  if (behind.includes(' v') && /^[\w-]*(?:\/[\w.-]+){1,4} v\d/.test(behind)) return true
  if (behind.includes('@') && /^[\w.+-]*@[\w-]+\.\w/.test(behind)) return true
  const before = text.slice(Math.max(0, start - 60), start)
  return before.includes('@') && /@[\w.-]*$/.test(before) && EXAMPLE.test(text.slice(start, end + 30))
}

const EXAMPLE = /(?:^|\.)example\.(?:com|org|net)\b/

const isAlnum = (code: number): boolean =>
  (code > 47 && code < 58) || (code > 64 && code < 91) || (code > 96 && code < 123)

/** Returns whether a word stands inside of what a program drew: letters amid digits, or a long run of base64. */
export function isInIdentifier(text: string, start: number, end: number): boolean {
  let [first, last] = [start, end]
  while (first > 0 && start - first < 60 && isAlnum(text.charCodeAt(first - 1))) first--
  while (last < text.length && last - end < 60 && isAlnum(text.charCodeAt(last))) last++
  if (first === start && last === end) return false
  const run = text.slice(first, last)
  return (
    (/\d/.test(run) && !/^[A-Za-z]+\d{1,4}$/.test(run)) ||
    !/^\d*(?:[A-Za-z]?[a-z]+|[A-Z]+)(?:[A-Z][a-z]+|[A-Z]+$)*\d{0,4}$/.test(run) ||
    (/[A-Z][a-z]?[A-Z]/.test(run) && /[a-z][A-Z]{1,2}[a-z]?[A-Z]/.test(run))
  )
}
