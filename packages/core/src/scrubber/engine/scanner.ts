import { buildAutomaton, ENDS, SHIFT, type Automaton } from './automaton.ts'
import { bytes, PART } from './bytes.ts'
import { beginsWord, GATES, isAlnum, KINDS, kindAt } from './character.ts'
import { isPlainNumber } from './digits.ts'
import { firstCharacter } from './first-character.ts'
import { compileUnicode, isUnicodeKeyword, scanUnicode, type UnicodeScanner } from './unicode-scanner.ts'
import { isSpent, succeed } from './scan-progress.ts'
import type { Finder, Finding, Rule } from './rule.ts'

interface Entry {
  readonly rule: Rule
  readonly find: Finder | undefined
  readonly length: number
  /** The code of the character that a match begins with; 0 where the pattern does not tell. */
  readonly first: number
  /** What of the keyword the automaton leaves to be compared. */
  readonly rest: string
  /** Its pattern may read hundreds of characters before it fails or ends. */
  readonly long: boolean
  /** What the characters before and after the keyword must be one of, see `GATES`. */
  readonly prior: number
  readonly next: number
}

/**
 * The automaton knows so many characters of a keyword and the rest is compared: with whole keywords its table is two
 * megabytes and every step a miss of the processor's cache; with these it stays inside.
 */
const HEAD = 8

/** A compiled table of rules: one automaton over every keyword, and the rules to try where a keyword ends. */
export interface Scanner {
  readonly automaton: Automaton
  /** By state of the automaton. */
  readonly entries: readonly (readonly Entry[])[]
  /** By state: what the next character must be one of for any entry of it to be tried; `DIGIT` beside it, see there. */
  readonly nexts: Uint16Array
  /** The keywords with characters beyond ASCII. */
  readonly unicode: UnicodeScanner
}

/** In `nexts`: only the rule for numbers waits here, and it looks at a run of digits once, where it begins. */
const ONLY_NUMBER = 0x8000

/**
 * Compiles a table of rules. Takes some 20 ms, so a process does it once.
 * @param finders by the name that rules give in `finder`.
 * @param priorGates by the same names: what must stand before the keyword.
 */
export function compileRules(
  table: readonly Rule[],
  finders: Readonly<Record<string, Finder>>,
  priorGates: Readonly<Record<string, number>>,
): Scanner {
  const byWord = new Map<string, Entry[]>()
  for (const rule of table)
    for (const word of rule.keywords) {
      if (isUnicodeKeyword(word)) continue
      const entry: Entry = {
        rule,
        find: rule.finder ? finders[rule.finder] : undefined,
        length: Math.min(word.length, HEAD),
        rest: word.slice(HEAD),
        first: rule.pattern ? firstCharacter(rule.pattern, word) : 0,
        long: isLong(rule),
        prior: priorGates[rule.finder ?? ''] ?? GATES.any,
        next: word.length <= HEAD && rule.next ? GATES[rule.next] : GATES.any,
      }
      if (rule.finder && !entry.find) throw new Error(`no finder ${rule.finder}`)
      const head = word.slice(0, HEAD)
      const list = byWord.get(head)
      if (list) list.push(entry)
      else byWord.set(head, [entry])
    }
  const automaton = buildAutomaton([...byWord.keys()], '0123456789')
  const lists = [...byWord.values()]
  const entries = automaton.ends.map((words) => words.flatMap((word) => lists[word]!))
  const nexts = Uint16Array.from(entries, (list) =>
    list.reduce((mask, { next }) => mask | next, list.every(({ rule }) => rule.finder === 'number') ? ONLY_NUMBER : 0),
  )
  return { automaton, entries, nexts, unicode: compileUnicode(table, finders) }
}

const isLong = ({ pattern }: Rule): boolean =>
  [...(pattern?.source ?? '').matchAll(/\{\d*,(\d*)\}/g)].some(([, most]) => !most || Number(most) > 200)

/** Where keywords end in the part that is read, each with its state: filled and emptied within one call. */
const first = new Int32Array(PART + 2)
const second = new Int32Array(PART + 2)

/**
 * Returns every finding whose keyword ends between `from` and `to` of one text, at most `PART` characters, in the order
 * in which their keywords end; they may overlap. Reads the text once; what a keyword sets off is bounded in length, so
 * the whole is linear in the text. The part must stand in `bytes`.
 * @param state what the call for the part before returned; 0 where a part begins by itself.
 */
