import { AROUND, blockAt, blockOf, BLOCKS, columnAt, COLUMNS, DIGITS, GATES, KINDS, WIDTH } from './character.ts'
import type { Finder } from './findings.ts'
import { firstCharacter } from './first-character.ts'
import { emptyRule, compileCondition, type CompiledRule, type Rule, type Check } from './rule.ts'

/** A keyword with its rules. The scanner finds the keyword by one of its blocks of three characters. */
export interface Keyword {
  /** The keyword's index in `keywords` of the scanner. */
  readonly index: number
  /** The word in lower case. It is empty if the block alone identifies the keyword. */
  readonly word: string
  readonly length: number
  /** The distance from the beginning of the keyword to the last character of the block. */
  readonly back: number
  /** True if no rule of the keyword is tried inside a word. */
  isBounded: boolean
  /** True if a scan records the positions of the keyword. */
  isMark: boolean
  readonly entries: Entry[]
  /** The columns that may precede and follow the block. */
  readonly before: readonly number[]
  readonly behind: readonly number[]
}

export interface Entry {
  readonly rule: CompiledRule
  readonly find: Finder | undefined
  /** The code of the first character of a match, or 0 if the pattern allows several first characters. */
  readonly first: number
  /** True if the pattern may read hundreds of characters before it matches or fails. */
  readonly long: boolean
  /** The required kinds of the characters before and after the keyword. See `GATES`. */
  readonly prior: number
  readonly next: number
  /** The distance from the last character of the keyword to another required character (`aheadByte`), or 0. */
  readonly ahead: number
  readonly aheadByte: number
  /** True if the rule is tried only where a word begins. */
  readonly isBounded: boolean
}

/**
 * The characters that a finder requires around a keyword. They are checked first, because keywords such as a dot are
 * frequent.
 */
export interface FinderGate {
  /** The required kind of the character before the keyword: one of the values of `GATES`. */
  readonly prior?: number
  /** A required ASCII character, and its distance from the last character of the keyword, at most `AROUND`. */
  readonly ahead?: readonly [distance: number, char: string]
  /** True if the finder finds nothing inside a word. */
  readonly isBounded?: true
}

/**
 * A compiled table of rules. The scanner searches each keyword by its rarest block of three characters. One look-up for
 * each position of a text shows whether the block of a keyword ends there. At most positions, no such block ends.
 */
export interface Scanner {
  /**
   * One bit for each possible block: 1 for the block of a keyword. A table with one byte for each block would not fit
   * into the fastest cache of a processor.
   */
  readonly isBlock: Int32Array
  /** For each block: the index of its list of keywords. */
  readonly lists: Uint16Array
  /** For each list: the index of its first keyword in `members`. The last entry is the length of `members`. */
  readonly starts: Int32Array
  /** The keywords of all lists, as indexes in `keywords`. */
  readonly members: Int32Array
  /**
   * For each entry of `members`: the character that is compared first, and its distance from the end of the block, in
   * one number.
   */
  readonly probes: Int32Array
  readonly keywords: readonly Keyword[]
  /**
   * `letters` contains the letters of all keywords. `spans` contains three numbers for each keyword: the index of its
   * first letter, the number of its letters, and `back`. Numbers in arrays are read faster than objects.
   */
  readonly letters: Uint8Array
  readonly spans: Int32Array
  /**
   * For each list, two bit masks of two numbers each: the columns that may precede its block, and the columns that may
   * follow its block.
   */
  readonly besides: Int32Array
  /** The keywords with characters beyond ASCII. */
  readonly unicode: UnicodeScanner
}

/** The keyword of rules for numbers. It represents all digits. */
const NUMBER = '0'
const charOf = (column: number): string => String.fromCharCode(COLUMNS.lastIndexOf(column))
const ALL_COLUMNS = Array.from({ length: 1 << WIDTH }, (_, column) => column)

