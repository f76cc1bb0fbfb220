import { isLetter, isLower, isName } from '../../engine/character.ts'
import type { Finder, Hit } from '../../engine/findings.ts'
import { isFictitious } from './phone-number.ts'
import { JOIN, type PersonalKind } from '../../rules/personal-labels.ts'
import { classifyPersonalLabel, NAME_LABEL, personalKinds } from './personal-labels.ts'
import { formsOf } from '../identity/forms.ts'
import { isLongForm, isPersonName } from '../identity/person-name.ts'
import { capitalize } from '../identity/learned-identity.ts'

/** A joint: the text between the name of a field and its value. */
const JOINT = new RegExp(String.raw`${JOIN}(?=[\p{L}\d+(〒@]|-\d)`, 'uy')
/** The maximum distance from the beginning of a keyword to the end of its field's name. */
const LONGEST_NAME = 37
const NAME_MARKS = " .°º’'/()-_"
/** The first characters of a joint. */
const JOINT_MARKS = new Set([...'"\'`*\\])」.:=}, \t\r\n#№-|：>│–—<(は于是为為'].map((char) => char.charCodeAt(0)))
/** The maximum distance from the name of an element to the end of its tag. */
const ELEMENT = 30

/** Returns whether the character at an index may begin a joint. This excludes most characters between two words. */
function mayJoin(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  if (code === 45) return next === 62
  if (code === 46) return next === 46 || next === 42 || next === 10 || next === 13 || next === 92
  return JOINT_MARKS.has(code)
}

/** Returns the index of the first `>` in a part of a text, or the end of the part. */
function angleIn(text: string, from: number, to: number): number {
  let at = from
  while (at < to && text.charCodeAt(at) !== 62) at++
  return at
}

/** Returns the indexes at which the name of a field ends and its value begins, or null if no value follows. */
function findJoint(text: string, start: number, end: number): readonly [nameEnd: number, value: number] | null {
  const stop = Math.min(text.length, start + LONGEST_NAME)
  let angle = -1
  for (let at = isLetter(text, end - 1) ? end : end - 1; at <= stop; at++) {
    const code = text.charCodeAt(at)
    const isWord = (code > 47 && code < 58) || isLetter(text, at)
    if (isWord) continue
    ATTRIBUTES.lastIndex = at
    if (code === 32 && ATTRIBUTES.test(text)) return [at, ATTRIBUTES.lastIndex]
    // A single space usually separates two words of a name. A joint is longer than a space, or begins with a short word
    // such as `is`.
    if (
      code !== 32 ||
      !isLetter(text, at + 1) ||
      ' is was ist lau war es  est era je  jes '.includes(text.slice(at, at + 3))
    ) {
      if (angle < at) angle = angleIn(text, at, Math.min(text.length, stop + ELEMENT))
      JOINT.lastIndex = at
      if ((angle - at < ELEMENT || mayJoin(text, at)) && JOINT.test(text)) return [at, JOINT.lastIndex]
    }
    if (code < 128 && !NAME_MARKS.includes(text.charAt(at))) return null
  }
  return null
}

