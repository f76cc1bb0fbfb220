import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { contentHash } from './hash.ts'

const hashText = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

describe('contentHash', () => {
  test.each([
    ['one message', [{ role: 'user', content: 'hi' }], '[["user","hi"]]'],
    ['no role', [{ content: 'hi' }], '[[null,"hi"]]'],
    ['a null role', [{ role: null, content: 'hi' }], '[[null,"hi"]]'],
    ['no messages', [], '[]'],
    [
      'positions out of order',
      [
        { content: 'b', position: 7 },
        { content: 'a', position: 3 },
      ],
      '[[null,"a"],[null,"b"]]',
    ],
    [
      'the index where the position is absent',
      [{ content: 'c', position: 5 }, { content: 'b' }, { content: 'd', position: 9 }],
      '[[null,"b"],[null,"c"],[null,"d"]]',
    ],
    ['escapes', [{ content: 'a"b\\c\n\u0000' }], '[[null,"a\\"b\\\\c\\n\\u0000"]]'],
    ['text beyond ASCII', [{ content: 'naïve 日本 😀' }], '[[null,"naïve 日本 😀"]]'],
    ['a lone surrogate as its escape', [{ content: 'a\ud800b' }], '[[null,"a\\ud800b"]]'],
    ['line separators unescaped', [{ content: '\u2028' }], '[[null,"\u2028"]]'],
  ])('hashes %s as it was sent', (_, messages, text) => {
    expect(contentHash(messages)).toBe(hashText(text))
  })

  test('returns the documented value, for clients in other languages', () => {
    expect(contentHash([{ role: 'user', content: 'hi' }])).toBe(
      '897be8e1f0370e7f41788b5b5337627e27486af82d28479ccfbe509c847683b9',
    )
  })

  test('returns the same hash for composed and decomposed text', () => {
    const composed = contentHash([{ content: '\u00e9\u1e69' }])
    expect(contentHash([{ content: 'e\u0301s\u0307\u0323' }])).toBe(composed)
    expect(composed).toBe(hashText('[[null,"\u00e9\u1e69"]]'))
  })

  test('composes the text and not its JSON: a newline before a tilde stays a newline', () => {
    expect(contentHash([{ content: '\n\u0303' }])).toBe(hashText('[[null,"\\n\u0303"]]'))
  })

  test('skips normalization only for text that has no characters from U+0300 on', () => {
    for (let unit = 0; unit < 0x300; unit++) {
      for (const next of ['', 'a', '\u00e9']) {
        const text = String.fromCharCode(unit) + next
        expect(text.normalize('NFC')).toBe(text)
      }
    }
  })

  test('returns different hashes for the same text with a different role or different message boundaries', () => {
    const hashes = [
      contentHash([{ role: 'user', content: 'ab' }]),
      contentHash([{ role: 'assistant', content: 'ab' }]),
      contentHash([{ content: 'a' }, { content: 'b' }]),
      contentHash([{ content: 'ab' }]),
    ]
    expect(new Set(hashes).size).toBe(4)
  })

  test('uses a given digest function, and does not change the given list', () => {
    const messages = [
      { content: 'b', position: 1 },
      { content: 'a', position: 0 },
    ]
    const native = contentHash(messages, (data) => new Uint8Array(createHash('sha256').update(data).digest()))
    expect(native).toBe(contentHash(messages))
    expect(messages.map((one) => one.content)).toEqual(['b', 'a'])
  })
})
