import { finders, type Finder } from './finders.ts'
import type { Finding, Rule } from './rule.ts'
import { rules } from './rules/index.ts'

interface Entry {
  readonly word: string
  /** Where in the word its first character beyond Latin-1 stands. */
  readonly offset: number
  readonly rule: Rule
  readonly find: Finder | undefined
}

/** A keyword that the automaton does not know: its tables are of ASCII, and the letters of every script in them would double their width. */
export const isForeign = (word: string): boolean => /[^\x00-\x7f]/.test(word)

/** How much of the part before is read again, so that a keyword across the border is seen. */
const LONGEST = 24

/** The scripts in question, without punctuation, arrows and emoji, which English texts have too: read in a fraction of the time. */
const SCRIPT = /[\u0100-\u0fff\u1e00-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/

const table = new Map<string, Entry[]>()
let triggers: RegExp | undefined

function compile(): RegExp {
  for (const rule of rules)
    for (const word of rule.keywords.filter(isForeign)) {
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
  return new RegExp(`[${[...table.keys()].join('')}]`, 'g')
}

/**
 * The keywords of other scripts, each by its first character beyond Latin-1. No such character can stand in a text of one
 * byte a character, as the engine keeps ASCII and Latin-1, and it knows that without reading it.
 */
export function scanForeign(text: string, first: number, last: number, found: Finding[]): void {
  triggers ??= compile()
  const from = Math.max(0, first - LONGEST)
  const part = from === 0 && last === text.length ? text : text.slice(from, last)
  if (!SCRIPT.test(part)) return
  triggers.lastIndex = 0
  for (let match = triggers.exec(part); match; match = triggers.exec(part)) {
    const at = from + match.index
    for (const { word, offset, rule, find } of table.get(match[0])!) {
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
