import { buildAutomaton, ENDS, SHIFT, type Automaton } from './automaton.ts'
import { bytes, PART } from './bytes.ts'
import { beginsWord, GATES, isAlnum, KINDS, kindAt } from './character.ts'
import { isPlainNumber, LONGEST_ESCAPE, mayFollowEscape } from './digits.ts'
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
  /** How many characters behind the keyword's end another must stand, and which; 0 for none. */
  readonly ahead: number
  readonly aheadByte: number
  /** It is tried only where a word begins. */
  readonly isBounded: boolean
}

/** What must stand around a keyword for a finder to find anything: checked first, since full stops are frequent. */
export interface FinderGate {
  /** One of `GATES`, for the character before the keyword. */
  readonly prior?: number
  /** A character of ASCII, so many behind the keyword's last one: at most `AHEAD`. */
  readonly ahead?: readonly [distance: number, char: string]
  /** Nothing is found inside a word. */
  readonly isBounded?: true
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
  /** By state: the length of its keywords where all are tried only at the beginning of a word; else 0. */
  readonly bounds: Uint8Array
  /** The keywords with characters beyond ASCII. */
  readonly unicode: UnicodeScanner
}

/** The bits of an entry of the automaton's table that are the state. */
const STATE = ENDS - 1
/** Shorter parts are read in one go. */
const SHORT = 128

/** In `nexts`: only the rule for numbers waits here, and it looks at a run of digits once, where it begins. */
const ONLY_NUMBER = 0x8000

/**
 * Compiles a table of rules. Takes some 20 ms, so a process does it once.
 * @param finders by the name that rules give in `finder`.
 * @param gates by the same names.
 */
export function compileRules(
  table: readonly Rule[],
  finders: Readonly<Record<string, Finder>>,
  gates: Readonly<Record<string, FinderGate>>,
): Scanner {
  const byWord = new Map<string, Entry[]>()
  for (const rule of table) {
    const long = isLong(rule)
    for (const word of rule.keywords) {
      if (isUnicodeKeyword(word)) continue
      const gate = gates[rule.finder ?? '']
      const [ahead, char] = gate?.ahead ?? [0, '']
      const entry: Entry = {
        rule,
        find: rule.finder ? finders[rule.finder] : undefined,
        length: Math.min(word.length, HEAD),
        rest: word.slice(HEAD),
        first: rule.pattern ? firstCharacter(rule.pattern, word) : 0,
        long,
        prior: gate?.prior ?? GATES.any,
        ahead,
        aheadByte: char.charCodeAt(0),
        isBounded: !rule.inside && (!rule.finder || gate?.isBounded === true),
        next: word.length <= HEAD && rule.next ? GATES[rule.next] : GATES.any,
      }
      if (rule.finder && !entry.find) throw new Error(`no finder ${rule.finder}`)
      const head = word.slice(0, HEAD)
      const list = byWord.get(head)
      if (list) list.push(entry)
      else byWord.set(head, [entry])
    }
  }
  const automaton = buildAutomaton([...byWord.keys()], '0123456789')
  const lists = [...byWord.values()]
  const entries = automaton.ends.map((words) => words.flatMap((word) => lists[word]!))
  const nexts = Uint16Array.from(entries, (list) =>
    list.reduce((mask, { next }) => mask | next, list.every(({ rule }) => rule.finder === 'number') ? ONLY_NUMBER : 0),
  )
  const bounds = Uint8Array.from(entries, (list) => {
    const length = list[0]?.length ?? 0
    return list.every((entry) => entry.isBounded && entry.length === length) ? length : 0
  })
  return { automaton, entries, nexts, bounds, unicode: compileUnicode(table, finders) }
}

const isLong = ({ pattern }: Rule): boolean =>
  [...(pattern?.source ?? '').matchAll(/\{\d*,(\d*)\}/g)].some(([, most]) => !most || Number(most) > 200)

/** Where keywords end in the four quarters of the part that is read, filled and emptied within one call. */
const quarters = [0, 1, 2, 3].map(() => new Int32Array(PART / 4 + SHORT))
const counts = new Int32Array(quarters.length)

/**
 * Returns every finding whose keyword ends between `from` and `to` of one text, at most `PART` characters, in the order
 * in which their keywords end; they may overlap. Reads the text once; what a keyword sets off is bounded in length, so
 * the whole is linear in the text. The part must stand in `bytes`.
 * @param state what the call for the part before returned; 0 where a part begins by itself.
 */
