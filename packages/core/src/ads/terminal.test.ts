import { expect, test } from 'vitest'
import { isFullRun, seededRandom } from '@tributary/test-kit'
import { cells, terminalSafe } from './terminal.ts'
import { terminalVectors } from './terminal-vectors.ts'

test.each(terminalVectors)('terminalSafe: $name', ({ text, safe, cells: width }) => {
  expect(terminalSafe(text)).toBe(safe)
  expect(cells(safe)).toBe(width)
  expect(terminalSafe(safe)).toBe(safe)
})

test('terminalSafe returns one harmless line for any input, and does not change its own result', () => {
  const random = seededRandom(7)
  const pieces = [
    '\u001b',
    '\u001b[',
    '\u001b]',
    '\u001bP',
    '\u009b',
    '\u009d',
    '\u0007',
    '\u009c',
    '\u001b\\',
    '31m',
    ';',
    '?',
    'H',
    ' ',
    '\n',
    '\u200b',
    '\u202e',
    '\u0301',
    '\u0489',
    'a',
    'Z',
    '\u65e5',
    '\u{1f680}',
    '\ud800',
    '\udc00',
    '\u1100',
    '\u1161',
    '\u11a8',
    '\u0e35',
    '\u2028',
    '\ufe0f',
    '\u0000',
    '\u00e9',
  ]
  for (let round = 0; round < (isFullRun ? 20_000 : 2_000); round++) {
    const text = Array.from(random(1 + (random(1)[0]! % 24)), (byte) => pieces[byte % pieces.length]).join('')
    const safe = terminalSafe(text)
    expect(safe, JSON.stringify(text)).not.toMatch(
      /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{M}{3}|^[\s\p{M}]|\s$|\s\s/u,
    )
    expect(terminalSafe(safe), JSON.stringify(text)).toBe(safe)
    expect(safe.length).toBeLessThanOrEqual(200)
    expect(safe.isWellFormed()).toBe(true)
  }
})

test('terminalSafe shortens a megabyte of any kind quickly', () => {
  for (const piece of ['\u001b', '\u001b[', '\u001b]', '\u0301', ' ', '\u001b[1;', 'a\u0301', '\u009d\u001b']) {
    expect(terminalSafe(piece.repeat(1_000_000)).length).toBeLessThanOrEqual(200)
  }
})
