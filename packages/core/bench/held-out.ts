import { firstSight, scoreHeldOut, type HeldOutCase } from '@tributary/test-kit/scrubber'
import type { Scrubber } from '../src/scrubber/index.ts'
import { percent, table } from './table.ts'

/** Prints how many held-out cases were right at first and are right now. `--missed` lists the wrong ones. */
export function heldOutReport(groups: Record<string, HeldOutCase[]>, scrubber: Scrubber): void {
  const missed: string[] = []
  const scores = scoreHeldOut(
    (texts, identity) => {
      const done = scrubber.scrub(texts, { identity })
      if (!done.ok) throw new Error(done.reason)
      return done.texts
    },
    (name, { texts }, out) => missed.push(`${name}: ${JSON.stringify(texts)} gave ${JSON.stringify(out)}`),
    groups,
  )
  table(
    'Held-out cases: right at first sight, and now',
    ['cases', 'n', 'first sight', 'now'],
    Object.entries(scores).map(([name, { cases, right }]) => {
      const first = firstSight[name]!
      return [name, cases, percent(first.right, first.cases), percent(right, cases)]
    }),
  )
  if (process.argv.includes('--missed')) console.log(`${missed.join('\n')}\n`)
}
