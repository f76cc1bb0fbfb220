import * as z from 'zod'
import { DateTime, Page, Timestamp, True, Uuid, Whole } from '../http/fields.ts'
import { ListQuery } from '../http/list.ts'
import { route } from '../http/route.ts'
import { sources } from '../sources.ts'
import { detailFields } from '../traces/detail-schemas.ts'
import { defaultIngestLimit, firstRepeat } from './rules.ts'
import { attemptEnds, errorClasses, jobStages, jobStatuses, outcomeNames } from './store.ts'

export const roles = ['system', 'user', 'assistant', 'tool'] as const

/** One message as it was sent, because the content hash covers the sent text. The worker sanitizes the text later. */
const MessageInput = z
  .object({
    role: z
      .enum(roles)
      .optional()
      .meta({ examples: ['user'] }),
    content: z.string(),
    position: Whole.optional().describe('default: the array index; unique within the trace'),
    tokenCount: Whole.optional().describe('ignored: the server counts the tokens'),
    createdAt: Timestamp.optional(),
    truncated: z.boolean().optional().describe('whether the client truncated this message'),
  })
  .meta({ id: 'MessageInput' })

/**
 * One conversation as it was sent. `source`, `sourceId` and `segmentIndex` (default 0) identify it among the
 * conversations of its owner.
 */
export const TraceInput = z
  .object({
    source: z.enum(sources).optional(),
    sourceId: z.string().min(1).max(256),
    model: z.string().max(128).optional(),
    createdAt: Timestamp,
    messages: z.array(MessageInput).min(1),
    parentTraceId: z.string().max(256).optional(),
    segmentIndex: Whole.optional(),
    ...detailFields,
  })
  .superRefine((trace, context) => {
    const at = firstRepeat(trace.messages)
    if (at >= 0)
      context.addIssue({ code: 'custom', path: ['messages', at, 'position'], message: 'positions must be unique' })
  })
  .meta({ id: 'TraceInput' })

export type TraceSent = z.input<typeof TraceInput>
export type MessageSent = z.input<typeof MessageInput>

/** The maximum number of traces in one `POST /api/ingest`. */
export const maxTraces = 1000

export const IngestBody = z
  .union([
    z.object({ traces: z.array(TraceInput).max(maxTraces) }),
    z.object({ uploadId: Uuid }).describe('a finished upload instead of traces'),
  ])
  .meta({ id: 'IngestRequest' })

const IngestJob = z
  .object({
    id: z.string(),
    source: z.string().describe('the source of all traces, or `mixed`'),
    status: z.enum(jobStatuses),
    traceCount: z.int().describe('traces that were stored or updated'),
    rejectedCount: z.int().describe('traces that were not stored'),
    estimatedUsd: z.number().nullable(),
    errorMessage: z.string().nullable(),
    enqueuedAt: DateTime,
    startedAt: DateTime.nullable(),
    finishedAt: DateTime.nullable(),
  })
  .meta({ id: 'Job' })

const TraceOutcome = z
  .object({
    index: z.int(),
    sourceId: z.string().describe('scrubbed; empty after the trace was deleted'),
    outcome: z.enum(outcomeNames),
    traceId: z.string().nullable(),
    redactions: z.int(),
  })
  .meta({ id: 'TraceOutcome' })

const JobId = z.object({ jobId: Uuid })

/** A job as the operator reads it. */
export const AdminJobItem = IngestJob.extend({
  userId: z.string(),
  email: z.string().nullable().describe('of the account'),
  attempts: z.int(),
  attemptEnd: z
    .enum(attemptEnds)
    .nullable()
    .describe('how the last attempt that did not finish the job ended; null if there is no such attempt'),
  errorStage: z
    .enum(jobStages)
    .nullable()
    .describe('the step at which the last failed attempt stopped; null if no attempt failed'),
  errorClass: z.enum(errorClasses).nullable().describe('the class of the error of that attempt'),
  total: z.int(),
})

/** The filter of the operator's list of jobs. */
export const JobsQuery = ListQuery(['enqueuedAt', 'total', 'rejectedCount']).extend({
  status: z.enum(jobStatuses).optional(),
  source: z.enum([...sources, 'mixed']).optional(),
  errorClass: z.enum(errorClasses).optional(),
})

