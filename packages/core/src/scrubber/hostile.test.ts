import { expect, test } from 'vitest'
import { floods, hostileStrings } from '@tributary/test-kit/scrubber'
import { createScrubber } from './index.ts'
import { rules } from './rules/index.ts'

/**
 * A pattern that backtracks does not end on these: even at 16 KB a quadratic one takes minutes for all of them, and the
 * test's own limit ends it. How long the linear ones take is measured by `npm run bench:scrub`, at one megabyte.
 */
test('no rule backtracks: every hostile string of 16 KB comes to an end', { timeout: 240_000 }, () => {
  const scrubber = createScrubber()
  let count = 0
  for (const [name, text] of hostileStrings(16_384, rules)) {
    const done = scrubber.scrub([text])
    expect(done.ok ? null : done.reason, name).toBeOneOf([null, 'the scrubber did not converge'])
    count++
  }
  expect(count).toBeGreaterThan(3000)
})

/** How often the scrubber stops is how much it reads, in slices: work without a clock. */
function slices(text: string): number {
  const steps = createScrubber().steps([text])
  for (let count = 1; ; count++) if (steps.next().done) return count
}

test(
  'four times the text is at most five times the work, for floods, nests and many different values',
  { timeout: 300_000 },
  () => {
    const few = new Map(floods(65_536))
    for (const [name, text] of floods(262_144))
      expect(slices(text), name).toBeLessThanOrEqual(5 * slices(few.get(name)!) + 4)
  },
)

test.each(['key=', '1.1.1.1 ', 'eyJ-', '-----BEGIN RSA PRIVATE KEY-----', ' -u a:', 'cookie: a=', '%41', 'datadog='])(
  'a megabyte of %j comes to an end',
  { timeout: 60_000 },
  (unit) => {
    expect(createScrubber().scrub([unit.repeat(1_000_000 / unit.length)])).toHaveProperty('ok')
  },
)
