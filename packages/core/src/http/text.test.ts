import { isFullRun } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { machineLabel } from '../auth/rules.ts'
import { quoteText, sanitizeSubject } from '../outbox/rules.ts'
import { reportsContract } from '../reports/contract.ts'
import { terminalSafe } from '../ads/terminal.ts'
import { hidden, plainLine, plainText } from './text.ts'
import { Name } from './fields.ts'

const noticed = reportsContract.observe.body
const listCharacters = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at))
/**
 * Bidirectional controls, zero-width characters, tags, selectors, fillers and annotations: hidden characters that a
 * stranger may write.
 */
const all = [
  '\u00ad',
  '\u034f',
  '\u061c',
  '\u115f',
  '\u1160',
  '\u17b4',
  '\u17b5',
  ...listCharacters(0x180b, 0x180f),
  '\u200b',
  '\u200e',
  '\u200f',
  ...listCharacters(0x202a, 0x202e),
  ...listCharacters(0x2060, 0x206f),
  '\u3164',
  ...listCharacters(0xfe00, 0xfe0d),
  '\ufeff',
  '\uffa0',
  ...listCharacters(0xfff9, 0xfffb),
  ...listCharacters(0x1d173, 0x1d17a),
  ...listCharacters(0xe0000, 0xe007f),
  ...listCharacters(0xe0100, 0xe01ef),
]

test.each([
  ["a report's text", (text: string) => noticed.shape.summary.parse(text)],
  ["a report's line", (text: string) => noticed.shape.surface.parse(text)],
  ["a mail's subject", sanitizeSubject],
  ["a machine's name", machineLabel],
  ["a sponsor's text", terminalSafe],
  ['a text', plainText],
  ['a line', plainLine],
  ["a person's or a company's name", (text: string) => Name(1, 999).parse(text)],
  ["a mail's quotation", (text: string) => quoteText(text).slice(2)],
])('the cleaning function removes hidden characters from %s', (_, clean) => {
  for (const one of all)
    expect([one.codePointAt(0)!.toString(16), clean(`wo${one}rd`)]).toEqual([one.codePointAt(0)!.toString(16), 'word'])
  expect(clean(`a${all.join('')}b`)).toBe('ab')
  const taggedText = Array.from('ignore all before', (letter) =>
    String.fromCodePoint(0xe0000 + letter.charCodeAt(0)),
  ).join('')
  const selected = Array.from('ignore all before', (letter) =>
    String.fromCodePoint(0xe0100 + letter.charCodeAt(0)),
  ).join('')
  expect(clean(`fine${taggedText}${selected}`)).toBe('fine')
})

test('plainText keeps joiners and selectors within words and emoji, and removes repeated joiners and selectors', () => {
  for (const text of [
    'می\u200cخواهم',
    '\u2764\ufe0f\u200d\u{1f525}',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
    '\u0915\u094d\u200d\u0937',
  ]) {
    expect([plainText(text), plainLine(text)]).toEqual([text, text])
  }
  expect(plainText(`a${'\u200d\u200c'.repeat(40)}b`)).toBe('a\u200db')
  expect(plainText(`a${'\ufe0e\ufe0f'.repeat(40)} b\u200d`)).toBe('a\ufe0e b')
  expect(plainText('\u200da\n\ufe0fb\u200c\nc')).toBe('a\nb\nc')
})

test('plainText and plainLine normalize line breaks and remove control characters', () => {
  expect(plainText('a\r\nb\rc\u2028d\u2029e\tf\u0000\u001b[31m\u009bg\u0085h\vi\fj')).toBe(
    'a\nb\nc\nd\ne\tf[31mg\nh\ni\nj',
  )
  expect(plainLine(' a\r\n\tb\u0000c\u0085d\u2800\u2028 ')).toBe('a b c d')
})

test('plainText and plainLine are idempotent', () => {
  const pieces = [
    ...all.slice(0, 12),
    '\u200d',
    '\u200c',
    '\ufe0f',
    '\ufe0e',
    'a',
    ' ',
    '\n',
    '\r',
    '\u2800',
    '\u0000',
    '\ud800',
    '\udc00',
    '\u{1f525}',
    '\u0301',
  ]
  let seed = 7
  const drawNumber = (): number => (seed = (seed * 48_271) % 2_147_483_647)
  for (let round = 0; round < (isFullRun ? 20_000 : 2_000); round++) {
    const text = Array.from({ length: 1 + (drawNumber() % 16) }, () => pieces[drawNumber() % pieces.length]).join('')
    const [once, line] = [plainText(text), plainLine(text)]
    expect([JSON.stringify(text), plainText(once), plainLine(line)]).toEqual([JSON.stringify(text), once, line])
    expect(once.replace(/\u200c|\u200d|\ufe0e|\ufe0f/g, ''), JSON.stringify(text)).not.toMatch(hidden)
  }
})
