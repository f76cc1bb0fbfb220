import { createHash } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../cli/errors.ts'
import { dataFiles, type ExportedFile, type Manifest, type Totals } from './manifest.ts'
import { createEmptyTotals } from './totals.ts'

/** The fields that identify an export. An export continues in a folder only if all of them match. */
const subjectFields = ['schemaVersion', 'format', 'license', 'saleId', 'filter'] as const
export type Subject = Pick<Manifest, (typeof subjectFields)[number]>

/** The state of an export that is not complete, as `.progress.json` has it. */
export interface Progress extends Subject {
  readonly date: string
  readonly totals: Totals
  /** The files of the finished shards. */
  readonly files: readonly ExportedFile[]
  /** The number of finished shards. */
  readonly shards: number
  /** The cursor at which the next shard begins. */
  readonly cursor: string | null
  /** Whether all shards are finished, so that only the other files are missing. */
  readonly isRead: boolean
}

/** An export in a folder, which is complete or was interrupted. */
export interface ExportFolder {
  readonly progress: Progress
  /** The text of `manifest.json`. Null if the export is not complete. */
  readonly manifestText: string | null
}

/** Returns the state of an export that has no files. */
export const startProgress = (subject: Subject): Progress => ({
  ...subject,
  date: new Date().toISOString().slice(0, 10),
  totals: createEmptyTotals(),
  files: [],
  shards: 0,
  cursor: null,
  isRead: false,
})

/**
 * Reads the export in a folder. Returns null for a new or empty folder, and for a folder whose first shard is not
 * finished. Throws `CommandError` if the folder has other files or another export, or if a file was changed.
 */
export async function readFolder(out: string, subject: Subject): Promise<ExportFolder | null> {
  if (!existsSync(out)) return null
  if (!statSync(out).isDirectory()) throw new CommandError(`--out: ${out} is a file; name a folder`)
  const found = ['manifest.json', '.progress.json'].find((name) => existsSync(join(out, name)))
  if (!found) {
    // An interrupted first shard leaves only `data`.
    const others = readdirSync(out).filter((name) => !['data', '.progress.json.partial'].includes(name))
    if (others.length > 0) throw new CommandError(`--out: ${out} is not empty; name an empty or new folder`)
    return null
  }
  const text = readFileSync(join(out, found), 'utf8')
  const state = JSON.parse(text) as Progress | Manifest
  for (const name of subjectFields)
    if (state[name] !== subject[name])
      throw new CommandError(
        `--out: ${out} has an export of something else (${name}: ${String(state[name])}); name another folder`,
      )
  for (const file of state.files) {
    const { sha256 } = existsSync(join(out, file.path)) ? await describeFile(out, file.path) : { sha256: null }
    if (sha256 !== file.sha256)
      throw new CommandError(`--out: ${file.path} was changed since it was exported; delete ${out} and start again`)
  }
  return found === 'manifest.json'
    ? { progress: toProgress(state as Manifest, subject), manifestText: text }
    : { progress: state as Progress, manifestText: null }
}

/** Returns the state of an export that has all its shards. */
function toProgress(manifest: Manifest, subject: Subject): Progress {
  const names = Object.keys(createEmptyTotals()) as (keyof Totals)[]
  const totals = Object.fromEntries(names.map((name) => [name, manifest[name]])) as unknown as Totals
  return { ...subject, date: manifest.date, totals, files: dataFiles(manifest), shards: 0, cursor: null, isRead: true }
}

export const saveProgress = (out: string, progress: Progress): void =>
  writeWhole(join(out, '.progress.json'), JSON.stringify(progress))

/**
 * Prepares a folder for the next shards: the export is not complete any more, and `data` has only the files of the
 * finished shards.
 */
export function reopenFolder(out: string, progress: Progress): void {
  // The progress is saved first, because it shows that the other files of the folder belong to this export.
  saveProgress(out, progress)
  rmSync(join(out, 'manifest.json'), { force: true })
  const finished = new Set(progress.files.map(({ path }) => path.split('/')[1]))
  const names = existsSync(join(out, 'data')) ? readdirSync(join(out, 'data')) : []
  for (const name of names) if (!finished.has(name)) rmSync(join(out, 'data', name), { recursive: true })
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
