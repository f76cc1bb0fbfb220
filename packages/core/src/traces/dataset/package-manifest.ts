import * as z from 'zod'
import { Whole } from '../../http/fields.ts'

const Totals = z.object({ traces: Whole, tokens: Whole })
const Counts = z.record(z.string(), Whole)
const Sums = z.record(z.string(), Totals)

/** `manifest.json` of a package, as `tributary dataset export` writes it. */
export const PackageManifest = Totals.extend({
  schemaVersion: z.literal(1),
  format: z.enum(['documents', 'messages', 'sts', 'atif', 'parquet']),
  license: z.string(),
  licenseName: z.string().nullable(),
  licenseLink: z.string().nullable(),
  languages: z.array(z.string()),
  saleId: z.string().nullable(),
  date: z.string(),
  filter: z.string().nullable(),
  skipped: Whole,
  copies: Totals.nullable(),
  scrubVersions: Counts,
  sources: Counts,
  models: Counts,
  outcomes: Counts,
  termsVersions: Sums,
  countries: Sums,
  firstCreatedAt: z.string().nullable(),
  lastCreatedAt: z.string().nullable(),
  files: z.array(z.object({ path: z.string(), bytes: Whole, sha256: z.string() })),
  signature: z.object({ algorithm: z.literal('Ed25519'), kid: z.string() }).nullable(),
})
