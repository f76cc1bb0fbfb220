import { describe, expect, test } from 'vitest'
import { displayTitle, titleOf } from './names.ts'

const makeTitle = (content: string) => titleOf([{ role: 'user', content }])

describe('titleOf', () => {
  test('returns the first line of the first user message that is not blank', () => {
    const messages = [
      { role: 'system', content: 'rules' },
      { role: 'user', content: '\n \t\r\n  Fix the parser \r\nplease' },
      { role: 'user', content: 'other' },
    ]
    expect(titleOf(messages)).toBe('Fix the parser')
    expect([titleOf([{ role: 'assistant', content: 'a' }]), makeTitle(' \n'), titleOf([])]).toEqual([null, null, null])
  })

  test('returns the first 80 characters of a longer line, and does not split a surrogate pair', () => {
    expect(makeTitle('x'.repeat(81))).toBe('x'.repeat(80))
    expect(makeTitle('😀'.repeat(100))).toBe('😀'.repeat(80))
  })
})

describe('displayTitle', () => {
  test('returns a title of fewer than 80 characters as it is', () => {
    expect(displayTitle('x'.repeat(79))).toBe('x'.repeat(79))
    expect(displayTitle('Fix the parser', 14)).toBe('Fix the parser')
  })

  test('ends a longer title after a whole word', () => {
    const line = `${'word '.repeat(15)}words`
    expect(displayTitle(line)).toBe(`${'word '.repeat(14)}word…`)
    expect(displayTitle(line, 12)).toBe('word word…')
    expect(displayTitle('Restart the machine. It hangs', 22)).toBe('Restart the machine…')
    expect(displayTitle('x'.repeat(80))).toBe(`${'x'.repeat(79)}…`)
    expect(displayTitle('😀'.repeat(80), 20)).toBe(`${'😀'.repeat(19)}…`)
  })

  test('omits `TOKEN=` as well when the placeholder after it would be cut', () => {
    const line = makeTitle(`${'word '.repeat(11)}with GITHUB_TOKEN=[GITHUB_TOKEN_1] in the environment`)!
    expect(displayTitle(line)).toBe(`${'word '.repeat(11)}with…`)
  })

  test.each(['[EMAIL_1]', '[GITHUB_TOKEN_12]', 'at [PHONE_1]'])('never ends inside the placeholder %s', (last) => {
    for (let length = 40; length <= 79; length++) {
      const line = makeTitle(
        `${'x'.repeat(20)} ${'y'.repeat(length - 21)}${last} and the rest of a line that is too long`,
      )!
      for (const width of [50, 80]) {
        const shown = displayTitle(line, width)
        expect(Array.from(shown).length).toBeLessThanOrEqual(width)
        expect(shown.replaceAll(/\[[A-Z_]+_\d+\]/g, '')).not.toContain('[')
      }
    }
  })
})
