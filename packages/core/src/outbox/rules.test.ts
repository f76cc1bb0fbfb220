import { describe, expect, test } from 'vitest'
import {
  batchSize,
  buildDigest,
  deliveryTimeoutMs,
  mailLimits,
  quoteText,
  retentionMs,
  sanitizeSubject,
} from './rules.ts'

test('deliveries, digests and the history have the documented times', () => {
  expect({ deliveryTimeoutMs, batchSize, mailLimits, retentionMs }).toEqual({
    deliveryTimeoutMs: 120_000,
    batchSize: 50,
    mailLimits: { perHour: 20, digestAfterMs: 900_000, maxDigestEntries: 1000 },
    retentionMs: 2_592_000_000,
  })
})

describe('sanitizeSubject', () => {
  test.each([
    ['Gift\r\nBcc: all@example.org', 'Gift Bcc: all@example.org'],
    ['a\u0000b\u0085c\u2028d\u2029e', 'a b c d e'],
    ['\u202egnp.exe\u2066', 'gnp.exe'],
    ['  many   spaces\t', 'many spaces'],
    ['zero\u200bwidth\ufeff', 'zerowidth'],
    ['Åse 😀', 'Åse 😀'],
    ['', ''],
  ])('returns %j as %j', (text, line) => {
    expect(sanitizeSubject(text)).toBe(line)
  })

  test('shortens a long subject without splitting a character', () => {
    expect(sanitizeSubject('x'.repeat(120))).toHaveLength(120)
    const cut = sanitizeSubject(`${'x'.repeat(118)}😀😀`)
    expect(cut).toBe(`${'x'.repeat(118)}…`)
    expect(sanitizeSubject('\ud800a').isWellFormed()).toBe(true)
  })
})

describe('quoteText', () => {
  test('marks every line, whatever the kind of line break', () => {
    expect(quoteText('one\r\ntwo\rthree\u2028four\u0085five\n\nsix')).toBe(
      '> one\n> two\n> three\n> four\n> five\n>\n> six',
    )
  })
})

describe('buildDigest', () => {
  const build = (count: number) =>
    buildDigest(
      Array.from({ length: count }, (_, n) => `subject ${n}`),
      { adminUrl: 'https://x.example/admin', brandName: 'Tributary' },
    )

  test('lists 200 subjects, and the number of the other subjects', () => {
    const { subject, text } = build(230)
    expect(subject).toBe('[Tributary] 230 messages')
    expect(text).toContain('- subject 199\n- and 30 more\n')
    expect(text).not.toContain('subject 200')
    expect(text).toContain('https://x.example/admin')
    expect(build(200).text).toContain('- subject 199\n\nAll of them')
    expect(build(201).text).toContain('- subject 199\n- and 1 more\n\nAll of them')
  })
})
