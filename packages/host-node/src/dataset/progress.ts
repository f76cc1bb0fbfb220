import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../cli/errors.ts'
import type { ExportedFile, Manifest, Totals } from './manifest.ts'
import { createEmptyTotals } from './totals.ts'

/** The fields that identify an export. An interrupted export continues only if all of them match. */
const subjectFields = ['schemaVersion', 'format', 'license', 'saleId', 'filter'] as const
export type Subject = Pick<Manifest, (typeof subjectFields)[number]>

/** The state of an export that is not complete. */
export interface Progress extends Subject {
  readonly date: string
  readonly totals: Totals
  readonly files: readonly ExportedFile[]
  readonly shards: number
  readonly cursor: string | null
}

/** Returns the state of the export in a folder, or the state of an export that begins. Throws `CommandError`. */
export async function readProgress(out: string, subject: Subject): Promise<Progress | 'complete'> {
  const totals = createEmptyTotals()
  const date = new Date().toISOString().slice(0, 10)
  const start: Progress = { ...subject, date, totals, files: [], shards: 0, cursor: null }
  if (!existsSync(out)) return start
  if (!statSync(out).isDirectory()) throw new CommandError(`--out: ${out} is a file; name a folder`)
  const found = ['manifest.json', '.progress.json'].find((name) => existsSync(join(out, name)))
  if (!found) {
    // An interrupted first shard leaves only `data`.
    const others = readdirSync(out).filter((name) => !['data', '.progress.json.partial'].includes(name))
    if (others.length > 0) throw new CommandError(`--out: ${out} is not empty; name an empty or new folder`)
    return start
  }
  const progress = JSON.parse(readFileSync(join(out, found), 'utf8')) as Progress
  for (const name of subjectFields)
    if (progress[name] !== subject[name])
      throw new CommandError(
        `--out: ${out} has an export of something else (${name}: ${String(progress[name])}); name another folder`,
      )
  for (const file of progress.files) {
    const { sha256 } = existsSync(join(out, file.path)) ? await describeFile(out, file.path) : { sha256: null }
    if (sha256 !== file.sha256)
      throw new CommandError(`--out: ${file.path} was changed since it was exported; delete ${out} and start again`)
  }
  return found === 'manifest.json' ? 'complete' : progress
}

export async function describeFile(out: string, path: string): Promise<ExportedFile> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(out, path)), hash)
  return { path, bytes: statSync(join(out, path)).size, sha256: hash.digest('hex') }
}

/** Writes a file under a temporary name and renames it, so that the file is never incomplete. */
export function writeWhole(path: string, content: string | Buffer): void {
  writeFileSync(`${path}.partial`, content)
  renameSync(`${path}.partial`, path)
}
