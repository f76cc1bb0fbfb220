import type { Scrubber } from '../src/scrub/index.ts'
import { hostileStrings } from '../src/scrub/hostile.ts'
import { table } from './table.ts'

/** Strings of 1 MB made to be slow; the slowest of them. */
export function hostileReport(scrubber: Scrubber): void {
  const times: [name: string, ms: number, outcome: string][] = []
  for (const [name, text] of hostileStrings(1_000_000)) {
    // Processor time: on a machine that others use, the clock measures them too.
    const from = process.cpuUsage()
    const done = scrubber.scrub([text])
    const { user, system } = process.cpuUsage(from)
    times.push([name, (user + system) / 1000, done.ok ? 'scrubbed' : done.reason])
  }
  times.sort((a, b) => b[1] - a[1])
  const over = times.filter(([, ms]) => ms > 1000).length
  table(`${times.length} hostile strings of 1 MB: ${over} over a second`, ['slowest', 'ms of processor time', 'outcome'], times.slice(0, 8).map(([name, ms, outcome]) => [name, ms.toFixed(0), outcome]))
}
