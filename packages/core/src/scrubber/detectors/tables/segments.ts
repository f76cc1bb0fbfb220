import { matchRule, type Findings, type Hit } from '../../engine/findings.ts'
import type { PersonalKind } from '../../rules/personal-labels.ts'
import { personalKinds } from '../personal/personal-labels.ts'
import { capitalize } from '../identity/learned-identity.ts'
import { formsOf } from '../identity/forms.ts'
import { readLine, splitCells, type Cell } from './line.ts'

/**
 * The fields of segments about a person in HL7 version 2 (patient, next of kin, guarantor, insured person): field
 * number and kind.
 */
const SEGMENTS: Readonly<Record<string, string>> = {
  PID: '2 record 3 record 4 record 5 name 6 name 7 birth 9 name 11 address 13 phone 14 phone 18 account 19 nationalId 20 licence',
  NK1: '2 name 4 address 5 phone 6 phone 16 birth',
  GT1: '3 name 5 address 6 phone 7 phone 8 birth 12 nationalId',
  IN1: '16 name 18 birth 19 address 36 record',
}

const PERSON = { category: 'person', placeholder: 'PERSON' }
const ADDRESS = { category: 'street_address', placeholder: 'ADDRESS' }

/** Finds the personal fields in a segment of an HL7 message: `PID|1||5108879^^^HOSP^MR||ROE^JANE||19470912|F`. */
export function findSegment({ text, start, rule, found }: Hit): void {
  const line = readLine(text, start)
  if (!line) return
  const cells = splitCells(line, '|')
  for (const [, field, as] of (SEGMENTS[text.slice(start, start + 3)] ?? '').matchAll(/(\d+) (\w+)/g)) {
    const cell = cells[Number(field)]
    if (!cell || cell.value.length < 3) continue
    const [first = ''] = cell.value.split('^', 1)
    if (as === 'name') pushName(cell, rule, found)
    else if (as === 'address') found.add(cell.value, cell.start, { id: rule.id, ...ADDRESS })
    else if (/\d{4}/.test(first)) {
      const { category, placeholder } = personalKinds[as as PersonalKind]
      found.add(first, cell.start, { id: rule.id, category, placeholder })
    }
  }
}

/** Adds a person. `name` is the usual form of the name, and `written` is the form at `start`. */
function pushPerson(name: string, written: string, { start, rule, found }: Omit<Hit, 'text' | 'end'>): void {
  found.push({
    start,
    end: start + written.length,
    rule: { id: rule.id, ...PERSON },
    value: name.toLowerCase(),
    forms: () => formsOf('person', capitalize(name)),
  })
}

