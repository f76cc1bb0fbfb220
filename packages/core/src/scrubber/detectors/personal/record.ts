import type { Findings } from '../../engine/findings.ts'
import type { Meter, Steps } from '../../engine/meter.ts'
import { PERSON } from '../../rules/categories.ts'
import { formsOf } from '../identity/forms.ts'
import { capitalize } from '../identity/learned-identity.ts'
import { areNames, isEasternName, isPersonName } from '../identity/person-name.ts'
import { describesPerson, kindOfLabel, namesThing, OF_ONE_PERSON, type Column } from '../tables/column.ts'

/** The cost of reading one record, in the unit of a `Meter`. */
const COST = 1024
/** The number of characters before and after such a value that may belong to the same record. */
const REACH = 240
/** The maximum number of values of a record that are read. */
const MOST_VALUES = 64
/** The maximum length of a label, with the marks after it. */
const LABEL = 48
/** The end of a record. */
const BLANK_LINE = /(?:\r?\n|\\n)[ \t>]{0,8}(?:\r?\n|\\n)/g

/** The text between a label and a value, and a name of two to five words or of a few characters of East Asia. */
const FIELD =
  /(?:=>|[:=|>])\s{0,4}\\{0,3}["'`]?(\p{L}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4}(?<!['’])|\p{sc=Han}{2,4}|[가-힣]{2,4})(?=\\{0,3}["'`]|\\n|[\r\n<]| ?[,;|(]| {2}|$)/gu
/** The label before a value. */
const LABEL_BEFORE = /([\p{L}\p{N}][\p{L}\p{M}\p{N} _.'’/()-]*)\\{0,3}["'`]?\s{0,12}$/u
/** A label that often names a person, and sometimes a thing. */
const OF_NAME =
  /(?<![\p{L}\p{N}.]|(?:product|company|brand|item|plan|bank|file|host|school|shop|store|branch|city|street|town|class|type)[ _-])(?:name|nombre|nome|nom|naam|namn|navn|imię|jméno|nama|nm|given|customer|client|patient(?:e|in)?|insured|assurée?|kund(?:e|in)|cliente|paciente|employee|(?:card|account)?holder|recipient|получатель|отправитель|заказчик|пациент|driver|passenger)$|^from$/iu

/** A label, and one to three capitalized words. */
const PART =
  /(?<![\p{L}\p{N}.])([\p{L}_]{3,20})\\{0,3}["'`]?\s{0,12}(?:[:=|]|=>|>)\s{0,4}\\{0,3}["'`]?(\p{Lu}[\p{L}\p{M}'’-]{1,30}(?: \p{Lu}[\p{L}\p{M}'’-]{1,30}){0,2}(?<!['’]))(?=\\{0,3}["'`]|\\n|[\r\n,;<|(]| {2}|$)/gu

const EASTERN = /^[\p{sc=Han}가-힣]/u

const rule = { id: 'personal-field', ...PERSON, kind: 'probable' } as const

/**
 * Adds the names in fields such as `name` and `customer` if the record contains a phone number, a date of birth, or the
 * number of a person or an account. Other records often describe a thing. In a record with values of two categories, one
 * of which only a person has, every label that does not name a thing may announce a name, in any language.
 */
export function* findNamesInRecords(text: string, found: Findings, meter: Meter): Steps<void> {
  const values = found.list
    .filter((finding) => OF_ONE_PERSON.has(finding.rule.category))
    .toSorted((a, b) => a.start - b.start)
  let read = 0
  let next = 0
  for (const { start, end } of values) {
    // Most values of a record are near each other, so they are in the part that was read for the first value.
    if (end + REACH / 2 < read) continue
    const [from, to] = recordAround(text, start, end)
    if (to <= read) continue
    if (meter.spend(COST)) yield
    const first = Math.max(0, Math.max(from, read) - LABEL)
    const record = text.slice(first, to)
    while ((values[next]?.start ?? from) < from) next++
    const categories = new Set<string>()
    for (const { rule, end: last } of values.slice(next, next + MOST_VALUES))
      if (last <= to) categories.add(rule.category)
    const isPerson = describesPerson(categories)
    for (const match of record.matchAll(FIELD)) {
      const name = match[1] ?? ''
      const at = first + match.index + match[0].length - name.length
      if (at < from) continue
      const label = labelBefore(record, match.index)
      const mayBeName = EASTERN.test(name) ? isEasternName(name) : isPersonName(capitalize(name))
      if (mayBeName && (OF_NAME.test(label) || (isPerson && label && isPersonName(name) && !namesThing(label))))
        addName(name, at, found)
    }
    const parts = new Map<Column['kind'], RegExpExecArray>()
    for (const part of record.matchAll(PART)) {
      const [, label = '', name = ''] = part
      const kind = kindOfLabel(label)
      if (kind && !parts.has(kind) && areNames(name)) parts.set(kind, part)
    }
    const last = parts.get('last')
    for (const part of last ? [parts.get('first') ?? parts.get('any'), last] : []) {
      if (!part) continue
      const [whole, , name = ''] = part
      const at = first + part.index + whole.length - name.length
      if (at >= from) addName(name, at, found)
    }
    read = to
  }
}

/** Returns the label before an index. Before a bar, only the first cell of a line is a label. */
function labelBefore(record: string, at: number): string {
  const before = record.slice(Math.max(0, at - LABEL), at)
  const [whole = '', label = ''] = LABEL_BEFORE.exec(before) ?? []
  const isFirst = /(?:^|\n|\\n)$/.test(before.slice(0, before.length - whole.length))
  return record[at] === '|' && !isFirst ? '' : label.trim()
}

/** Returns the start and the end of the record that contains a value. */
function recordAround(text: string, start: number, end: number): readonly [from: number, to: number] {
  const first = Math.max(0, start - REACH)
  const ends = [...text.slice(first, start).matchAll(BLANK_LINE)].at(-1)
  const next = text.slice(end, end + REACH).search(BLANK_LINE)
  return [first + (ends ? ends.index + ends[0].length : 0), end + (next < 0 ? REACH : next)]
}

function addName(name: string, start: number, found: Findings): void {
  const forms = () => formsOf('person', name)
  found.push({ start, end: start + name.length, rule, value: name.toLowerCase(), forms })
}
