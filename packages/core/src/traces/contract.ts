import * as z from 'zod'
import { DateTime, Page, RangeEnd, RangeStart, True, Uuid, Whole } from '../http/fields.ts'
import { route } from '../http/route.ts'
import { sources } from '../sources.ts'
import { detailFilters } from './detail-schemas.ts'
import { datasetFormats } from './dataset/formats.ts'
import { TraceDocument } from './trace-document.ts'
import { traceStates } from './store.ts'

const TraceSaleState = z
  .object({
    id: Uuid,
    sellExcluded: z.boolean(),
    saleCount: Whole,
    /** Whether the trace was sold. A sold trace can no longer be excluded or deleted. */
    locked: z.boolean(),
  })
  .meta({ id: 'TraceSaleState' })

const ListedTrace = TraceSaleState.extend({
  source: z.string(),
  title: z.string().nullable(),
  model: z.string().nullable(),
  createdAt: DateTime,
  uploadedAt: DateTime,
  tokenCount: Whole,
  estimatedUsd: z.number(),
  redactions: Whole.describe('number of placeholders that the scrubber inserted'),
}).meta({ id: 'Trace' })

/** The filter of the caller's traces in a list or its totals. An empty filter selects all of the caller's traces. */
export const TraceFilter = z.object({
  state: z.enum(traceStates).optional(),
  source: z.enum(sources).optional(),
  ...z.object(detailFilters).partial().shape,
  from: RangeStart.describe('The earliest `createdAt`').optional(),
  to: RangeEnd.describe('The latest `createdAt`; a date includes the whole day').optional(),
  saleId: Uuid.describe('Only traces of this sale, with the id that the earnings show').optional(),
  q: z
    .string()
    .min(1)
    .max(100)
    .describe('Words that the title contains')
    .meta({ examples: ['parser'] })
    .optional(),
})

const Ids = z.array(Uuid).min(1).max(500)
const ById = z.object({ id: Uuid })

/**
 * Page arguments of the trace list. The cursor is the number of the last trace; an empty cursor starts at the first
 * trace.
 */
const Cursor = Page.extend({
  cursor: z
    .string()
    .regex(/^\d{0,15}$/)
    .optional(),
})

const eitherWay = { auth: 'bearer-or-cookie', envelope: 'ok' } as const

export const tracesContract = {
  bulkUpdateTraces: route({
    ...eitherWay,
    id: 'E3',
    method: 'POST',
    path: '/api/traces/bulk',
    tool: 'exclude_traces',
    toolArguments: { action: 'exclude' },
    summary: 'Exclude or include traces',
    description: 'Excludes the listed traces from sale, or includes them. Sold traces and unknown ids are skipped.',
    body: z.object({ ids: Ids, action: z.enum(['exclude', 'include']) }),
    reply: z.object({ ok: True, updatedIds: z.array(Uuid), updatedCount: Whole, skippedCount: Whole }),
    failures: {},
  }),
  bulkDeleteTraces: route({
    ...eitherWay,
    id: 'E4',
    method: 'DELETE',
    path: '/api/traces/bulk',
    summary: 'Delete traces',
    description: 'Deletes the listed traces with their content. Sold traces are kept and listed in `skippedSoldIds`.',
    body: z.object({ ids: Ids }),
    reply: z.object({ ok: True, deletedIds: z.array(Uuid), skippedSoldIds: z.array(Uuid) }),
    failures: {},
  }),
  knownHashes: route({
    ...eitherWay,
    id: 'E7',
    method: 'POST',
    path: '/api/traces/known',
    summary: 'Find known content hashes',
    description:
      'Returns the sent hashes whose traces the caller has stored or has deleted, each once, in the order sent.',
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
    tool: 'get_trace',
    summary: 'Get the sale state of a trace',
    params: ById,
    reply: z.object({ ok: True, trace: TraceSaleState }),
    failures: { not_found: 404 },
  }),
  updateTrace: route({
    ...eitherWay,
    id: 'E9',
    method: 'PATCH',
    path: '/api/traces/:id',
    summary: 'Exclude or include a trace',
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
    summary: 'Download a trace',
    description:
      'Returns the scrubbed trace. With `format`, it is a line of the dataset, or several lines for `sts`. ' +
      'A person may have eight large downloads open at a time.',
    params: ById,
    query: z.object({ format: z.enum(datasetFormats).default('documents') }),
    reply: 'stream',
    media: 'application/json',
    content: TraceDocument,
    failures: { not_found: 404, blob_unavailable: 502 },
  }),
  listTraces: route({
    ...eitherWay,
    method: 'GET',
    path: '/api/traces',
    tool: 'list_traces',
    summary: 'List traces',
    description: "Returns the caller's traces, newest first.",
    query: Cursor.extend(TraceFilter.shape),
    reply: z.object({ ok: True, traces: z.array(ListedTrace), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  getTraceStats: route({
    ...eitherWay,
    method: 'GET',
    path: '/api/traces/stats',
    tool: 'get_trace_stats',
    summary: 'Get the totals of traces',
    description: "Counts the caller's traces, or only the traces that match a filter.",
    query: TraceFilter,
    reply: z.object({
      ok: True,
      traces: Whole,
      forSale: Whole,
      excluded: Whole,
      sold: Whole,
      tokens: Whole,
      estimatedUsd: z.number(),
      redactions: z.record(z.string(), Whole).describe('placeholders by category'),
    }),
    failures: {},
  }),
}
