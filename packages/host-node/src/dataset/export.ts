import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TraceDocument } from '@tributary/core'
import { CommandError } from '../cli/errors.ts'
import { datasetCard, type Seller } from './card.ts'
import { createCroissant } from './croissant.ts'
import type { Manifest, PackageContents, Totals } from './manifest.ts'
import { createProvenance } from './provenance.ts'
import { countTokens } from './parquet.ts'
import {
  describeFile,
  readFolder,
  reopenFolder,
  saveProgress,
  startProgress,
  writeWhole,
  type Progress,
  type Subject,
} from './progress.ts'
import { findSigner, signManifest, type PackageSigner } from './signing.ts'
import { writeShard, type ExportFormat } from './shards.ts'
import { readIds, readPage, readSale, type Ask, type Selection, type SoldSale } from './source.ts'
import { addTrace } from './totals.ts'
import { readTraceIds } from './trace-ids.ts'
import { verifyPackage } from './verify.ts'

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
  /** A shard is closed when it has this number of traces. */
  readonly shardTraces: number
  /** A function that is called after each shard. `total` is null for a filter. */
  readonly onProgress?: (done: { readonly traces: number; readonly total: number | null }) => void
  /** A function that is called before the package is written again, with `ExportResult.removed`. */
  readonly onRestart?: (removed: number) => void
}

export interface ExportResult {
  readonly manifest: Manifest
  /**
   * `exported`: traces were downloaded. `signed`: the folder already had all traces, and the package was signed.
   * `unchanged`: no file was changed.
   */
  readonly status: 'exported' | 'signed' | 'unchanged'
  /**
   * The number of traces of an earlier export in the folder that may no longer be delivered. If there are any, the
   * package was written again.
   */
  readonly removed: number
}

/**
 * A shard is also closed after the page with which it reaches this number of characters, so that memory stays bounded.
 */
const shardCharacters = 32 * 1024 * 1024

/**
 * Exports traces into a folder: shards below `data`, the card, `croissant.json` and `provenance.json`, and the manifest
 * of all these files with its signature. Continues an interrupted export of the same traces in the same format, and
 * writes the same files as without the interruption. If the folder has a trace that may no longer be delivered, writes
 * the package again. Throws `CommandError`.
 */
export async function exportDataset(options: ExportOptions): Promise<ExportResult> {
  const { ask, selection, format, out, license, signer } = options
  const subject = {
    schemaVersion: 1,
    format,
    license,
    saleId: 'saleId' in selection ? selection.saleId : null,
    filter: 'filter' in selection ? selection.filter : null,
  } as const
  const found = await readFolder(out, subject)
  const sale = 'saleId' in selection ? await readSale(ask, selection) : null
  const removed = found ? await countRemoved(options, found.progress) : 0
  if (removed > 0) options.onRestart?.(removed)
  else if (found && found.manifestText !== null) {
    const manifest = JSON.parse(found.manifestText) as Manifest
    checkSignature(options, found.manifestText, manifest)
    if (!signer || signer.published.kid === manifest.signature?.kid) {
      rmSync(join(out, '.progress.json'), { force: true })
      return { manifest, status: 'unchanged', removed }
    }
    // The signature covers the counts of the manifest, so they must be the counts of the files.
    await verifyPackage(out, null).catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error
      throw new CommandError(`--out: ${error.message}; delete ${out} and start again`, { cause: error })
    })
  }
  let progress: Progress = found && removed === 0 ? found.progress : startProgress(subject)
  if (sale) progress = { ...progress, date: sale.soldAt.slice(0, 10) }
  mkdirSync(out, { recursive: true })
  if (found) reopenFolder(out, progress)
  const status = removed === 0 && found?.manifestText ? 'signed' : 'exported'
  progress = await writeShards(options, progress, sale)
  return { manifest: await writeDocuments(options, { subject, progress, sale }), status, removed }
}