export function scan(text: string, from: number, to: number, scanner: Scanner, found: Finding[], state = 0): number {
  const end = collect(to - from, scanner.automaton, state)
  for (let q = 0; q < quarters.length; q++) tryAll(text, from, quarters[q]!, counts[q]!, scanner, found)
  scanUnicode(text, from, to, scanner.unicode, found)
  return end
}

/**
 * Fills `quarters` with the state and the place of each end of a keyword, their number into `counts`, and returns the
 * state behind the part. Each step of an automaton waits for the memory that the one before reads; so four quarters are
 * read at once, each from as far before it as a keyword is long. Every place is written, and one without a keyword is
 * overwritten by the next: a branch would be foreseen wrongly too often.
 */
function collect(length: number, { columns, table }: Automaton, state: number): number {
  // Constants of the function are read faster than those of a module.
  const [part, first, second, third, fourth] = [bytes, quarters[0]!, quarters[1]!, quarters[2]!, quarters[3]!]
  const quarter = length < SHORT ? 0 : length >> 2
  let [one, two, three, four] = [state, 0, 0, 0]
  if (quarter > 0)
    for (let i = quarter - HEAD; i < quarter; i++) {
      two = table[((two & STATE) << SHIFT) + columns[part[i]!]!]!
      three = table[((three & STATE) << SHIFT) + columns[part[quarter + i]!]!]!
      four = table[((four & STATE) << SHIFT) + columns[part[2 * quarter + i]!]!]!
    }
  else four = state
  let [firsts, seconds, thirds, fourths] = [0, 0, 0, 0]
  for (let i = 0; i < quarter; i++) {
    one = table[((one & STATE) << SHIFT) + columns[part[i]!]!]!
    two = table[((two & STATE) << SHIFT) + columns[part[quarter + i]!]!]!
    three = table[((three & STATE) << SHIFT) + columns[part[2 * quarter + i]!]!]!
    four = table[((four & STATE) << SHIFT) + columns[part[3 * quarter + i]!]!]!
    first[firsts] = (one << 16) | i
    second[seconds] = (two << 16) | (quarter + i)
    third[thirds] = (three << 16) | (2 * quarter + i)
    fourth[fourths] = (four << 16) | (3 * quarter + i)
    firsts += one >> 15
    seconds += two >> 15
    thirds += three >> 15
    fourths += four >> 15
  }
  for (let i = 4 * quarter; i < length; i++) {
    four = table[((four & STATE) << SHIFT) + columns[part[i]!]!]!
    fourth[fourths] = (four << 16) | i
    fourths += four >> 15
  }
  counts[0] = firsts
  counts[1] = seconds
  counts[2] = thirds
  counts[3] = fourths
  return four & STATE
}

function tryAll(
  text: string,
  from: number,
  ends: Int32Array,
  count: number,
  { entries, nexts, bounds }: Scanner,
  found: Finding[],
): void {
  const part = bytes
  for (let e = 0; e < count; e++) {
    const at = ends[e]! & 0xffff
    const state = (ends[e]! >>> 16) & STATE
    const next = KINDS[part[at + 1]!]!
    const gate = nexts[state]!
    if (
      (gate & next) === 0 ||
      // Inside a run of digits: the number was looked at where it began.
      (gate >= ONLY_NUMBER && at > 0 && ((KINDS[part[at - 1]!]! & GATES.digit) !== 0 || isPlainNumber(at))) ||
      isInsideWord(at, bounds[state]!)
    )
      continue
    tryHere(text, from, at, entries[state]!, next, found)
  }
}

/**
 * Returns whether a keyword of so many characters certainly stands inside a word, where no entry of its state is tried;
 * 0 for keywords that may. Most keywords of two and three letters do.
 */
function isInsideWord(at: number, length: number): boolean {
  if (length === 0) return false
  const start = at - length + 1
  return start > LONGEST_ESCAPE && (KINDS[bytes[start - 1]!]! & GATES.alnum) !== 0 && !mayFollowEscape(start)
}

function tryHere(text: string, from: number, at: number, list: readonly Entry[], next: number, found: Finding[]): void {
  for (let e = 0; e < list.length; e++) {
    const entry = list[e]!
    if (
      (entry.next & next) !== 0 &&
      (entry.ahead === 0 || bytes[at + entry.ahead] === entry.aheadByte) &&
      (entry.prior === GATES.any || (entry.prior & kindAt(text, from + at - entry.length)) !== 0)
    )
      attempt(text, from + at + 1, entry, found)
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