/** For each column: the classes that its characters may have. */
const KINDS_OF_COLUMN = ALL_COLUMNS.map((column) =>
  COLUMNS.reduce((kinds, own, code) => (own === column ? kinds | KINDS[code]! : kinds), 0),
)
const mayBe = (column: number, kind: number): boolean => (KINDS_OF_COLUMN[column]! & kind) !== 0
const columnsOf = (kind: number): number[] => ALL_COLUMNS.filter((column) => mayBe(column, kind))
const COLUMNS_OF_KIND = new Map(Object.values(GATES).map((kind) => [kind, columnsOf(kind)]))
/** The columns that may precede a word. They include only those letters and digits with which an escape may end. */
const BEFORE_WORD = ALL_COLUMNS.filter(
  (column) => !mayBe(column, GATES.alnum & ~GATES.hex) || 'mnrtvabcdef0'.includes(charOf(column)),
)
/**
 * The columns that may precede a number: not digits, because a number is read from its first digit, nor a full stop or
 * an underscore.
 */
const BEFORE_NUMBER = ALL_COLUMNS.filter((column) => ![DIGITS, COLUMNS[46], COLUMNS[95]].includes(column))

/** The frequency of characters in prose and code, per thousand. The frequency of any other character is 1. */
const OFTEN =
  ' 150 e90 t70 a62 o58 i56 n55 s55 r50 l33 d30 c28 u24 m22 p22 h25 f16 g15 y12 b12 w10 v9 k7 x3 030 "15 _10 .12 /10 -10 :9 ,9 =6 (6 )6 \\9 <3 >3 |3'
const SHARES: number[] = []
for (const [, char = '', share] of OFTEN.matchAll(/(.)(\d\d?\d?)(?: |$)/g)) SHARES[columnAt(char, 0)] = Number(share)
const shareOf = (column: number): number => SHARES[column] ?? 1
/** Groups of three letters that are frequent in prose and code, the most frequent first. */
const frequentBlocks: readonly string[] = Array.from(
  `
ionthetioentconingseressatianduseproforatessiageonsestresstastrerrectsiocomalltriassghtamectiturighdattorfunnteers
rinchefliuncligsesilenceyouineontecocanngerettypetuistypenammenurnreatenvalfilchaithoolnotodeanceseoryitincthatide
posgenterpecstotimrrooleparimehandernstrorverblespethiengathsitervpatvattininswitlintedtoombeberintcalgetailrovang
rvaluerolteshisvidmarrecaluablbasoviosioursseortonosinargnomomyirecodatagerarsmmaasemesginpasnumommcstjecledvarpri
stisenundouttrantsromherdesndetatonemodporouneatindecsextmaninaneslascrethatanachranumbeadexpdirmatainthoferoriobj
renantrigertequhececknatactormopeivegeslenclaackceserefrotaihouhas
`
    .replaceAll('\n', '')
    .matchAll(/.../g),
  ([block]) => block,
)

const RANKS = new Map(frequentBlocks.map((block, rank) => [blockAt(block, 0), rank]))

/** Returns the frequency of a character after another character. Most digits follow a digit. */
const shareAfter = (before: number, column: number): number =>
  before === DIGITS && column === DIGITS ? 500 : shareOf(column)

/** Returns how often the block at an index of a word occurs in about a million characters. */
function frequencyOf(word: string, at: number): number {
  const rank = RANKS.get(blockAt(word, at))
  if (rank !== undefined) return 120_000 / (rank + 25)
  const [first, second, third] = [columnAt(word, at), columnAt(word, at + 1), columnAt(word, at + 2)]
  const product = shareOf(first) * shareAfter(first, second) * shareAfter(second, third) * 1e-3
  return Math.max(first, second, third) < DIGITS && first * second * third > 0 ? Math.min(product, 190) : product
}

