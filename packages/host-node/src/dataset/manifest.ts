import type { ExportFormat } from './shards.ts'

export interface ExportedFile {
  /** The path relative to the folder of the export. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** The number of traces with each name, and the sum of their tokens. */
export type Sums = Readonly<Record<string, { readonly traces: number; readonly tokens: number }>>

/** The number of traces with each name. */
export type Counts = Readonly<Record<string, number>>

export interface Totals {
  readonly traces: number
  readonly tokens: number
  /** The number of traces that cannot be read. No file contains them. */
  readonly skipped: number
  /** The number of traces that each version of the scrubber's rules scrubbed last. */
  readonly scrubVersions: Counts
  readonly sources: Counts
  /** The number of traces of each model. Traces without a known model are not counted. */
  readonly models: Counts
  /** The outcomes that contributors stated; traces without an outcome are not counted. */
  readonly outcomes: Counts
  /**
   * The sums by the version of the terms that the contributor had accepted at the upload, and by the country of the
   * upload. The version and the country are `unknown` for older uploads.
   */
  readonly termsVersions: Sums
  readonly countries: Sums
  /** The times at which the first and the last trace were created, as ISO 8601. Null without traces. */
  readonly firstCreatedAt: string | null
  readonly lastCreatedAt: string | null
}

/** The content of `manifest.json`. */
export interface Manifest extends Totals {
  /** The version of this document and of the forms of the files. */
  readonly schemaVersion: 1
  readonly format: ExportFormat
  readonly license: string
  /** The name that the Hub expects when `license` is `other`. */
  readonly licenseName: string | null
  readonly licenseLink: string | null
  /** The languages of the card, as BCP 47 names them. */
  readonly languages: readonly string[]
  readonly saleId: string | null
  /** The day (UTC) of the sale, or the day on which an export by a filter began. */
  readonly date: string
  /** The query of `GET /api/admin/dataset` that chose the traces. Null for a sale. */
  readonly filter: string | null
  /** The copies that the sale left out. Null for a filter. */
  readonly copies: { readonly traces: number; readonly tokens: number } | null
  /** Every file of the package except this one and its signature. */
  readonly files: readonly ExportedFile[]
  /** The description of `manifest.json.sig`. Null means that the package is unsigned. */
  readonly signature: { readonly algorithm: 'Ed25519'; readonly kid: string } | null
}

/** Returns the files of a manifest that hold traces. */
export const dataFiles = ({ files }: Pick<Manifest, 'files'>): readonly ExportedFile[] =>
  files.filter(({ path }) => path.startsWith('data/'))

/** The manifest before the files of the package are known. */
export type PackageContents = Omit<Manifest, 'files'>