/** The attributes of an element up to its value: ` country="EE">`. */
const ATTRIBUTES = /(?: [\w:.-]{1,24}=["'][^"'<>\n]{0,40}["']){1,4}>(?=[\p{L}\d+(])/uy

/** The text between a keyword and its value if there is no colon: the rest of the word, and up to three more words. */
const BARE =
  /([\p{L}\p{M}\d_.°-]{1,30})(?:[^\p{L}\d\n;{}<>=]{1,3}\p{L}[\p{L}.°º]{0,15}){0,3}?[^\p{L}\d\n;{}<>]{1,4}(?!(?:ID|NO|NR|NUMBER)[ .])(?=[〒(+]{0,2}(?:\p{Lu}{0,8}[ ./-]?\d|\p{Lu}\p{L}{2,8}\.? \d{1,2},? \d{4}))/uy
/** The maximum number of characters that `BARE` reads, including its lookahead. */
const BARE_REACH = 130

/** Returns whether `BARE` may match at an index: the rest of the line contains a digit. */
function mayBeBare(text: string, start: number): boolean {
  const stop = Math.min(text.length, start + BARE_REACH)
  for (let i = start; i < stop; i++) {
    const code = text.charCodeAt(i)
    if (code > 47 && code < 58) return true
    if (code === 10) return false
  }
  return false
}

/** The kinds with unambiguous labels. After such a label, a word with digits is the value, even without a colon. */
const BARE_KINDS: ReadonlySet<string> = new Set(
  'vin device nationalId phone birth passport licence plate account record postcode booking serial coordinate'.split(
    ' ',
  ),
)
const shapes = Object.fromEntries(
  Object.entries(personalKinds).map(([kind, { shape }]) => [
    kind,
    new RegExp(
      `(?:${shape})(?![\\p{L}\\p{N}_@%]|[.-]\\d| (?!00:00)\\d\\d:\\d\\d|:\\d\\d:\\d\\d)`,
      kind === 'birth' ? 'iuy' : 'uy',
    ),
  ]),
) as Record<PersonalKind, RegExp>

/** The maximum number of characters of a column's name before and after a keyword. */
const LONGEST_COLUMN = 24
const isInColumn = (text: string, at: number): boolean =>
  isName(text, at) || text[at] === ' ' || text.charCodeAt(at) > 127

/** Returns whether a word may be in the name of a column: a delimiter or a line break precedes and follows the name. */
export function mayBeColumn(text: string, start: number, end: number): boolean {
  let to = end
  while (isInColumn(text, to)) if (++to - end > LONGEST_COLUMN) return false
  if (!',\t;|"\\\r\n'.includes(text[to] ?? '?')) return false
  let from = start
  while (isInColumn(text, from - 1)) if (start - --from > LONGEST_COLUMN) return false
  if (beginsLine(text, from)) return !'\r\n'.includes(text.charAt(to))
  return ',\t;|'.includes(text[from - 1] === '"' ? (text[from - 2] ?? '?') : text.charAt(from - 1))
}

/** Returns whether a line begins at an index. The line break may be escaped, and a quote may precede the index. */
function beginsLine(text: string, start: number): boolean {
  const at = text[start - 1] === '"' ? start - 2 : start - 1
  return at < 0 || text[at] === '\n' || (text[at] === 'n' && text[at - 1] === '\\')
}

/** Creates the finder of values after the names of their fields. `findTable` handles the names of columns. */
export const personalFinder =
  (findTable: Finder): Finder =>
  (hit) => {
    const { text, start, end } = hit
    // A short keyword must be a whole word. Only a long keyword may be inside a word.
    const isPlural = text[end] === 's' && !isLetter(text, end + 1)
    if (end - start < 5 && isLower(text, end) && !isPlural && isLower(text, end - 1) && isLower(text, end - 2)) return
    const isInWord = isLetter(text, start - 1) && !beginsLine(text, start)
    if (end - start < 10 && isInWord && (isLower(text, start) || !isLower(text, start - 1))) return
    if (mayBeColumn(text, start, end)) findTable(hit)
    if (mayHaveValue(text, start, end)) findPersonalField(hit)
  }

/** The maximum distance from a label to the end of its value. */
const REACH = 72

/**
 * A digit, a handle or a character of another script must occur within this number of characters from the start of a
 * value.
 */
const VALUE_REACH = 26

/** Returns whether a digit, a handle or another script follows a label, in its line or in the next line. */
function mayHaveValue(text: string, start: number, end: number, reach = REACH): boolean {
  const stop = Math.min(text.length, end + reach)
  let breaks = 0
  for (let i = end; i < stop; i++) {
    const code = text.charCodeAt(i)
    if ((code > 47 && code < 58) || code === 64 || code > 0x36f) return true
    if (code === 10 && ++breaks === 3) return false
  }
  return NAME_LABEL.test(text.slice(start, Math.min(end, start + 60)))
}

/** Finds a value in JSON, YAML, XML, a form, a log line or a sentence: `pesel: 79092583555`. */
function findPersonalField(hit: Hit): void {
  const { text, start, end } = hit
  const joint = findJoint(text, start, end)
  if (
    joint &&
    mayHaveValue(text, start, joint[1], VALUE_REACH) &&
    readKinds(hit, { names: [text.slice(start, joint[0])], from: joint[1] })
  )
    return
  // `nie` is also a frequent word of Polish and German. The Spanish label is in capitals.
  if (!mayBeBare(text, start) || text.startsWith('ie ', start + 1)) return
  BARE.lastIndex = start
  const bare = BARE.exec(text)
  if (!bare) return
  const [whole, word = ''] = bare
  // The name of a column does not label the first value of a row.
  if (/\bvalues\b/i.test(whole)) return
  const names = whole.includes(',') ? [whole, word] : [whole]
  readKinds(hit, { names, from: start + whole.length, among: BARE_KINDS })
}

/** A value after its label. */
interface Labelled {
  /** The possible names of the value. */
  readonly names: readonly string[]
  readonly from: number
  /** The possible kinds of the value. Default: all. */
  readonly among?: ReadonlySet<string>
}

/** The folders of a path before a label. */
const IN_PATH = /(?<![\p{L}\p{N}<*/])\/(?:[\w.-]{1,40}\/)*$/u

/** Reads the value at `from` as one of the kinds that its label or the words before the label indicate. */
function readKinds(hit: Hit, { names, from, among }: Labelled): boolean {
  const { text, start } = hit
  const label = text.slice(start, from)
  const [word, lead] = readLead(text, start)
  // The label is the extension of a file: `SIZE(tide-1.8.6.zip)=`.
  if (/[-\d]\.$|-[^.]*\.$/.test(word)) return false
  // The label is the last word of a numbered folder: `001-user-registration`.
  if (/^\d{3,}-\p{L}/u.test(word)) return false
  // The label is a part of a path: `/customers/new`.
  if (isLower(text, start) && IN_PATH.test(text.slice(Math.max(0, start - 40), start))) return false
  const sign = /[#№]/.test(label) && !among ? ' n' : ''
  // The name of an object may precede the name of its field: `row.phone`.
  const member = word.slice(word.lastIndexOf('.') + 1)
  for (const name of names) {
    const kinds =
      classifyPersonalLabel(word + name + sign) ??
      (member === word ? null : classifyPersonalLabel(member + name + sign)) ??
      (lead === word ? null : classifyPersonalLabel(lead + name + sign))
    if (kinds) return kinds.some((kind) => (!among || among.has(kind)) && readValues(hit, from, kind))
  }
  return false
}

/** The maximum lengths: of the part of a word before a keyword, of each word before this part, and of all of them. */
const LONGEST_TAIL = 24
const LONGEST_WORD = 16
const LONGEST_LEAD = 40
/** The classes of characters before a keyword: in a word, between two words, or any other character. */
const OTHER = 0
const IN_WORD = 1
const BETWEEN = 2
const leadKind = (char: string): number =>
  /[\p{L}\d_.-]/u.test(char) ? IN_WORD : " '’°º".includes(char) ? BETWEEN : OTHER
const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => leadKind(String.fromCharCode(code)))

/** Returns the start of the characters of one class that end at `end`. Reads at most `most` characters. */
function startOfKind(text: string, end: number, most: number, kind: number): number {
  let at = end
  while (end - at < most && at > 0 && (asciiKinds[text.charCodeAt(at - 1)] ?? leadKind(text.charAt(at - 1))) === kind)
    at--
  return at
}

/** Returns the part of a word before the keyword. `lead` also contains up to two words before this word. */
function readLead(text: string, start: number): readonly [word: string, lead: string] {
  const before = text[start - 1]
  if (before === undefined || '\n"<{[(:=,;|\t'.includes(before) || beginsLine(text, start)) return ['', '']
  const earliest = start - LONGEST_LEAD
  const tail = startOfKind(text, start, LONGEST_TAIL, IN_WORD)
  let from = tail
  for (let words = 0; words < 2; words++) {
    const gap = startOfKind(text, from, 2, BETWEEN)
    const stop = startOfKind(text, gap, Math.min(LONGEST_WORD, gap - earliest), IN_WORD)
    if (gap === from || stop >= gap) break
    from = stop
  }
  return [text.slice(tail, start), text.slice(from, start)]
}

/** The text between two values of a list. If a colon follows the next string, the string is a key. */
const NEXT_IN_LIST = /\\{0,3}["'],\s{0,12}\\{0,3}["'](?=[^"'\n]{3,60}["'](?!\s?:))/y

/** A value of a list that does not have the form of the others. */
const OTHER_IN_LIST = /[^"'\\\n]{3,60}/y

const LONGEST_LIST = 1000

/** Reads the value at `from`, and the next values of a list: `"phones": ["...", "..."]`. */
function readValues(hit: Hit, from: number, kind: PersonalKind): boolean {
  let at = from
  for (let count = 0; count < LONGEST_LIST; count++) {
    OTHER_IN_LIST.lastIndex = at
    const end = readValue(hit, at, kind) || (count > 0 && OTHER_IN_LIST.test(hit.text) ? OTHER_IN_LIST.lastIndex : 0)
    if (end === 0) return count > 0
    NEXT_IN_LIST.lastIndex = end
    if (!NEXT_IN_LIST.test(hit.text)) break
    at = NEXT_IN_LIST.lastIndex
  }
  return true
}

/**
 * The text between a word of East Asia for a person and the name of the person. Other words belong to a sentence: `作者
 * 原来是一个外行`.
 */
const BEFORE_NAME =
  /^(?:的?(?:姓名|名字|名称|氏名|名前|名|이름|성명|명)|様|\d)?[^\p{L}\p{N}，。；！？]*(?:于是|是|为|為|は|が|은|는)?[^\p{L}\p{N}，。；！？]*$|^\p{sc=Han}{2}は「$/u
const FIRST_KANA = 0x3040
const EASTERN = /[\p{sc=Han}가-힣]/u
const LISTED = /^["'], ["'].*["'], $/

/** Adds the value at `from` and returns its end. Returns 0 if there is no value of this kind. */
function readValue({ text, start: label, end: labelEnd, rule, found }: Hit, from: number, kind: PersonalKind): number {
  const shape = shapes[kind]
  shape.lastIndex = from
  const value = shape.exec(text)?.[0]
  const { category, placeholder, valid } = personalKinds[kind]
  if (!value || !valid(value) || (kind === 'phone' && isFictitious(value))) return 0
  const [start, end, as] = [from, from + value.length, { id: rule.id, category, placeholder }]
  if (kind !== 'name' && kind !== 'easternName') {
    const bare = value.replace(/[^\p{L}\d]/gu, '')
    found.push({ start, end, rule: as, value, also: bare.length > 8 && bare !== value ? [bare] : undefined })
    return end
  }
  if (text.charCodeAt(label) >= FIRST_KANA && !BEFORE_NAME.test(text.slice(labelEnd, from))) return 0
  // The value is a label itself, or the label and the value are two words of a list: `('姓名', '介绍', '评分')`.
  if (EASTERN.test(value) && (classifyPersonalLabel(value) || LISTED.test(text.slice(Math.max(0, start - 4), end + 3))))
    return 0
  const name = capitalize(value.replaceAll('+', ' '))
  if (/[A-Z]/.test(name) && (!isPersonName(name) || isLongForm(value, text, from))) return 0
  found.push({ start, end, rule: as, value: name.toLowerCase(), forms: () => formsOf('person', name) })
  return end
}