/** Returns the index at which the rarest block of a keyword ends. The keyword must have at least three characters. */
function rarestBlock(word: string, lists: Uint16Array): number {
  let [best, least] = [2, Infinity]
  for (let at = 0; at + 2 < word.length; at++) {
    const frequency = frequencyOf(word, at) * (lists[blockAt(word, at)] === 0 ? 1 : 0.8)
    if (frequency < least) [best, least] = [at + 2, frequency]
  }
  return best
}

/** The `next` condition of a rule applies only to keywords of up to this length. */
const GATED = 8

/** The functions to which rules refer by name. */
export interface NamedFunctions {
  /** The finders. The name of a finder is in `finder` of a rule. */
  readonly finders: Readonly<Record<string, Finder>>
  /** The required characters around keywords, by the name of a finder. */
  readonly gates: Readonly<Record<string, FinderGate>>
  /** The checks. The name of a check is in `valid` of a rule. */
  readonly checks: Readonly<Record<string, Check>>
}

/**
 * Compiles a table of rules. This takes a few milliseconds, so a process does it once.
 * @param marks words of at least three letters. A scan records their positions.
 */
export function compileRules(
  rules: readonly Rule[],
  { finders, gates, checks }: NamedFunctions,
  marks: readonly string[] = [],
): Scanner {
  const table = rules.map((rule) => ({
    ...emptyRule,
    ...rule,
    valid: rule.valid === undefined ? undefined : compileCondition(rule.valid, checks),
  }))
  const isBlock = new Int32Array(BLOCKS >> 5)
  const lists = new Uint16Array(BLOCKS)
  const groups: Keyword[][] = [[]]
  const words = new Map<string, Keyword>()
  const put = (block: number, keyword: Keyword): void => {
    isBlock[block >> 5]! |= 1 << block
    if (lists[block] === 0) lists[block] = groups.push([]) - 1
    groups[lists[block]!]!.push(keyword)
  }
  const add = (word: string, prior: number, next: number, entry?: Entry): void => {
    const key = word.length < 3 ? `${word} ${prior} ${next}` : word
    const same = words.get(key)
    const isBounded = entry?.isBounded ?? false
    if (same) {
      if (entry) same.entries.push(entry)
      same.isBounded &&= isBounded
      same.isMark ||= !entry
      return
    }
    const { length } = word
    const back = length < 3 ? length : rarestBlock(word, lists)
    const before = back > 2 && length > 2 ? [columnAt(word, back - 3)] : ALL_COLUMNS
    const behind = back + 1 < length ? [columnAt(word, back + 1)] : ALL_COLUMNS
    const keyword: Keyword = {
      index: words.size,
      word: word === NUMBER ? '' : word,
      length,
      back,
      before,
      behind,
      isBounded,
      isMark: !entry,
      entries: entry ? [entry] : [],
    }
    words.set(key, keyword)
    const ends = COLUMNS_OF_KIND.get(next) ?? ALL_COLUMNS
    if (length > 2) put(blockAt(word, back - 2), keyword)
    else if (length === 2) for (const end of ends) put(blockOf(columnAt(word, 0), columnAt(word, 1), end), keyword)
    else
      for (const start of word === NUMBER ? BEFORE_NUMBER : (COLUMNS_OF_KIND.get(prior) ?? ALL_COLUMNS))
        for (const end of ends) put(blockOf(start, columnAt(word, 0), end), keyword)
  }
  for (const rule of table) {
    const long = isLong(rule)
    const gate = gates[rule.finder ?? '']
    const [ahead, char] = gate?.ahead ?? [0, '']
    const find = rule.finder ? finders[rule.finder] : undefined
    if (rule.finder && !find) throw new Error(`no finder ${rule.finder}`)
    const prior = gate?.prior ?? GATES.any
    const isBounded = !rule.inside && (!rule.finder || gate?.isBounded === true)
    for (const word of rule.keywords) {
      if (isUnicodeKeyword(word)) continue
      const next = word.length <= GATED && rule.next ? GATES[rule.next] : GATES.any
      const first = rule.pattern ? firstCharacter(rule.pattern, word) : 0
      add(word, prior, next, { rule, find, first, long, prior, next, ahead, aheadByte: char.charCodeAt(0), isBounded })
    }
  }
  for (const word of marks) add(word, GATES.any, GATES.any)
  return { isBlock, lists, ...layOut(groups, [...words.values()]), unicode: compileUnicode(table, finders) }
}

