import { integer, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { EventType } from '../../../events/schema.ts'
import { json } from './json.ts'
import { sqliteTable } from './sqlite-table.ts'

/** Endpoints of webhooks. Secrets are encrypted. Times are ms. */
export const webhooks = sqliteTable(
  'webhooks',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull(),
    url: text('url').notNull(),
    description: text('description').notNull(),
    events: json('events').$type<readonly EventType[]>(),
    status: text('status', { enum: ['enabled', 'disabled'] }).notNull(),
    disabledReason: text('disabled_reason'),
    secret: text('secret').notNull(),
    previousSecret: text('previous_secret'),
    previousUntil: integer('previous_until').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [uniqueIndex('webhooks_id').on(table.id), uniqueIndex('webhooks_url').on(table.url)],
)
