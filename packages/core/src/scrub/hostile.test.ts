import { expect, test } from 'vitest'
import { hostileStrings } from './hostile.ts'
import { createScrubber } from './index.ts'

/**
 * A pattern that backtracks does not end on these: even at 32 KB a quadratic one takes minutes for all of them, and the
 * test's own limit ends it. How long the linear ones take is measured by `npm run bench:scrub`, at one megabyte.
 */
test('no rule backtracks: every hostile string of 32 KB comes to an end', { timeout: 240_000 }, () => {
  const scrubber = createScrubber()
  let count = 0
  for (const [name, text] of hostileStrings(32_768)) {
    const done = scrubber.scrub([text])
    if (!done.ok) expect(done.reason, name).toBe('the scrubber came to no end')
    count++
  }
  expect(count).toBeGreaterThan(1000)
})

test.each(['key=', '1.1.1.1 ', 'eyJ', '-----BEGIN RSA PRIVATE KEY-----', ' -u a:', 'cookie: a=', '%41', 'datadog='])('a megabyte of %j comes to an end', { timeout: 60_000 }, (unit) => {
  expect(createScrubber().scrub([unit.repeat(1_000_000 / unit.length)])).toHaveProperty('ok')
})
