import { expect, test } from 'vitest'
import { Findings } from '../../engine/findings.ts'
import { Meter } from '../../engine/meter.ts'
import { createScrubber } from '../../index.ts'
import { findNamesInRecords } from './record.ts'

const clean = (text: string): string => {
  const done = createScrubber().scrub([text])
  return done.ok ? done.texts[0]! : done.reason
}

/** A record with two values that only a person has, and one field of the test. */
const record = (field: string): string => `id: 7\n${field}\nPESEL: 79092583555\nphone: +48 603 482 915\n`

test.each([
  ['a label of any language', 'opiekunPrawny: "Bożena Wiśniewska"', 'opiekunPrawny: "[PERSON_1]"'],
  [
    'a label of several words',
    'Personne à prévenir : Thierry Delorme (fils)',
    'Personne à prévenir : [PERSON_1] (fils)',
  ],
  ['the first cell of a line', 'rodzic       | Bożena Wiśniewska', 'rodzic       | [PERSON_1]'],
  ['an element', '<v:Etunimet>Tuulikki Annikki</v:Etunimet>', '<v:Etunimet>[PERSON_1]</v:Etunimet>'],
])('the record of a person has a name after %s', (_, field, expected) => {
  expect(clean(record(field))).toContain(expected)
})

test.each([
  ['a place', 'miasto: "Nowy Targ"'],
  ['a product', 'productName: "Gold Plan"'],
  ['a value in one word', 'oddział: "Kardiologia"'],
  ['a sentence', 'uwagi: Prosi o kontakt telefoniczny po południu'],
])('the record of a person keeps %s', (_, field) => {
  expect(clean(record(field))).toContain(field)
})

test('a record with one number keeps names after unknown labels', () => {
  const text = 'lieferant: "Stahlbau Wörner"\nphone: +49 171 4829315\n'
  expect(clean(text)).toBe('lieferant: "Stahlbau Wörner"\nphone: [PHONE_1]\n')
})

test('a table of people has names in a column of any name', () => {
  const table = (name: string): string =>
    `| Nº | ${name} | DNI | Teléfono |\n|----|----|----|----|\n| 1 | Remedios Carrasco Llorente | 48291734Q | 647 68 59 24 |\n`
  expect(clean(table('Asistente'))).toContain('| 1 | [PERSON_1] |')
  expect(clean(table('Ciudad'))).toContain('| 1 | Remedios Carrasco Llorente |')
})

test.each([
  ['the first value of a row', "INSERT INTO t (id, psc, x) VALUES (5521,'616 00',1);", 'VALUES (5521,'],
  [
    'words of a specification',
    '氏名:必須、全角のみ\n负责人:待定\n姓名:必填',
    '氏名:必須、全角のみ\n负责人:待定\n姓名:必填',
  ],
  ['types of fields', 'class Login:\n    username: str\n    password: str\n', 'username: str\n    password: str'],
  ['a phone number that cannot exist', 'placeholder="+1 (555) 010-0199"', '+1 (555) 010-0199'],
  ['a group of a directory', "ldapsearch -b 'ou=p' '(memberOf=cn=payments-writers,ou=g)'", 'cn=payments-writers,ou=g'],
])('%s is kept', (_, text, expected) => {
  expect(clean(text)).toContain(expected)
})

test.each([
  ['an address of a script without capital letters', 'כתובת: רחוב הדקל 14 דירה 6', 'כתובת: [ADDRESS_1]'],
  ['an address in a column for streets', 'bsn\tstraat\n219608635\tKerkpad 33\n', '\t[ADDRESS_1]\n'],
  [
    'an account before its address in an indented line',
    '  └ npm owner ls\n     tquine88 <t.quine@corp.io>',
    ' [ACCOUNT_1] <',
  ],
])('%s is replaced', (_, text, expected) => {
  expect(clean(text)).toContain(expected)
})

test('findNamesInRecords stops between the records of a long text', () => {
  const record = 'customer: Rosalind Achebe\nphone: 030 400123\n\n'
  const text = record.repeat(400)
  const found = new Findings()
  const rule = { id: 'number', category: 'phone', placeholder: 'PHONE' }
  for (let i = 0; i < 400; i++) found.add('030 400123', i * record.length + record.indexOf('030'), rule)
  const steps = findNamesInRecords(text, found, new Meter())
  let stops = 0
  while (!steps.next().done) stops++
  expect(found.list.filter(({ rule: { category } }) => category === 'person')).toHaveLength(400)
  expect(stops).toBeGreaterThan(20)
})
