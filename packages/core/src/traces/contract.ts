import * as z from 'zod'
import { DateTime, Name, Page, True, Uuid, Whole } from '../http/fields.ts'
import { route } from '../http/route.ts'

export const TraceSaleState = z
  .object({
    id: Uuid,
    sellExcluded: z.boolean(),
    saleCount: Whole,
    /** Sold at least once: it can no longer be excluded or deleted. */
    locked: z.boolean(),
  })
  .meta({ id: 'TraceSaleState' })

export const ListedTrace = TraceSaleState.extend({
  source: z.string(),
  title: z.string().nullable(),
  model: z.string().nullable(),
  createdAt: DateTime,
  tokenCount: Whole,
  estimatedUsd: z.number(),
}).meta({ id: 'Trace' })

/** The JSON document of E10, and of each line of the dataset. */
export const TraceDocument = z
  .object({
    id: Uuid,
    source: z.string(),
    sourceId: z.string(),
    title: z.string().nullable(),
    model: z.string().nullable(),
    createdAt: DateTime,
    parentTraceId: z.string().nullable(),
    segmentIndex: Whole.nullable(),
    contentHash: z.string(),
    scrub: z.object({ version: z.string(), redactions: z.record(z.string(), Whole) }),
    messages: z.array(
      z.object({
        position: Whole,
        role: z.string().nullable(),
        content: z.string(),
        tokenCount: Whole,
        createdAt: DateTime.nullable(),
        truncated: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'TraceDocument' })

const Ids = z.array(Uuid).min(1).max(500)
const ById = z.object({ id: Uuid })

/** A list's cursor: the number of the page's last trace, in base 36. An empty one starts. */
const Cursor = Page.extend({
  cursor: z
    .string()
    .regex(/^[0-9a-z]{0,10}$/)
    .optional(),
})

/** The dataset of a sale is ordered by the ids that its buyer gets, and so is its cursor. */
const DatasetQuery = Page.extend({
  saleId: Uuid.describe(
    'What went with this sale, for its buyer: ids and source ids are random, made for this sale alone',
  ).optional(),
  cursor: z
    .string()
    .regex(/^(?:[0-9a-z]{0,10}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
    .meta({ examples: ['0199d3f0-6f5a-7c1e-8a4b-3f2d1c0b9a87'] })
    .optional(),
}).refine(({ saleId, cursor = '' }) => cursor === '' || (saleId !== undefined) === (cursor.length === 36), {
  path: ['cursor'],
})

const eitherWay = { auth: 'bearer-or-cookie', envelope: 'ok' } as const
const operator = { auth: 'admin', envelope: 'ok' } as const

export const tracesContract = {
  bulkUpdateTraces: route({
    ...eitherWay,
    id: 'E3',
    method: 'POST',
    path: '/api/traces/bulk',
    summary: 'Exclude the listed traces from sale, or include them; sold ones and unknown ids are skipped',
    body: z.object({ ids: Ids, action: z.enum(['exclude', 'include']) }),
    reply: z.object({ ok: True, updatedIds: z.array(Uuid), updatedCount: Whole, skippedCount: Whole }),
    failures: {},
  }),
  bulkDeleteTraces: route({
    ...eitherWay,
    id: 'E4',
    method: 'DELETE',
    path: '/api/traces/bulk',
    summary: 'Delete the listed traces with their content; sold ones are kept and named',
    body: z.object({ ids: Ids }),
    reply: z.object({ ok: True, deletedIds: z.array(Uuid), skippedSoldIds: z.array(Uuid) }),
    failures: {},
  }),
  knownHashes: route({
    ...eitherWay,
    id: 'E7',
    method: 'POST',
    path: '/api/traces/known',
    summary:
      'Of the content hashes sent, those whose traces the caller has stored or has deleted, once each, in the order sent',
    body: z.object({ hashes: z.array(z.string().min(1).max(128)).max(5000) }),
    bodyLimit: 1024 * 1024,
    issues: true,
    reply: z.object({ ok: True, known: z.array(z.string()) }),
    failures: {},
  }),
  getTrace: route({
    ...eitherWay,
    id: 'E8',
    method: 'GET',
    path: '/api/traces/:id',
    summary: 'The sale state of a trace',
    params: ById,
    reply: z.object({ ok: True, trace: TraceSaleState }),
    failures: { not_found: 404 },
  }),
  updateTrace: route({
    ...eitherWay,
    id: 'E9',
    method: 'PATCH',
    path: '/api/traces/:id',
    summary: 'Exclude a trace from sale, or include it',
    params: ById,
    body: z.object({ sellExcluded: z.boolean() }),
    reply: z.object({ ok: True, trace: TraceSaleState }),
    failures: { not_found: 404, already_sold: 409 },
  }),
  downloadTrace: route({
    ...eitherWay,
    id: 'E10',
    method: 'GET',
    path: '/api/traces/:id/download',
    summary: 'The scrubbed trace as a JSON document (TraceDocument)',
    params: ById,
    reply: 'stream',
    media: 'application/json',
    content: TraceDocument,
    failures: { not_found: 404, blob_unavailable: 502 },
  }),
  listTraces: route({
    ...eitherWay,
    method: 'GET',
    path: '/api/traces',
    summary: "The caller's traces, newest first",
    query: Cursor.extend({
      q: z
        .string()
        .min(1)
        .max(100)
        .describe('Words that the title contains')
        .meta({ examples: ['parser'] })
        .optional(),
    }),
    reply: z.object({ ok: True, traces: z.array(ListedTrace), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  tracesPage: route({
    method: 'GET',
    path: '/traces',
    auth: 'page',
    envelope: 'ok',
    summary: 'Your traces: exclude, include, download, delete',
    query: Cursor.extend({
      done: z.enum(['exclude', 'include', 'delete']).optional(),
      count: z.string().optional(),
      skipped: z.string().optional(),
    }),
    reply: 'page',
    failures: {},
  }),
  changeTraces: route({
    method: 'POST',
    path: '/traces',
    auth: 'page',
    envelope: 'ok',
    summary: 'The form of /traces: what to do with the chosen ones; deleting asks first',
    form: z.object({
      ids: Ids,
      action: z.enum(['exclude', 'include', 'delete']),
      confirmed: z.literal('yes').optional(),
      cursor: Cursor.shape.cursor,
    }),
    reply: 'page',
    success: [200, 303],
    failures: {},
  }),
  recordSale: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/sales',
    summary: 'Record a sale; excluded, deleted and unknown traces are skipped',
    idempotent: true,
    body: z.object({ buyer: Name(1, 256), traceIds: Ids, usd: z.number().min(0).max(1_000_000_000_000) }),
    reply: z.object({ ok: True, saleId: Uuid, soldIds: z.array(Uuid), skippedIds: z.array(Uuid) }),
    failures: {},
  }),
  readDataset: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/dataset',
    summary:
      'What may be sold, or with saleId what was, as JSON Lines of TraceDocument that name no contributor; x-next-cursor leads on',
    query: DatasetQuery,
    reply: 'stream',
    media: 'application/jsonl',
    content: TraceDocument,
    failures: { not_found: 404 },
  }),
}
