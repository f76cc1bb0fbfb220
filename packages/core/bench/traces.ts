import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scrubber } from '../src/scrubber/index.ts'
import { table } from './table.ts'

/** Reads the conversations of ../shared/traces, each as a list of texts. Returns undefined if the folder is missing. */
export function conversations(folder: string): string[][] | undefined {
  if (!existsSync(folder)) return undefined
  const talks: string[][] = []
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ingest.json'))) {
    const { traces } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      traces: { messages: { content: string }[] }[]
    }
    for (const { messages } of traces) talks.push(messages.map(({ content }) => content))
  }
  for (const file of readdirSync(join(folder, 'sessions')))
    talks.push(readFileSync(join(folder, 'sessions', file), 'utf8').split('\n'))
  return talks
}

/** One in this number of histories is read. */
const HISTORY_SHARE = 4

/**
 * Reads some of the histories of ../shared/traces, each as a list of texts. Returns an empty list if the folder is
 * missing.
 */
export function histories(folder: string): string[][] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .filter((_, index) => index % HISTORY_SHARE === 0)
    .map((file) => readFileSync(join(folder, file), 'utf8').split(/\n(?=---\n)/))
}

/** Prints replacements in real conversations by kind. With `--show` it also prints the text around each replacement. */
export function traceReport(talks: readonly (readonly string[])[], scrubber: Scrubber): void {
  const kinds = new Map<string, number>()
  for (const talk of talks) {
    const done = scrubber.scrub(talk)
    if (!done.ok) throw new Error(done.reason)
    for (const text of done.texts)
      for (const match of text.matchAll(/\[([A-Z][A-Z0-9_]*)_\d+\]/g)) {
        kinds.set(match[1]!, (kinds.get(match[1]!) ?? 0) + 1)
        if (process.argv.includes('--show'))
          console.log(
            text.slice(Math.max(0, match.index - 60), match.index + match[0].length + 30).replaceAll('\n', '\\n'),
          )
      }
  }
  table(
    'Replacements in real conversations',
    ['kind', 'n'],
    [...kinds].sort((a, b) => b[1] - a[1]),
  )
}
