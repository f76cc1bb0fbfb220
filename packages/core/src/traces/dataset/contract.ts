import * as z from 'zod'
import { Name, Page, True, Uuid } from '../../http/fields.ts'
import { route } from '../../http/route.ts'
import { TraceDocument } from '../contract.ts'

/** Page arguments of the dataset. With `saleId` the order and the cursor are by the ids that the buyer gets. */
const DatasetQuery = Page.extend({
  saleId: Uuid.describe(
    'Export the traces of this sale for its buyer; ids and source ids are random per sale',
  ).optional(),
  cursor: z
    .string()
    .regex(/^(?:[0-9a-z]{0,10}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
    .meta({ examples: ['0199d3f0-6f5a-7c1e-8a4b-3f2d1c0b9a87'] })
    .optional(),
}).refine(({ saleId, cursor = '' }) => cursor === '' || (saleId !== undefined) === (cursor.length === 36), {
  path: ['cursor'],
})

const operator = { auth: 'admin', envelope: 'ok' } as const

export const datasetContract = {
  recordSale: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/sales',
    summary: 'Record a sale',
    description: 'Excluded, deleted and unknown traces are skipped.',
    idempotent: true,
    body: z.object({
      buyer: Name(1, 256),
      traceIds: z.array(Uuid).min(1).max(500),
      usd: z.number().min(0).max(1_000_000_000),
    }),
    reply: z.object({ ok: True, saleId: Uuid, soldIds: z.array(Uuid), skippedIds: z.array(Uuid) }),
    failures: {},
  }),
  readDataset: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/dataset',
    summary: 'Export the dataset',
    description:
      'Returns the traces for sale as JSON Lines, or with `saleId` those of a sale. No line names a contributor. `x-next-cursor` is the cursor of the next page.',
    query: DatasetQuery,
    reply: 'stream',
    media: 'application/jsonl',
    content: TraceDocument,
    failures: { not_found: 404 },
  }),
}
