import { buildAutomaton, type Automaton } from './automaton.ts'
import { beginsWord } from './character.ts'
import { finders, type Finder } from './finders.ts'
import type { Finding, Rule } from './rule.ts'
import { rules } from './rules/index.ts'

interface Entry {
  readonly rule: Rule
  readonly find: Finder | undefined
  readonly length: number
}

/** The table made ready: one automaton over every keyword, and what to try where one ends. */
export interface Scanner {
  readonly automaton: Automaton
  readonly entries: readonly (readonly Entry[])[]
}

export function compileRules(table: readonly Rule[]): Scanner {
  const byWord = new Map<string, Entry[]>()
  for (const rule of table)
    for (const word of rule.keywords) {
      const entry = { rule, find: rule.finder ? finders[rule.finder] : undefined, length: word.length }
      if (rule.finder && !entry.find) throw new Error(`no finder ${rule.finder}`)
      const list = byWord.get(word)
      if (list) list.push(entry)
      else byWord.set(word, [entry])
    }
  return { automaton: buildAutomaton([...byWord.keys()]), entries: [...byWord.values()] }
}

let shared: Scanner | undefined
/** The scanner of the whole table, built at the first call and kept: it holds no text. */
export const wholeTable = (): Scanner => (shared ??= compileRules(rules))

/**
 * Every finding in one text, in the order in which their keywords end; they may overlap.
 * Reads the text once; what a keyword sets off is bounded in length, so the whole is linear in the text.
 * @param tick called about every 65,536 characters; throws to stop (see the time limit of `ScrubOptions`).
 */
export function scan(text: string, { automaton, entries }: Scanner, found: Finding[], tick?: () => void): void {
  const { columns, width, table, ends } = automaton
  const length = text.length
  let state = 0
  for (let from = 0; from < length; from += 65_536) {
    const to = Math.min(length, from + 65_536)
    tick?.()
    for (let i = from; i < to; i++) {
      const code = text.charCodeAt(i)
      state = table[state + (code < 128 ? columns[code]! : 0)]!
      if (state >= 0) continue
      state = ~state
      const words = ends[state / width]!
      for (let w = 0; w < words.length; w++) {
        const list = entries[words[w]!]!
        for (let e = 0; e < list.length; e++) attempt(text, i + 1, list[e]!, found)
      }
    }
  }
}

function attempt(text: string, end: number, { rule, find, length }: Entry, found: Finding[]): void {
  const start = end - length
  if (find) return find(text, start, end, rule, found)
  const pattern = rule.pattern!
  if (!rule.inside && !beginsWord(text, start)) return
  pattern.lastIndex = start
  const match = pattern.exec(text)
  if (!match) return
  const stop = start + match[0].length
  const value = match[1] ?? match[0]
  if (rule.valid && !rule.valid(value)) return
  found.push({ start: stop - value.length, end: stop, rule, value })
}
