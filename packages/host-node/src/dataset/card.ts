import { readingSection } from './card-reading.ts'
import type { Counts, ExportedFile, PackageContents, Sums } from './manifest.ts'
import { parquetFields, parquetMessageFields, redactionFields } from './parquet.ts'

/** The seller of the traces: the name of the service and its URL. */
export interface Seller {
  readonly name: string
  readonly url: string
}

/** The files that the Hugging Face Hub loads as one table. Null for `sts`, which has two kinds of lines. */
const filesOf = {
  documents: 'data/*.jsonl',
  messages: 'data/*.jsonl',
  sts: null,
  atif: 'data/*.jsonl',
  parquet: 'data/*.parquet',
} as const

const describedFormats = {
  documents: 'JSON Lines, one trace per line with all its data',
  messages:
    'JSON Lines, one trace per line: `messages` and `tools` in the form for chat templates, and the known facts about the trace',
  atif: 'JSON Lines, one trajectory of the Agent Trajectory Interchange Format 1.7 per line',
  sts: 'Session Trace Simple Format, a JSON Lines file for each trace',
  parquet: 'Parquet, one trace per row; `messages` is a list of structs, `redactions` a struct',
} as const

/** Returns the size category of the Hub for a number of traces. */
function sizeCategory(traces: number): string {
  const bounds = [
    [1e3, 'n<1K'],
    [1e4, '1K<n<10K'],
    [1e5, '10K<n<100K'],
    [1e6, '100K<n<1M'],
    [1e7, '1M<n<10M'],
  ] as const
  return bounds.find(([bound]) => traces < bound)?.[1] ?? '10M<n<100M'
}

/** The maximum number of names in a table of the card. The manifest contains all names. */
const maxRows = 20

/** Returns a table of the names with the most traces, and the number of the remaining traces. */
function countTable(title: string, counts: Counts, traces: number): string {
  const shown = Object.entries(counts)
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .slice(0, maxRows)
  const others = traces - shown.reduce((sum, [, count]) => sum + count, 0)
  const rows = [
    ...shown.map(([name, count]) => [`\`${name.replaceAll(/[`|\s]+/g, ' ').trim() || '–'}\``, count]),
    ...(others > 0 ? [['others, or not known', others]] : []),
  ]
  return [[title, 'traces'], ['---', '---'], ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const countTraces = (sums: Sums): Counts =>
  Object.fromEntries(Object.entries(sums).map(([name, { traces }]) => [name, traces]))

/** Returns the section that describes the data. */
function contentsSection({
  traces,
  sources,
  models,
  firstCreatedAt,
  lastCreatedAt,
  termsVersions,
  countries,
}: PackageContents): string {
  if (firstCreatedAt === null || lastCreatedAt === null) return ''
  return `
## Contents

Created from ${firstCreatedAt.slice(0, 10)} to ${lastCreatedAt.slice(0, 10)} (UTC).

${countTable('source', sources, traces)}

${countTable('model', models, traces)}

${countTable('country of the upload', countTraces(countries), traces)}

${countTable('terms accepted before the upload', countTraces(termsVersions), traces)}
`
}

/** Returns the Hub's name for the type of a Parquet column. */
function hubType({ type, converted_type: converted }: (typeof parquetFields)[number]): string {
  if (converted === 'UTF8') return 'string'
  if (converted === 'TIMESTAMP_MILLIS') return 'timestamp[ms, tz=UTC]'
  return { INT64: 'int64', DOUBLE: 'float64', BOOLEAN: 'bool' }[String(type)]!
}

const featureLines = (fields: typeof parquetFields, indent: string): string =>
  fields.map((field) => `${indent}- name: ${field.name}\n${indent}  dtype: ${hubType(field)}\n`).join('')

/** Returns the Hub's description of the table: the features of Parquet columns, and its size. */
function datasetInfo({ format, traces }: PackageContents, files: readonly ExportedFile[]): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const features = `  features:
${featureLines(parquetFields, '  ')}  - name: redactions
    struct:
${featureLines(redactionFields, '    ')}  - name: messages
    list:
${featureLines(parquetMessageFields, '    ')}`
  return `configs:
- config_name: default
  data_files:
  - split: train
    path: ${JSON.stringify(filesOf[format])}
dataset_info:
  config_name: default
${format === 'parquet' ? features : ''}  splits:
  - name: train
    num_bytes: ${bytes}
    num_examples: ${traces}
  download_size: ${bytes}
  dataset_size: ${bytes}
`
}

