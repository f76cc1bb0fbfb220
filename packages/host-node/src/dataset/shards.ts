import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatTracePieces, type DatasetFormat, type TraceDocument } from '@tributary/core'
import { fileWriter, parquetWriteRows } from 'hyparquet-writer'
import { parquetColumns, parquetSchema, toParquetRow } from './parquet.ts'

export type ExportFormat = DatasetFormat | 'parquet'

/**
 * Writes the traces of a shard below `data` and returns its files, relative to the folder. Returns no files if there
 * are no traces. A shard is written under a temporary name and then renamed, so an existing file is always complete.
 * `sts` has a file for each trace, because the Hub's trace viewer shows each file as one session.
 */
export async function writeShard(
  folder: string,
  index: number,
  format: ExportFormat,
  traces: AsyncIterable<TraceDocument>,
): Promise<string[]> {
  const number = String(index).padStart(5, '0')
  const name = format === 'sts' ? number : `${number}.${format === 'parquet' ? 'parquet' : 'jsonl'}`
  const final = join(folder, 'data', name)
  const partial = `${final}.partial`
  rmSync(partial, { recursive: true, force: true })
  rmSync(final, { recursive: true, force: true })
  mkdirSync(format === 'sts' ? partial : join(folder, 'data'), { recursive: true })
  const ids: string[] = []
  const counted = collectIds(traces, ids)
  if (format === 'sts') await writeSessions(partial, counted)
  else await (format === 'parquet' ? writeParquet(partial, counted) : writeLines(partial, format, counted))
  if (ids.length === 0) {
    rmSync(partial, { recursive: true })
    return []
  }
  renameSync(partial, final)
  return format === 'sts' ? ids.map((id) => `data/${name}/${id}.jsonl`) : [`data/${name}`]
}

async function* collectIds(traces: AsyncIterable<TraceDocument>, ids: string[]): AsyncGenerator<TraceDocument> {
  for await (const trace of traces) {
    ids.push(trace.id)
    yield trace
  }
}

async function writeSessions(folder: string, traces: AsyncIterable<TraceDocument>): Promise<void> {
  for await (const trace of traces) await writeFile(join(folder, `${trace.id}.jsonl`), toLines(trace, 'sts'))
}

/** The number of characters in one write. */
const writeLength = 64 * 1024

/** Yields a trace with a line break at its end, in pieces of about `writeLength`. */
function* toLines(trace: TraceDocument, format: DatasetFormat): Generator<string> {
  let text = ''
  for (const piece of formatTracePieces(trace, format)) {
    text += piece
    if (text.length < writeLength) continue
    yield text
    text = ''
  }
  yield `${text}\n`
}

async function writeLines(path: string, format: DatasetFormat, traces: AsyncIterable<TraceDocument>): Promise<void> {
  const file = await open(path, 'w')
  try {
    for await (const trace of traces) for (const lines of toLines(trace, format)) await file.writeFile(lines)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The number of rows that are held in memory before their columns are written. */
const rowGroupSize = 200

async function writeParquet(path: string, traces: AsyncIterable<TraceDocument>): Promise<void> {
  await parquetWriteRows({
    writer: fileWriter(path),
    columns: parquetColumns,
    schema: parquetSchema,
    rows: toRows(traces),
    rowGroupSize,
    createdBy: 'tributary',
  })
}

async function* toRows(traces: AsyncIterable<TraceDocument>): AsyncGenerator<Record<string, unknown>> {
  for await (const trace of traces) yield toParquetRow(trace)
}
