import { expect, test } from 'vitest'
import { createScrubber } from '../scrubber/index.ts'
import { monotonicClock } from './system.ts'

test('monotonicClock stands still when the clock is set back, and limits how far one step advances', () => {
  let time = 1000
  const watch = monotonicClock(() => time, 50)
  const after = (step: number): number => ((time += step), watch())
  expect([after(10), after(-500), after(20), after(90_000), after(50)]).toEqual([10, 10, 30, 80, 130])
})

test('scrub accepts a trace when the machine sleeps in the middle, and refuses one that really takes too long', () => {
  const text = 'lorem ipsum '.repeat(60_000)
  const scrubs = (steps: (call: number) => number): boolean => {
    let [time, call] = [0, 0]
    return createScrubber({ now: monotonicClock(() => (time += steps(call++)), 10_000), limitMs: 20_000 }).scrub([text])
      .ok
  }
  expect(scrubs((call) => (call === 5 ? 8 * 3_600_000 : 1))).toBe(true)
  expect(scrubs(() => 2_500)).toBe(false)
})
