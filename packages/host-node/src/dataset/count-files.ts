import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { loadLineCheck } from '@tributary/core/host'
import { CommandError } from '../cli/errors.ts'
import { dataFiles, type Manifest, type Totals } from './manifest.ts'
import { countTokens } from './parquet.ts'
import type { TraceWithOrigin } from './source.ts'
import { addTrace, createEmptyTotals, type CountedTrace } from './totals.ts'

const withoutTokens = [
  'traces',
  'scrubVersions',
  'sources',
  'models',
  'outcomes',
  'firstCreatedAt',
  'lastCreatedAt',
] as const
const all = ['traces', 'tokens', ...withoutTokens.slice(1)] as const

/** The counts that the files of a format contain. No format contains skipped traces and origins. */
const countedNames: Readonly<Record<Manifest['format'], readonly (keyof Totals)[]>> = {
  documents: all,
  messages: withoutTokens,
  sts: ['traces', 'outcomes'],
  atif: withoutTokens,
  parquet: all,
}

/**
 * Counts the traces in the files of a package. Throws `CommandError` that names the first line that does not match the
 * schema of its format, and the first file of `sts` that is not a session with its messages.
 */
export async function countFiles(folder: string, manifest: Manifest): Promise<Partial<Totals>> {
  const { format } = manifest
  const read = format === 'parquet' ? readParquet : await lineReader(format)
  let totals = createEmptyTotals()
  for (const { path } of dataFiles(manifest))
    for await (const [trace, tokens] of read(folder, path)) totals = addTrace(totals, trace, tokens)
  return Object.fromEntries(countedNames[format].map((name) => [name, totals[name]]))
}

/** Reads a file. Yields the counted fields and the number of tokens of each trace. */
type ReadFile = (folder: string, path: string) => AsyncGenerator<readonly [CountedTrace, tokens: number]>

async function lineReader(format: Exclude<Manifest['format'], 'parquet'>): Promise<ReadFile> {
  const findMistake = await loadLineCheck(format)
  return async function* read(folder, path) {
    let number = 0
    for await (const text of readLines(join(folder, path))) {
      number++
      const line = parseJson(text)
      const mistake = findMistake(line)
      if (mistake !== null) throw new CommandError(`${path}: line ${number} does not match its schema: ${mistake}`)
      if (format === 'sts') checkSessionOrder(path, number, line as SessionLine)
      if (format !== 'sts' || number === 1)
        yield [readTrace[format](line as never), format === 'documents' ? countTokens(line as TraceWithOrigin) : 0]
    }
    if (format === 'sts' && number < 2) throw new CommandError(`${path}: has no message`)
  }
}

interface SessionLine {
  readonly type: 'session' | 'message'
}

/** Checks that the first line of an `sts` file is the session, and that the other lines are its messages. */
function checkSessionOrder(path: string, number: number, { type }: SessionLine): void {
  const expected = number === 1 ? 'session' : 'message'
  if (type !== expected) throw new CommandError(`${path}: line ${number} is a ${type}, expected a ${expected}`)
}

/**
 * Functions by format that return the counted fields of a trace from its line. Fields that a format does not have are
 * not counted.
 */
const readTrace = {
  documents: (line: TraceWithOrigin): CountedTrace => line,
  messages: (line: CountedTrace): CountedTrace => line,
  sts: ({ outcome }: Pick<CountedTrace, 'outcome'>): CountedTrace => ({ ...unknownTrace, outcome }),
  atif({ agent, extra }: { readonly agent: { readonly model_name?: string }; readonly extra: CountedTrace }) {
    return { ...extra, model: agent.model_name ?? null }
  },
}
const unknownTrace: CountedTrace = { source: '', model: null, createdAt: '', scrub: { version: '' } }

const countedColumns = ['source', 'model', 'created_at', 'token_count', 'scrub_version', 'outcome_status']

interface ParquetRow {
  readonly source: string
  readonly model: string | null
  readonly created_at: Date
  readonly token_count: bigint
  readonly scrub_version: string
  readonly outcome_status: NonNullable<CountedTrace['outcome']>['status'] | null
}

async function* readParquet(folder: string, path: string): ReturnType<ReadFile> {
  for await (const row of readRows<ParquetRow>(folder, path, countedColumns)) {
    const { source, model, outcome_status: status } = row
    const scrub = { version: row.scrub_version }
    const createdAt = row.created_at.toISOString()
    yield [{ source, model, createdAt, scrub, ...(status && { outcome: { status } }) }, Number(row.token_count)]
  }
}

/** Yields these columns of the rows of a Parquet file. Reads a group of rows at a time. Throws `CommandError`. */
export async function* readRows<Row>(folder: string, path: string, columns: string[]): AsyncGenerator<Row> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import('hyparquet')
  const file = await asyncBufferFromFile(join(folder, path))
  try {
    const metadata = await parquetMetadataAsync(file)
    let rowStart = 0
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows)
      yield* (await parquetReadObjects({ file, metadata, columns, rowStart, rowEnd })) as Row[]
      rowStart = rowEnd
    }
  } catch (error) {
    throw new CommandError(`${path}: cannot be read as Parquet (${(error as Error).message})`, { cause: error })
  }
}

/** Parses JSON. Returns undefined, which matches no schema, for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Yields the lines of a file. `node:readline` also ends lines at U+2028, which JSON strings may contain. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest: string[] = []
  for await (const chunk of createReadStream(path, 'utf8')) {
    const [first, ...others] = String(chunk).split('\n')
    rest.push(first!)
    for (const next of others) {
      yield rest.join('')
      rest = [next]
    }
  }
  const last = rest.join('')
  if (last !== '') yield last
}
