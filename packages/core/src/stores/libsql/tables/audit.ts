import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Migration } from '../migrate.ts'

/** What operators changed. Triggers refuse every update, and every deletion but that of the oldest entry. Times are ms. */
export const audit = sqliteTable(
  'audit',
  {
    num: integer('num').primaryKey({ autoIncrement: true }),
    id: text('id').notNull().unique(),
    at: integer('at').notNull(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    target: text('target').notNull(),
    /** JSON objects, or null. */
    stateBefore: text('state_before'),
    stateAfter: text('state_after'),
    requestId: text('request_id').notNull(),
    address: text('address'),
  },
  (table) => [
    index('audit_actor').on(table.actor, table.num),
    index('audit_action').on(table.action, table.num),
    index('audit_target').on(table.target),
  ],
)

export const auditMigrations: Migration[] = [
  {
    id: '0020-audit',
    sql: [
      `create table audit (
        num integer primary key autoincrement, id text not null unique, at integer not null, actor text not null, action text not null,
        target text not null, state_before text, state_after text, request_id text not null, address text)`,
      'create index audit_actor on audit (actor, num)',
      'create index audit_action on audit (action, num)',
      'create index audit_target on audit (target)',
      `create trigger audit_unchanged before update on audit begin
        select raise(abort, 'an entry of the audit cannot be changed');
      end`,
      `create trigger audit_oldest_first before delete on audit when exists (select 1 from audit where num < old.num) begin
        select raise(abort, 'only the oldest entry of the audit can be deleted');
      end`,
    ],
  },
]