/** The failures of `POST /api/ingest` and of `POST /api/ingest/uploads` that occur before the body is read. */
const policyFailures = {
  terms_required: 403,
  contributor_approval_required: 403,
  country_unknown: 403,
  us_upload_required: 403,
  residency_required: 403,
  contributor_paused: 403,
} as const

export const ingestContract = {
  ingest: route({
    id: 'E5',
    summary: 'Submit traces',
    description: 'Queues a batch of traces, or a finished upload. The body may be gzip.',
    method: 'POST',
    path: '/api/ingest',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    rates: ['ingest'],
    raw: 'json',
    body: IngestBody,
    bodyLimit: defaultIngestLimit,
    issues: true,
    reply: z.object({ ok: True, jobId: z.string(), status: z.literal('queued') }),
    success: [202],
    failures: { ...policyFailures, upload_not_found: 404, upload_taken: 409, upload_expired: 410, enqueue_failed: 500 },
  }),
  listJobs: route({
    summary: 'List jobs of the caller',
    description: 'Returns the ingest jobs of the caller, newest first.',
    method: 'GET',
    path: '/api/ingest/jobs',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    tool: 'list_jobs',
    query: Page.extend({ cursor: Uuid.optional() }),
    reply: z.object({ ok: True, items: z.array(IngestJob), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  ingestJob: route({
    id: 'E6',
    tool: 'get_job',
    summary: 'Get job status',
    method: 'GET',
    path: '/api/ingest/jobs/:jobId',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    params: JobId,
    reply: z.object({ ok: True, job: IngestJob }),
    failures: {},
  }),
  ingestOutcomes: route({
    tool: 'list_job_outcomes',
    summary: 'List outcomes',
    description: 'Returns the outcome of each trace of a job.',
    method: 'GET',
    path: '/api/ingest/jobs/:jobId/outcomes',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    params: JobId,
    query: z.object({}),
    reply: z.object({ ok: True, outcomes: z.array(TraceOutcome) }),
    failures: {},
  }),
  deleteUpload: route({
    summary: 'Delete the upload of a failed job',
    description: 'Without this call the upload of a failed job is kept for 24 hours.',
    method: 'DELETE',
    path: '/api/ingest/jobs/:jobId/upload',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    params: JobId,
    reply: 'none',
    success: [204],
    failures: { job_not_finished: 409 },
  }),
  startUpload: route({
    summary: 'Create an upload URL',
    description: 'Returns a URL to which a large batch can be sent with PUT.',
    method: 'POST',
    path: '/api/ingest/uploads',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    rates: ['ingest'],
    body: z.object({
      bytes: z.int().min(1).describe('length in bytes of the compressed body that will be sent with PUT'),
    }),
    reply: z.object({
      ok: True,
      uploadId: z.string(),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      expiresAt: DateTime,
    }),
    failures: { ...policyFailures },
  }),
  putUpload: route({
    summary: 'Upload a batch',
    description: 'Receives a large batch at its upload URL.',
    method: 'PUT',
    path: '/api/ingest/uploads/:secret',
    auth: 'none',
    envelope: 'ok',
    params: z.object({ secret: z.string().regex(/^[0-9a-f]{64}$/) }),
    raw: 'bytes',
    reply: z.object({ ok: True }),
    failures: { upload_taken: 409, upload_expired: 410 },
  }),
  adminJobs: route({
    tool: 'admin_list_jobs',
    summary: 'List jobs',
    description: 'Returns all ingest jobs, newest first.',
    method: 'GET',
    path: '/api/admin/jobs',
    auth: 'admin',
    envelope: 'ok',
    query: JobsQuery,
    reply: z.object({
      ok: True,
      items: z.array(AdminJobItem),
      nextCursor: z.string().nullable(),
    }),
    failures: {},
  }),
  adminRetryJob: route({
    summary: 'Retry a failed job',
    method: 'POST',
    path: '/api/admin/jobs/:jobId/retry',
    auth: 'admin',
    envelope: 'ok',
    params: JobId,
    reply: z.object({ ok: True, job: IngestJob }),
    failures: { not_failed: 409, upload_gone: 410 },
  }),
} as const
