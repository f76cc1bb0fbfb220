import { describe, expect, test } from 'vitest'
import { createScrubber, previewScrub } from './index.ts'

const scrubber = createScrubber()
const token = `gh${'p_'}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8`

function shown(texts: readonly string[], context = {}) {
  const preview = previewScrub(scrubber, texts, context)
  if (!preview.ok) throw new Error(preview.reason)
  return preview.replacements.map((list, index) =>
    list.map(({ placeholder, category, rule, score, offset, original }) => ({
      placeholder,
      category,
      rule,
      score,
      isThere: preview.texts[index]!.startsWith(placeholder, offset),
      original: original && texts[index]!.slice(original.start, original.end),
    })),
  )
}

describe('previewScrub', () => {
  test('returns each replacement with category, rule, score and the original value', () => {
    const texts = [`use ${token}, mail jane@acme.io and jane@acme.io`, 'nothing', `${token}`]
    expect(shown(texts)).toEqual([
      [
        {
          placeholder: '[GITHUB_TOKEN_1]',
          category: 'token',
          rule: expect.any(String),
          score: 1,
          isThere: true,
          original: token,
        },
        {
          placeholder: '[EMAIL_1]',
          category: 'email',
          rule: 'email',
          score: 1,
          isThere: true,
          original: 'jane@acme.io',
        },
        {
          placeholder: '[EMAIL_1]',
          category: 'email',
          rule: 'email',
          score: 1,
          isThere: true,
          original: 'jane@acme.io',
        },
      ],
      [],
      [
        {
          placeholder: '[GITHUB_TOKEN_1]',
          category: 'token',
          rule: expect.any(String),
          score: 1,
          isThere: true,
          original: token,
        },
      ],
    ])
  })

  test('returns a score below 1 if the model for contextual secrets decided, and 1 for all other findings', () => {
    const [list] = shown(['db_password = "Kestrel-77-oak!" of jane@acme.io'])
    expect(list).toMatchObject([
      { category: 'password', score: 0.99 },
      { category: 'email', score: 1 },
    ])
  })

  test('finds blocked terms and known identity in other letter cases and encodings', () => {
    const encoded = '%6bumquat'
    const context = { blockedTerms: ['Kumquat'], identity: { names: ['Hortense Delacroix'] } }
    const [list] = shown([`KUMQUAT ${encoded} of Hortense Delacroix, kumquat`], context)
    expect(list!.map(({ placeholder, original }) => [placeholder, original])).toEqual([
      ['[BLOCKED_1]', 'KUMQUAT'],
      ['[BLOCKED_1]', encoded],
      ['[PERSON_1]', 'Hortense Delacroix'],
      ['[BLOCKED_1]', 'kumquat'],
    ])
  })

  test('leaves placeholders in the text unchanged', () => {
    expect(shown(['[EMAIL_1] wrote to jane@acme.io'])).toMatchObject([
      [{ placeholder: '[EMAIL_2]', original: 'jane@acme.io' }],
    ])
  })

  test('returns the same counts, texts and refusals as the scrubber', () => {
    const preview = previewScrub(scrubber, ['mail jane@acme.io'])
    expect(preview).toMatchObject({ ...scrubber.scrub(['mail jane@acme.io']) })
    const refused = previewScrub(createScrubber({ reject: ['email'] }), ['mail jane@acme.io'])
    expect(refused).toEqual({ ok: false, reason: 'holds email, which may not be kept' })
  })
})
