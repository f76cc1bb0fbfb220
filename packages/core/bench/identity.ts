import { identityCases, isHeldOut } from '@tributary/test-kit/scrubber'
import type { Scrubber } from '../src/scrubber/index.ts'
import { percent, table } from './table.ts'

/**
 * Scrubs traces that identify their author. Prints how many are fully anonymous afterwards, how many keep the text that
 * must be kept, and both numbers for the held-out half alone.
 */
export function identityReport(scrubber: Scrubber): void {
  const tallies = new Map<string, { all: number; clean: number; kept: number }>()
  for (const [index, { category, texts, gone, stays, ...context }] of identityCases.entries()) {
    const key = `${category}${isHeldOut(index) ? ', held out' : ''}`
    const tally = tallies.get(key) ?? { all: 0, clean: 0, kept: 0 }
    tallies.set(key, tally)
    const done = scrubber.scrub(texts, context)
    const out = done.ok ? done.texts.join('\n') : ''
    tally.all++
    if (gone.every((value) => !out.toLowerCase().includes(value.toLowerCase()))) tally.clean++
    if (stays.every((value) => out.includes(value))) tally.kept++
  }
  table(
    'Identity: traces that name nobody afterwards, and that keep the rest',
    ['cases', 'n', 'names nobody', 'keeps the rest'],
    [...tallies].sort().map(([key, { all, clean, kept }]) => [key, all, percent(clean, all), percent(kept, all)]),
  )
}
