import { isPersonName } from '../detectors/identity/forms.ts'
import { pushIdentity } from '../detectors/identity/learned-identity.ts'
import { bytes } from '../engine/bytes.ts'
import type { Finding } from '../engine/rule.ts'
import { reachOf } from '../engine/scan-progress.ts'
import { decideCompany, decideWorkplace, mayBeLegal } from './companies.ts'
import { FIRST, PEOPLE_BEFORE, PUBLIC_NAMES, THRESHOLD, TITLES } from './evidence.ts'
import { foldName } from './lexicon.ts'
import { findRareWords } from './rare-words.ts'
import { findScriptNames } from './script-names.ts'
import { decideLines, decideSingle, NEXT, RULE } from './single-names.ts'
import { LABEL, MOST_AROUND, weighLast, weighSurroundings, weighWords } from './surroundings.ts'
import { leadsOn, readTokens, SPACE, tokenKind, wordEnd, type Token } from './tokens.ts'

/** By byte: whether it may begin a name, stand before one, or be its second character. Beyond ASCII it may be all. */
const KINDS = new Uint8Array(256)
const CAPITAL = 1
const OPENS = 2
const SECOND = 4
const addKind = (chars: string, kind: number): void => {
  for (const char of chars) KINDS[char.charCodeAt(0)] = KINDS[char.charCodeAt(0)]! | kind
}
addKind('ABCDEFGHIJKLMNOPQRSTUVWXYZ', CAPITAL)
addKind(' \t\n\r"\'`([{>,:;-*|~@=', OPENS)
addKind("abcdefghijklmnopqrstuvwxyz.'", SECOND)
KINDS[0xff] = CAPITAL | OPENS | SECOND

/**
 * Adds the full names of people that begin between `from` and `to`, by the words that they are made of and by what
 * stands around them. The part must stand in `bytes`.
 */
export function findNames(text: string, from: number, to: number, found: Finding[]): void {
  const first = found.length
  unsure.length = 0
  findRows(text, from, to, found)
  findScriptNames(text, from, to, found)
  findRareWords(text, from, to, found)
  if (unsure.length > 0 && found.length > first) addSiblings(text, unsure, first, found)
}

function findRows(text: string, from: number, to: number, found: Finding[]): void {
  const [length, fours] = [to - from, byFours]
  for (let first = 0, next = 0; first < length; first += 4) {
    const four = fours[first >> 2]!
    // Bits 5 and 6 of a capital letter are 0 and 1: where none of the four bytes has them, no name begins.
    const bits = (four & 0x60606060) ^ 0x40404040
    if (((bits | (bits << 1)) & 0x40404040) === 0x40404040 && (four & 0x80808080) === 0) continue
    const end = Math.min(first + 4, length)
    for (let i = Math.max(first, next); i < end; i = Math.max(i + 1, next))
      if ((KINDS[bytes[i]!]! & CAPITAL) !== 0 && mayBegin(i)) next = readRow(text, from + i, found) - from
  }
}

/** The same part, four bytes at once: most of a text has no capital letter. */
const byFours = new Int32Array(bytes.buffer)

/** Returns whether a name may begin with this byte, by those beside it: most capital letters stand inside of code. */
const mayBegin = (at: number): boolean =>
  (KINDS[bytes[at + 1]!]! & SECOND) !== 0 &&
  (at === 0 || (KINDS[bytes[at - 1]!]! & OPENS) !== 0 || bytes[at - 1] === 110 || bytes[at - 1] === 116)

const COMMA = 44
const COLON = 58
/** How far the lines behind one are read with it. */
const LINES = 600

/** Reads the lines around a first name with a colon behind it, once. */
function decideLine(text: string, { start, end, kind }: Token, found: Finding[]): void {
  if ((kind !== 'given' && kind !== 'both') || text.charCodeAt(end + 1) !== SPACE) return
  const reach = reachOf(found, 'speakers')
  if (start < reach.end) return
  reach.end = start + LINES / 2
  decideLines(text, start, found)
}

/** Reads the row of capitalized words that begins at `at`, and returns from where on another may begin. */
function readRow(text: string, at: number, found: Finding[]): number {
  if (!isStart(text, at)) return at
  const end = wordEnd(text, at)
  if (end < 0) return at
  const next = text.charCodeAt(end)
  if (leadsOn(text, end)) {
    const tokens = readTokens(text, at, end)
    if (!decideCompany(text, tokens, found) && !(tokens.length > 1 && decide(text, tokens, found))) {
      // `Dear Emeka`: of two names, one alone would be a part of somebody of public life.
      const names = tokens.filter(({ kind, word }) => kind !== 'word' && !isAddress(word.toLowerCase()))
      if (names.length === 1) decideSingle(text, names[0]!, found)
    }
    return tokens.at(-1)!.end
  }
  const isLegal = mayBeLegal(text, end)
  if (!isLegal && !NEXT.has(next)) return end
  const word = text.slice(at, end)
  const token: Token = { start: at, end, word, kind: tokenKind(word) }
  if (isLegal && decideCompany(text, [token], found)) return end
  if (token.kind === 'word' || token.kind === 'initial' || decideWorkplace(text, token, found)) return end
  if (next === COMMA && decideReversed(text, token, found)) return end
  if (!decideSingle(text, token, found) && next === COLON) decideLine(text, token, found)
  return end
}

const isAddress = (word: string): boolean => TITLES.has(word) || PEOPLE_BEFORE.has(word)

