import { AROUND, placesBeyond, type Part } from './character.ts'
import { matchRule, type Finder, type Findings } from './findings.ts'
import type { CompiledRule } from './rule.ts'

interface Entry {
  readonly word: string
  /** The index in the word of its first character beyond Latin-1. */
  readonly offset: number
  readonly rule: CompiledRule
  readonly find: Finder | undefined
  /** True if the word contains a sigma, which has another lower-case form at the end of a word. */
  readonly hasSigma: boolean
}

/**
 * Returns whether a keyword is not in the scanner's table. The table is only for ASCII, because the letters of all
 * scripts would double its width.
 */
export const isUnicodeKeyword = (word: string): boolean => /[^\x00-\x7f]/.test(word)

/** The keywords with characters beyond ASCII, by the code of the first such character. */
export interface UnicodeScanner {
  readonly entries: ReadonlyMap<number, readonly Entry[]>
  /** For each character code: 1 if `entries` has keywords for this character. */
  readonly triggers: Uint8Array
}

export function compileUnicode(
  rules: readonly CompiledRule[],
  finders: Readonly<Record<string, Finder>>,
): UnicodeScanner {
  const table = new Map<number, Entry[]>()
  for (const rule of rules)
    for (const word of rule.keywords.filter(isUnicodeKeyword)) {
      const offset = word.search(/[^\x00-\xff]/)
      if (offset < 0) throw new Error(`${word}: a keyword outside of ASCII needs a character beyond Latin-1`)
      const first = word.charAt(offset)
      for (const key of new Set([first.charCodeAt(0), first.toUpperCase().charCodeAt(0)])) {
        const list = table.get(key)
        const find = rule.finder ? finders[rule.finder] : undefined
        const entry = { word, offset, rule, find, hasSigma: /[σς]/.test(word) }
        if (list) list.push(entry)
        else table.set(key, [entry])
      }
    }
  const triggers = new Uint8Array(65_536)
  for (const code of table.keys()) triggers[code] = 1
  return { entries: table, triggers }
}

/** Tries the keywords of other scripts in the part in `bytes`, each at its first character beyond Latin-1. */
export function scanUnicode(
  { text, from: first, to: last }: Part,
  { entries, triggers }: UnicodeScanner,
  found: Findings,
): void {
  for (const at of placesBeyond(first, first - AROUND, last)) {
    const code = text.charCodeAt(at)
    if (triggers[code] === 0) continue
    for (const { word, offset, rule, find, hasSigma } of entries.get(code) ?? []) {
      const start = at - offset
      const end = start + word.length
      if (start < 0 || end <= first || end > last) continue
      if (hasSigma ? text.slice(start, end).toLowerCase() !== word : !standsAt(text, start, word)) continue
      if (find) {
        find({ text, start, end, rule, found })
        continue
      }
      const hit = matchRule({ text, start, rule })
      const value = hit && (hit[1] ?? hit[2] ?? hit[0])
      if (!value || (rule.valid && !rule.valid(value))) continue
      found.push({ start: start + hit[0].length - value.length, end: start + hit[0].length, rule, value })
    }
  }
}

/** For each character code: the code of the lower-case letter. 0 means that this code is not computed yet. */
const smallLetters = new Uint16Array(65_536)

/** Returns the code of a character in lower case, or its own code if the lower-case form has two characters. */
function smallLetter(code: number): number {
  const known = smallLetters[code]!
  if (known !== 0) return known
  const small = String.fromCharCode(code).toLowerCase()
  return (smallLetters[code] = small.length === 1 ? small.charCodeAt(0) : code)
}

/** Returns whether a text contains a word at an index, in upper or lower case. */
function standsAt(text: string, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (smallLetter(text.charCodeAt(at + i)) !== word.charCodeAt(i)) return false
  return true
}
