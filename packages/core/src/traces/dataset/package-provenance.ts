import * as z from 'zod'
import { DateTime, Uuid } from '../../http/fields.ts'

const Text = z.string().min(1)
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** `set`: describes `provenance.json` itself. */
const MetadataSet = z.strictObject({
  'category': z.literal('training-data'),
  'schema-version': z.literal('1.0'),
  'language': z.literal('en'),
  'publisher': z.strictObject({ name: Text, namespace: z.url() }),
  'label': Text,
  'tracking': z.strictObject({
    'id': Text,
    'status': z.literal('final'),
    'version': z.literal('1'),
    'initial-release-date': DateTime,
    'current-release-date': DateTime,
    'revision-history': z.array(z.strictObject({ date: DateTime, number: z.literal('1'), summary: Text })).min(1),
    'generator': z.strictObject({ engine: z.strictObject({ name: Text, version: Text }) }),
  }),
})

/** `source`: what the dataset is, and its hashes. */
const Source = z.strictObject({
  'name': Text,
  'data-version': z.literal('1'),
  'location': z.url(),
  'issuer': z.array(z.strictObject({ 'legal-name': Text, 'url': z.url().optional() })).min(1),
  'about': z.strictObject({ content: Text, purpose: Text, scope: Text }),
  'id': z.strictObject({
    'uuids': z.array(Uuid).min(1).optional(),
    'hashes': z
      .array(
        z.strictObject({
          'path': Text,
          'tree-hashes': z.array(z.strictObject({ algorithm: z.literal('sha256'), value: Sha256 })).min(1),
        }),
      )
      .min(1)
      .optional(),
    'custom-ids': z.array(z.strictObject({ method: z.enum(['filter', 'sale']), value: Text })).min(1),
  }),
})

/** `provenance`: where the traces come from. */
const Origin = z.strictObject({
  'origin-geography': z.array(z.strictObject({ country: Text })).min(1),
  'date': z.iso.date(),
  'generation-method': z
    .array(
      z.strictObject({
        'code': z.enum(['user-generated-content', 'machine-generated-ml-ops']),
        'long-description': Text,
      }),
    )
    .min(1),
  'format': z.array(z.literal('other')).min(1),
  'generation-period': z.strictObject({ start: DateTime, end: DateTime }).optional(),
})

/** `use`: what the contributors agreed to, and what the scrubber did. */
const Use = z.strictObject({
  'intended-purpose': z.array(z.strictObject({ 'code': z.literal('other'), 'long-description': Text })).min(1),
  'classification': z
    .array(
      z.strictObject({ regulation: z.strictObject({ code: z.literal('pi') }), evaluated: z.boolean(), tool: Text }),
    )
    .min(1),
  'consents': z.array(Text).min(1).optional(),
  'data-risk-reducing': z
    .array(
      z.strictObject({
        'tool-used': Text,
        'technology': z.literal('data-redaction'),
        'results': z.array(Text).min(1),
      }),
    )
    .min(1)
    .optional(),
  'license': z.array(z.string()).min(1),
})

/**
 * `provenance.json` of a package: the part of OASIS Data Provenance Metadata 1.0 that `tributary dataset export` writes.
 */
export const PackageProvenance = z.strictObject({
  $schema: z.literal('https://docs.oasis-open.org/dps/prov-meta/v1.0/schema/data-provenance.json'),
  set: MetadataSet,
  source: Source,
  provenance: Origin,
  use: Use,
})
