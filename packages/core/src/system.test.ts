import { expect, test } from 'vitest'
import { createScrubber } from './scrubber/index.ts'
import { monotonicClock } from './system.ts'

test('monotonicClock does not move when the clock is set back, and limits how far one step advances', () => {
  let time = 1000
  const watch = monotonicClock(() => time, 50)
  const readAfter = (step: number): number => ((time += step), watch())
  expect([readAfter(10), readAfter(-500), readAfter(20), readAfter(90_000), readAfter(50)]).toEqual([
    10, 10, 30, 80, 130,
  ])
})

test('scrub accepts a trace when the machine sleeps in the middle, and refuses a trace that really takes too long', () => {
  const text = 'lorem ipsum '.repeat(60_000)
  const acceptsText = (steps: (call: number) => number): boolean => {
    let [time, call] = [0, 0]
    return createScrubber({ now: monotonicClock(() => (time += steps(call++)), 10_000), limitMs: 20_000 }).scrub([text])
      .ok
  }
  expect(acceptsText((call) => (call === 5 ? 8 * 3_600_000 : 1))).toBe(true)
  expect(acceptsText(() => 2_500)).toBe(false)
})