/** Converts lists of keywords to arrays of numbers, which a scan reads faster than objects. */
function layOut(
  groups: readonly (readonly Keyword[])[],
  keywords: readonly Keyword[],
): Omit<Scanner, 'isBlock' | 'lists' | 'unicode'> {
  const starts = new Int32Array(groups.length + 1)
  const members: number[] = []
  const probes: number[] = []
  for (const [list, group] of groups.entries()) {
    for (const keyword of group) {
      members.push(keyword.index)
      probes.push(probeOf(keyword))
    }
    starts[list + 1] = members.length
  }
  const text = keywords.map(({ word }) => word).join('')
  const letters = Uint8Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
  const spans = new Int32Array(3 * keywords.length)
  let at = 0
  for (const [i, { word, back }] of keywords.entries()) {
    spans.set([at, word.length, back], 3 * i)
    at += word.length
  }
  return {
    starts,
    members: Int32Array.from(members),
    probes: Int32Array.from(probes),
    keywords,
    letters,
    spans,
    besides: besidesOf(groups),
  }
}

/**
 * The maximum distance from the end of a block to the character that is compared first. Up to this distance, the
 * character is always in `bytes`.
 */
export const FARTHEST = AROUND - 4
export const PROBE_SHIFT = 8

/** Returns the rarest character of a keyword outside its block, or `NO_PROBE` if the keyword has no other character. */
function probeOf({ word, back }: Keyword): number {
  let [distance, least] = [0, Infinity]
  for (let i = 0; i < word.length; i++) {
    const share = shareOf(columnAt(word, i))
    if ((i <= back && i >= back - 2) || Math.abs(i - back) > FARTHEST || share >= least) continue
    ;[distance, least] = [i - back, share]
  }
  return least === Infinity ? NO_PROBE : ((distance + FARTHEST) << PROBE_SHIFT) | word.charCodeAt(back + distance)
}
/** The probe of a keyword without characters outside its block. No character is compared first. */
export const NO_PROBE = -1

/** Returns the columns that may precede and follow the block of each list of keywords. */
function besidesOf(keywords: readonly (readonly Keyword[])[]): Int32Array {
  const besides = new Int32Array(4 * keywords.length)
  for (const [list, group] of keywords.entries())
    for (const { before, behind, isBounded, back } of group) {
      for (const column of isBounded && back === 2 ? BEFORE_WORD : before)
        besides[4 * list + (column >> 5)]! |= 1 << column
      for (const column of behind) besides[4 * list + 2 + (column >> 5)]! |= 1 << column
    }
  return besides
}

const isLong = ({ pattern }: Rule): boolean =>
  [...(pattern?.source ?? '').matchAll(/\{\d*,(\d*)\}/g)].some(([, most]) => !most || Number(most) > 200)

interface UnicodeEntry {
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
const isUnicodeKeyword = (word: string): boolean => /[^\x00-\x7f]/.test(word)

/** The keywords with characters beyond ASCII, by the code of the first such character. */
export interface UnicodeScanner {
  readonly entries: ReadonlyMap<number, readonly UnicodeEntry[]>
  /** For each character code: 1 if `entries` has keywords for this character. */
  readonly triggers: Uint8Array
}

function compileUnicode(rules: readonly CompiledRule[], finders: Readonly<Record<string, Finder>>): UnicodeScanner {
  const table = new Map<number, UnicodeEntry[]>()
  for (const rule of rules)
    for (const word of rule.keywords.filter(isUnicodeKeyword)) {
      const offset = word.search(/[^\x00-\xff]/)
      if (offset < 0) throw new Error(`${word}: a keyword needs ASCII or a character beyond Latin-1`)
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