/** Returns the number of traces in the folder that the service no longer delivers. */
async function countRemoved({ ask, selection, out }: ExportOptions, found: Progress): Promise<number> {
  const left = new Set<string>()
  for await (const id of readTraceIds(out, found)) left.add(id)
  // The service returns ids in the order of the export, so the first pages have the ids of an interrupted export.
  for await (const id of readIds(ask, selection)) {
    left.delete(id)
    if (left.size === 0) break
  }
  return left.size
}

/** Throws `CommandError` if the signature of a finished package is missing, or is not a signature of its manifest. */
function checkSignature({ out, signer }: ExportOptions, text: string, { signature }: Manifest): void {
  if (!signature) return
  const path = join(out, 'manifest.json.sig')
  if (!existsSync(path)) throw new CommandError(`--out: manifest.json.sig is missing; delete ${out} and start again`)
  if (signer?.published.kid !== signature.kid) return
  if (!findSigner(Buffer.from(text), readFileSync(path), [signer.published]))
    throw new CommandError(`--out: manifest.json was changed since it was signed; delete ${out} and start again`)
}

/** Writes the shards that are missing. */
async function writeShards(options: ExportOptions, found: Progress, sale: SoldSale | null): Promise<Progress> {
  let progress = found
  while (!progress.isRead) {
    progress = await writeNextShard(options, progress)
    saveProgress(options.out, progress)
    options.onProgress?.({ traces: progress.totals.traces, total: sale && sale.traces })
  }
  return progress
}

async function writeNextShard(options: ExportOptions, progress: Progress): Promise<Progress> {
  const { out, format } = options
  const shard = new ShardReader(options, progress.cursor, progress.totals)
  const files = [...progress.files]
  for (const path of await writeShard(out, progress.shards, format, shard.read()))
    files.push(await describeFile(out, path))
  const { cursor, totals } = shard
  return { ...progress, totals, files, shards: progress.shards + 1, cursor, isRead: cursor === null }
}

interface WrittenShards {
  readonly subject: Subject
  readonly progress: Progress
  readonly sale: SoldSale | null
}

/** Writes the files of a package except its shards. Returns the manifest. */
async function writeDocuments(
  { out, seller = null, signer = null, ...options }: ExportOptions,
  { subject, progress, sale }: WrittenShards,
): Promise<Manifest> {
  const files = [...progress.files]
  const contents: PackageContents = {
    ...subject,
    date: progress.date,
    licenseName: options.licenseName ?? null,
    licenseLink: options.licenseLink ?? null,
    languages: options.languages ?? ['en'],
    ...progress.totals,
    copies: sale && sale.copies,
    signature: signer && { algorithm: 'Ed25519' as const, kid: signer.published.kid },
  }
  const documents = {
    'README.md': datasetCard(contents, files, seller),
    'croissant.json': toJson(createCroissant(contents, files, seller)),
    'provenance.json': toJson(createProvenance(contents, files, seller)),
  }
  for (const [path, text] of Object.entries(documents)) {
    writeWhole(join(out, path), text)
    files.push(await describeFile(out, path))
  }
  const manifest: Manifest = { ...contents, files }
  const text = toJson(manifest)
  const signaturePath = join(out, 'manifest.json.sig')
  // The signature is written before the manifest, because an export with a manifest is complete.
  if (signer) writeWhole(signaturePath, signManifest(text, signer))
  else rmSync(signaturePath, { force: true })
  writeWhole(join(out, 'manifest.json'), text)
  rmSync(join(out, '.progress.json'), { force: true })
  return manifest
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
    let characters = 0
    let tracesLeft = shardTraces
    do {
      const page = await readPage(ask, selection, { cursor: this.cursor, maxTraces: tracesLeft })
      for await (const line of page.lines) {
        if ('skipped' in line) {
          this.totals = { ...this.totals, skipped: this.totals.skipped + 1 }
          continue
        }
        tracesLeft--
        const { origin: _, ...trace } = line
        this.totals = addTrace(this.totals, line, countTokens(line))
        characters += trace.messages.reduce((sum, { content }) => sum + content.length, 0)
        yield trace
      }
      this.cursor = page.next
    } while (this.cursor !== null && tracesLeft > 0 && characters < shardCharacters)
  }
}

const toJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`
