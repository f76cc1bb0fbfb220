import { sql } from 'drizzle-orm'
import { index, integer, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sqliteTable } from './sqlite-table.ts'

/**
 * The earnings of contributors and their payouts, in micro-dollars. Times are ms. A trigger adds each new entry to the
 * sums in `users`. Triggers refuse every deletion and every update, except the update by an erasure. The erasure sets
 * `owner` (`users.num`), `device` and `reason` to null, and the remaining `reference` identifies no person.
 */
export const ledger = sqliteTable(
  'ledger',
  {
    num: integer('num').primaryKey({ autoIncrement: true }),
    id: text('id').notNull(),
    owner: integer('owner'),
    kind: text('kind', { enum: ['sale', 'impressions', 'payout', 'correction'] }).notNull(),
    /**
     * The key of the recorded fact, unique within its kind: sale and person, device and day, or the reference of a
     * payout.
     */
    reference: text('reference').notNull(),
    micros: integer('micros').notNull(),
    at: integer('at').notNull(),
    availableAt: integer('available_at').notNull(),
    saleId: text('sale_id'),
    /** The number of traces of the person that were sold in the sale. */
    traces: integer('traces'),
    /** The tokens of the traces of a sale, and the number of them that were new. */
    tokens: integer('tokens'),
    newTokens: integer('new_tokens'),
    device: text('device'),
    /** The UTC day of impressions, counted from 1970. */
    day: integer('day'),
    reason: text('reason'),
  },
  (table) => [
    uniqueIndex('ledger_id_unique').on(table.id),
    uniqueIndex('ledger_reference').on(table.kind, table.reference),
    index('ledger_owner').on(table.owner, table.num),
    index('ledger_pending')
      .on(table.owner, table.availableAt)
      .where(sql`kind = 'sale'`),
    index('ledger_paid')
      .on(table.kind, sql`(-micros)`, table.num)
      .where(sql`kind = 'payout'`),
    // The kind is in this index because the list of payouts would otherwise use `ledger_reference`, which has another
    // order.
    index('ledger_payouts')
      .on(table.kind, table.num)
      .where(sql`kind = 'payout'`),
  ],
)

/** Requests of payouts, in micro-dollars. Times are ms. A person has at most one open request. */
export const payoutRequests = sqliteTable(
  'payout_requests',
  {
    num: integer('num').primaryKey({ autoIncrement: true }),
    id: text('id').notNull(),
    owner: integer('owner').notNull(),
    micros: integer('micros').notNull(),
    status: text('status', { enum: ['open', 'paid', 'rejected'] }).notNull(),
    requestedAt: integer('requested_at').notNull(),
    decidedAt: integer('decided_at'),
    reason: text('reason'),
  },
  (table) => [
    uniqueIndex('payout_requests_id_unique').on(table.id),
    uniqueIndex('payout_requests_open')
      .on(table.owner)
      .where(sql`status = 'open'`),
    index('payout_requests_owner').on(table.owner),
    index('payout_requests_status').on(table.status, table.num),
  ],
)
