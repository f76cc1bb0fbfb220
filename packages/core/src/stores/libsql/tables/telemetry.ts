import { index, integer, text } from 'drizzle-orm/sqlite-core'
import type { TelemetryItem } from '../../../telemetry/store.ts'
import { json } from './json.ts'
import { sqliteTable } from './sqlite-table.ts'

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

/** Texts that people sent with the command line's feedback command. */
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
    /** The time at which an operator marked the message as handled. Null while it is open. */
    handledAt: integer('handled_at'),
  },
  (table) => [
    index('cli_feedback_owner').on(table.owner),
    index('cli_feedback_received').on(table.receivedAt),
    index('cli_feedback_handled').on(table.handledAt),
  ],
)
