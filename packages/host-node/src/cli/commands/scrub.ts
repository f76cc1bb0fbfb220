import { readFile } from 'node:fs/promises'
import { createScrubber, previewScrub, type Scrubber } from '@tributary/core/scrub'
import { CommandError } from '../errors.ts'
import { defineFlags, UsageError } from '../flags/flag.ts'
import { jsonFlags } from '../flags/service.ts'
import { defineCommand } from '../program.ts'
import { diffLines, formatDiff, type DiffLine } from './scrub-diff.ts'

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
  readonly diff?: readonly DiffLine[]
}

const placeholderPattern = /\[[A-Z0-9][A-Z0-9_]*_\d+\]/g
const excerptLength = 160

/**
 * `tributary scrub FILE...`: shows what the scrubber would replace, with counts. It shows values only with
 * `--show-values`.
 */
export const scrubCommand = defineCommand({
  description: `All files are read as one trace, so that a value has the same placeholder in each. Nothing is written, and no value is
printed: a line is shown as it would be stored. --diff shows each replacement in its context with its category, rule,
kind of evidence and score.`,
  example: 'tributary scrub --diff --blocked-term Kumquat ~/.bash_history notes.md',
  flags: {
    ...jsonFlags,
    ...defineFlags({
      'diff': {
        kind: 'switch',
        help: 'show each replacement in its context, with category, rule, kind of evidence and score',
      },
      'show-values': { kind: 'switch', help: 'with --diff, print the replaced texts too; only on a terminal' },
      'blocked-term': {
        kind: 'list',
        placeholder: 'TERM',
        help: 'a word or name to replace, as on the page /blocked-terms; may be given several times',
      },
      'blocked-terms-file': { kind: 'text', placeholder: 'FILE', help: 'a file of such terms, one per line' },
      'known-name': { kind: 'list', placeholder: 'NAME', help: 'your full name, as a service knows it' },
      'known-email': { kind: 'list', placeholder: 'EMAIL', help: 'your mail address, with its account and its host' },
      'known-organization': { kind: 'list', placeholder: 'NAME', help: 'the name of your company' },
      'known-host': { kind: 'list', placeholder: 'HOST', help: "the host of your company's website" },
    }),
  },
  files: 'FILE',
  async run(flags, { out, isTerminal = false }, names) {
    const showsValues = flags['show-values']
    if (showsValues && (!flags.diff || flags.json || !isTerminal))
      throw new UsageError(
        '--show-values prints secrets: it needs --diff and a terminal; it cannot be combined with --json',
      )
    const blockedTerms = await readTerms(flags['blocked-term'], flags['blocked-terms-file'])
    const texts = await Promise.all(names.map(readText))
    const scrubber = createScrubber()
    const identity = {
      names: flags['known-name'],
      emails: flags['known-email'],
      organizations: flags['known-organization'],
      hosts: flags['known-host'],
    }
    const result = previewScrub(scrubber, texts, { identity, blockedTerms })
    if (!result.ok) throw new CommandError(`The scrubber rejects these files: ${result.reason}`)
    const { total, counts } = result
    const files = names.map((file, index) => ({
      ...createReport(file, texts[index]!, result.texts[index]!),
      ...(flags.diff
        ? { diff: diffLines(result.texts[index]!, result.replacements[index]!, showsValues ? texts[index]! : null) }
        : {}),
    }))
    out(
      flags.json
        ? `${JSON.stringify({ ok: true, version: scrubber.version, total, counts, files })}\n`
        : formatReports(files, counts, total, scrubber, isTerminal),
    )
    return 0
  },
})

/**
 * Returns the terms of the flag and the lines of the file. Throws `UsageError` for a term that the service would not
 * accept.
 */
async function readTerms(terms: readonly string[], file: string | undefined): Promise<string[]> {
  const lines = file === undefined ? [] : (await readText(file)).split(/\r?\n/)
  const all = [...terms, ...lines].map((term) => term.trim()).filter((term) => term !== '')
  const wrong = all.find((term) => term.length < 2 || term.length > 128)
  if (wrong !== undefined) throw new UsageError(`A blocked term has 2 to 128 characters, not ${wrong.length}`)
  if (all.length > 200) throw new UsageError(`At most 200 blocked terms are allowed, not ${all.length}`)
  return all
}

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

/**
 * Returns a long line around its first placeholder, without control characters, because a terminal would execute them.
 */
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
  isColored: boolean,
): string {
  const lines = files.flatMap(({ file, changes, diff }) =>
    diff ? formatDiff(file, diff, isColored) : changes.map(({ line, text }) => `${file}:${line}: ${text.trim()}`),
  )
  const summary =
    `${total} replacement${total === 1 ? '' : 's'} in ${files.length} ` +
    `file${files.length === 1 ? '' : 's'} (scrubber ${version})`
  const categories = Object.entries(counts)
    .sort((a, b) => b[1] - a[1])
    .map(([category, count]) => `  ${String(count).padStart(6)}  ${category}`)
  return `${[...lines, ...(lines.length > 0 ? [''] : []), summary, ...categories].join('\n')}\n`
}
