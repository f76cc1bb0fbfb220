import type {
  AttemptEnd,
  AuditEntry,
  DatasetFilter,
  JobStatus,
  LeftOut,
  OutcomeName,
  PendingSale,
  WithheldReason,
} from '@tributary/core'
import { sql } from 'drizzle-orm'
import {
  bigint as int8,
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core'

/**
 * Text that is compared byte by byte, whatever the locale of the database: ids and times must sort as they are
 * written.
 */
const text = customType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' })

/** A hash in hexadecimal, stored as its bytes. */
const hash = customType<{ data: string; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  toDriver: (hex) => Buffer.from(hex, 'hex'),
  fromDriver: (bytes) => Buffer.from(bytes).toString('hex'),
})

/** Defines a column of integers up to 2^53: milliseconds since 1970, places, bytes. */
const whole = (name: string) => int8(name, { mode: 'number' })

/** People. `num` is the key of everything that is theirs; no `num` is given out twice. */
export const users = pgTable('users', {
  num: whole('num').primaryKey().generatedAlwaysAsIdentity(),
  id: text('id').notNull().unique(),
  email: text('email').unique(),
  createdAt: whole('created_at').notNull(),
  erasedAt: whole('erased_at'),
  /** As of `BlockedTerms`. */
  identityRevision: integer('identity_revision').notNull().default(0),
})

export const credentials = pgTable(
  'credentials',
  {
    hash: text('hash').primaryKey(),
    id: text('id').notNull().unique(),
    kind: text('kind').$type<'token' | 'session'>().notNull(),
    owner: whole('owner').notNull(),
    label: text('label').notNull(),
    createdAt: whole('created_at').notNull(),
    usedAt: whole('used_at'),
    expiresAt: whole('expires_at').notNull(),
  },
  (table) => [index().on(table.owner), index().on(table.expiresAt)],
)

/** Credentials that were revoked, until they would have expired. */
export const revokedCredentials = pgTable(
  'revoked_credentials',
  {
    hash: text('hash').primaryKey(),
    owner: whole('owner').notNull(),
    expiresAt: whole('expires_at').notNull(),
  },
  (table) => [index().on(table.owner), index().on(table.expiresAt)],
)

export const signInCodes = pgTable(
  'sign_in_codes',
  {
    challengeHash: text('challenge_hash').primaryKey(),
    codeHash: text('code_hash').notNull(),
    address: text('address').notNull(),
    wrongGuesses: integer('wrong_guesses').notNull().default(0),
    isUsed: boolean('is_used').notNull().default(false),
    createdAt: whole('created_at').notNull(),
    expiresAt: whole('expires_at').notNull(),
  },
  (table) => [index().on(table.address), index().on(table.createdAt)],
)

/** `wait` is in seconds. */
export const deviceAuthorizations = pgTable(
  'device_authorizations',
  {
    deviceHash: text('device_hash').primaryKey(),
    userHash: text('user_hash').notNull().unique(),
    machine: text('machine').notNull(),
    status: text('status').$type<'pending' | 'approved' | 'denied' | 'taken'>().notNull().default('pending'),
    wait: integer('wait').notNull(),
    polledAt: whole('polled_at'),
    createdAt: whole('created_at').notNull(),
    expiresAt: whole('expires_at').notNull(),
    owner: whole('owner'),
    /** The id of the token. */
    id: text('id'),
  },
  (table) => [index().on(table.owner), index().on(table.expiresAt)],
)

export const operatorSessions = pgTable('operator_sessions', {
  hash: text('hash').primaryKey(),
  operator: text('operator').notNull(),
  expiresAt: whole('expires_at').notNull(),
})

/** The secret for short codes where none is configured; one row. */
export const secrets = pgTable('secrets', { num: integer('num').primaryKey(), secret: text('secret').notNull() })

