import { basename, join } from 'node:path'
import { readLines, readRows } from './count-files.ts'
import { dataFiles, type Manifest } from './manifest.ts'

/** Yields the ids of the traces in the files of a package. */
export async function* readTraceIds(
  folder: string,
  { format, files }: Pick<Manifest, 'format' | 'files'>,
): AsyncGenerator<string> {
  for (const { path } of dataFiles({ files })) {
    if (format === 'sts') yield basename(path, '.jsonl')
    else if (format === 'parquet') for await (const { id } of readRows<{ id: string }>(folder, path, ['id'])) yield id
    else
      for await (const line of readLines(join(folder, path))) {
        const { id, trajectory_id: trajectoryId } = JSON.parse(line) as { id?: string; trajectory_id?: string }
        yield (format === 'atif' ? trajectoryId : id)!
      }
  }
}
