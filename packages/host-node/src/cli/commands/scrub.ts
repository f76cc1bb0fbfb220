import { readFile } from 'node:fs/promises'
import { createScrubber, type Scrubber } from '@tributary/core/scrub'
import { CommandError } from '../errors.ts'
import { jsonFlags } from '../flags/service.ts'
import { defineCommand } from '../program.ts'

/** One line of a file that would change, as it would be stored. `line` counts from 1 in the scrubbed text. */
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

const placeholderPattern = /\[[A-Z0-9][A-Z0-9_]*_\d+\]/g
const excerptLength = 160

/** `tributary scrub FILE...`: shows what the scrubber would replace, with counts; never the values. */
export const scrubCommand = defineCommand({
  description: `All files are read as one trace, so that a value has the same placeholder in each. Nothing is written, and no value is
printed: a line is shown as it would be stored.`,
  example: 'tributary scrub ~/.bash_history notes.md --json',
  flags: jsonFlags,
  files: 'FILE',
  async run(flags, { out }, names) {
    const texts = await Promise.all(names.map(readText))
    const scrubber = createScrubber()
    const result = scrubber.scrub(texts)
    if (!result.ok) throw new CommandError(`The scrubber rejects these files: ${result.reason}`)
    const { total, counts } = result
    const files = names.map((file, index) => createReport(file, texts[index]!, result.texts[index]!))
    out(
      flags.json
        ? `${JSON.stringify({ ok: true, version: scrubber.version, total, counts, files })}\n`
        : formatReports(files, counts, total, scrubber),
    )
    return 0
  },
})

async function readText(name: string): Promise<string> {
  try {
    return await readFile(name, 'utf8')
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new CommandError(code === 'ENOENT' ? `File not found: ${name}` : `Cannot read ${name} (${code})`, {
      cause: error,
    })
  }
}

function createReport(file: string, before: string, after: string): FileReport {
  const existing = new Set(before.match(placeholderPattern) ?? [])
  const changes = after.split('\n').flatMap((text, index): Change[] => {
    const placeholders = (text.match(placeholderPattern) ?? []).filter((placeholder) => !existing.has(placeholder))
    return placeholders.length > 0 ? [{ line: index + 1, placeholders, text: excerpt(text) }] : []
  })
  return { file, replacements: changes.reduce((sum, { placeholders }) => sum + placeholders.length, 0), changes }
}

/** Returns a long line around its first placeholder, without control characters, which a terminal would obey. */
function excerpt(text: string): string {
  const start = Math.max(0, text.search(placeholderPattern) - excerptLength / 4)
  const end = start + excerptLength
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    '',
  )
}

function formatReports(
  files: readonly FileReport[],
  counts: Record<string, number>,
  total: number,
  { version }: Scrubber,
): string {
  const lines = files.flatMap(({ file, changes }) => changes.map(({ line, text }) => `${file}:${line}: ${text.trim()}`))
  const summary = `${total} replacement${total === 1 ? '' : 's'} in ${files.length} file${files.length === 1 ? '' : 's'} (scrubber ${version})`
  const categories = Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([category, count]) => `  ${String(count).padStart(6)}  ${category}`)
  return `${[...lines, ...(lines.length > 0 ? [''] : []), summary, ...categories].join('\n')}\n`
}
