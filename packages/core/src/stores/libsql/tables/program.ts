import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Migration } from '../migrate.ts'

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

export const programMigrations: Migration[] = [
  {
    id: '0006-program',
    sql: [
      'create table devices (id text primary key not null, owner integer not null, claimed_at integer not null) without rowid',
      'create index devices_owner on devices (owner)',
    ],
  },
]
