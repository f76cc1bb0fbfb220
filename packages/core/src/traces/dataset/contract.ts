import { ListQuery } from '../../http/list.ts'
import * as z from 'zod'
import { Count, DateTime, Name, Page, RangeEnd, RangeStart, True, Usd, Uuid, Whole } from '../../http/fields.ts'
import { route } from '../../http/route.ts'
import { sources } from '../../sources.ts'
import { detailFilters } from '../detail-schemas.ts'
import { datasetFormats, lineFormats } from './formats.ts'
import { DatasetLine } from './lines.ts'
import { skipReasons } from './store.ts'

const conditions = {
  source: z.enum(sources).describe('The tool that the conversation comes from'),
  model: Name(1, 128).describe('The model that the trace names'),
  ...detailFilters,
  from: RangeStart.describe('The earliest `createdAt`'),
  to: RangeEnd.describe('The latest `createdAt`; a date includes the whole day'),
}

/**
 * The filter that selects the traces of a sale from the traces for sale. An unknown field is refused, because ignoring
 * it would sell more traces.
 */
export const DatasetFilter = z
  .strictObject({
    ...conditions,
    minTokens: Whole.describe('The lowest `tokenCount`'),
    neverSold: z.boolean().describe('Only traces that are in no other sale'),
  })
  .partial()
  .meta({ id: 'DatasetFilter' })

export const StoredFilter = z
  .object({
    ...detailFilters,
    source: z.string(),
    model: z.string(),
    from: DateTime,
    to: DateTime,
    minTokens: Whole,
    neverSold: z.boolean(),
  })
  .partial()

/** A sale in the operator's list. */
export const SaleItem = z
  .object({ id: Uuid, buyer: z.string(), usd: z.number(), soldAt: DateTime, traceCount: Whole })
  .meta({ id: 'Sale' })

/** A trace of a sale in the operator's list. */
export const SoldTraceItem = z
  .object({
    id: Uuid,
    title: z.string().nullable(),
    buyerTraceId: Uuid.nullable().describe('The id of the trace for the buyer; null in the oldest sales'),
    userId: z.string().nullable().describe('The contributor; null after the erasure of their account'),
    source: z.string(),
    model: z.string().nullable(),
    createdAt: DateTime,
    tokens: Whole,
    newTokens: Whole.describe('The tokens that the contributor is paid for'),
    withdrawn: z.boolean().describe('Whether an operator withdrew the trace'),
  })
  .meta({ id: 'SoldTrace' })

/** The filter of the operator's list of traces of a sale. The days refer to `createdAt`. */
export const SoldTracesQuery = ListQuery(['stored', 'createdAt', 'tokens', 'newTokens'], 'asc').extend({
  source: z.enum(sources).optional(),
  withdrawn: z.enum(['true', 'false']).optional(),
})

/** The filter of the list of sales on the operators' page. */
export const SalesPageQuery = ListQuery(['soldAt', 'buyer', 'usd'])

/** The filter of the operator's list of sales. */
export const SalesQuery = SalesPageQuery.extend({ buyer: Name(1, 256).optional() })

/**
 * The part of the dataset to read, and its format. With `saleId`, the order and the cursor follow the ids that the
 * buyer gets.
 */
