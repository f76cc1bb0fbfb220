import { afterEach, describe, expect, test, vi } from 'vitest'
import { createScrubber, DetectorError, previewScrub, type AsyncDetector, type DetectedSpan } from './index.ts'

const pause = async (): Promise<void> => undefined

/** Creates a detector that finds the given words in each text, each with its category. */
function wordDetector(words: Record<string, string>, more: Partial<AsyncDetector> = {}): AsyncDetector {
  return {
    id: 'words',
    detect: async (texts) =>
      texts.map((text) =>
        Object.entries(words).flatMap(([word, category]) =>
          [...text.matchAll(new RegExp(word, 'g'))].map(({ index }): DetectedSpan => ({
            start: index,
            end: index + word.length,
            category,
          })),
        ),
      ),
    ...more,
  }
}
const scrubWith = (detector: AsyncDetector, ...texts: string[]) =>
  createScrubber({ detectors: [detector] }).scrubAsync(texts, pause)

describe('asynchronous detectors of createScrubber', () => {
  test('replace their findings, with one placeholder for the same value', async () => {
    const done = await scrubWith(
      wordDetector({ 'Ada Byron': 'person' }),
      'Ada Byron wrote',
      'to Ada Byron, ada.byron and jane@corp.io',
    )
    expect(done).toEqual({
      ok: true,
      texts: ['[PERSON_1] wrote', 'to [PERSON_1], [PERSON_1] and [EMAIL_1]'],
      counts: { person: 3, email: 1 },
      total: 4,
    })
  })

  test('replace a value also in texts where the detector did not find it', async () => {
    const detector = wordDetector({ 'met Brida': 'place', 'at 12 Long Row': 'address' })
    const done = await scrubWith(detector, 'we met Brida', 'go AT 12 LONG ROW now')
    expect(done).toMatchObject({ texts: ['we [PLACE_1]', 'go AT 12 LONG ROW now'] })
    const both = await scrubWith(detector, 'be at 12 Long Row', 'go AT 12 LONG ROW now')
    expect(both).toMatchObject({ texts: ['be [ADDRESS_1]', 'go [ADDRESS_1] now'] })
  })

  test('replace a name that is also a common word only where it was found', async () => {
    const detector = wordDetector({ Will: 'person' })
    const done = await scrubWith(detector, 'Will is here', 'it will run')
    expect(done).toMatchObject({ texts: ['[PERSON_1] is here', 'it will run'] })
  })

  test('leave placeholders and the names of assistants unchanged', async () => {
    const detector = wordDetector({ 'PERSON_1': 'person', 'Claude': 'person', 'mail .EMAIL_4.': 'secret' })
    const done = await scrubWith(detector, 'ask [PERSON_1] or Claude')
    expect(done).toMatchObject({ texts: ['ask [PERSON_1] or Claude'], total: 0 })
  })

  test('keep JSON documents valid, even if a span includes quotes', async () => {
    const document = JSON.stringify({ author: 'Ada "Countess" Byron', note: 'Bob\nlives here' })
    const spans: DetectedSpan[] = [
      { start: document.indexOf('Ada'), end: document.indexOf('lives'), category: 'person' },
    ]
    const detector: AsyncDetector = { id: 'wide', detect: async () => [spans] }
    const done = await scrubWith(detector, document)
    if (!done.ok) throw new Error(done.reason)
    expect(Object.keys(JSON.parse(done.texts[0]!))).toHaveLength(2)
    expect(done.texts[0]).not.toMatch(/Ada|Byron|Bob/)
  })

  test('leave the escapes of a JSON document unchanged', async () => {
    const document = '{"a": "caf\\u00e9\\nZed said", "b": ["Zed"]}'
    const detect: AsyncDetector['detect'] = async () => [
      [{ start: document.indexOf('nZed'), end: document.indexOf('nZed') + 4, category: 'place' }],
    ]
    const done = await scrubWith({ id: 'cut', detect }, document)
    expect(done).toMatchObject({ texts: ['{"a": "caf\\u00e9\\n[PLACE_1] said", "b": ["Zed"]}'] })
  })

  test('search the strings of a JSON document that would become invalid, and refuse a value outside strings', async () => {
    const detectIn = (document: string, part: string) => async () => [
      [{ start: document.indexOf(part), end: document.indexOf(part) + part.length, category: 'place' }],
    ]
    const document = '{"a": -12.5e3}'
    const found = await scrubWith({ id: 'cut', detect: detectIn(document, '12.5e') }, document)
    expect(found).toEqual({ ok: false, reason: 'the scrubber failed' })
    const other = '{"a": "Zedville", "b": [1, 57]}'
    const whole = await scrubWith({ id: 'cut', detect: detectIn(other, 'ville", "b": [1, 5') }, other)
    if (!whole.ok) throw new Error(whole.reason)
    expect(JSON.parse(whole.texts[0]!)).toHaveProperty('a')
    expect(whole.texts[0]).not.toContain('ville')
  })

  test('receive a long text in overlapping parts and in batches, and receive equal parts only once', async () => {
    const calls: number[][] = []
    let pauses = 0
    const words = wordDetector({ 'Zelda Quist': 'person' })
    const detector: AsyncDetector = {
      ...words,
      maxChars: 1000,
      batchSize: 3,
      detect: (texts, signal) => (calls.push(texts.map(({ length }) => length)), words.detect(texts, signal)),
    }
    const scrubber = createScrubber({ detectors: [detector] })
    const line = 'the quick brown fox '
    // The name crosses the end of the first part.
    const long = `${line.repeat(50).slice(0, 995)}Zelda Quist ${line.repeat(100)}`
    const done = await scrubber.scrubAsync([long, 'short 1', 'short 1', '  ', '--'], async () => void pauses++)
    expect(done).toMatchObject({ ok: true, total: 1 })
    expect(calls.flat().every((length) => length <= 1000)).toBe(true)
    expect(calls.map(({ length }) => length)).toEqual([3, 2])
    expect(pauses).toBeGreaterThanOrEqual(calls.length)
  })

  test('make scrub and steps refuse the texts unless skipAsyncDetectors is set', () => {
    const scrubber = createScrubber({ detectors: [wordDetector({ Ada: 'person' })] })
    const refused = { ok: false, reason: 'asynchronous detectors are asked by scrubAsync only' }
    expect(scrubber.scrub(['Ada'])).toEqual(refused)
    expect(previewScrub(scrubber, ['Ada'])).toEqual(refused)
    expect(scrubber.scrub(['Ada jane@corp.io'], { skipAsyncDetectors: true })).toMatchObject({
      texts: ['Ada [EMAIL_1]'],
    })
  })

  test('can be combined with synchronous detectors and with rejected categories', async () => {
    const found = wordDetector({ Ada: 'person' })
    const sync = {
      id: 'x',
      category: 'pet',
      placeholder: 'PET',
      find: (text: string) =>
        text.includes('Rex') ? [{ start: text.indexOf('Rex'), end: text.indexOf('Rex') + 3 }] : [],
    }
    const done = await createScrubber({ detectors: [sync, found] }).scrubAsync(['Ada and Rex'], pause)
    expect(done).toMatchObject({ texts: ['[PERSON_1] and [PET_1]'] })
    const refused = await createScrubber({ detectors: [found], reject: ['person'] }).scrubAsync(['Ada Rex'], pause)
    expect(refused).toEqual({ ok: false, reason: 'holds person, which may not be kept' })
  })

  test("change the scrubber's version when their id or version changes", () => {
    const versions = [{}, { version: '1' }, { version: '2' }, { id: 'others' }].map(
      (more) => createScrubber({ detectors: [wordDetector({}, more)] }).version,
    )
    expect(new Set(versions).size).toBe(4)
  })

  test.each([
    [{ id: 'Not An Id' }, 'needs an `id`'],
    [{ maxChars: 10 }, 'maxChars of words must be 64 or more, not 10'],
    [{ batchSize: 0 }, 'batchSize of words must be 1 or more, not 0'],
    [{ limitMs: 20_001 }, 'limitMs of words must be 1 to 20000, not 20001'],
  ])('make createScrubber throw for %j', (more, message) => {
    expect(() => createScrubber({ detectors: [wordDetector({}, more)] })).toThrow(message)
  })
})

