import { expect, test } from 'vitest'
import { toPlainText } from './terminal.ts'

test('toPlainText removes control and hidden characters from the text of a service', () => {
  expect(toPlainText('a\u001b[31mb\nc\u202ed\u2066e\u200bf')).toBe('a [31mb c d e f')
  for (const hides of [
    '\u034f',
    '\u115f',
    '\u180e',
    '\u2060',
    '\u3164',
    '\ufe0f',
    '\ufffb',
    '\uffa0',
    '\u{e0041}',
    '\u{e0101}',
  ])
    expect(toPlainText(`a${hides}b`)).toBe('a b')
  expect(toPlainText('Åse, 日本, 🚀')).toBe('Åse, 日本, 🚀')
})
