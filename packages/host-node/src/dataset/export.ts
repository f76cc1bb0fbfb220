import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TraceDocument } from '@tributary/core'
import { datasetCard, type Seller } from './card.ts'
import { croissantOf } from './croissant.ts'
import type { Manifest, PackageContents, Totals } from './manifest.ts'
import { describeFile, readProgress, writeWhole, type Progress, type Subject } from './progress.ts'
import { provenanceOf } from './provenance.ts'
import { countTokens } from './parquet.ts'
import { signManifest, type PackageSigner } from './signing.ts'
import { writeShard, type ExportFormat } from './shards.ts'
import { addTrace } from './totals.ts'
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

const toJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`