/** Returns the dataset card of an export: YAML front matter that the Hub reads, then text. */
export function datasetCard(
  contents: PackageContents,
  files: readonly ExportedFile[],
  seller: Seller | null = null,
): string {
  const { format, license, traces, tokens, skipped, saleId, filter, scrubVersions, signature } = contents
  const licenseName = contents.licenseName ?? (license === 'other' ? 'contract-with-the-seller' : null)
  const licenseLink = contents.licenseLink ?? (license === 'other' ? (seller?.url ?? null) : null)
  const versions = Object.entries(scrubVersions).map(([version, count]) => `${version} (${count} traces)`)
  return `---
license: ${JSON.stringify(license)}
${licenseName === null ? '' : `license_name: ${JSON.stringify(licenseName)}\n`}${
    licenseLink === null ? '' : `license_link: ${JSON.stringify(licenseLink)}\n`
  }language:
${contents.languages.map((language) => `- ${JSON.stringify(language)}\n`).join('')}pretty_name: AI conversation traces
size_categories:
- ${JSON.stringify(sizeCategory(traces))}
task_categories:
- text-generation
tags:
- agent-traces
- conversations
- ${format}
${filesOf[format] === null ? '' : datasetInfo(contents, files)}---

# AI conversation traces

${traces} traces with ${tokens} tokens (the service's estimate),
${saleId === null ? `chosen by the filter \`${filter || 'all'}\`` : `sale \`${saleId}\``}.
${skipped === 0 ? '' : `${skipped} traces could not be read and are not in the files.\n`}
${seller === null ? '' : `Seller: ${seller.name}, ${seller.url}\n`}Format: ${describedFormats[format]}.
\`manifest.json\` has the SHA-256 of each file; \`provenance.json\` (OASIS Data Provenance Metadata 1.0) and \`croissant.json\`
(Croissant 1.1) say the same of where they come from to programs.
${
  signature === null
    ? 'This package is unsigned: nothing proves who made it, or that it was not changed.'
    : `\`manifest.json.sig\` is an Ed25519 signature over it by the key \`${signature.kid}\`.`
}

${
  saleId === null
    ? 'This export is not a sale: it has the ids of the service, and the order of the uploads. Do not give it to a buyer.'
    : 'Ids and source ids are random and made for this sale, and the traces are in the order of these ids: ' +
      'neither tells who contributed a trace, or which traces have the same contributor.'
}
${contentsSection(contents)}
${readingSection(format)}
## How the traces were scrubbed

Contributors uploaded these conversations and agreed to their sale. Before anything was stored, a scrubber replaced secrets, personal
data, and what the service knows of the contributor by placeholders such as \`[EMAIL_1]\`. The same value has the same placeholder
within a trace. Scrubber versions: ${versions.join(', ') || 'none'}.

It removes passwords, keys, tokens and other secrets; e-mail addresses, phone numbers, payment cards, IP and street addresses and
other personal data; and names of people, accounts, organizations and hosts. Measured on 2026-11-23 on cases whose authors had read
no rule, all of what was to be removed was gone from 91 % of 661 cases of secrets, 79 % of 580 of personal data and 64 % of 1,084 of
names when each was scored for the first time; with the misses mended since, from 97 %, 91 % and 90 %. Most of these cases were
chosen because they are hard to find.

## What is not promised

- No scrubber finds everything. Names of third parties in prose, unusual formats and descriptions that identify a person without a
  name can remain.
- They were not reviewed one by one; the seller may have read samples. They can contain errors, offensive text, and content to
  which others hold rights.
- What assistants and tools wrote was not checked for truth.
- Report what should have been removed to the seller, and delete it from your copies.
`
}
