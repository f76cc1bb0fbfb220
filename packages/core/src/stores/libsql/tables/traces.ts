import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, real, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sqliteTable } from './sqlite-table.ts'

/**
 * A stored trace without its messages, so that excluding or selling a trace does not rewrite its content. `owner` is
 * `users.num`, and null after the erasure of a sold trace's contributor. (`conversation`, `segment_index` or 0)
 * identifies the trace. If a trace was last uploaded before conversations existed, (`source`, `source_id`,
 * `segment_index` or 0) identifies it.
 */
export const traces = sqliteTable(
  'traces',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    owner: integer('owner'),
    source: text('source').notNull(),
    sourceId: text('source_id').notNull(),
    segmentIndex: integer('segment_index'),
    title: text('title'),
    model: text('model'),
    createdAt: text('created_at').notNull(),
    parentTraceId: text('parent_trace_id'),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
    tokenCount: integer('token_count').notNull(),
    estimatedUsd: real('estimated_usd').notNull(),
    scrubVersion: text('scrub_version').notNull(),
    /** A JSON object from each category to its count. */
    redactions: text('redactions').notNull(),
    /** The JSON of `KeptDetails`. */
    details: text('details').notNull().default('{}'),
    /** A JSON object from each placeholder to its rule, evidence and score. */
    replacements: text('replacements').notNull().default('{}'),
    /** The `scrub_contexts.revision` with which the trace was scrubbed. */
    identityRevision: integer('identity_revision').notNull().default(0),
    withheld: text('withheld', { enum: ['refused', 'verification_failed', 'damaged'] }),
    /**
     * The time at which an operator withdrew the trace, in milliseconds since 1970. A withdrawn trace is not sold or
     * delivered.
     */
    withdrawnAt: integer('withdrawn_at'),
    /** The operator's reason for the withdrawal. Null after the contributor was erased, because it may name them. */
    withdrawalReason: text('withdrawal_reason'),
    sellExcluded: integer('sell_excluded').notNull().default(0),
    saleCount: integer('sale_count').notNull().default(0),
    storedAt: integer('stored_at').notNull(),
    /** The version of the terms that the job of the trace has. */
    termsVersion: text('terms_version'),
    country: text('country'),
    /** `conversations.num`. Null after the contributor was erased. */
    conversation: integer('conversation'),
    /** `conversations.num` of the conversation whose name `parent_trace_id` shows. */
    parent: integer('parent'),
    /** The number of tokens that earlier stored traces also have. Triggers keep it consistent with `overlaps`. */
    copiedTokens: integer('copied_tokens').notNull().default(0),
  },
  (table) => [
    uniqueIndex('traces_piece').on(table.conversation, sql`coalesce(segment_index, 0)`),
    // These two indexes become empty when every conversation has been uploaded again.
    index('traces_former_name')
      .on(table.owner, table.source, table.sourceId)
      .where(sql`conversation is null`),
    index('traces_former_parent')
      .on(table.owner, table.source, table.parentTraceId)
      .where(sql`parent is null and parent_trace_id is not null`),
    index('traces_owner').on(table.owner),
    // Erasure looks for sold traces after each step. Without this index it would read every trace of the person again.
    index('traces_sold')
      .on(table.owner)
      .where(sql`sale_count > 0`),
    // The index of copies. A copy is a trace of which less than a fifth is new.
    index('traces_copies')
      .on(table.owner)
      .where(sql`copied_tokens * 5 > token_count * 4`),
  ],
)

/**
 * The scrubbed messages of a trace: one JSON text, the array `messages` of a downloaded trace, or a reference to the
 * blob with this text. Triggers keep `content_blobs` consistent with this table.
 */
export const contents = sqliteTable('contents', {
  trace: integer('trace').primaryKey(),
  messages: text('messages').notNull(),
  /** The JSON of `KeptDetails`. */
  tools: text('tools'),
})

/**
 * Blobs to which no row of `contents` refers. A blob is reserved for such a row until `due_at` (ms). After this time,
 * or if `due_at` is 0, the blob must be deleted.
 */
export const contentBlobs = sqliteTable(
  'content_blobs',
  {
    key: text('key').primaryKey(),
    dueAt: integer('due_at').notNull(),
    /** 1 when the blob may already be deleted, so that no row of `contents` may refer to it again. */
    deleting: integer('deleting').notNull(),
  },
  (table) => [index('content_blobs_due').on(table.dueAt)],
)

/**
 * The content hashes that `POST /api/traces/known` knows, as 32 raw bytes each. `trace` is `traces.num`, or null when
 * the contributor deleted it. A row takes about 50 bytes.
 */
export const seen = sqliteTable(
  'seen',
  {
    owner: integer('owner').notNull(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
    trace: integer('trace'),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.hash] }),
    index('seen_deleted')
      .on(table.owner, table.hash)
      .where(sql`trace is null`),
  ],
)

/**
 * Conversations, each with the keyed hash of its name (32 raw bytes). A conversation has traces, is named as a parent
 * by a trace, or had traces that were deleted. The next upload replaces a hash from an older secret with a hash from
 * the newest secret.
 */
