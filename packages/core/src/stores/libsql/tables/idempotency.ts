import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Migration } from '../migrate.ts'

/** Idempotency keys by who sent them (`user:<id>` or `operator:<name>`), and the kept reply as JSON once there is one. Times are ms. */
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
  },
  (table) => [primaryKey({ columns: [table.actor, table.key] }), index('idempotency_keys_created').on(table.createdAt)],
)

export const idempotencyMigrations: Migration[] = [
  {
    id: '0017-idempotency',
    sql: [
      `create table idempotency_keys (
        actor text not null, key text not null, fingerprint text not null, effect_id text not null, lease text not null,
        lease_until integer not null, reply text, created_at integer not null, primary key (actor, key)) without rowid`,
      'create index idempotency_keys_created on idempotency_keys (created_at)',
    ],
  },
]
