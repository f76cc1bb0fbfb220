import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Migration } from '../migrate.ts'

/** Agents' reports, duplicates among them; `body` is JSON without the evidence. Times are ms. */
export const reports = sqliteTable(
  'reports',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    meaning: text('meaning').notNull(),
    body: text('body').notNull(),
    duplicateOf: text('duplicate_of'),
    status: text('status').notNull(),
    createdAt: integer('created_at').notNull(),
    changedAt: integer('changed_at').notNull(),
  },
  (table) => [
    index('reports_meaning').on(table.meaning),
    index('reports_duplicate').on(table.duplicateOf),
    index('reports_changed')
      .on(table.changedAt)
      .where(sql`duplicate_of is null`),
  ],
)

/** Evidence by the report that it is evidence for; `sender` is the report, perhaps a duplicate, that brought it. */
export const reportEvidence = sqliteTable(
  'report_evidence',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    report: text('report').notNull(),
    sender: text('sender').notNull(),
    type: text('type').notNull(),
    content: text('content').notNull(),
    redacted: integer('redacted').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('report_evidence_report').on(table.report)],
)

/** Receipts as they were handed out; `evidence_ids` is a JSON list. */
export const reportReceipts = sqliteTable(
  'report_receipts',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    report: text('report').notNull(),
    duplicateOf: text('duplicate_of'),
    evidenceIds: text('evidence_ids').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('report_receipts_report').on(table.report)],
)

/** Idempotency keys: claimed until a time, then with the receipt of their report. */
export const reportKeys = sqliteTable(
  'report_keys',
  {
    key: text('key').primaryKey(),
    fingerprint: text('fingerprint').notNull(),
    lease: text('lease').notNull(),
    leaseUntil: integer('lease_until').notNull(),
    receipt: text('receipt'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('report_keys_created').on(table.createdAt)],
)

export const reportsMigrations: Migration[] = [
  {
    id: '0009-reports',
    sql: [
      `create table reports (
        num integer primary key, id text not null unique, meaning text not null, body text not null, duplicate_of text, status text not null,
        created_at integer not null, changed_at integer not null)`,
      'create index reports_meaning on reports (meaning)',
      'create index reports_duplicate on reports (duplicate_of)',
      `create table report_evidence (
        num integer primary key, id text not null unique, report text not null, sender text not null, type text not null, content text not null,
        redacted integer not null, created_at integer not null)`,
      'create index report_evidence_report on report_evidence (report)',
      `create table report_receipts (
        num integer primary key, id text not null unique, report text not null, duplicate_of text, evidence_ids text not null, created_at integer not null)`,
      `create table report_keys (
        key text primary key, fingerprint text not null, lease text not null, lease_until integer not null, receipt text, created_at integer not null) without rowid`,
      'create index report_keys_created on report_keys (created_at)',
    ],
  },
  {
    id: '0011-reports-kept',
    sql: [
      'create index reports_changed on reports (changed_at) where duplicate_of is null',
      'create index report_receipts_report on report_receipts (report)',
    ],
  },
]
