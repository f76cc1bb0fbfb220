import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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
