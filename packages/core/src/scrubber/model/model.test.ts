import { describe, expect, test } from 'vitest'
import { createScrubber } from '../index.ts'
import { modelDetector, type ClassifiedToken, type ModelDetectorOptions, type TokenClassifier } from './index.ts'

const signal = new AbortController().signal

/** Returns the spans that the detector finds if the model returns these tokens. */
async function spansOf(text: string, tokens: readonly ClassifiedToken[], more: Partial<ModelDetectorOptions> = {}) {
  const [spans] = await modelDetector({ classify: async () => [tokens], ...more }).detect([text], signal)
  return spans!.map(({ start, end, category }) => [text.slice(start, end), category])
}

/** Returns tokens from pairs such as `word/label`. A token without a label has no entity. */
const tokensOf = (written: string, score = 0.9): ClassifiedToken[] =>
  written.split('|').map((pair) => {
    const [word, entity = 'O'] = pair.split('/')
    return { word: word!, entity, score }
  })

describe('detect of modelDetector', () => {
  test('joins the tokens of a name that are tagged with B and I', async () => {
    const tokens = tokensOf('my| name| is| Ada/B-PER| Byron/I-PER| and| Bob/B-PER')
    expect(await spansOf('my name is Ada Byron and Bob', tokens)).toEqual([
      ['Ada Byron', 'person'],
      ['Bob', 'person'],
    ])
  })

  test('joins the tokens of a name that are tagged with B, I, E and S', async () => {
    const tokens = tokensOf(
      'call| Ada/B-private_person| King/I-private_person| Byron/E-private_person| at| 1/S-private_phone',
    )
    expect(await spansOf('call Ada King Byron at 1', tokens)).toEqual([
      ['Ada King Byron', 'person'],
      ['1', 'phone'],
    ])
  })

  test('locates the sub-words of a lower-case model, and extends a partly labelled word to the whole word', async () => {
    const text = 'My name is Wolfgang Amadeus.'
    const tokens = tokensOf('my|name|is|wolf/B-PER|##gang/I-PER|amade/I-PER|##us|.')
    expect(await spansOf(text, tokens)).toEqual([['Wolfgang Amadeus', 'person']])
  })

  test('locates the labelled word among several equal words', async () => {
    const text = 'will you ask Will if he will'
    const [spans] = await modelDetector({
      classify: async () => [tokensOf('will| you| ask| will/B-PER| if| he| will')],
    }).detect([text], signal)
    expect(spans).toMatchObject([{ start: 13, end: 17 }])
  })

  test('uses the text between two neighbors for a token that the text does not contain', async () => {
    const tokens = tokensOf('said|\uFFFD\uFFFD/B-PER|\uFFFD/I-PER|to me')
    expect(await spansOf('said 李 to me', tokens)).toEqual([['李', 'person']])
    expect(await spansOf('said by 李', tokensOf('said|by|\uFFFD/B-PER'))).toEqual([['李', 'person']])
  })

  test('accepts groups of tokens from a pipeline, with and without offsets', async () => {
    const text = 'Ada Byron met Ada Byron'
    const group = { entity_group: 'private_person', score: 0.9, word: ' Ada Byron' }
    expect(await spansOf(text, [group, group])).toEqual([
      ['Ada Byron', 'person'],
      ['Ada Byron', 'person'],
    ])
    const second = { entity_group: 'PER', score: 0.9, start: 14, end: 23 }
    expect(await modelDetector({ classify: async () => [[second]] }).detect([text], signal)).toMatchObject([
      [{ start: 14, end: 23 }],
    ])
  })

  test('ignores an offset if the text contains another word there', async () => {
    const tokens = [{ word: 'ada', entity: 'B-PER', score: 0.9, start: 0, end: 3 }]
    expect(await spansOf('hi Ada', tokens)).toEqual([['Ada', 'person']])
  })

  test('ignores spans below the threshold, unknown labels, and labels that are inherited properties of objects', async () => {
    const text = 'Ada in Rome'
    expect(await spansOf(text, tokensOf('Ada/B-PER| in| Rome/B-LOC', 0.6), { threshold: 0.7 })).toEqual([])
    expect(await spansOf(text, tokensOf('Ada/B-constructor| in| Rome/B-LOC'))).toEqual([])
    const labels = { LOC: { category: 'place', placeholder: 'PLACE' } }
    expect(await spansOf(text, tokensOf('Ada/B-PER| in| Rome/B-LOC'), { labels })).toEqual([['Rome', 'place']])
  })

  test('halves a text until the model reads the whole text', async () => {
    const lengths: number[] = []
    /** Reads only 100 words, like a model with a limit of 100 tokens. */
    const classify: TokenClassifier = async (texts) =>
      texts.map((text) => {
        lengths.push(text.length)
        const words = text.match(/\S+/g)?.slice(0, 100) ?? []
        return words.map((word) => ({ word, entity: word === 'Ada' ? 'B-PER' : 'O', score: 0.9 }))
      })
    const text = `${'word '.repeat(300)}Ada said`
    const [spans] = await modelDetector({ classify }).detect([text], signal)
    expect(new Set(spans!.map(({ start, end }) => text.slice(start, end)))).toEqual(new Set(['Ada']))
    expect(lengths.length).toBeLessThan(32)
    expect(spans!.every(({ start }) => start === 1500)).toBe(true)
  })

  test('rejects when the model returns a wrong number of lists', async () => {
    await expect(modelDetector({ classify: async () => [] }).detect(['a'], signal)).rejects.toThrow(
      '0 lists for 1 texts',
    )
  })
})

test('modelDetector finds a name in one part of a long text, and the name is replaced in the whole trace', async () => {
  const sizes: number[] = []
  const classify: TokenClassifier = async (texts, options) => {
    expect(options).toEqual({ ignore_labels: [] })
    sizes.push(...texts.map(({ length }) => length))
    return texts.map((text) =>
      (text.match(/\w+/g) ?? []).map((word) => ({
        word,
        entity: word === 'Zelda' ? 'S-private_person' : 'O',
        score: 1,
      })),
    )
  }
  const scrubber = createScrubber({ detectors: [modelDetector({ classify, maxChars: 500, batchSize: 2 })] })
  const long = `${'lorem ipsum '.repeat(400)}Zelda ${'dolor sit '.repeat(400)}`
  const done = await scrubber.scrubAsync([long, 'so Zelda said'], async () => undefined)
  if (!done.ok) throw new Error(done.reason)
  expect(done.texts[1]).toBe('so [PERSON_1] said')
  expect(done.texts[0]).toBe(long.replace('Zelda', '[PERSON_1]'))
  expect(Math.max(...sizes)).toBe(500)
})

test('modelDetector changes its version with the model, the threshold and the labels, and refuses a threshold out of range', () => {
  const classify: TokenClassifier = async () => []
  const options = [{}, { model: 'a/b' }, { threshold: 0.9 }, { labels: {} }]
  const versions = options.map((more) => createScrubber({ detectors: [modelDetector({ classify, ...more })] }).version)
  expect(new Set(versions).size).toBe(4)
  expect(() => modelDetector({ classify, threshold: 2 })).toThrow('threshold must be 0 to 1, not 2')
})
