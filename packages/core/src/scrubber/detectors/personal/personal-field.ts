import { isLetter, isLower } from '../../engine/character.ts'
import type { Finder, Finding, Rule } from '../../engine/rule.ts'
import { JOIN } from '../../rules/layouts.ts'
import { classifyPersonalLabel, isFictitious, personalKinds, type PersonalKind } from '../../rules/personal-labels.ts'
import { formsOf, isPersonName } from '../identity/forms.ts'
import { capitalize } from '../identity/learned-identity.ts'

/** The name of a field from a keyword on, and what stands behind it. */
const LABEL = new RegExp(String.raw`([\p{L}\p{M}\d_][\p{L}\p{M}\d_ .°º’'/()-]{0,36}?)${JOIN}(?=[\p{L}\d+(〒@])`, 'uy')
/** The word of a keyword to its end, and up to three words before its value. */
const BARE =
  /([\p{L}\p{M}\d_.°-]{1,30})(?:[^\p{L}\d\n;{}<>=]{1,3}\p{L}[\p{L}.°º]{0,15}){0,3}?[^\p{L}\d\n;{}<>]{1,4}(?!(?:ID|NO|NR|NUMBER)[ .])(?=[〒(+]{0,2}(?:\p{Lu}{0,8}[ ./-]?\d|\p{Lu}\p{L}{2,8}\.? \d{1,2},? \d{4}))/uy
/** Kinds whose labels no other word follows that has digits. */
const BARE_KINDS: ReadonlySet<PersonalKind> = new Set([
  'vin',
  'device',
  'nationalId',
  'phone',
  'birth',
  'passport',
  'licence',
  'plate',
  'account',
  'record',
  'postcode',
  'booking',
])
const shapes = Object.fromEntries(
  Object.entries(personalKinds).map(([kind, { shape }]) => [
    kind,
    new RegExp(`(?:${shape})(?![\\p{L}\\p{N}_@%]|[.-]\\d)`, kind === 'birth' ? 'iuy' : 'uy'),
  ]),
) as Record<PersonalKind, RegExp>

const DELIMITERS = ',\t;|'
const isDelimiter = (char: string | undefined): boolean => char !== undefined && DELIMITERS.includes(char)
/** The rest of the name of the first column, and a delimiter. */
const BEHIND_NAME = /[\p{L}\p{M}\d_. ]{0,24}"?[,\t;|]/uy

/** Returns where the delimiter before the name of a column stands; -1 for none. */
function delimiterBefore(text: string, start: number): number {
  let at = start - 1
  if (text[at] === '"') at--
  if (text[at] === ' ') at--
  return isDelimiter(text[at]) ? at : -1
}

/** Returns whether a line begins at a place, also an escaped one; a quote may stand before. */
function beginsLine(text: string, start: number): boolean {
  const at = text[start - 1] === '"' ? start - 2 : start - 1
  return at < 0 || text[at] === '\n' || (text[at] === 'n' && text[at - 1] === '\\')
}

/** Makes the finder of values by the name of their field; the name of a column is left to the finder of tables. */
export const personalFinder =
  (findTable: Finder, findFixedWidth: Finder): Finder =>
  (text, start, end, rule, found) => {
    // A short keyword is a whole word, and only a long one stands behind another word.
    if (end - start < 5 && isLower(text, end) && isLower(text, end - 1) && isLower(text, end - 2)) return
    const isInWord = isLetter(text, start - 1) && !beginsLine(text, start)
    if (end - start < 7 && isInWord && (isLower(text, start) || !isLower(text, start - 1))) return
    const delimiter = delimiterBefore(text, start)
    BEHIND_NAME.lastIndex = end
    if (delimiter >= 0) findTable(text, delimiter, end, rule, found)
    else if (beginsLine(text, start) && BEHIND_NAME.test(text))
      findTable(text, start, BEHIND_NAME.lastIndex, rule, found)
    else if (hasGap(text, start, end)) findFixedWidth(text, start, end, rule, found)
    findPersonalField(text, start, rule, found)
  }

const REST_OF_LINE = /[\p{L}\p{M}\d_.]{0,24}\r?\n/uy

function endsLine(text: string, end: number): boolean {
  REST_OF_LINE.lastIndex = end
  return REST_OF_LINE.test(text)
}

/** Returns whether blanks set a name apart as the head of a column. */
function hasGap(text: string, start: number, end: number): boolean {
  let from = start
  while (start - from < 24 && (isLetter(text, from - 1) || text[from - 1] === '_' || text[from - 1] === '.')) from--
  return (
    text[from - 1] === ' ' &&
    (text[from - 2] === ' ' || text.startsWith('  ', end) || beginsLine(text, from - 1) || endsLine(text, end))
  )
}

/** Finds a value in JSON, YAML, XML, a form, a log line or a sentence: `pesel: 79092583555`. */
function findPersonalField(text: string, start: number, rule: Rule, found: Finding[]): void {
  for (const pattern of [LABEL, BARE]) {
    pattern.lastIndex = start
    const match = pattern.exec(text)
    if (!match) continue
    const [word, lead] = readLead(text, start)
    const sign = /[#№]/.test(match[0]) ? ' n' : ''
    const names = [match[1]! + sign]
    if (pattern === BARE) names.splice(0, match[0].includes(',') ? 1 : 0, match[0])
    const kinds = firstOf(
      names.flatMap((name) => [word + name, lead + name]),
      classifyPersonalLabel,
    )
    const from = start + match[0].length
    for (const kind of kinds ?? [])
      if ((pattern === LABEL || BARE_KINDS.has(kind)) && readValue(text, from, kind, rule, found)) return
  }
}

/** The words before a keyword that may belong to its label. */
const LEAD = /(?:[\p{L}\d_.-]{1,16}[ '’°º]{1,2}){0,2}[\p{L}\d_.-]{0,24}$/u

/** Returns the beginning of the word that a keyword stands in, and the same with up to two words before it. */
function readLead(text: string, start: number): readonly [word: string, lead: string] {
  const before = text[start - 1]
  if (before === undefined || '\n"<{[(:=,;|\t'.includes(before) || beginsLine(text, start)) return ['', '']
  const lead = LEAD.exec(text.slice(Math.max(0, start - 40), start))![0]
  return [lead.slice(lead.search(/[^ '’°º]*$/)), lead]
}

function firstOf<T>(names: readonly string[], read: (name: string) => T | null): T | null {
  for (const name of names) {
    const value = read(name)
    if (value) return value
  }
  return null
}

function readValue(text: string, from: number, kind: PersonalKind, rule: Rule, found: Finding[]): boolean {
  const shape = shapes[kind]
  shape.lastIndex = from
  const value = shape.exec(text)?.[0]
  const { category, placeholder, valid } = personalKinds[kind]
  if (!value || !valid(value) || (kind === 'phone' && isFictitious(value))) return false
  const at = { start: from, end: from + value.length, rule: { id: rule.id, category, placeholder } }
  if (kind !== 'name') {
    const bare = value.replace(/[^\p{L}\d]/gu, '')
    found.push({ ...at, value, ...(bare.length > 8 && bare !== value && { also: [bare] }) })
    return true
  }
  const name = capitalize(value.replaceAll('+', ' '))
  if (/[A-Z]/.test(name) && !isPersonName(name)) return false
  found.push({ ...at, value: name.toLowerCase(), forms: () => formsOf('person', name) })
  return true
}
