import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { TelemetryItem } from '../../../telemetry/store.ts'
import type { Migration } from '../migrate.ts'
import { json } from './json.ts'

/** Telemetry reports; `diagnostics` and `events` are JSON lists. Times are ms. */
export const telemetry = sqliteTable(
  'telemetry',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    owner: integer('owner').notNull(),
    deviceId: text('device_id').notNull(),
    cliVersion: text('cli_version'),
    platform: text('platform'),
    arch: text('arch'),
    command: text('command'),
    sentAt: text('sent_at'),
    diagnostics: json('diagnostics').$type<readonly TelemetryItem[]>().notNull(),
    events: json('events').$type<readonly TelemetryItem[]>().notNull(),
    receivedAt: integer('received_at').notNull(),
  },
  (table) => [index('telemetry_owner').on(table.owner), index('telemetry_received').on(table.receivedAt)],
)

/** What people wrote with the command line's feedback command. */
export const cliFeedback = sqliteTable(
  'cli_feedback',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    owner: integer('owner').notNull(),
    message: text('message').notNull(),
    email: text('email'),
    cliVersion: text('cli_version'),
    platform: text('platform'),
    arch: text('arch'),
    deviceId: text('device_id'),
    command: text('command'),
    receivedAt: integer('received_at').notNull(),
  },
  (table) => [index('cli_feedback_owner').on(table.owner), index('cli_feedback_received').on(table.receivedAt)],
)

export const telemetryMigrations: Migration[] = [
  {
    id: '0008-telemetry',
    sql: [
      `create table telemetry (
        num integer primary key, id text not null unique, owner integer not null, device_id text not null, cli_version text, platform text,
        arch text, command text, sent_at text, diagnostics text not null, events text not null, received_at integer not null)`,
      'create index telemetry_owner on telemetry (owner)',
      'create index telemetry_received on telemetry (received_at)',
      `create table cli_feedback (
        num integer primary key, id text not null unique, owner integer not null, message text not null, email text, cli_version text,
        platform text, arch text, device_id text, command text, received_at integer not null)`,
      'create index cli_feedback_owner on cli_feedback (owner)',
    ],
  },
  { id: '0023-feedback-received', sql: ['create index cli_feedback_received on cli_feedback (received_at)'] },
]
