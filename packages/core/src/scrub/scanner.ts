import { buildAutomaton, ENDS, SHIFT, type Automaton } from './automaton.ts'
import { beginsWord, isAlnum, GATES, kindAt } from './character.ts'
import { finders, type Finder } from './finders.ts'
import type { Finding, Rule } from './rule.ts'
import { rules } from './rules/index.ts'

interface Entry {
  readonly rule: Rule
  readonly find: Finder | undefined
  readonly length: number
  /** What of the keyword the automaton leaves to be compared. */
  readonly rest: string
  /** What the next character must be one of, see `GATES`; 0 for anything. */
  readonly gate: number
}

/**
 * The automaton knows so many characters of a keyword and the rest is compared: with whole keywords its table is two
 * megabytes and every step a miss of the processor's cache; with these it stays inside.
 */
const HEAD = 8

/** The table made ready: one automaton over every keyword, and what to try where one ends. */
export interface Scanner {
  readonly automaton: Automaton
  /** By state of the automaton. */
  readonly entries: readonly (readonly Entry[])[]
}

export function compileRules(table: readonly Rule[]): Scanner {
  const byWord = new Map<string, Entry[]>()
  for (const rule of table)
    for (const word of rule.keywords) {
      const entry = { rule, find: rule.finder ? finders[rule.finder] : undefined, length: Math.min(word.length, HEAD), rest: word.slice(HEAD), gate: word.length <= HEAD && rule.next ? GATES[rule.next] : 0 }
      if (rule.finder && !entry.find) throw new Error(`no finder ${rule.finder}`)
      const head = word.slice(0, HEAD)
      const list = byWord.get(head)
      if (list) list.push(entry)
      else byWord.set(head, [entry])
    }
  const automaton = buildAutomaton([...byWord.keys()])
  const lists = [...byWord.values()]
  return { automaton, entries: automaton.ends.map((words) => words.flatMap((word) => lists[word]!)) }
}

let shared: Scanner | undefined
/** The scanner of the whole table, built at the first call and kept: it holds no text. */
export const wholeTable = (): Scanner => (shared ??= compileRules(rules))

/**
 * Every finding whose keyword stands between `first` and `last` of one text, in the order in which their keywords end; they may overlap.
 * Reads the text once; what a keyword sets off is bounded in length, so the whole is linear in the text.
 * @param tick called about every 65,536 characters; throws to stop (see the time limit of `ScrubOptions`).
 */
export function scan(text: string, first: number, last: number, { automaton, entries }: Scanner, found: Finding[], tick?: () => void): void {
  const { columns, table } = automaton
  let state = 0
  for (let from = first; from < last; from += 65_536) {
    const to = Math.min(last, from + 65_536)
    tick?.()
    for (let i = from; i < to; i++) {
      const code = text.charCodeAt(i)
      state = table[(state << SHIFT) + columns[code]!]!
      if (state < ENDS) continue
      state -= ENDS
      const list = entries[state]!
      // Inside a run of digits: the number was looked at where it began.
      if (code < 58 && code > 47 && list.length === 1 && list[0]!.length === 1) {
        const previous = text.charCodeAt(i - 1)
        if (previous < 58 && previous > 47) continue
      }
      const next = kindAt(text, i + 1)
      for (let e = 0; e < list.length; e++) {
        const entry = list[e]!
        if (entry.gate === 0 || (next & entry.gate) !== 0) attempt(text, i + 1, entry, found)
      }
    }
  }
}

/** What a manual writes where a token goes. */
const FILLER = /x{8}|\*{4}|(?:^|[-_.])(?:your|example|placeholder)[-_]|0{12}|1234567890abcdef/i

function attempt(text: string, headEnd: number, { rule, find, length, rest }: Entry, found: Finding[]): void {
  const start = headEnd - length
  const end = headEnd + rest.length
  for (let i = 0; i < rest.length; i++) {
    let code = text.charCodeAt(headEnd + i)
    if (code > 64 && code < 91) code |= 32
    if (code !== rest.charCodeAt(i)) return
  }
  if (find) return find(text, start, end, rule, found)
  const pattern = rule.pattern!
  if (!rule.inside && isAlnum(text, start) && !beginsWord(text, start)) return
  pattern.lastIndex = start
  const match = pattern.exec(text)
  if (!match) return
  const stop = start + match[0].length
  const value = match[1] ?? match[2] ?? match[0]
  if (rule.valid && !rule.valid(value)) return
  if (rule.category === 'token' && FILLER.test(value)) return
  found.push({ start: stop - value.length, end: stop, rule, value })
}
