import type { Finder, Finding, Rule } from './rule.ts'

interface Entry {
  readonly word: string
  /** The index in the word of its first character beyond Latin-1. */
  readonly offset: number
  readonly rule: Rule
  readonly find: Finder | undefined
  /** The small form of a sigma depends on whether it ends its word. */
  readonly hasSigma: boolean
}

/**
 * Returns whether the automaton leaves a keyword out: its tables hold ASCII, and the letters of every script would
 * double their width.
 */
export const isUnicodeKeyword = (word: string): boolean => /[^\x00-\x7f]/.test(word)

/** How much of the part before is read again, so that a keyword across the border is seen. */
const LONGEST = 24

/**
 * The scripts in question and the crossings of tables, without arrows and emoji, which English texts have too: read in
 * a fraction of the time.
 */
const SCRIPT = /[\u253c\u256a\u0100-\u0fff\u1e00-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/

/** The keywords with characters beyond ASCII, by the code of the first such character. */
export interface UnicodeScanner {
  readonly entries: ReadonlyMap<number, readonly Entry[]>
  /** By code: 1 for one of these characters. */
  readonly triggers: Uint8Array
}

export function compileUnicode(rules: readonly Rule[], finders: Readonly<Record<string, Finder>>): UnicodeScanner {
  const table = new Map<number, Entry[]>()
  for (const rule of rules)
    for (const word of rule.keywords.filter(isUnicodeKeyword)) {
      const offset = word.search(/[^\x00-\xff]/)
      if (offset < 0) throw new Error(`${word}: a keyword outside of ASCII needs a character beyond Latin-1`)
      const first = word[offset]!
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

/**
 * Tries the keywords of other scripts, each by its first character beyond Latin-1. A text of one byte a character, as
 * V8 keeps ASCII and Latin-1, holds no such character, and V8 knows that without reading it.
 */
export function scanUnicode(
  text: string,
  first: number,
  last: number,
  { entries, triggers }: UnicodeScanner,
  found: Finding[],
): void {
  const from = Math.max(0, first - LONGEST)
  const part = from === 0 && last === text.length ? text : text.slice(from, last)
  if (!SCRIPT.test(part)) return
  for (let i = 0; i < part.length; i++) {
    const code = part.charCodeAt(i)
    if (code < 256 || triggers[code] === 0) continue
    for (const { word, offset, rule, find, hasSigma } of entries.get(code)!) {
      const start = from + i - offset
      const end = start + word.length
      if (start < 0 || end <= first || end > last) continue
      if (hasSigma ? text.slice(start, end).toLowerCase() !== word : !standsAt(text, start, word)) continue
      if (find) {
        find(text, start, end, rule, found)
        continue
      }
      rule.pattern!.lastIndex = start
      const hit = rule.pattern!.exec(text)
      const value = hit && (hit[1] ?? hit[2] ?? hit[0])
      if (!value || (rule.valid && !rule.valid(value))) continue
      found.push({ start: start + hit[0].length - value.length, end: start + hit[0].length, rule, value })
    }
  }
}

/** By code: the small letter, 0 where it was not asked for yet. */
const smallLetters = new Uint16Array(65_536)

/** Returns the code of the small letter of one; of a letter whose small form is two, the code itself. */
function smallLetter(code: number): number {
  const known = smallLetters[code]!
  if (known !== 0) return known
  const small = String.fromCharCode(code).toLowerCase()
  return (smallLetters[code] = small.length === 1 ? small.charCodeAt(0) : code)
}

/** Returns whether a word is at a place of a text, in either case. */
function standsAt(text: string, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (smallLetter(text.charCodeAt(at + i)) !== word.charCodeAt(i)) return false
  return true
}
