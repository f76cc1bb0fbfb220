import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, text } from 'drizzle-orm/sqlite-core'
import { sqliteTable } from './sqlite-table.ts'

/**
 * Idempotency keys by their sender (`user:<id>` or `operator:<name> <method> <path>`), with the stored reply as JSON if
 * there is one. `subject` is the id of the user whom an operator's call is about. Times are ms.
 */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    actor: text('actor').notNull(),
    key: text('key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    effectId: text('effect_id').notNull(),
    lease: text('lease').notNull(),
    leaseUntil: integer('lease_until').notNull(),
    reply: text('reply'),
    createdAt: integer('created_at').notNull(),
    subject: text('subject'),
  },
  (table) => [
    primaryKey({ columns: [table.actor, table.key] }),
    index('idempotency_keys_created').on(table.createdAt),
    index('idempotency_keys_subject')
      .on(table.subject)
      .where(sql`subject is not null`),
  ],
)
