import { sql } from 'drizzle-orm'
import { index, integer, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { RemovalReason } from '../../../traces/buyers/store.ts'
import { sqliteTable } from './sqlite-table.ts'

/** Buyers who can sign in. The sales of a buyer have the same `buyer_key`. Times are ms. */
export const buyers = sqliteTable(
  'buyers',
  {
    num: integer('num').primaryKey({ autoIncrement: true }),
    id: text('id').notNull(),
    name: text('name').notNull(),
    /** The `buyerKey` of the buyer's name. */
    buyerKey: text('buyer_key').notNull(),
    email: text('email'),
    /** Hex SHA-256 of the token. Null after the token was revoked. */
    tokenHash: text('token_hash'),
    createdAt: integer('created_at').notNull(),
    /** The time at which the token was created. */
    tokenAt: integer('token_at').notNull(),
  },
  (table) => [
    uniqueIndex('buyers_id').on(table.id),
    uniqueIndex('buyers_key').on(table.buyerKey),
    uniqueIndex('buyers_token').on(table.tokenHash),
  ],
)

/** Browser sessions of buyers. `hash` is hex SHA-256 of the cookie's secret, `buyer` is `buyers.num`. */
export const buyerSessions = sqliteTable(
  'buyer_sessions',
  {
    hash: text('hash').primaryKey(),
    buyer: integer('buyer').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('buyer_sessions_buyer').on(table.buyer), index('buyer_sessions_expiry').on(table.expiresAt)],
)

/** Sold traces that their buyers must delete, one for each sale of a trace. `sale` is `sales.num`. Times are ms. */
export const removals = sqliteTable(
  'removals',
  {
    num: integer('num').primaryKey({ autoIncrement: true }),
    id: text('id').notNull(),
    sale: integer('sale').notNull(),
    buyerTraceId: text('buyer_trace_id').notNull(),
    reason: text('reason').$type<RemovalReason>().notNull(),
    at: integer('at').notNull(),
    acknowledgedAt: integer('acknowledged_at'),
    /** The id of the erasure of the trace's contributor, which the contributor's page shows. */
    erasure: text('erasure'),
  },
  (table) => [
    uniqueIndex('removals_id').on(table.id),
    uniqueIndex('removals_item').on(table.sale, table.buyerTraceId),
    index('removals_erasure')
      .on(table.erasure)
      .where(sql`erasure is not null`),
    index('removals_open')
      .on(table.num)
      .where(sql`acknowledged_at is null`),
  ],
)