const DatasetQuery = Page.extend({
  format: z
    .enum(lineFormats)
    .default('documents')
    .describe(
      '`documents`: one download per line; `messages`: the form for chat templates; `sts`: Session Trace ' +
        'Simple Format; `atif`: Agent Trajectory Interchange Format; `ids`: only the `id` of each trace',
    ),
  // There is no example, because the ID does not fit the filter of the other examples.
  saleId: Uuid.describe('Export the traces of this sale for its buyer; ids and source ids are random per sale')
    .meta({ examples: [] })
    .optional(),
  ...z.object(conditions).partial().shape,
  minTokens: Count(0, Number.MAX_SAFE_INTEGER, 0)
    .describe('The lowest `tokenCount`')
    .meta({ examples: [1000] }),
  neverSold: z.literal('true').describe('Only traces that are in no sale').optional(),
  origin: z
    .literal('true')
    .describe('Adds to `documents` the terms that the contributor had accepted and the country of the upload')
    .optional(),
  cursor: z
    .string()
    .regex(/^(?:\d{0,15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
    .meta({ examples: ['42'] })
    .optional(),
})
  .refine(({ saleId, cursor = '' }) => cursor === '' || (saleId !== undefined) === (cursor.length === 36), {
    path: ['cursor'],
  })
  .refine(
    ({ saleId, source, model, agent, outcome, from, to, minTokens, neverSold }) =>
      saleId === undefined ||
      (!source && !model && !agent && !outcome && !from && !to && minTokens === 0 && !neverSold),
    {
      path: ['saleId'],
    },
  )

const operator = { auth: 'admin', envelope: 'ok' } as const

const sale = { buyer: Name(1, 256), usd: Usd.min(0) }
const dryRun = z.boolean().describe('Count the traces that would be sold, and sell nothing').optional()
const totals = { traces: Whole, tokens: Whole }
const copies = z
  .object(totals)
  .describe('Traces left out because an earlier one has most of their text, and their tokens')

export const datasetContract = {
  recordSale: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/sales',
    summary: 'Record a sale',
    description:
      'Sells the listed traces, or with `filter` every trace for sale that matches; excluded, deleted and ' +
      'unknown traces are skipped. A sale that sells no trace is recorded with a price of 0. A sale by filter is ' +
      'visible once it is complete. `dryRun` counts and sells nothing.',
    idempotent: true,
    body: z.union([
      z.object({ ...sale, traceIds: z.array(Uuid).min(1).max(500), filter: z.never().optional(), dryRun }),
      z.object({ ...sale, filter: DatasetFilter, traceIds: z.never().optional(), dryRun }),
    ]),
    reply: z.union([
      z.object({ ok: True, saleId: Uuid, soldIds: z.array(Uuid), skippedIds: z.array(Uuid), copies }),
      z.object({ ok: True, saleId: Uuid, ...totals, copies }),
      z.object({
        ok: True,
        dryRun: True,
        ...totals,
        soldBefore: Whole.describe('Traces that were sold before'),
        copies,
      }),
    ]),
    failures: {},
  }),
  listSales: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/sales',
    tool: 'admin_list_sales',
    summary: 'List sales',
    description: 'Returns sales, newest first.',
    query: SalesQuery,
    reply: z.object({ ok: True, items: z.array(SaleItem), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  readSale: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/sales/:id',
    tool: 'admin_get_sale',
    summary: 'Get a sale',
    params: z.object({ id: Uuid }),
    reply: z.object({
      ok: True,
      sale: z.object({
        id: Uuid,
        buyer: z.string(),
        usd: z.number(),
        soldAt: DateTime,
        ...totals,
        filter: StoredFilter.nullable().describe('null for a sale of listed traces'),
        copies,
        skippedIds: z
          .array(z.object({ id: Uuid, reason: z.enum(skipReasons) }))
          .describe('Why traces were left out; for a sale by filter, the first 500 copies'),
      }),
    }),
    failures: { not_found: 404 },
  }),
  listSoldTraces: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/sales/:id/traces',
    tool: 'admin_list_sold_traces',
    summary: 'List the traces of a sale',
    description: 'Returns the traces of a sale in the order in which they were stored, without their contents.',
    params: z.object({ id: Uuid }),
    query: SoldTracesQuery,
    reply: z.object({ ok: True, items: z.array(SoldTraceItem), nextCursor: z.string().nullable() }),
    failures: { not_found: 404 },
  }),
  readDataset: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/dataset',
    summary: 'Export the dataset',
    description:
      'Returns the traces for sale that match the filter as JSON Lines, or with `saleId` the traces of a sale. ' +
      'No line names a contributor. `x-next-cursor` is the cursor of the next page.',
    query: DatasetQuery,
    reply: 'stream',
    media: 'application/jsonl',
    content: DatasetLine,
    failures: { not_found: 404 },
  }),
  downloadSale: route({
    method: 'GET',
    path: '/admin/download/sales/:id',
    auth: 'admin-page',
    envelope: 'ok',
    summary: 'Download a sale',
    description: 'Returns all traces of a sale as one file, in the lines of `readDataset`, for the signed-in operator.',
    params: z.object({ id: Uuid }),
    query: z.object({ format: z.enum(datasetFormats).default('documents') }),
    reply: 'stream',
    media: 'application/jsonl',
    failures: { unauthorized: 401, not_found: 404 },
  }),
  listSigningKeys: route({
    method: 'GET',
    path: '/.well-known/tributary-keys.json',
    auth: 'none',
    envelope: 'ok',
    anyOrigin: true,
    summary: 'List the keys that sign packages',
    description:
      'Newest first. `manifest.json.sig` of a package is an Ed25519 signature over the bytes of `manifest.json`.',
    reply: z.object({
      keys: z.array(
        z.object({
          kid: z.string(),
          publicKey: z.string().describe('The 32 bytes of an Ed25519 key, base64'),
          from: z.string().nullable().describe('When it was first used, ISO 8601; null: unknown'),
          until: z.string().nullable().describe('When it was replaced, ISO 8601; null: unknown, or in use'),
        }),
      ),
    }),
    failures: {},
  }),
}