describe('scrubAsync', () => {
  afterEach(() => void vi.useRealTimers())

  test.each<[string, AsyncDetector['detect']]>([
    ['throws', () => Promise.reject(new Error('out of memory'))],
    [
      'throws synchronously',
      () => {
        throw new Error('no model')
      },
    ],
    ['returns too few lists', async () => []],
    ['returns no list', async () => undefined as never],
    ['returns a span beyond the text', async () => [[{ start: 0, end: 99, category: 'person' }]]],
    ['returns an empty span', async () => [[{ start: 2, end: 2, category: 'person' }]]],
    ['returns a fraction', async () => [[{ start: 0.5, end: 2, category: 'person' }]]],
    ['returns an invalid category', async () => [[{ start: 0, end: 2, category: 'A person' }]]],
  ])('rejects with DetectorError when a detector %s', async (_, detect) => {
    await expect(scrubWith({ id: 'bad', detect }, 'Ada')).rejects.toBeInstanceOf(DetectorError)
  })

  test('rejects with DetectorError after the time limit and aborts the signal', async () => {
    vi.useFakeTimers()
    let given: AbortSignal | undefined
    const slow: AsyncDetector = {
      id: 'slow',
      limitMs: 500,
      detect: (_, signal) => ((given = signal), new Promise(() => undefined)),
    }
    const result = scrubWith(slow, 'Ada').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(499)
    expect(given!.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect([await result, given!.aborted]).toEqual([expect.any(DetectorError), true])
  })

  test('waits up to ten minutes for a detector to load, with pauses, and rejects if it does not load', async () => {
    vi.useFakeTimers()
    let pauses = 0
    const load = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60_500))
    const scrubber = createScrubber({ detectors: [wordDetector({ Ada: 'person' }, { load, limitMs: 1 })] })
    const done = scrubber.scrubAsync(['Ada'], async () => void pauses++)
    await vi.advanceTimersByTimeAsync(61_000)
    expect(await done).toMatchObject({ texts: ['[PERSON_1]'] })
    expect(pauses).toBeGreaterThanOrEqual(60)
    const broken = wordDetector({}, { load: () => Promise.reject(new Error('no such model')) })
    await expect(scrubWith(broken, 'Ada')).rejects.toBeInstanceOf(DetectorError)
    const late = scrubWith(wordDetector({}, { load: () => new Promise(() => undefined) }), 'Ada').catch((e: Error) => e)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(await late).toMatchObject({ name: 'DetectorError', cause: { name: 'TimeoutError' } })
  })

  test('rejects with the error of the pause between two calls', async () => {
    const stopped = createScrubber({ detectors: [wordDetector({})] }).scrubAsync(['Ada'], () =>
      Promise.reject(new Error('stopped')),
    )
    await expect(stopped).rejects.toThrow('stopped')
  })
})
