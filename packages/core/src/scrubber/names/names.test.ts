import { describe, expect, test } from 'vitest'
import { createScrubber, previewScrub } from '../index.ts'
import { kindOf } from './lexicon.ts'

describe('kindOf', () => {
  test.each([
    ['Bogdan', 'both'],
    ['Ségolène', 'given'],
    ['Иван', 'given'],
    ['Verhoeven', 'surname'],
    ['Rose', 'ambiguous'],
    ['Jordan', 'ambiguous'],
    ['Docker', 'word'],
    ['Airport', 'word'],
  ])('knows %s as %s', (word, kind) => {
    expect(kindOf(word)).toBe(kind)
  })
})

describe('names in prose of createScrubber', () => {
  test('stay where the option is null', () => {
    const texts = ['ask Bogdan Petrescu about it']
    expect(createScrubber().scrub(texts)).toMatchObject({ texts: ['ask [PERSON_1] about it'], counts: { person: 1 } })
    expect(createScrubber({ names: null }).scrub(texts)).toMatchObject({ texts, total: 0 })
  })

  test('are shown by a preview with their rule and score', () => {
    const preview = previewScrub(createScrubber(), ['thanks Katarzyna Wielgosz!'])
    if (!preview.ok) throw new Error(preview.reason)
    expect(preview.replacements[0]).toMatchObject([{ rule: 'person-name', category: 'person' }])
    const { score } = preview.replacements[0]![0]!
    expect(score).toBeGreaterThan(0.5)
    expect(score).toBeLessThan(1)
  })

  test('are found on both sides of the parts in which a text is read', () => {
    for (let length = 8170; length < 8200; length++) {
      const done = createScrubber().scrub([
        `${'so '.repeat(length / 3)}${' '.repeat(length % 3)}ask Bogdan Petrescu now`,
      ])
      expect(done).toMatchObject({ counts: { person: 1 } })
    }
  })

  test('are read in linear time where every word may be one', () => {
    const scrubber = createScrubber()
    for (const words of ['Anna Berg ', 'Xq Zq ', 'A. ', 'Åsa-Åsa-', "O'O'"])
      expect(scrubber.scrub([words.repeat(200_000 / words.length)]).ok).toBe(true)
  })
})