export function scan(text: string, from: number, to: number, scanner: Scanner, found: Finding[], state = 0): number {
  const end = collect(to - from, scanner.automaton, state)
  tryAll(text, from, first, scanner, found)
  tryAll(text, from, second, scanner, found)
  scanUnicode(text, from, to, scanner.unicode, found)
  return end
}

/**
 * Fills `first` and `second`, the number of entries at 0, and returns the state behind the part. Each step of an
 * automaton waits for the one before; so two halves are read at once, the second from as far before it as a keyword is
 * long.
 */
function collect(length: number, { columns, table }: Automaton, state: number): number {
  // Constants of the function are read faster than those of a module.
  const [part, left, right] = [bytes, first, second]
  const half = length < 64 ? 0 : length >> 1
  let [one, two] = [1, 1]
  let other = 0
  for (let i = half - HEAD; i < half; i++) if (half > 0) other = table[(other << SHIFT) + columns[part[i]!]!]! & ~ENDS
  for (let i = 0; i < half; i++) {
    state = table[(state << SHIFT) + columns[part[i]!]!]!
    other = table[(other << SHIFT) + columns[part[half + i]!]!]!
    if (state + other < ENDS) continue
    if (state >= ENDS) {
      state -= ENDS
      left[one] = i
      left[one + 1] = state
      one += 2
    }
    if (other >= ENDS) {
      other -= ENDS
      right[two] = half + i
      right[two + 1] = other
      two += 2
    }
  }
  if (half > 0) state = other
  for (let i = 2 * half; i < length; i++) {
    state = table[(state << SHIFT) + columns[part[i]!]!]!
    if (state < ENDS) continue
    state -= ENDS
    right[two] = i
    right[two + 1] = state
    two += 2
  }
  left[0] = one
  right[0] = two
  return state
}

function tryAll(text: string, from: number, hits: Int32Array, { entries, nexts }: Scanner, found: Finding[]): void {
  const count = hits[0]!
  for (let h = 1; h < count; h += 2) {
    const at = hits[h]!
    const state = hits[h + 1]!
    const next = KINDS[bytes[at + 1]!]!
    const gate = nexts[state]!
    // Inside a run of digits: the number was looked at where it began.
    if (
      (gate & next) === 0 ||
      (gate >= ONLY_NUMBER &&
        ((from + at > 0 && (kindAt(text, from + at - 1) & GATES.digit) !== 0) || (at > 0 && isPlainNumber(at))))
    )
      continue
    tryHere(text, from + at, entries[state]!, next, found)
  }
}

function tryHere(text: string, at: number, list: readonly Entry[], next: number, found: Finding[]): void {
  for (let e = 0; e < list.length; e++) {
    const entry = list[e]!
    if (
      (entry.next & next) !== 0 &&
      (entry.prior === GATES.any || (entry.prior & kindAt(text, at - entry.length)) !== 0)
    )
      attempt(text, at + 1, entry, found)
  }
}

/** What a manual writes where a token goes. */
const FILLER = /x{8}|\*{4}|(?:^|[-_.])(?:your|example|placeholder)[-_]|0{12}|1234567890abcdef/i

function attempt(
  text: string,
  headEnd: number,
  { rule, find, length, first, rest, long }: Entry,
  found: Finding[],
): void {
  const start = headEnd - length
  if (first !== 0 && text.charCodeAt(start) !== first) return
  const end = headEnd + rest.length
  for (let i = 0; i < rest.length; i++) {
    let code = text.charCodeAt(headEnd + i)
    if (code > 64 && code < 91) code |= 32
    if (code !== rest.charCodeAt(i)) return
  }
  if (find) return find(text, start, end, rule, found)
  const pattern = rule.pattern!
  if (!rule.inside && isAlnum(text, start) && !beginsWord(text, start)) return
  if (long && isSpent(text, start, rule.id, found)) return
  pattern.lastIndex = start
  const match = pattern.exec(text)
  if (!match) return
  const stop = start + match[0].length
  if (long) succeed(start, stop, rule.id, found)
  const value = match[1] ?? match[2] ?? match[0]
  if (rule.valid && !rule.valid(value)) return
  if (rule.category === 'token' && FILLER.test(value)) return
  found.push({ start: stop - value.length, end: stop, rule, value })
}
