import { cells, terminalVectors } from '@tributary/core'
import { expect, test } from 'vitest'
import { formatLine } from './line.ts'
import { findSilence } from './silence.ts'

test('formatLine labels a paid line Sponsor and an unpaid one Program', () => {
  expect(formatLine({ paid: true, brandName: 'Night Shift', text: 'Ships while you sleep' }, 80)).toBe(
    'Sponsor · Night Shift: Ships while you sleep',
  )
  expect(formatLine({ paid: false, brandName: '', text: 'Contribute a trace' }, 80)).toBe(
    'Program · Contribute a trace',
  )
})

test.each([10, 17, 18, 30])(
  'formatLine fits the line into %i columns, even if it contains wide characters',
  (columns) => {
    const fitted = formatLine({ paid: true, brandName: '日本語の会社', text: '速い 🚀 デプロイ' }, columns)
    expect(cells(fitted)).toBeLessThanOrEqual(columns)
    expect(fitted).toMatch(/^Sponsor.*…$/)
  },
)

test('formatLine removes control and bidirectional characters', () => {
  for (const { text: input } of terminalVectors) {
    const shown = formatLine({ paid: true, brandName: input, text: input }, 400)
    expect(shown, JSON.stringify(input)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u)
    expect(shown.startsWith('Sponsor · ')).toBe(true)
  }
})

test.each([
  [{}, true, false, null],
  [{}, false, false, 'not_a_terminal'],
  [{}, false, true, null],
  [{ TERM: 'dumb' }, true, false, 'dumb_terminal'],
  [{ CI: 'true' }, true, true, 'ci'],
  [{ BUILDKITE: '1' }, true, true, 'ci'],
  [{ CI: 'false' }, true, false, null],
  [{ CI: '' }, true, false, null],
  [{ DO_NOT_TRACK: '1' }, true, true, 'do_not_track'],
  [{ DNT: '1' }, true, true, 'do_not_track'],
  [{ DO_NOT_TRACK: '0' }, true, false, null],
] as const)('findSilence with %j, terminal %j, force %j returns %s', (env, tty, force, expected) => {
  expect(findSilence({ env, tty }, force)).toBe(expected)
})
