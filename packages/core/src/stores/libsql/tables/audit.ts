import { index, integer, text } from 'drizzle-orm/sqlite-core'
import { sqliteTable } from './sqlite-table.ts'

/**
 * The actions of operators. Triggers refuse every update, with one exception: when the erasure of a person is queued,
 * the target changes to the person's new id. Triggers refuse to delete any entry except the oldest. Times are ms.
 */
export const audit = sqliteTable(
  'audit',
  {
    num: integer('num').primaryKey({ autoIncrement: true }),
    id: text('id').notNull().unique(),
    at: integer('at').notNull(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    target: text('target').notNull(),
    /** The state before and after the change, each a JSON object or null. */
    stateBefore: text('state_before'),
    stateAfter: text('state_after'),
    requestId: text('request_id').notNull(),
    address: text('address'),
  },
  (table) => [
    index('audit_actor').on(table.actor, table.num),
    index('audit_action').on(table.action, table.num),
    index('audit_target').on(table.target),
    index('audit_request').on(table.requestId),
  ],
)
