import { rememberWords } from '../engine/remember.ts'
import { AROUND, CREDIT, FIRST, LAST, MIDDLE, SURNAME_END, TITLES, WORDS_BEFORE, WORDS_BEHIND } from './evidence.ts'
import { NAME_LABELS, PERSON_LABELS, LABEL_PREPOSITIONS } from './labels.ts'
import { foldName } from './lexicon.ts'
import { tokenKind, type Token } from './tokens.ts'

/** The most that surroundings add. */
export const MOST_AROUND = AROUND.title + AROUND.chat + AROUND.time

/** Sums what the words of a name say by themselves. */
export function weighWords(tokens: readonly Token[], from: number, to: number): number {
  const last = tokens[to]!
  let weight = FIRST[tokens[from]!.kind]
  for (let i = from + 1; i < to; i++) weight += MIDDLE[tokens[i]!.kind]
  if (last.kind === 'word' || last.kind === 'initial') return weight + LAST[last.kind]
  return (
    weight +
    Math.max(
      ...last.word
        .replace(/['’]s$/, '')
        .split('-')
        .map(weighLast),
    )
  )
}

/** Weighs one word as the last one of a name. */
export const weighLast = rememberWords((part) => {
  const kind = tokenKind(part)
  return LAST[kind === 'unknown' && SURNAME_END.test(foldName(part)) ? 'surnameEnd' : kind]
})

/** The beginning of a line, with signs of lists and a time. */
export const LINE_START =
  /(?:^|\n|\\n|\\r)[ \t>*•#-]*(?:\[?(?:[A-Za-z]{4,10} )?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[AaPp][Mm])?\]?[ ,-]*)?[<@*]*$/
export const TIME_BEFORE = /\d{1,2}[:.]\d\d(?: ?[AaPp][Mm])?\]?[ ,-]*[<*]*$/
const COLON_BEHIND = /^[*>]*(?: \([^()\n]{1,30}\))?(?::[ \t*]|:?[ \t]*(?:\n|\\n))/
export const TIME_BEHIND =
  /^[*>]*  ?[·•—–-]? ?(?:\d{1,2}:\d\d|\d{1,3} ?(?:s|m|h|d|w|min|hours?|days?|weeks?)\b|(?:[Tt]oday|[Yy]esterday) )/
const HANDLE_BEHIND = /^,? ?(?:[(<]@?[a-z][\w.@-]{2,60}[)>]|@[a-z]\w{2,})/
const END = /^(?:$|[\n\r\t"'`|<;]|\\[nrt"]|,$)/
const OPEN = /(?:^|[\n\r\t"`|>]|\\[nrt"]|[|,] )$/
/** The next line of an envelope: `77 Pickerel Point Lane`. */
const STREET_BELOW = /^\r?\n[ \t>]{0,4}\d{1,5}[a-z]? (?:\p{Lu}[\p{Ll}'’]+\.? ?){2,4}/u
/** What may not follow: a word that goes on, a path, a call. */
const GOES_ON = /^(?:[\p{L}\d_/(=&]|[.@:-][\p{L}\d_])/u

/** A label and its operator, in any syntax: `Owner: `, `"owner": "`, `owner = '`, `<owner>`, `| Owner | `. */
const LABEL_BEFORE =
  /([\p{L}\p{M}]+)(?: ?\([^()\n]{1,20}\))?\\{0,3}["'`*_]{0,3}\]?[ \t]{0,20}(?:=>|[:=：>|])[ \t]{0,20}\\{0,3}["'`*_[({]{0,3}$/u
const OPERATORS = new Set([...':=：>|'].map((char) => char.charCodeAt(0)))
const BEHIND_OPERATOR = new Set([...' \t"\'`*_[({\\'].map((char) => char.charCodeAt(0)))
/** The last word of `lastModifiedBy`. */
const LAST_HUMP = /\p{Lu}\p{Ll}+$/u

/** Weighs what a label in front of a name says of it. */
export function weighLabel(before: string): number {
  let at = before.length - 1
  while (BEHIND_OPERATOR.has(before.charCodeAt(at))) at--
  if (!OPERATORS.has(before.charCodeAt(at))) return 0
  const word = LABEL_BEFORE.exec(before)?.[1]
  if (word === undefined) return 0
  const folded = foldName(word)
  if (isPersonLabel(folded)) return AROUND.label
  if (NAME_LABELS.has(folded)) return AROUND.nameLabel
  const hump = /\p{Ll}\p{Lu}/u.test(word) ? foldName(LAST_HUMP.exec(word)?.[0] ?? '') : ''
  return isPersonLabel(hump) ? AROUND.label : NAME_LABELS.has(hump) ? AROUND.nameLabel : 0
}

const isPersonLabel = (word: string): boolean => PERSON_LABELS.has(word) || LABEL_PREPOSITIONS.has(word)

/** What a label of a person adds: more than anything else that stands before a name. */
export const LABEL = AROUND.label

/** Weighs what stands around the words of a name. */
export function weighSurroundings(text: string, tokens: readonly Token[], from: number, to: number): number {
  const [{ start }, { end }] = [tokens[from]!, tokens[to]!]
  const before = text.slice(Math.max(0, start - 60), start)
  const behind = text.slice(end, end + 40)
  if (GOES_ON.test(behind)) return -100
  if (CREDIT.test(before) || behind.startsWith('](http')) return AROUND.credit
  let weight = tokens.length > 4 ? AROUND.longRow : 0
  const label = weighLabel(before)
  const lower = label > 0 ? '' : wordBefore(text, start)
  if (label > 0) weight += label
  else if (TITLES.has(foldName(lower))) weight += AROUND.title
  else if (WORDS_BEFORE.has(lower)) weight += AROUND.before
  else if (from > 0) weight += AROUND.titleCase
  const wordBehind = /^,? (\p{L}+)/u.exec(behind)?.[1]
  if (/^['’]s\b/.test(behind) || /['’]s$/.test(tokens[to]!.word)) weight += AROUND.before
  else if (wordBehind && WORDS_BEHIND.has(wordBehind)) weight += AROUND.behind
  else if (to < tokens.length - 1) weight += AROUND.titleCase
  const isLineStart = LINE_START.test(before)
  const hasTimeBehind = TIME_BEHIND.test(behind)
  if (isLineStart && (hasTimeBehind || COLON_BEHIND.test(behind))) weight += AROUND.chat
  if (hasTimeBehind || TIME_BEFORE.test(before) || HANDLE_BEHIND.test(behind)) weight += AROUND.time
  if ((isLineStart || OPEN.test(before)) && END.test(behind)) weight += AROUND.alone
  if (isLineStart && STREET_BELOW.test(behind)) weight += AROUND.street
  return weight
}

const SKIPPED = new Set([...' \t\n\r"\'“(*@'].map((char) => char.charCodeAt(0)))
const isInWord = (code: number): boolean =>
  (code > 96 && code < 123) || (code > 64 && code < 91) || code > 0xbf || code === 39

/** Returns the word before a name, in small letters, with its colon. */
export function wordBefore(text: string, at: number): string {
  let end = at
  while (end > 0 && at - end < 3 && SKIPPED.has(text.charCodeAt(end - 1))) end--
  const sign = text.charCodeAt(end - 1)
  const isColon = sign === 58
  if (isColon || sign === 44 || sign === 46) end--
  let start = end
  while (start > 0 && end - start < 30 && isInWord(text.charCodeAt(start - 1))) start--
  return text.slice(start, isColon && start < end ? end + 1 : end).toLowerCase()
}