/** Calls in the aligned window that starts at `start`, and in the one before. `granted` is what the last call got. */
export const rateWindows = pgTable(
  'rate_windows',
  {
    key: text('key').primaryKey(),
    start: whole('start').notNull(),
    current: whole('current').notNull(),
    previous: whole('previous').notNull(),
    granted: whole('granted').notNull(),
    expiresAt: whole('expires_at').notNull(),
  },
  (table) => [index().on(table.expiresAt)],
)

/** Ingest jobs, which are their own queue. */
export const jobs = pgTable(
  'jobs',
  {
    id: text('id').primaryKey(),
    owner: whole('owner').notNull(),
    source: text('source').notNull(),
    status: text('status').$type<JobStatus>().notNull().default('queued'),
    total: integer('total').notNull(),
    parts: integer('parts').notNull(),
    bytes: whole('bytes').notNull(),
    traceCount: integer('trace_count').notNull().default(0),
    rejectedCount: integer('rejected_count').notNull().default(0),
    estimatedUsd: doublePrecision('estimated_usd'),
    errorMessage: text('error_message'),
    enqueuedAt: whole('enqueued_at').notNull(),
    startedAt: whole('started_at'),
    finishedAt: whole('finished_at'),
    attempts: integer('attempts').notNull().default(0),
    losses: integer('losses').notNull().default(0),
    attemptEnd: text('attempt_end').$type<AttemptEnd>(),
    dueAt: whole('due_at').notNull(),
    lease: text('lease'),
    leaseUntil: whole('lease_until'),
    claimedAt: whole('claimed_at'),
    traceparent: text('traceparent'),
  },
  (table) => [
    index().on(table.owner, table.claimedAt),
    index().on(table.finishedAt),
    index('jobs_open')
      .on(table.dueAt)
      .where(sql`status in ('queued', 'parsing', 'ingesting')`),
  ],
)

export const outcomes = pgTable(
  'outcomes',
  {
    job: text('job').notNull(),
    index: integer('index').notNull(),
    sourceId: text('source_id').notNull(),
    outcome: text('outcome').$type<OutcomeName>().notNull(),
    traceId: text('trace_id'),
    redactions: integer('redactions').notNull(),
    tokens: whole('tokens').notNull(),
  },
  (table) => [primaryKey({ columns: [table.job, table.index] }), index().on(table.traceId)],
)

export const uploads = pgTable(
  'uploads',
  {
    id: text('id').primaryKey(),
    owner: whole('owner').notNull(),
    secretHash: text('secret_hash').notNull().unique(),
    bytes: whole('bytes').notNull(),
    expiresAt: whole('expires_at').notNull(),
    job: text('job'),
  },
  (table) => [index().on(table.owner), index().on(table.expiresAt)],
)

/** Traces without their messages. `owner` is null once the person of a sold trace was erased. */
export const traces = pgTable(
  'traces',
  {
    /** The place in the order of the commits; see `tracePlaces`. */
    num: whole('num').primaryKey(),
    id: text('id').notNull().unique(),
    owner: whole('owner'),
    source: text('source').notNull(),
    sourceId: text('source_id').notNull(),
    segmentIndex: integer('segment_index'),
    title: text('title'),
    model: text('model'),
    createdAt: text('created_at').notNull(),
    parentTraceId: text('parent_trace_id'),
    contentHash: hash('content_hash').notNull(),
    tokenCount: whole('token_count').notNull(),
    estimatedUsd: doublePrecision('estimated_usd').notNull(),
    scrubVersion: text('scrub_version').notNull(),
    identityRevision: integer('identity_revision').notNull(),
    redactions: text('redactions').notNull(),
    details: text('details').notNull().default('{}'),
    replacements: text('replacements').notNull().default('{}'),
    withheld: text('withheld').$type<WithheldReason>(),
    sellExcluded: boolean('sell_excluded').notNull().default(false),
    saleCount: integer('sale_count').notNull().default(0),
    storedAt: whole('stored_at').notNull(),
    /** `conversations.num`; null once the person was erased. */
    conversation: whole('conversation'),
    /** `conversations.num` of the one that `parent_trace_id` shows the name of. */
    parent: whole('parent'),
  },
  (table) => [
    uniqueIndex('traces_piece').on(table.conversation, sql`coalesce(segment_index, 0)`),
    index().on(table.owner, table.num),
  ],
)