/** Returns whether a word may begin here, also behind an escaped line break. */
function isStart(text: string, at: number): boolean {
  if (at === 0) return true
  const before = text.charCodeAt(at - 1)
  if (before < 128 ? (KINDS[before]! & OPENS) !== 0 : !/\p{L}|\p{M}/u.test(text[at - 1]!)) return true
  return (before === 110 || before === 116) && text[at - 2] === '\\'
}

/**
 * Weighs each part of two to four words of a row, and adds the one with the most evidence if that is enough. Returns
 * whether it did.
 */
function decide(text: string, tokens: readonly Token[], found: Finding[]): boolean {
  let best: { readonly from: number; readonly to: number; readonly weight: number } | null = null
  for (let from = 0; from < tokens.length - 1; from++)
    for (let to = from + 1; to < Math.min(tokens.length, from + 4); to++) {
      const inside = weighWords(tokens, from, to)
      if (inside < THRESHOLD - MOST_AROUND) continue
      const weight = inside + weighSurroundings(text, tokens, from, to)
      if (weight >= THRESHOLD && (!best || weight >= best.weight)) best = { from, to, weight }
    }
  if (best) {
    const first = tokens[best.from]!
    // An initial names nobody without a label or a title: `by J. Roe` cites a book.
    const isInitial = first.kind === 'initial' && best.to === best.from + 1 && best.weight >= THRESHOLD + WITH_INITIAL
    const score = 0.5 + (best.weight - THRESHOLD) / 100
    return pushName(text, first.start, tokens[best.to]!.end, score, found, isInitial)
  }
  if (unsure.length < MOST_UNSURE && tokens.length < 5 && tokens.every(({ kind }) => kind !== 'word'))
    unsure.push([tokens[0]!.start, tokens.at(-1)!.end])
  return false
}

const WITH_INITIAL = 4

function pushName(
  text: string,
  start: number,
  end: number,
  score: number,
  found: Finding[],
  isInitial = false,
): boolean {
  const name = text.slice(start, end).replace(/(?<=\p{L}{2})['’]s$/u, '')
  if ((!isInitial && !isPersonName(name)) || PUBLIC_NAMES.has(foldName(name).replaceAll('-', ' '))) return false
  pushIdentity('person', name, start, RULE, found)
  found.at(-1)!.score = Math.min(0.99, score)
  return true
}

/** Score penalty for `Surname, First`, because a plain list looks the same. */
const REVERSED = -24

/** Adds `Roe, Jane` behind a label or in a cell. Returns whether it did. */
function decideReversed(text: string, last: Token, found: Finding[]): boolean {
  if (text.charCodeAt(last.end) !== COMMA || last.kind === 'word' || last.kind === 'initial') return false
  const start = last.end + 2
  const end = text.charCodeAt(start - 1) === SPACE ? wordEnd(text, start) : -1
  if (end < 0) return false
  const word = text.slice(start, end)
  const first: Token = { start, end, word, kind: tokenKind(word) }
  // Two first names are a list of people, and so are two that may be and a third behind them.
  if (last.kind === 'given' && first.kind === 'given') return false
  if (last.kind === 'both' && first.kind === 'given' && /^, \p{Lu}/u.test(text.slice(end, end + 3))) return false
  const around = weighSurroundings(text, [last, first], 0, 1)
  const weight = FIRST[first.kind] + weighLast(last.word) + around + (around >= LABEL ? 0 : REVERSED)
  const name = `${word} ${last.word}`
  if (weight < THRESHOLD || !isPersonName(name)) return false
  pushIdentity('person', name, last.start, RULE, found)
  found.at(-1)!.end = end
  return true
}

/** Rows of words that may be names, of which nothing else says so: filled and emptied within one call. */
const unsure: (readonly [start: number, end: number])[] = []
const MOST_UNSURE = 500
/** Stands between two names of one list. */
const JOINT = /^(?:[,;]? (?:and|und|y|et|e|&) |[,;] ?| \/ )$/

/**
 * Adds the rows that stand in the same form as a name that was found: behind it in one list, or between the same words
 * and signs on a line of their own.
 * @param first where the findings of this part begin.
 */
function addSiblings(text: string, rows: typeof unsure, first: number, found: Finding[]): void {
  const names = found.slice(first).map(({ start, end }) => [start, end] as const)
  const forms = new Set(names.map(([start, end]) => formOfLine(text, start, end)))
  const isBesideName = (start: number, end: number): boolean =>
    names.some(
      (name) =>
        (name[1] < start && start - name[1] < 7 && JOINT.test(text.slice(name[1], start))) ||
        (end < name[0] && name[0] - end < 7 && /^ (?:and|und|y|et|e|&) $/.test(text.slice(end, name[0]))),
    )
  for (const [start, end] of rows) {
    const form = formOfLine(text, start, end)
    if (!(form !== null && forms.has(form)) && !isBesideName(start, end)) continue
    pushName(text, start, end, 0.5, found)
    names.push([start, end])
  }
}

/** Returns what a line has before a name, and the signs behind it; null where that is only white space, or much. */
function formOfLine(text: string, start: number, end: number): string | null {
  const before = text.slice(Math.max(0, start - 41), start)
  const line = /(?:^|\n|\\n)([^\n]{0,40})$/.exec(before)
  const behind = /^[^\p{L}\d\n]{0,3}/u.exec(text.slice(end, end + 3))![0]
  if (!line || (before.length > 40 && line.index === 0 && !/^\n|^\\n/.test(line[0]))) return null
  const form = `${line[1]!.replace(/\d+/g, '0')}\n${behind}`
  return /[^\s]/.test(form) ? form : null
}
