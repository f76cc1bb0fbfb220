import { sql } from 'drizzle-orm'
import { index, integer, text } from 'drizzle-orm/sqlite-core'
import { sqliteTable } from './sqlite-table.ts'

/**
 * Messages that must be sent after a commit. Times are ms. `owner` is the person whose data a message contains, so that
 * the message is deleted with the person.
 */
export const outbox = sqliteTable(
  'outbox',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    owner: integer('owner'),
    channel: text('channel', { enum: ['mail', 'impression', 'telemetry', 'event', 'webhook'] }).notNull(),
    recipient: text('recipient').notNull(),
    subject: text('subject').notNull(),
    payload: text('payload').notNull(),
    status: text('status', { enum: ['waiting', 'sending', 'sent', 'dead', 'unknown'] })
      .notNull()
      .default('waiting'),
    attempts: integer('attempts').notNull().default(0),
    lastError: text('last_error'),
    createdAt: integer('created_at').notNull(),
    dueAt: integer('due_at').notNull(),
    lease: text('lease'),
    leaseUntil: integer('lease_until'),
    takenAt: integer('taken_at'),
    finishedAt: integer('finished_at'),
    orderKey: text('order_key'),
    /** The id of the request that enqueued the message. */
    requestId: text('request_id'),
    /** A JSON list of the results of the attempts of a delivery to a webhook. */
    results: text('results'),
  },
  (table) => [
    index('outbox_open')
      .on(table.channel, table.status, table.dueAt)
      .where(sql`finished_at is null`),
    index('outbox_recipient').on(table.recipient, table.num),
    index('outbox_request')
      .on(table.requestId)
      .where(sql`request_id is not null`),
    index('outbox_mailed')
      .on(table.recipient, table.takenAt)
      .where(sql`channel = 'mail' and taken_at is not null`),
    index('outbox_order')
      .on(table.channel, table.recipient, table.orderKey)
      .where(sql`order_key is not null and finished_at is null`),
    index('outbox_webhook')
      .on(table.recipient, table.id)
      .where(sql`channel = 'webhook'`),
    index('outbox_webhook_open')
      .on(table.recipient, table.dueAt)
      .where(sql`channel = 'webhook' and finished_at is null`),
    index('outbox_finished')
      .on(table.finishedAt)
      .where(sql`finished_at is not null`),
    index('outbox_owner')
      .on(table.owner)
      .where(sql`owner is not null`),
    index('outbox_status').on(table.status, table.id),
    index('outbox_untried')
      .on(table.createdAt)
      .where(sql`attempts = 0 and finished_at is null`),
  ],
)
