import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Scrubber } from '../src/scrubber/index.ts'
import { table } from './table.ts'

const CODE = /\.(?:[cm]?[jt]sx?|json|css)$/

/** Counts replacements in the code of this project's dependencies, by category and per megabyte. */
export function codeReport(folder: string, scrubber: Scrubber): void {
  const counts = new Map<string, number>()
  const tested = new Map<string, number>()
  let size = 0
  for (const path of files(folder)) {
    const text = readFileSync(path, 'utf8')
    size += text.length
    const done = scrubber.scrub([text])
    if (!done.ok) throw new Error(`${path}: ${done.reason}`)
    const into = /test|libphonenumber|package\.json$|fixture|example|\.d\.ts$/.test(path) ? tested : counts
    for (const [category, count] of Object.entries(done.counts)) into.set(category, (into.get(category) ?? 0) + count)
  }
  const categories = [...new Set([...counts.keys(), ...tested.keys()])]
  const megabytes = size / 1e6
  const rate = (count: number): string => (count / megabytes).toFixed(2)
  const rows = categories
    .map(
      (category) =>
        [category, counts.get(category) ?? 0, rate(counts.get(category) ?? 0), tested.get(category) ?? 0] as const,
    )
    .sort((a, b) => b[1] - a[1])
  const sum = (of: Map<string, number>): number => [...of.values()].reduce((a, b) => a + b, 0)
  table(
    `Replacements in ${megabytes.toFixed(0)} MB of code of node_modules`,
    ['category', 'in code', 'per MB', 'in tests, examples, authors'],
    [...rows, ['all', sum(counts), rate(sum(counts)), sum(tested)]],
  )
}

function* files(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* files(path)
    else if (entry.isFile() && CODE.test(entry.name) && statSync(path).size < 2_000_000) yield path
  }
}
