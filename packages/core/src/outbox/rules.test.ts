import { expect, test } from 'vitest'
import { digest, maxAttempts, quoted, subjectLine, waitAfter } from './rules.ts'

test.each([
  ['Gift\r\nBcc: all@example.org', 'Gift Bcc: all@example.org'],
  ['a\u0000b\u0085c\u2028d\u2029e', 'a b c d e'],
  ['\u202egnp.exe\u2066', 'gnp.exe'],
  ['  many   spaces\t', 'many spaces'],
  ['zero\u200bwidth\ufeff', 'zerowidth'],
  ['Åse 😀', 'Åse 😀'],
  ['', ''],
])('a subject of %j is the line %j', (text, line) => {
  expect(subjectLine(text)).toBe(line)
})

test('a long subject is cut, and never inside a character', () => {
  expect(subjectLine('x'.repeat(120))).toHaveLength(120)
  const cut = subjectLine(`${'x'.repeat(118)}😀😀`)
  expect(cut).toBe(`${'x'.repeat(118)}…`)
  expect(subjectLine('\ud800a').isWellFormed()).toBe(true)
})

test('every line of a quotation is behind its mark, however it was broken', () => {
  expect(quoted('one\r\ntwo\rthree\u2028four\u0085five\n\nsix')).toBe('> one\n> two\n> three\n> four\n> five\n>\n> six')
})

test('the waits grow and come to an end', () => {
  const waits = Array.from({ length: maxAttempts }, (_, i) => waitAfter(i + 1))
  expect(waits.at(-1)).toBeNull()
  for (let i = 1; i < maxAttempts - 1; i++) expect(waits[i]!).toBeGreaterThan(waits[i - 1]!)
})

test('a digest names what came in, and of very many how many more', () => {
  const { subject, text } = digest(
    Array.from({ length: 230 }, (_, i) => `subject ${i}`),
    'https://x.example/admin',
  )
  expect(subject).toBe('[Tributary] 230 messages')
  expect(text).toContain('- subject 199\n- and 30 more\n')
  expect(text).not.toContain('subject 200')
  expect(text).toContain('https://x.example/admin')
})
