import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import type { Scrubber } from '../src/scrubber/index.ts'
import { draw, secretOf, type Case } from '@tributary/test-kit/scrubber'
import { percent, table } from './table.ts'

const config = { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] }

/** Returns the spans that secretlint's recommended preset finds in a text. */
export async function secretlint(text: string): Promise<(readonly [number, number])[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: '/text.txt', ext: '.txt', contentType: 'text' },
    options: { config, noPhysicFilePath: true },
  })
  return messages.map(({ range }) => range)
}

/**
 * Prints recall and the share of hard negatives that are changed, by category, for the scrubber and for secretlint on
 * the same texts.
 */
export async function qualityReport(cases: Record<string, Case[]>, scrubber: Scrubber): Promise<void> {
  const rows: (readonly (string | number)[])[] = []
  const missed: string[] = []
  for (const [file, list] of Object.entries(cases)) {
    const tallies = new Map<string, { all: number; ours: number; theirs: number }>()
    for (const [index, { category, text: template, gone }] of list.entries()) {
      const drawn = draw(template, index + 1)
      const text = drawn.replace(/[«»]/g, '')
      const tally = tallies.get(category) ?? { all: 0, ours: 0, theirs: 0 }
      tallies.set(category, tally)
      tally.all++
      const done = scrubber.scrub([text])
      if (!done.ok) throw new Error(done.reason)
      const found = await secretlint(text)
      if (file.endsWith('negatives.json')) {
        if (done.total > 0) missed.push(`changed: ${template}`)
        if (done.total > 0) tally.ours++
        if (found.length > 0) tally.theirs++
        continue
      }
      const value =
        gone ??
        (drawn.includes('«') ? drawn.slice(drawn.indexOf('«') + 1, drawn.indexOf('»')) : secretOf(template, text))
      const at = text.indexOf(value)
      if (at < 0) throw new Error(`no such part in case ${index} of ${file}`)
      if (!done.texts[0]!.includes(value)) tally.ours++
      else missed.push(`${category}: ${template.slice(0, 110).replaceAll('\n', '\\n')}`)
      if (found.some(([from, to]) => from < at + value.length && to > at)) tally.theirs++
    }
    for (const [category, { all, ours, theirs }] of tallies)
      rows.push([`${file.replace('.json', '')}: ${category}`, all, percent(ours, all), percent(theirs, all)])
  }
  table('Found, by category (negatives: changed)', ['cases', 'n', 'scrubber', 'secretlint'], rows)
  if (process.argv.includes('--missed')) console.log(`${missed.join('\n')}\n`)
}