/**
 * The last place that was given out; one row. A sequence gives places out before the commit, so that a reader who
 * goes by places may pass one that appears later. This row is locked from then to the commit.
 */
export const tracePlaces = pgTable('trace_places', {
  num: integer('num').primaryKey(),
  last: whole('last').notNull(),
})

export const contents = pgTable('contents', {
  trace: whole('trace').primaryKey(),
  messages: text('messages').notNull(),
  tools: text('tools'),
})

/** The content hashes that an owner has (`trace` is `traces.num`) or deleted (null). */
export const knownHashes = pgTable(
  'known_hashes',
  { owner: whole('owner').notNull(), hash: hash('hash').notNull(), trace: whole('trace') },
  (table) => [primaryKey({ columns: [table.owner, table.hash] })],
)

/** Conversations by the keyed hash of their name. */
export const conversations = pgTable(
  'conversations',
  {
    num: whole('num').primaryKey().generatedAlwaysAsIdentity(),
    owner: whole('owner').notNull(),
    hash: hash('hash').notNull(),
  },
  (table) => [uniqueIndex('conversations_hash').on(table.owner, table.hash)],
)

/** The pieces of conversations that their owner deleted. */
export const deletedSegments = pgTable(
  'deleted_segments',
  { conversation: whole('conversation').notNull(), segment: integer('segment').notNull() },
  (table) => [primaryKey({ columns: [table.conversation, table.segment] })],
)

/** Sales. `pending` until every trace was considered. */
export const sales = pgTable('sales', {
  num: whole('num').primaryKey().generatedAlwaysAsIdentity(),
  id: text('id').notNull().unique(),
  buyer: text('buyer').notNull(),
  usd: doublePrecision('usd').notNull(),
  soldAt: whole('sold_at').notNull(),
  filter: json('filter').$type<DatasetFilter>(),
  copies: json('copies').$type<LeftOut['copies']>().notNull().default({ traces: 0, tokens: 0 }),
  skipped: json('skipped').$type<LeftOut['skipped']>().notNull().default([]),
  pending: json('pending').$type<Pick<PendingSale, 'after' | 'audit'> & { readonly until: number }>(),
})

export const saleItems = pgTable(
  'sale_items',
  {
    sale: whole('sale').notNull(),
    trace: whole('trace').notNull(),
    buyerId: text('buyer_id').notNull(),
    newTokens: whole('new_tokens'),
  },
  (table) => [
    primaryKey({ columns: [table.sale, table.trace] }),
    index().on(table.trace),
    index().on(table.sale, table.buyerId),
  ],
)

/** What operators did. */
export const auditEntries = pgTable('audit_entries', {
  num: whole('num').primaryKey().generatedAlwaysAsIdentity(),
  entry: json('entry').$type<AuditEntry>().notNull(),
})

/** What contributors earn by sales. */
export const ledger = pgTable(
  'ledger',
  {
    id: text('id').primaryKey(),
    owner: whole('owner').notNull(),
    saleId: text('sale_id').notNull(),
    micros: whole('micros').notNull(),
    at: whole('at').notNull(),
    availableAt: whole('available_at').notNull(),
    traces: integer('traces').notNull(),
  },
  (table) => [index().on(table.owner), uniqueIndex().on(table.saleId, table.owner)],
)

/** Mails and events that wait to be sent. `num` is the order of the commits of one subject. */
export const outbox = pgTable(
  'outbox',
  {
    num: whole('num').primaryKey().generatedAlwaysAsIdentity(),
    id: text('id').notNull().unique(),
    owner: whole('owner'),
    channel: text('channel').$type<'mail' | 'event'>().notNull(),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    payload: text('payload').notNull(),
    createdAt: whole('created_at').notNull(),
    orderKey: text('order_key'),
  },
  (table) => [index().on(table.owner)],
)
