import { seededRandom } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createScrubber, previewScrub } from '../index.ts'
import { entryOf } from './dictionary.ts'
import { rareKindOf } from './rare-kinds.ts'

describe('entryOf', () => {
  test.each([
    ['yesterday', 'word'],
    ['kubectl', 'word'],
    ['amsterdam', 'word'],
    ['temperance', 'name'],
    ['voltmerebank', null],
  ])('tells %s as %s', (word, entry) => {
    expect(entryOf(word)).toBe(entry)
  })
})

describe('rareKindOf', () => {
  test.each([
    ['continuously', null],
    ['reconnecting', null],
    ['ottilie', 'given'],
    ['lhorvathova', 'login'],
    ['thimblefinch', 'compound'],
    ['kovohuta', 'unknown'],
  ])('tells %s as %s', (word, kind) => {
    expect(rareKindOf(word)).toBe(kind)
  })
})

describe('words of no dictionary, by createScrubber', () => {
  const scrubber = createScrubber()
  const clean = (text: string): string => {
    const done = scrubber.scrub([text])
    if (!done.ok) throw new Error(done.reason)
    return done.texts[0]!
  }

  test.each([
    ['* users/skhoza/cache', 'skhoza'],
    ['origin/ottilie.zaunegger/spike', 'ottilie'],
    ['host gw1.quarzhafen.de is up', 'quarzhafen'],
    ['Hi quillfox! You have pushed', 'quillfox'],
  ])('are removed: %s', (text, word) => {
    expect(clean(text)).not.toContain(word)
  })

  test.each([
    'const _xafhxacc = "x-amz-fwd-header-accept-ranges"\nexport default _xafhxacc\n'.repeat(4),
    'npm install @brackenford/tides',
    'call_VusDN6ekzbqpoU5uT6i3QRAH',
    'flights from San Francisco to Los Angeles',
    'Gauss-Seidel converges where Cauchy-Schwarz holds',
  ])('stay in code, packages, identifiers and places: %s', (text) => {
    expect(clean(text)).toBe(text)
  })

  test('stay where an id was generated, in a name of a trace and in a sentence', () => {
    const random = seededRandom(5)
    const makeId = (): string => Array.from(random(8), (byte) => (byte % 36).toString(36)).join('')
    const changed = Array.from({ length: 500 }, makeId).filter((id) =>
      [`${id}-stock-14`, `Run ${id}, stock-14: what does this function do?`].some((text) => clean(text) !== text),
    )
    expect(changed.length).toBeLessThanOrEqual(1)
  })

  test('have a score, and the rule that says what they name', () => {
    const preview = previewScrub(scrubber, ['Hi quillfox! You have pushed'])
    if (!preview.ok) throw new Error(preview.reason)
    expect(preview.replacements[0]).toMatchObject([{ rule: 'rare-account', category: 'account_name' }])
    expect(preview.replacements[0]![0]!.score).toBeGreaterThan(0.75)
  })

  test('are read in linear time where every word may be one', () => {
    const from = performance.now()
    clean('by kwolczak, '.repeat(20_000))
    expect(performance.now() - from).toBeLessThan(5000)
  })
})
