import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, real, text } from 'drizzle-orm/sqlite-core'
import type { AttemptEnd, ErrorClass, JobStage, JobStatus, OutcomeName } from '../../../ingest/store.ts'
import { sqliteTable } from './sqlite-table.ts'

/**
 * Ingest jobs. The table is its own queue: a worker claims a job that is not leased and whose `next_at` has passed.
 * Times are ms.
 */
export const jobs = sqliteTable(
  'jobs',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    owner: integer('owner').notNull(),
    source: text('source').notNull(),
    status: text('status').$type<JobStatus>().notNull(),
    /** The number of traces in the upload. */
    total: integer('total').notNull(),
    /** The number of blobs of the upload: `upload/<id>/0`, `upload/<id>/1` and so on. */
    parts: integer('parts').notNull(),
    /** The bytes of all parts. It is 0 for jobs that are older than this column. */
    bytes: integer('bytes').notNull().default(0),
    traceCount: integer('trace_count').notNull().default(0),
    rejectedCount: integer('rejected_count').notNull().default(0),
    estimatedUsd: real('estimated_usd'),
    errorMessage: text('error_message'),
    enqueuedAt: integer('enqueued_at').notNull(),
    startedAt: integer('started_at'),
    finishedAt: integer('finished_at'),
    attempts: integer('attempts').notNull().default(0),
    /** The value of `losses` in the next `Claim` of the job. */
    losses: integer('losses').notNull().default(0),
    attemptEnd: text('attempt_end').$type<AttemptEnd>(),
    errorStage: text('error_stage').$type<JobStage>(),
    errorClass: text('error_class').$type<ErrorClass>(),
    nextAt: integer('next_at').notNull(),
    lease: text('lease'),
    leaseUntil: integer('lease_until'),
    /** The time at which a worker last claimed the job. */
    takenAt: integer('taken_at'),
    /** The W3C `traceparent` of the request that added the job. */
    traceparent: text('traceparent'),
    /** The version of the terms that the contributor had accepted, and the country of the upload. */
    termsVersion: text('terms_version'),
    country: text('country'),
  },
  (table) => [
    index('jobs_status').on(table.status, table.nextAt),
    index('jobs_owner').on(table.owner),
    index('jobs_total').on(table.total, table.num),
    index('jobs_rejected').on(table.rejectedCount, table.num),
    index('jobs_error')
      .on(table.errorClass, table.num)
      .where(sql`error_class is not null`),
    index('jobs_taken').on(table.owner, table.takenAt),
    index('jobs_lease')
      .on(table.lease)
      .where(sql`lease is not null`),
    index('jobs_open')
      .on(table.owner, table.nextAt)
      .where(sql`status in ('queued', 'parsing', 'ingesting')`),
    index('jobs_finished')
      .on(table.finishedAt)
      .where(sql`finished_at is not null`),
  ],
)

/**
 * The outcome of each trace of a job. It is written in the same transaction as the trace, so that a second attempt
 * knows where to continue.
 */
export const outcomes = sqliteTable(
  'outcomes',
  {
    job: integer('job').notNull(),
    idx: integer('idx').notNull(),
    sourceId: text('source_id').notNull(),
    outcome: text('outcome').$type<OutcomeName>().notNull(),
    traceId: text('trace_id'),
    redactions: integer('redactions').notNull(),
    tokens: integer('tokens').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.job, table.idx] }),
    index('outcomes_trace')
      .on(table.traceId)
      .where(sql`trace_id is not null`),
  ],
)

/** Uploads that a client sends with PUT before the client names them in `POST /api/ingest`. */
export const uploads = sqliteTable(
  'uploads',
  {
    id: text('id').primaryKey(),
    owner: integer('owner').notNull(),
    /** SHA-256 of the secret in the upload URL. */
    secret: blob('secret', { mode: 'buffer' }).notNull().unique(),
    bytes: integer('bytes').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** The job that claimed the upload. An upload can be claimed only once. */
    job: text('job'),
  },
  (table) => [index('uploads_expiry').on(table.expiresAt), index('uploads_owner').on(table.owner)],
)

/**
 * The default Blobs port. A blob exists once it is `ready`. Before that, its pieces are written, each in its own
 * transaction. A `num` is never used twice, so that a late piece of a deleted blob cannot join another blob.
 */
export const blobs = sqliteTable(
  'blobs',
  {
    num: integer('num').primaryKey({ autoIncrement: true }),
    key: text('key').notNull(),
    size: integer('size').notNull(),
    ready: integer('ready').notNull(),
    writtenAt: integer('written_at').notNull(),
  },
  (table) => [index('blobs_key').on(table.key)],
)

/** Pieces of at most 1 MiB, so that one statement does not block the event loop for long. */
export const blobPieces = sqliteTable(
  'blob_pieces',
  {
    blob: integer('blob').notNull(),
    piece: integer('piece').notNull(),
    bytes: blob('bytes', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.blob, table.piece] })],
)
