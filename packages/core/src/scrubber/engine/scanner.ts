import {
  beginsWord,
  GATES,
  isAlnum,
  isBase64,
  kindAt,
  KINDS,
  isPlainNumber,
  kindOfByte,
  LONGEST_ESCAPE,
  mayFollowEscape,
  AROUND,
  blockAt,
  blockOf,
  BLOCKS,
  byteOf,
  bytes,
  columnAt,
  COLUMNS,
  DIGITS,
  load,
  PART,
  WIDTH,
  type Part,
} from './character.ts'
import { firstCharacter } from './first-character.ts'
import { frequentBlocks } from './frequent-blocks.ts'
import { compileUnicode, isUnicodeKeyword, scanUnicode, type UnicodeScanner } from './unicode-scanner.ts'
import { compileCondition, type Check } from './condition.ts'
import type { Finder, Findings, Hit } from './findings.ts'
import { isInPlaceholder } from './placeholder.ts'
import { isRandom } from './randomness.ts'
import { emptyRule, type CompiledRule, type Rule } from './rule.ts'

/** A keyword with its rules. The scanner finds the keyword by one of its blocks of three characters. */
interface Keyword {
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

interface Entry {
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
const FARTHEST = AROUND - 4
const PROBE_SHIFT = 8

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
const NO_PROBE = -1

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

/** The positions where blocks end in a part, and the lists of their keywords. Each call overwrites both. */
const places = new Int32Array(PART + 2)
const blockLists = new Int32Array(PART + 2)

/**
 * Adds the findings whose keywords end between `from` and `to` (at most `PART` characters), in the order of these ends.
 * Findings may overlap. The part must be in `bytes`. The text is read once, and each keyword reads a bounded part, so
 * the time is linear in the length of the text.
 */
export function scan(part: Part, scanner: Scanner, found: Findings): void {
  const { text, from, to } = part
  const count = sift(collect(to - from + (to === text.length ? 1 : 0), scanner.isBlock), scanner)
  const matches = matchKeywords(part, count, scanner)
  for (let i = 0; i < matches; i++) {
    const place = matched[2 * i]!
    const keyword = scanner.keywords[matched[2 * i + 1]!]!
    if (keyword.isMark) found.marks.push(from + place)
    tryKeyword(part, place, keyword, found)
  }
  scanUnicode(part, scanner.unicode, found)
}

/**
 * Returns whether a short text contains a keyword of a rule. Also returns true for a text beyond ASCII, which may
 * contain a keyword.
 */
export function holdsKeyword(text: string, scanner: Scanner): boolean {
  const part = { text, from: 0, to: text.length }
  if (!load(text, 0, text.length)) return true
  const matches = matchKeywords(part, sift(collect(text.length + 1, scanner.isBlock), scanner), scanner)
  for (let i = 0; i < matches; i++) if (scanner.keywords[matched[2 * i + 1]!]!.entries.length > 0) return true
  return false
}

/**
 * Returns whether a keyword that begins at a byte is certainly inside a word. This is true for most keywords of two or
 * three letters.
 */
const isInsideWord = (at: number): boolean =>
  at > LONGEST_ESCAPE && (kindOfByte(at - 1) & GATES.alnum) !== 0 && !mayFollowEscape(at)

const BRACKET = 91
const UNDERSCORE = 95
const LOWER = Uint8Array.from({ length: 256 }, (_, code) => (code > 64 && code < 91 ? code | 32 : code))
/** The start of each keyword in the part, and the keyword's index. */
let matched = new Int32Array(PART)

/**
 * Creates the loops of a scan. If an outer function runs only once, V8 compiles its constants into the code of its
 * inner functions. Constants of other modules, or of a bundle, would be loaded again at each use, which takes three
 * times as long.
 */
function makeLoops() {
  const part = bytes
  const columns = COLUMNS
  const at = places
  const which = blockLists
  const lower = LOWER
  const around = AROUND
  const width = WIDTH
  const most = BLOCKS - 1
  const farthest = FARTHEST
  const probeShift = PROBE_SHIFT
  const noProbe = NO_PROBE

  /**
   * Collects the positions where a block of a keyword ends, and returns their number. Every position is written. If no
   * block ends there, the next position overwrites it. A branch would be slower, because the processor would often
   * mispredict the branch.
   */
  function collect(length: number, isBlock: Int32Array): number {
    let block = (columns[part[around - 2]!]! << width) | columns[part[around - 1]!]!
    let count = 0
    for (let i = 0; i < length; i++) {
      block = ((block << width) | columns[part[around + i]!]!) & most
      at[count] = i
      count += (isBlock[block >> 5]! >>> block) & 1
    }
    return count
  }

  /** Keeps the positions whose surrounding characters may belong to a keyword, and returns their number. */
  function sift(count: number, { lists, besides }: Scanner): number {
    let kept = 0
    for (let i = 0; i < count; i++) {
      const place = at[i]!
      const byte = around + place
      const list =
        lists[
          (columns[part[byte - 2]!]! << (2 * width)) | (columns[part[byte - 1]!]! << width) | columns[part[byte]!]!
        ]!
      const before = columns[part[byte - 3]!]!
      const behind = columns[part[byte + 1]!]!
      at[kept] = place
      which[kept] = list
      kept += (besides[4 * list + (before >> 5)]! >>> before) & (besides[4 * list + 2 + (behind >> 5)]! >>> behind) & 1
    }
    return kept
  }

  /** Writes the start and the index of each keyword in the part to `matched`, and returns the number of keywords. */
  function matchKeywords({ text, from, to }: Part, count: number, scanner: Scanner): number {
    let out = matched
    const { starts, members, probes, letters, spans } = scanner
    const loaded = 2 * around + to - from
    let matches = 0
    for (let i = 0; i < count; i++) {
      const place = at[i]!
      const list = which[i]!
      const base = around - farthest + place
      for (let m = starts[list]!; m < starts[list + 1]!; m++) {
        const probe = probes[m]!
        if (probe !== noProbe && lower[part[base + (probe >> probeShift)]!] !== (probe & 255)) continue
        const keyword = members[m]!
        const first = spans[3 * keyword]!
        const length = spans[3 * keyword + 1]!
        const back = spans[3 * keyword + 2]!
        const byte = around + place - back
        let same = 0
        if (byte >= 0 && byte + length <= loaded) {
          while (same < length && lower[part[byte + same]!] === letters[first + same]) same++
        } else if (from + place >= back) {
          const start = from + place - back
          while (same < length && lower[byteOf(text.charCodeAt(start + same))] === letters[first + same]) same++
        } else continue
        if (same < length) continue
        if (2 * matches === out.length) {
          matched = new Int32Array(2 * out.length)
          matched.set(out)
          out = matched
        }
        out[2 * matches] = place - back
        out[2 * matches + 1] = keyword
        matches++
      }
    }
    return matches
  }

  return { collect, sift, matchKeywords }
}
const { collect, sift, matchKeywords } = makeLoops()

/** Tries the rules of a keyword that begins `place` characters after the beginning of a part. */
function tryKeyword({ text, from }: Part, place: number, keyword: Keyword, found: Findings): void {
  const { word, length, isBounded, entries } = keyword
  const byte = AROUND + place
  const start = from + place
  if ((isBounded && isInsideWord(byte)) || (word === '' && isPlainNumber(byte))) return
  // A word in a placeholder is not a label, such as `PHONE` or `1` in `[PHONE_1] 4711`.
  const before = bytes[byte - 1]
  if ((before === BRACKET || before === UNDERSCORE) && isInPlaceholder(text, start)) return
  const end = start + length
  const prior = kindAt(text, start - 1)
  const next = kindAt(text, end)
  const first = text.charCodeAt(start)
  for (const entry of entries) {
    if (
      (entry.next & next) !== 0 &&
      (entry.prior & prior) !== 0 &&
      (entry.first === 0 || entry.first === first) &&
      (entry.ahead === 0 || text.charCodeAt(end - 1 + entry.ahead) === entry.aheadByte) &&
      !(entry.isBounded && isInsideWord(byte))
    )
      attempt({ text, start, end, rule: entry.rule, found }, entry)
  }
}

/** A filler in manuals in the place of a token. */
const FILLER =
  /x{8}|\*{4}|(?:^|[-_.])(?:your|example|placeholder)[-_]|0{12}|0123456789abc|1234567890abcdef|abc123def456/i

const BLOB = 64
const isEncoded = (part: string): boolean => /^[\w+/-]+$/.test(part) && isRandom(part)
/** Returns whether encoded data without a name or a quote precedes a key: the key's beginning is then a coincidence. */
const isInBlob = (text: string, start: number): boolean =>
  isBase64(text, start - 1) && isBase64(text, start - BLOB) && isEncoded(text.slice(start - BLOB, start))

function attempt(hit: Hit, { find, long }: Entry): void {
  if (find) return find(hit)
  const { text, start, rule, found } = hit
  const { pattern } = rule
  if (!pattern) return
  if (!rule.inside && isAlnum(text, start) && !beginsWord(text, start)) return
  if (long && found.isSpent(text, start, rule.id)) return
  pattern.lastIndex = start
  const match = pattern.exec(text)
  if (!match) return
  const stop = start + match[0].length
  if (long) found.succeed(start, stop, rule.id)
  if (rule.category === 'token' && isInBlob(text, start)) return
  const value = match[1] ?? match[2] ?? match[0]
  if (rule.valid && !rule.valid(value)) return
  if (rule.category === 'token' && FILLER.test(value)) return
  found.push({ start: stop - value.length, end: stop, rule, value })
}
