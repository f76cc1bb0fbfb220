import { sql } from 'drizzle-orm'
import { index, integer, text } from 'drizzle-orm/sqlite-core'
import { sqliteTable } from './sqlite-table.ts'

/**
 * Exports and erasures of accounts. The table is its own queue: a worker claims a row that is `waiting` and not leased,
 * and whose `next_at` has passed. An erasure is deleted when it is done. `former_id` is the person's id at the time of
 * the request. Times are ms.
 */
export const accountJobs = sqliteTable(
  'account_jobs',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    owner: integer('owner').notNull(),
    formerId: text('former_id').notNull(),
    kind: text('kind', { enum: ['export', 'erasure'] }).notNull(),
    status: text('status', { enum: ['waiting', 'ready', 'failed'] }).notNull(),
    attempts: integer('attempts').notNull().default(0),
    requestedAt: integer('requested_at').notNull(),
    nextAt: integer('next_at').notNull(),
    lease: text('lease'),
    leaseUntil: integer('lease_until'),
    /** Hex SHA-256 of the last part of an export's URL. */
    secretHash: text('secret').unique(),
    /**
     * `credentials.hash` of the credential that requested an export. Null for an erasure and for an app's own sign-in.
     */
    credential: text('credential'),
    bytes: integer('bytes'),
    parts: integer('parts').notNull().default(0),
    url: text('url'),
    expiresAt: integer('expires_at'),
  },
  (table) => [
    index('account_jobs_owner').on(table.owner),
    index('account_jobs_due')
      .on(table.nextAt)
      .where(sql`status = 'waiting'`),
    index('account_jobs_expiry')
      .on(table.expiresAt)
      .where(sql`expires_at is not null`),
  ],
)
