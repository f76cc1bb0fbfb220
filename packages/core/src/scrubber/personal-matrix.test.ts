import { describe, expect, test } from 'vitest'
import { createScrubber } from './index.ts'

/** A label in the usual forms of names in code. */
interface Label {
  readonly snake: string
  readonly camel: string
  readonly pascal: string
  readonly title: string
}

const labelOf = (words: string): Label => {
  const parts = words.split(' ')
  const pascal = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('')
  return {
    snake: parts.join('_'),
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    pascal,
    title: words.charAt(0).toUpperCase() + words.slice(1),
  }
}

/** Labels, each with two values. Half of the labels begin with a word for the owner. */
const personal: readonly (readonly [label: string, first: string, second: string])[] = [
  ['mobile phone', '07834 219605', '07718 640372'],
  ['patient dob', '1979-03-17', '1964-11-23'],
  ['guardian national insurance number', 'JR 48 26 17 C', 'PW 39 52 81 A'],
  ['government id', 'B5674925', 'T8802716'],
  ['holder passport number', 'L81947265', '518240637'],
  ['driving licence number', 'TRELO806147MK9QX', 'CUNNI612056R99KD'],
  ['branch sort code', '80-22-60', '40-17-62'],
  ['savings account number', '55552457396', '1202055276'],
  ['bank routing number', '123000204', '323016564'],
  ['medicare beneficiary identifier', '4FC9-GT3-FF43', '6HF8UR8NP27'],
  ['provider npi', '1513244016', '1991650866'],
  ['medical record number', 'RK9-0048317', '7730418'],
  ['insurance policy number', 'HX48213906', 'POL-7392016'],
  ['employee id', 'E48213', 'E90274'],
  ['loan number', 'LN-48213906', '7392016485'],
  ['license plate', '7XKR482', '4WTB916'],
  ['sim iccid', '8949358259202908273', '8949911737824769686'],
  ['device serial', 'C02VV4XE4K4J', 'FLVR35FK406'],
  ['kundennummer', '48213906', 'C-739201'],
  ['teléfono móvil', '647 68 59 24', '654 318 907'],
]

/** Values of the same form that identify no person. */
const others: readonly (readonly [label: string, first: string, second: string])[] = [
  ['order number', '4829173305', 'ORD-2026-004812'],
  ['ticket number', '482133', 'T-482133'],
  ['part number', '6468-7045-03', 'PN5627190'],
  ['job id', '47241800345', '62444144112'],
  ['file version', '10.0.19045.4894', '14.38.33135.0'],
  ['created at', '2026-02-03', '2026-02-14 16:20:11'],
  ['birth time', '2026-02-03 16:20:11', '2026-02-04 09:11:02'],
  ['test card', '4242 4242 4242 4242', '5555 5555 5555 4444'],
  ['example phone', '+1 202-555-0143', '(555) 555-0123'],
  ['city coordinates', '52.5200, 13.4050', '48.8566, 2.3522'],
  ['loss tin', '0.70710678', '12.48213377'],
]

const csv = (separator: string, { snake }: Label, values: readonly string[]): string =>
  [['id', snake, 'status'], ...values.map((value, at) => [`${at}`, `"${value}"`, 'active'])]
    .map((row) => row.join(separator))
    .join('\n')

const numbered = (text: string, mark: string): string =>
  text.replace(/^/gm, '\0').replace(/\0/g, (_, at: number) => `     ${text.slice(0, at).split('\n').length}${mark}`)

type Container = (label: Label, first: string, second: string) => string
const containers: Readonly<Record<string, Container>> = {
  'JSON': ({ camel }, first) => JSON.stringify({ id: 7, [camel]: first }),
  'a list in JSON': ({ snake }, ...values) => JSON.stringify({ [`${snake}s`]: values }),
  'JSON inside JSON': ({ camel }, first) => JSON.stringify({ body: JSON.stringify({ [camel]: first }) }),
  'a form in JSON': ({ snake }, first) => JSON.stringify({ field: snake, type: 'text', value: first }),
  'YAML': ({ snake }, first) => `user:\n  ${snake}: ${first}\n  status: active`,
  'the environment': ({ snake }, first) => `TEST_USER_${snake.toUpperCase()}="${first}"`,
  'CSV': (label, ...values) => csv(',', label, values),
  'CSV with semicolons': (label, ...values) => csv(';', label, values),
  'CSV with tabs': (label, ...values) => csv('\t', label, values),
  'CSV with line numbers': (label, ...values) => numbered(csv(',', label, values), '\t'),
  'CSV with arrows': (label, ...values) => numbered(csv(',', label, values), '→'),
  'a table in Markdown': ({ title }, first, second) =>
    `| id | ${title} |\n|---|---|\n| 1 | ${first} |\n| 2 | ${second} |`,
  'an INSERT': ({ snake }, first, second) =>
    `INSERT INTO users (id, ${snake}) VALUES (1, '${first}'), (2, '${second}')`,
  'an UPDATE': ({ snake }, first) => `UPDATE users SET ${snake} = '${first}' WHERE id = 7`,
  'an element': ({ pascal }, first) => `<User><Id>7</Id><${pascal}>${first}</${pascal}></User>`,
  'an input': ({ snake }, first) => `<input type="text" name="${snake}" value="${first}">`,
  'a hash of Ruby': ({ snake }, first) => `{:id=>7, :${snake}=>"${first}"}`,
  'a struct of Go': ({ pascal }, first) => `User{ID: 7, ${pascal}: "${first}"}`,
  'a setter': ({ pascal }, first) => `user.set${pascal}("${first}");`,
  'a member': ({ camel }, first) => `row.${camel} = '${first}'`,
  'an assertion': ({ camel }, first) => `expect(parsed.${camel}).toBe('${first}')`,
  'an assertion of Python': ({ snake }, first) => `assert user.${snake} == "${first}"`,
  'an assertion of Rust': ({ snake }, first) => `assert_eq!(user.${snake}, "${first}");`,
  'an assertion of Java': ({ pascal }, first) => `assertThat(user.get${pascal}()).isEqualTo("${first}");`,
  'a log line': ({ snake }, first) => `level=info user_id=7 ${snake}="${first}" status=200`,
  'a sentence': ({ title }, first) => `It fails with ${title.toLowerCase()} '${first}' only.`,
}
const cases = Object.entries(containers)
const scrubber = createScrubber()

function scrub(text: string): string {
  const done = scrubber.scrub([text])
  if (!done.ok) throw new Error(done.reason)
  return done.texts[0]!
}

describe('scrub of a labelled value', () => {
  test.each(personal)('replaces %s in every container', (words, first, second) => {
    const left = cases.filter(([, write]) => {
      const out = scrub(write(labelOf(words), first, second))
      return out.includes(first) || out.includes(second)
    })
    expect(left.map(([name]) => name)).toEqual([])
  })

  test.each(others)('keeps %s in every container', (words, first, second) => {
    const changed = cases.filter(([, write]) => {
      const text = write(labelOf(words), first, second)
      return scrub(text) !== text
    })
    expect(changed.map(([name]) => name)).toEqual([])
  })
})
