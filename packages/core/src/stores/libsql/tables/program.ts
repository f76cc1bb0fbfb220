import { index, integer, text } from 'drizzle-orm/sqlite-core'
import { sqliteTable } from './sqlite-table.ts'

/** Claimed devices. `owner` is `users.num`. */
export const devices = sqliteTable(
  'devices',
  {
    id: text('id').primaryKey(),
    owner: integer('owner').notNull(),
    claimedAt: integer('claimed_at').notNull(),
  },
  (table) => [index('devices_owner').on(table.owner)],
)
