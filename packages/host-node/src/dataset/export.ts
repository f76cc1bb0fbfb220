import { createHash } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { TraceDocument } from '@tributary/core'
import { CommandError } from '../cli/errors.ts'
import { datasetCard, type Seller } from './card.ts'
import { croissantOf } from './croissant.ts'
import type { ExportedFile, Manifest, PackageContents, Totals } from './manifest.ts'
import { provenanceOf } from './provenance.ts'
import { countTokens } from './parquet.ts'
import { signManifest, type PackageSigner } from './signing.ts'
import { writeShard, type ExportFormat } from './shards.ts'
import { addTrace, createEmptyTotals } from './totals.ts'
import { readPage, readSale, type Ask, type Selection } from './source.ts'

export interface ExportOptions {
  readonly ask: Ask
  readonly selection: Selection
  readonly format: ExportFormat
  /** The folder to write. */
  readonly out: string
  /** The license in the dataset card, such as `other`. */
  readonly license: string
  /** The name and URL of a license `other`, in the Hub's form. Default: not known. */
  readonly licenseName?: string | null
  readonly licenseLink?: string | null
  /** Languages of the card. Default: English. */
  readonly languages?: readonly string[]
  /** The seller, for the dataset card. Null or undefined means not known. */
  readonly seller?: Seller | null
  /** Signs the manifest. Null or undefined means that the package is unsigned. */
  readonly signer?: PackageSigner | null
  /** A shard is closed after the page with which it reaches this number of traces. */
  readonly shardTraces: number
  /** A function that is called after each shard. `total` is null for a filter. */
  readonly onProgress?: (done: { readonly traces: number; readonly total: number | null }) => void
}

/** The fields that identify an export. An interrupted export continues only if all of them match. */
const subjectFields = ['schemaVersion', 'format', 'license', 'saleId', 'filter'] as const
type Subject = Pick<Manifest, (typeof subjectFields)[number]>

/** The state of an export that is not complete. */
interface Progress extends Subject {
  readonly date: string
  readonly totals: Totals
  readonly files: readonly ExportedFile[]
  readonly shards: number
  readonly cursor: string | null
}

/**
 * A shard is also closed after the page with which it reaches this number of characters, so that memory stays bounded.
 */
const shardCharacters = 32 * 1024 * 1024

/**
 * Exports traces into a folder: shards below `data`, the card, `croissant.json` and `provenance.json`, and the manifest
 * of all these files with its signature. Continues an interrupted export of the same traces in the same format, and
 * writes the same files as without the interruption. Returns the manifest. Throws `CommandError`.
 */
export async function exportDataset(options: ExportOptions): Promise<Manifest> {
  const { ask, selection, format, out, license, onProgress, seller = null } = options
  const subject = {
    schemaVersion: 1,
    format,
    license,
    saleId: 'saleId' in selection ? selection.saleId : null,
    filter: 'filter' in selection ? selection.filter : null,
  } as const
  const [progressPath, manifestPath] = [join(out, '.progress.json'), join(out, 'manifest.json')]
  const progress = await readProgress(out, subject)
  if (progress === 'complete') return JSON.parse(readFileSync(manifestPath, 'utf8')) as Manifest
  const sale = 'saleId' in selection ? await readSale(ask, selection) : null
  const date = sale ? sale.soldAt.slice(0, 10) : progress.date
  mkdirSync(out, { recursive: true })
  const saveProgress = (made: Omit<Progress, keyof Subject | 'date'>): void =>
    writeWhole(progressPath, JSON.stringify({ ...subject, date, ...made } satisfies Progress))
  const files = [...progress.files]
  let { shards, cursor, totals } = progress
  do {
    const shard = new ShardReader(options, cursor, totals)
    for (const path of await writeShard(out, shards, format, shard.read())) files.push(await describeFile(out, path))
    shards++
    ;({ cursor, totals } = shard)
    if (cursor !== null) saveProgress({ totals, files, shards, cursor })
    onProgress?.({ traces: totals.traces, total: sale && sale.traces })
  } while (cursor !== null)
  const signer = options.signer ?? null
  const signature = signer && { algorithm: 'Ed25519' as const, kid: signer.published.kid }
  const contents: PackageContents = {
    ...subject,
    date,
    licenseName: options.licenseName ?? null,
    licenseLink: options.licenseLink ?? null,
    languages: options.languages ?? ['en'],
    ...totals,
    copies: sale && sale.copies,
    signature,
  }
  const documents = {
    'README.md': datasetCard(contents, files, seller),
    'croissant.json': toJson(croissantOf(contents, files, seller)),
    'provenance.json': toJson(provenanceOf(contents, files, seller)),
  }
  // The progress file shows that the folder belongs to this export. Without it, an interrupted export could not
  // continue, because the folder already contains other files.
  if (!existsSync(progressPath)) saveProgress(progress)
  for (const [path, text] of Object.entries(documents)) {
    writeWhole(join(out, path), text)
    files.push(await describeFile(out, path))
  }
  const manifest: Manifest = { ...contents, files }
  const text = toJson(manifest)
  // The signature is written before the manifest, because an export with a manifest is complete.
  if (signer) writeWhole(join(out, 'manifest.json.sig'), signManifest(text, signer))
  writeWhole(manifestPath, text)
  rmSync(progressPath, { force: true })
  return manifest
}

async function readProgress(out: string, subject: Subject): Promise<Progress | 'complete'> {
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

/** Reads the traces of one shard, and counts them. */
class ShardReader {
  /** The cursor at which the next shard begins. Null after the last shard. */
  cursor: string | null
  totals: Totals
  readonly #options: ExportOptions

  constructor(options: ExportOptions, cursor: string | null, totals: Totals) {
    this.#options = options
    this.cursor = cursor
    this.totals = structuredClone(totals)
  }

  async *read(): AsyncGenerator<TraceDocument> {
    const { ask, selection, shardTraces } = this.#options
    const before = this.totals.traces
    let characters = 0
    do {
      const page = await readPage(ask, selection, this.cursor)
      for await (const line of page.lines) {
        if ('skipped' in line) {
          this.totals = { ...this.totals, skipped: this.totals.skipped + 1 }
          continue
        }
        const { origin: _, ...trace } = line
        this.totals = addTrace(this.totals, line, countTokens(line))
        characters += trace.messages.reduce((sum, { content }) => sum + content.length, 0)
        yield trace
      }
      this.cursor = page.next
    } while (this.cursor !== null && this.totals.traces - before < shardTraces && characters < shardCharacters)
  }
}

async function describeFile(out: string, path: string): Promise<ExportedFile> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(out, path)), hash)
  return { path, bytes: statSync(join(out, path)).size, sha256: hash.digest('hex') }
}

const toJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** Writes a file under a temporary name and renames it, so that the file is never incomplete. */
function writeWhole(path: string, content: string | Buffer): void {
  writeFileSync(`${path}.partial`, content)
  renameSync(`${path}.partial`, path)
}
