import { readFile } from 'node:fs/promises'
import { createScrubber, type Scrubber } from '@tributary/core/scrub'
import type { Io } from './commands/command.ts'

const help = `tributary scrub: shows what would be taken out of files before they were kept

tributary scrub FILE... [--json]

All files are read as one trace, so the same value has the same placeholder in each. Nothing is written, and no value is
printed: a line is shown as it would be kept.

Flags:
  --json   one JSON document instead of text

Example:
tributary scrub ~/.bash_history notes.md --json

Exit codes: 0 done; 1 a file cannot be read or the scrubber refuses it; 2 a flag is wrong.
`

/** One line of a file that would change, as it would be kept. `line` counts from 1 in the scrubbed text. */
interface Change {
  readonly line: number
  readonly placeholders: readonly string[]
  readonly text: string
}

interface FileReport {
  readonly file: string
  readonly replacements: number
  readonly changes: readonly Change[]
}

const PLACEHOLDER = /\[[A-Z0-9][A-Z0-9_]*_\d+\]/g
const WIDTH = 160

/** `tributary scrub FILE... [--json]`: what the scrubber would replace, with counts; never the values. */
export async function scrubCommand(argv: readonly string[], { out, err }: Pick<Io, 'out' | 'err'>): Promise<number> {
  const json = argv.includes('--json')
  const names = argv.filter((word) => word !== '--json' && word !== '--')
  if (names.includes('--help') || names.includes('-h')) {
    out(help)
    return 0
  }
  const flag = names.find((word) => word.startsWith('-') && word.length > 1)
  if (flag !== undefined || names.length === 0) {
    err(`${flag === undefined ? 'Which file?' : `There is no flag ${flag}.`}\n\n${help}`)
    return 2
  }
  const texts: string[] = []
  for (const name of names) {
    try {
      texts.push(await readFile(name, 'utf8'))
    } catch (error) {
      return fail(json, out, err, `${name} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`)
    }
  }
  const scrubber = createScrubber()
  const done = scrubber.scrub(texts)
  if (!done.ok) return fail(json, out, err, `The scrubber refuses these files: ${done.reason}`)
  const files = names.map((file, index) => report(file, texts[index]!, done.texts[index]!))
  out(
    json
      ? `${JSON.stringify({ ok: true, version: scrubber.version, total: done.total, counts: done.counts, files })}\n`
      : plain(files, done.counts, done.total, scrubber),
  )
  return 0
}

function fail(json: boolean, out: Io['out'], err: Io['err'], message: string): number {
  if (json) out(`${JSON.stringify({ ok: false, error: message })}\n`)
  else err(`${message}\n`)
  return 1
}

function report(file: string, before: string, after: string): FileReport {
  const had = new Set(before.match(PLACEHOLDER) ?? [])
  const changes = after.split('\n').flatMap((text, index): Change[] => {
    const placeholders = (text.match(PLACEHOLDER) ?? []).filter((word) => !had.has(word))
    return placeholders.length > 0 ? [{ line: index + 1, placeholders, text: around(text) }] : []
  })
  return { file, replacements: changes.reduce((sum, change) => sum + change.placeholders.length, 0), changes }
}

/** The part of a long line around its first placeholder, without control characters that a terminal would obey. */
function around(text: string): string {
  const at = Math.max(0, text.search(PLACEHOLDER) - WIDTH / 4)
  const cut = text.slice(at, at + WIDTH)
  return `${at > 0 ? '…' : ''}${cut}${at + WIDTH < text.length ? '…' : ''}`.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    '',
  )
}

function plain(
  files: readonly FileReport[],
  counts: Record<string, number>,
  total: number,
  { version }: Scrubber,
): string {
  const lines = files.flatMap(({ file, changes }) => changes.map(({ line, text }) => `${file}:${line}: ${text.trim()}`))
  const kinds = Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([category, count]) => `  ${String(count).padStart(6)}  ${category}`)
  return `${[...lines, ...(lines.length ? [''] : []), `${total} replacement${total === 1 ? '' : 's'} in ${files.length} file${files.length === 1 ? '' : 's'} (scrubber ${version})`, ...kinds].join('\n')}\n`
}
