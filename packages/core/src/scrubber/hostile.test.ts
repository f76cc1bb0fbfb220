import { expect, test, vi } from 'vitest'
import { floods, hostileStrings, isFullRun } from '@tributary/test-kit/scrubber'
import { createScrubber } from './index.ts'
import { rules } from './packs/table.ts'

/** The length of each text in characters. The full run uses longer texts. */
const length = isFullRun ? 16_384 : 4_096
/** The quick run tests only every tenth repetitive text (flood). */
const floodShare = isFullRun ? 1 : 10

/** The length of each hostile string. An exponential pattern never ends for 512 characters. */
const hostileLength = isFullRun ? 4_096 : 512

/**
 * A pattern that backtracks exceeds the time limit of the test: an exponential pattern does so for short texts, and a
 * quadratic pattern takes minutes for all texts of 16 KB. `npm run bench:scrub` measures the time of linear patterns
 * with one megabyte.
 */
test(`scrub ends in time for every hostile string of ${hostileLength} characters`, { tags: 'long' }, () => {
  const scrubber = createScrubber()
  let count = 0
  for (const [name, text] of hostileStrings(hostileLength, rules)) {
    count++
    const done = scrubber.scrub([text])
    expect(done.ok ? null : done.reason, name).toBeOneOf([null, 'the scrubber did not converge'])
  }
  expect(count).toBeGreaterThan(3000)
})

/** Returns how often the scrubber yields. This number measures the work of the scrubber without a clock. */
function slices(text: string): number {
  const steps = createScrubber().steps([text])
  for (let count = 1; ; count++) if (steps.next().done) return count
}

// promise: linear
test(
  'scrub does at most five times the work for a text that is four times as long (floods, nested text, many values)',
  { tags: 'slow' },
  () => {
    const few = new Map(floods(4 * length))
    for (const [name, text] of floods(16 * length))
      expect(slices(text), name).toBeLessThanOrEqual(5 * slices(few.get(name)!) + 4)
  },
)

/**
 * Counts how often regular expressions are tried, and how many characters are read by regular expressions that are
 * neither sticky nor anchored.
 */
function countMatching(text: string): { tries: number; read: number } {
  const { exec } = RegExp.prototype
  let [tries, read] = [0, 0]
  const spy = vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, subject) {
    const from = this.lastIndex
    const match = exec.call(this, subject)
    tries++
    if (!this.sticky && !this.source.startsWith('^'))
      read += match ? match.index + match[0].length - (this.global ? from : 0) : subject.length - from
    return match
  })
  createScrubber().scrub([text])
  spy.mockRestore()
  return { tries, read }
}

/** The maximum numbers of tries and of read characters, per character of a text: twice the highest measured values. */
const MOST_TRIES = 14
const MOST_READ = 120

test('scrub tries regular expressions in proportion to the length of a repetitive text', { tags: 'long' }, () => {
  const few = new Map(floods(length))
  for (const [name, text] of [...floods(4 * length)].filter((_, at) => at % floodShare === 0)) {
    const [small, large] = [countMatching(few.get(name)!), countMatching(text)]
    expect(large.tries, name).toBeLessThanOrEqual(6 * small.tries + 200)
    expect(large.tries / text.length, name).toBeLessThanOrEqual(MOST_TRIES)
    expect(large.read / text.length, name).toBeLessThanOrEqual(MOST_READ)
  }
})

test.each([
  ['approvers:\n- wendelin\n- oyadomari ', 18],
  ['"maintainers":[{"name":"wendelinq"}\u00e9', 8],
  ['assigned @', 16],
])('scrub reads nested lists only a few times: %j', (unit, most) => {
  const text = unit.repeat(length / unit.length)
  expect(countMatching(text).tries / text.length).toBeLessThanOrEqual(most)
})

test('scrub reads adjacent placeholders once, and does not treat a placeholder as the label of the next placeholder', () => {
  const numbers = Array.from({ length: length / 16 }, (_, i) => `+1 415 ${200 + (i % 700)} ${1000 + i} `).join('')
  createScrubber().scrub([numbers])
  expect(countMatching(numbers).tries / numbers.length).toBeLessThanOrEqual(3.8)
})

test('scrub tries few regular expressions after labels without a value in other scripts', () => {
  // Compiling the table also tries regular expressions, so the table must be compiled before the count.
  createScrubber().scrub(['р.-с'])
  expect(countMatching('р.-с'.repeat(length / 4)).tries / length).toBeLessThanOrEqual(1)
})

test('scrub replaces more than a thousand people, and also known names after these people', { tags: 'long' }, () => {
  const letters = (i: number): string => [...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
  const lines = Array.from({ length: 1200 }, (_, i) => `Author: Q${letters(i)}x V${letters(i)}z <q${i}@corp${i}.io>`)
  const done = createScrubber().scrub([lines.join('\n'), 'ask Wendelin'], {
    identity: { names: ['Wendelin Oyadomari'] },
  })
  if (!done.ok) throw new Error(done.reason)
  expect(done.texts[0]!.match(/^Author: \[PERSON_\d+\] <\[EMAIL_\d+\]>$/gm)).toHaveLength(1200)
  expect(done.texts[1]).toMatch(/^ask \[PERSON_\d+\]$/)
})

test.each(['key=', '1.1.1.1 ', 'eyJ-', '-----BEGIN RSA PRIVATE KEY-----', ' -u a:', 'cookie: a=', '%41', 'datadog='])(
  'scrub ends in time for a megabyte of %j',
  { tags: 'slow' },
  (unit) => {
    expect(createScrubber().scrub([unit.repeat(1_000_000 / unit.length)])).toHaveProperty('ok')
  },
)