export const conversations = sqliteTable(
  'conversations',
  {
    num: integer('num').primaryKey(),
    owner: integer('owner').notNull(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
  },
  (table) => [uniqueIndex('conversations_hash').on(table.owner, table.hash)],
)

/** The pieces of conversations that their owner deleted. A longer version of such a piece is not stored either. */
export const deletedSegments = sqliteTable(
  'deleted_segments',
  { conversation: integer('conversation').notNull(), segment: integer('segment').notNull() },
  (table) => [primaryKey({ columns: [table.conversation, table.segment] })],
)

/** Keyed hashes of the scrubbed names of deleted traces that had no conversation, with 32 raw bytes each. */
export const deletedNames = sqliteTable(
  'deleted_names',
  {
    owner: integer('owner').notNull(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.hash] })],
)

export const sales = sqliteTable(
  'sales',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    buyer: text('buyer').notNull(),
    /** The `buyerKey` of the buyer, which is equal for two spellings of one name. */
    buyerKey: text('buyer_key').notNull().default(''),
    usd: real('usd').notNull(),
    soldAt: integer('sold_at').notNull(),
    /** The JSON of the `DatasetFilter` of a sale by filter. */
    filter: text('filter'),
    /** Traces that were left out as copies, and their tokens. */
    copiedTraces: integer('copied_traces').notNull().default(0),
    copiedTokens: integer('copied_tokens').notNull().default(0),
    /** A JSON list of `SkippedTrace`. */
    skipped: text('skipped').notNull().default('[]'),
    /** JSON with `after` and `until` (both `traces.num`) and `audit`. Null when every trace was considered. */
    pending: text('pending'),
  },
  (table) => [
    index('sales_buyer').on(table.buyerKey, table.num),
    index('sales_name').on(table.buyer, table.num),
    index('sales_usd').on(table.usd, table.num),
    index('sales_pending')
      .on(table.soldAt)
      .where(sql`pending is not null`),
  ],
)

export const saleItems = sqliteTable(
  'sale_items',
  {
    sale: integer('sale').notNull(),
    trace: integer('trace').notNull(),
    /** The id by which the buyer gets the trace. It is random and new for each sale. */
    buyerId: text('buyer_id'),
    /**
     * The tokens that the contributor is paid for. Null means all tokens; only sales that are older than the
     * recognition of copies contain null.
     */
    newTokens: integer('new_tokens'),
  },
  (table) => [
    primaryKey({ columns: [table.sale, table.trace] }),
    index('sale_items_trace').on(table.trace),
    // `selectSoldPieces` sorts by the whole ids, which are random. An index on the whole ids would change a page for
    // each trace of a sale, and this would take most of the time of the sale. This index grows only at the ends of 256
    // groups.
    index('sale_items_order').on(table.sale, sql`substr(buyer_id, 1, 2)`),
  ],
)

/**
 * The fingerprints of a trace (`chooseFingerprints`), a JSON list in ascending order. Triggers keep the index
 * consistent with it.
 */
export const fingerprints = sqliteTable('fingerprints', {
  trace: integer('trace').primaryKey(),
  hashes: text('hashes').notNull(),
})

/**
 * The traces that have a fingerprint: `hash` is the fingerprint in 47 bits, `trace` is `traces.num`. At most 64 rows
 * have the same hash: text that occurs in more traces is common or belongs to one team, so the first traces are enough.
 */
export const fingerprintIndex = sqliteTable(
  'fingerprint_index',
  {
    hash: integer('hash').notNull(),
    trace: integer('trace').notNull(),
  },
  (table) => [primaryKey({ columns: [table.hash, table.trace] })],
)

/** The state of the fingerprints of all traces. The table has one row. */
export const fingerprintState = sqliteTable('fingerprint_state', {
  num: integer('num').primaryKey(),
  /** Changes with every step that stores fingerprints. */
  version: integer('version').notNull(),
  /** Traces above `filled`, up to `fillUntil`, are older than fingerprints. Both values are `traces.num`. */
  filled: integer('filled').notNull(),
  fillUntil: integer('fill_until').notNull(),
})

/** The overlap of two traces, with one row for each trace: `trace` and `other` are `traces.num`. */
export const overlaps = sqliteTable(
  'overlaps',
  {
    trace: integer('trace').notNull(),
    other: integer('other').notNull(),
    /** 1 when `other` was stored with these words before `trace`. */
    isEarlier: integer('is_earlier').notNull(),
    /** The JSON of the `TokenRanges` of `trace`. */
    ranges: text('ranges').notNull(),
    /** The time at which both traces were compared, in milliseconds since 1970. */
    comparedAt: integer('compared_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.trace, table.other] }), index('overlaps_other').on(table.other)],
)

/**
 * The pass that scrubs stored traces again. The table has one row. The pass for `version` has reached the `traces.num`
 * in `cursor`.
 */
export const rescrubPasses = sqliteTable('rescrub_passes', {
  num: integer('num').primaryKey(),
  version: text('version').notNull(),
  cursor: integer('cursor').notNull(),
  lease: text('lease'),
  leaseUntil: integer('lease_until'),
})
