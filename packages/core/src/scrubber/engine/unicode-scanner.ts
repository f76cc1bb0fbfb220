import type { Finder, Finding, Rule } from './rule.ts'

interface Entry {
  readonly word: string
  /** Where in the word its first character beyond Latin-1 stands. */
  readonly offset: number
  readonly rule: Rule
  readonly find: Finder | undefined
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

/** The keywords with characters beyond ASCII, by the first such character. */
export interface UnicodeScanner {
  readonly entries: ReadonlyMap<string, readonly Entry[]>
  readonly triggers: RegExp
}

export function compileUnicode(rules: readonly Rule[], finders: Readonly<Record<string, Finder>>): UnicodeScanner {
  const table = new Map<string, Entry[]>()
  for (const rule of rules)
    for (const word of rule.keywords.filter(isUnicodeKeyword)) {
      const offset = word.search(/[^\x00-\xff]/)
      if (offset < 0) throw new Error(`${word}: a keyword outside of ASCII needs a character beyond Latin-1`)
      const first = word[offset]!
      for (const key of new Set([first, first.toUpperCase()])) {
        const list = table.get(key)
        const entry = { word, offset, rule, find: rule.finder ? finders[rule.finder] : undefined }
        if (list) list.push(entry)
        else table.set(key, [entry])
      }
    }
  return { entries: table, triggers: new RegExp(`[${[...table.keys()].join('')}]`, 'g') }
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
  triggers.lastIndex = 0
  for (let match = triggers.exec(part); match; match = triggers.exec(part)) {
    const at = from + match.index
    for (const { word, offset, rule, find } of entries.get(match[0])!) {
      const start = at - offset
      const end = start + word.length
      if (start < 0 || end <= first || end > last || text.slice(start, end).toLowerCase() !== word) continue
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
