import type { Scrubber } from '../src/scrubber/index.ts'
import { hostileStrings } from '@tributary/test-kit/scrubber'
import { rules } from '../src/scrubber/packs/table.ts'
import { markdownTable } from './table.ts'

const SMALL = 20_000
const LARGE = 1_000_000
const SLOWEST = 60
/**
 * A quick report reads every 32nd string of the rules and keywords at the small size, and the slowest 6 strings at 1
 * MB.
 */
const QUICK_SHARE = 32
const QUICK_SLOWEST = 6
/** The number of strings that do not depend on a rule. They come first, and all of them are read. */
const FLOODS = 230
/** The limit of processor time for 1 MB of hostile text, in milliseconds. */
const LIMIT_MS = 1000
const SHARE = 1000

/**
 * Measures processor time in milliseconds, because on a shared machine the clock would also measure other processes.
 */
function time(scrubber: Scrubber, text: string): { ms: number; outcome: string } {
  const from = process.cpuUsage()
  const done = scrubber.scrub([text])
  const { user, system } = process.cpuUsage(from)
  return { ms: (user + system) / 1000, outcome: done.ok ? 'scrubbed' : done.reason }
}

/**
 * Scrubs hostile texts, which are made to be slow: all of them with a size of 20 KB, and then the slowest of them with
 * a size of 1 MB. Prints each result of a megabyte immediately.
 */
export function hostileReport(scrubber: Scrubber, isQuick: boolean): void {
  const small = new Map<string, number>()
  // The first call compiles the table of rules. Its time must not count for the first string.
  time(scrubber, 'a')
  let count = 0
  for (const [name, text] of hostileStrings(SMALL, rules)) {
    if (isQuick && ++count > FLOODS && count % QUICK_SHARE > 0) continue
    small.set(name, time(scrubber, text).ms)
    if (small.size % SHARE === 0) console.log(`${small.size} hostile strings of ${SMALL / 1000} KB read`)
  }
  const bySpeed = [...small].sort((a, b) => b[1] - a[1]).map(([name]) => name)
  const slowest = new Set(bySpeed.slice(0, isQuick ? QUICK_SLOWEST : SLOWEST))
  console.log(`\n### The slowest ${slowest.size} of ${small.size} hostile strings at 1 MB\n`)
  console.log(markdownTable(['', 'ms of processor time', 'times that of a fiftieth', 'outcome'], []).trimEnd())
  let over = 0
  for (const [name, text] of hostileStrings(LARGE, rules)) {
    if (!slowest.has(name)) continue
    // The garbage of the earlier strings is collected now, not during the measurement.
    globalThis.gc?.()
    const again = Math.min(small.get(name)!, time(scrubber, text.slice(0, SMALL)).ms)
    const { ms, outcome } = time(scrubber, text)
    if (ms > LIMIT_MS) over++
    console.log(`| ${name} | ${ms.toFixed(0)} | ${(ms / again).toFixed(1)} | ${outcome} |`)
  }
  console.log(`\n${over} of them took more than a second.\n`)
}