/** The parts of a name with `^` between them: `ROE^JANE^M`. The first part begins with a capital letter. */
const HL7_NAME = /^\p{Lu}[\p{L}\p{M}'’.-]*(?: [\p{L}\p{M}'’.-]+){0,3}(?:\^[\p{L}\p{M}'’ .-]{0,40}){0,4}(?=$|[\^~])/u

function pushName({ value, start }: Cell, rule: Hit['rule'], found: Findings): void {
  const written = HL7_NAME.exec(value)?.[0]
  if (!written) return
  const [last = '', given] = written.split('^')
  pushPerson(given ? `${given} ${last}` : last, written.replace(/\^+$/, ''), { start, rule, found })
}

/** Patterns for X12 segments about a person and for the address in a vCard, with the kinds of their groups. */
const ELEMENTS: readonly (readonly [pattern: RegExp, ...kinds: readonly (PersonalKind | 'address')[]])[] = [
  [
    /NM1\*[A-Z\d]{2,3}\*1\*([A-Z][^*~\n]{1,34})\*([^*~\n]{0,25})(?:\*[^*~\n]{0,25}){0,3}(?:\*[A-Z\d]{1,2}\*([^*~\n]{4,80}))?/dy,
    'name',
    'name',
    'record',
  ],
  [/DMG\*D8\*(\d{8})/dy, 'birth'],
  // The similar segment of EDIFACT, with plus signs as separators.
  [
    /NAD\+[A-Z]{2,3}\+[^+'\n]{0,20}\+[^+'\n]{0,60}\+([^+'\n]{3,70})()\+([^+'\n]{3,70}\+[^'\n]{2,60})/dy,
    'name',
    'name',
    'address',
  ],
  [/COM\+([+\d][\d ()./-]{5,24}):(?:TE|FX|AL)/dy, 'phone'],
  [/N[34]\*([^~\n]{5,80})(?=~)/dy, 'address'],
  [/ADR(?:;[^:\n]{1,60})?:;{0,2}((?=[^\n]{0,120}\d)[^;\n]{0,60}(?:;[^;\n]{0,60}){3,6}[^;\s])/diy, 'address'],
]

/** Finds `NM1*IL*1*ROE*JANE****MI*W1827736`, `DMG*D8*19661203` and `ADR;TYPE=HOME:;;Main Street 1;Town;;65100;`. */
export function findElement({ text, start, rule, found }: Hit): void {
  for (const [pattern, ...kinds] of ELEMENTS) {
    pattern.lastIndex = start
    const match = pattern.exec(text)
    if (!match) continue
    const [, last = '', given] = match
    for (const [i, kind] of kinds.entries()) {
      const value = match[i + 1]
      const [from] = match.indices?.[i + 1] ?? []
      if (!value || from === undefined) continue
      if (kind === 'name') pushPerson(given ? `${given} ${last}` : last, value, { start: from, rule, found })
      else {
        const { category, placeholder } = kind === 'address' ? ADDRESS : personalKinds[kind]
        found.add(value, from, { id: rule.id, category, placeholder })
      }
    }
    return
  }
}

/** The payer or payee in a payment message: account, name and up to three lines of the address. */
const PARTY =
  /:(?:50[AFGHK]?|59[AF]?|52D|57D):(?:\/([A-Z\d]{5,34})(?:\\{1,7}n|\r?\n)[+ ]?)?((?:1\/)?\p{Lu}[^\n\\:]{2,34})((?:(?:\\{1,7}n|\r?\n)[+ ]?(?![:-])[^\n\\:]{2,35}){0,3})/uy

/** Finds the payer and the payee of a SWIFT MT message: `:50K:/BE3917278005\nJANE ROE\nMAIN STREET 31`. */
export function findPaymentParty({ text, start, rule, found }: Hit): void {
  PARTY.lastIndex = start
  const match = PARTY.exec(text)
  if (!match) return
  const [whole, account, written, lines] = match as unknown as [string, string | undefined, string, string]
  const { category, placeholder } = personalKinds.account
  if (account) found.add(account, start + whole.indexOf('/') + 1, { id: rule.id, category, placeholder })
  const linesStart = start + whole.length - lines.length
  const name = written.replace(/^1\//, '').trimEnd()
  if (/^\p{Lu}[\p{L}\p{M}'’. -]+$/u.test(name))
    pushPerson(name, name, { start: linesStart - written.length + written.indexOf(name), rule, found })
  const address = lines.replace(/^(?:\\+n|\s)[+ ]?/, '').trimEnd()
  if (address.length > 3) found.add(address, linesStart + lines.indexOf(address), { id: rule.id, ...ADDRESS })
}

/** The number of a travel document at the beginning of the second line. */
const NUMBER = /^(?:\\{1,7}n|\r?\n|\s)[+-]?([A-Z0-9]{6,9})/

/**
 * Finds the machine-readable zone of a travel document. The name and the number in it are also searched elsewhere:
 * `P<UTOROE<<JANE<<<<\nL898902C3...`.
 */
export function findTravelDocument({ text, start, rule, found }: Hit): void {
  const whole = matchRule({ text, start, rule })?.[0]
  if (!whole) return
  found.add(whole, start, rule)
  const head = /^.[A-Z<][A-Z<]{3}([A-Z]{2,}(?:<[A-Z]+){0,3})<<([A-Z]+(?:<[A-Z]+){0,3})<*/.exec(whole)
  if (!head) return
  const [, last = '', given = ''] = head
  pushPerson(`${given} ${last}`.replaceAll('<', ' '), last, { start: start + 5, rule, found })
  const number = NUMBER.exec(whole.slice(whole.search(/[\\\r\n\s]/)))?.[1]
  if (!number) return
  const from = start + whole.lastIndexOf(number)
  found.push({ start: from, end: from + number.length, rule, value: number, forms: () => [{ text: number }] })
}
