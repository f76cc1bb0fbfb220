import { expect, test } from 'vitest'
import { draw, examples, isFullRun } from '@tributary/test-kit/scrubber'
import { createScrubber, warmUpScrubber, type ScrubResult } from './index.ts'

const scrubber = createScrubber()

/** Runs all steps. Returns the result and the number of stops. */
function stepped(texts: readonly string[]): { result: ScrubResult; stops: number } {
  const steps = scrubber.steps(texts)
  for (let stops = 0; ; stops++) {
    const step = steps.next()
    if (step.done) return { result: step.value, stops }
  }
}

const filler =
  'the quick brown fox jumps over 13 lazy dogs at 10:42, {"a": [1, 2.5, "b"], "c%2Fd": null} and `code.call(x)` \\n '
/**
 * One secret for each rule, or for every twelfth rule in the quick run. A few of the generated keys do not look random,
 * and rules that require randomness ignore such keys. So the first of three keys that is replaced is used.
 */
const secrets = [...examples.values()]
  .filter((_, i) => isFullRun || i % 12 === 0)
  .map(({ match }, i) => {
    const drawn = [0, 1000, 2000].map((more) => draw(match, i + 1 + more))
    return drawn.find((secret) => isReplaced(`${filler} ${secret} ${filler}`)) ?? drawn[0]!
  })

function isReplaced(text: string): boolean {
  const result = scrubber.scrub([text])
  return result.ok && result.total > 0
}

/** Positions where a part, a slice or a view of a text ends. The test puts a secret across each position. */
const ends = [8192, 16_384, 32_768]

test('steps return the same result as scrub for a secret across the border of two parts', { tags: 'slow' }, () => {
  let stops = 0
  for (const [i, secret] of secrets.entries()) {
    const end = (i % 16 === 0 ? 131_072 : ends[i % ends.length]!) - 1 - (i % secret.length)
    const head = filler.repeat(Math.ceil(end / filler.length)).slice(0, end)
    const tail = ` ${secret} ${filler}`
    const whole = scrubber.scrub([head + tail])
    const parts = stepped([head + tail])
    expect(parts.result).toEqual(whole)
    stops += parts.stops
    const near = scrubber.scrub([head.slice(-700) + tail])
    if (!whole.ok || !near.ok) throw new Error('refused')
    expect(near.total, secret).toBeGreaterThan(0)
    expect(whole.texts[0]!.slice(head.length - 700), `${secret} at ${end}`).toBe(near.texts[0])
  }
  expect(stops).toBeGreaterThan(secrets.length)
})

test('steps decode and search a long encoded text', () => {
  const encoded = secrets
    .filter((_, i) => i % 3 === 0)
    .map(
      (secret) =>
        `${filler}%41%42\u001b[1m${secret.slice(0, 9)}\u200b${secret.slice(9)} ${btoa(unescape(encodeURIComponent(`key: ${secret}`)))}`,
    )
    .join(' ')
  const text = encoded.repeat(5)
  const { result, stops } = stepped([text, filler])
  expect(result).toEqual(scrubber.scrub([text, filler]))
  expect(stops).toBeGreaterThan(text.length / 40_000)
})

test('two concurrent runs of steps do not affect each other', () => {
  const texts = [0, 1].map((which) =>
    secrets
      .filter((_, i) => i % 6 === which)
      .map((secret) => `${filler.repeat(150)}%20${secret}`)
      .join(' '),
  )
  const runs = texts.map((text) => scrubber.steps([text]))
  const results: (ScrubResult | undefined)[] = [undefined, undefined]
  while (results.some((result) => !result))
    for (const [i, run] of runs.entries()) {
      if (results[i]) continue
      const step = run.next()
      if (step.done) results[i] = step.value
    }
  expect(results).toEqual(texts.map((text) => scrubber.scrub([text])))
})

test('scrubAsync waits between its steps, and refuses the texts when the steps exceed the time limit', async () => {
  const text = `${filler.repeat(3000)} jane@acme.io`
  let pauses = 0
  const pause = async (): Promise<void> => void pauses++
  expect(await scrubber.scrubAsync([text], pause)).toEqual(scrubber.scrub([text]))
  expect(pauses).toBeGreaterThan(10)

  let time = 0
  const clock = createScrubber({ now: () => time, limitMs: 100 })
  // Time that passes during a pause does not count.
  expect(await clock.scrubAsync([text], async () => void (time += 1000))).toMatchObject({ ok: true })
  let calls = 0
  const slow = createScrubber({ now: () => (calls++ % 2 === 0 ? time : (time += 30)), limitMs: 100 })
  expect(await slow.scrubAsync([text], pause)).toEqual({ ok: false, reason: 'the scrubber ran out of time' })

  const broken = {
    id: 'x',
    category: 'x',
    placeholder: 'X',
    find: () => {
      throw new Error('jane@acme.io')
    },
  }
  expect(await createScrubber({ detectors: [broken] }).scrubAsync([text], pause)).toEqual({
    ok: false,
    reason: 'the scrubber failed',
  })
  await expect(scrubber.scrubAsync([text], () => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped')
})

test('steps find known names across the borders of parts, also with combining characters', { tags: 'long' }, () => {
  const context = { identity: { names: ['Zoë Lindqvist'] } }
  const sentence = 'the fox… jumps ﬁne over e\u0301 '
  const head = sentence.repeat(3000).slice(0, 2 * 16_384)
  for (let shift = 0; shift < 90; shift += 3) {
    const [before, behind] = [head.slice(0, 16_384 - shift), head.slice(16_384)]
    const name = shift % 2 === 0 ? 'Zoë Lindqvist' : 'zoe\u0308.lindqvist'
    const done = scrubber.scrub([`${before} ${name} ${behind} ${name}`], context)
    if (!done.ok) throw new Error(done.reason)
    expect(done.texts[0], `${shift}`).toBe(`${before} [PERSON_1] ${behind} [PERSON_1]`)
  }
  expect(stepped([head.repeat(10)]).stops).toBeGreaterThan(10)
})

test(
  'warmUpScrubber pauses between small steps, and rejects with the error of its pause',
  { tags: 'long' },
  async () => {
    let pauses = 0
    await warmUpScrubber(async () => void pauses++)
    expect(pauses).toBeGreaterThan(10)
    await expect(warmUpScrubber(() => Promise.reject(new Error('stopped')))).rejects.toThrow('stopped')
  },
)
