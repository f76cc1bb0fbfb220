import {
  AROUND,
  beginsWord,
  BLOCKS,
  byteOf,
  bytes,
  COLUMNS,
  GATES,
  isAlnum,
  isBase64,
  isPlainNumber,
  kindAt,
  kindOfByte,
  load,
  LONGEST_ESCAPE,
  mayFollowEscape,
  PART,
  placesBeyond,
  WIDTH,
  type Part,
} from './character.ts'
import {
  FARTHEST,
  NO_PROBE,
  PROBE_SHIFT,
  type Entry,
  type Keyword,
  type Scanner,
  type UnicodeScanner,
} from './compile-rules.ts'
import { matchRule, type Findings, type Hit } from './findings.ts'
import { isInPlaceholder } from './placeholder.ts'
import { isRandom } from './randomness.ts'

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
const FILLER = /x{8}|\*{4}|(?:^|[-_.])(?:your|example|placeholder)[-_]|0{12}|1234567890abcdef/i

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

/** Tries the keywords of other scripts in the part in `bytes`, each at its first character beyond Latin-1. */
function scanUnicode(
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
