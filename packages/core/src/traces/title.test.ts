import { describe, expect, test } from 'vitest'
import { cutText, titleOf } from './title.ts'

const title = (content: string) => titleOf([{ role: 'user', content }])

describe('titleOf', () => {
  test('returns the first line of the first user message that is not blank', () => {
    const messages = [
      { role: 'system', content: 'rules' },
      { role: 'user', content: '\n \t\r\n  Fix the parser \r\nplease' },
      { role: 'user', content: 'other' },
    ]
    expect(titleOf(messages)).toBe('Fix the parser')
    expect([titleOf([{ role: 'assistant', content: 'a' }]), title(' \n'), titleOf([])]).toEqual([null, null, null])
  })

  test('keeps a line of 80 characters and cuts a longer one after a word', () => {
    const line = `${'word '.repeat(15)}words`
    expect([line.length, title(line)]).toEqual([80, line])
    expect(title(`${line}s and more`)).toBe(`${'word '.repeat(14)}word…`)
    expect(title('x'.repeat(81))).toBe(`${'x'.repeat(79)}…`)
    expect(title(`${'x'.repeat(79)} y`)).toBe(`${'x'.repeat(79)}…`)
  })

  test.each(['[EMAIL_1]', '[GITHUB_TOKEN_12]', 'at [PHONE_1]'])('never cuts inside the placeholder %s', (last) => {
    for (let length = 60; length <= 90; length++) {
      const shown = title(`${'x'.repeat(20)} ${'y'.repeat(length - 21)}${last} and the rest of a long line`)!
      expect(Array.from(shown).length).toBeLessThanOrEqual(80)
      expect(shown.replaceAll(/\[[A-Z_]+_\d+\]/g, '')).not.toContain('[')
    }
  })

  test('cuts no surrogate pair and reads a long line in little time', () => {
    expect(title('😀'.repeat(100))).toBe(`${'😀'.repeat(79)}…`)
    const start = performance.now()
    expect(cutText('[A'.repeat(500_000), 80).length).toBeLessThanOrEqual(80)
    expect(performance.now() - start).toBeLessThan(100)
  })
})
