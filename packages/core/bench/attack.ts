import type { Scrubber } from '../src/scrubber/index.ts'
import { hostileStrings } from '@tributary/test-kit/scrubber'
import { rules } from '../src/scrubber/rules/index.ts'
import { table } from './table.ts'

const SMALL = 125_000
const LARGE = 1_000_000
const SLOWEST = 60

/** Measures processor time in ms: on a shared machine the clock would measure other processes too. */
function time(scrubber: Scrubber, text: string): { ms: number; outcome: string } {
  // What the making of other strings left is not collected during this one.
  globalThis.gc?.()
  const from = process.cpuUsage()
  const done = scrubber.scrub([text])
  const { user, system } = process.cpuUsage(from)
  return { ms: (user + system) / 1000, outcome: done.ok ? 'scrubbed' : done.reason }
}

/**
 * Strings made to be slow: all of them at an eighth of a megabyte, and the slowest of these at a whole one, eight times
 * as long.
 */
export function hostileReport(scrubber: Scrubber): void {
  const small = new Map<string, number>()
  for (const [name, text] of hostileStrings(SMALL, rules)) small.set(name, time(scrubber, text).ms)
  console.log(`${small.size} hostile strings of ${SMALL / 1000} KB read; the ${SLOWEST} slowest follow at 1 MB\n`)
  const names = new Set(
    [...small]
      .sort((a, b) => b[1] - a[1])
      .slice(0, SLOWEST)
      .map(([name]) => name),
  )
  const rows: [name: string, ms: number, growth: number, outcome: string][] = []
  for (const [name, text] of hostileStrings(LARGE, rules)) {
    if (!names.has(name)) continue
    const again = Math.min(small.get(name)!, time(scrubber, text.slice(0, SMALL)).ms)
    const { ms, outcome } = time(scrubber, text)
    rows.push([name, ms, ms / again, outcome])
  }
  rows.sort((a, b) => b[1] - a[1])
  const over = rows.filter(([, ms]) => ms > 500).length
  table(
    `The slowest of ${small.size} hostile strings at 1 MB: ${over} over half a second`,
    ['', 'ms of processor time', 'times that of an eighth', 'outcome'],
    rows.slice(0, 12).map(([name, ms, growth, outcome]) => [name, ms.toFixed(0), growth.toFixed(1), outcome]),
  )
}
