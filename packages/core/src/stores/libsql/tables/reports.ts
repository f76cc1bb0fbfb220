import { sql } from 'drizzle-orm'
import { index, integer, text } from 'drizzle-orm/sqlite-core'
import type { ReportStatus } from '../../../reports/store.ts'
import { json } from './json.ts'
import { sqliteTable } from './sqlite-table.ts'

/**
 * Agents' reports, including duplicates; `body` is JSON without the evidence. For a duplicate, `duplicate_of` is the
 * report that an operator sees, and `parent` is the report into which it was merged or which it joined. The parent may
 * be a duplicate too. Times are ms.
 */
export const reports = sqliteTable(
  'reports',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    similarityHash: text('meaning').notNull(),
    body: text('body').notNull(),
    duplicateOf: text('duplicate_of'),
    parent: text('parent'),
    status: text('status').$type<ReportStatus>().notNull(),
    createdAt: integer('created_at').notNull(),
    changedAt: integer('changed_at').notNull(),
  },
  (table) => [
    index('reports_meaning').on(table.similarityHash),
    index('reports_duplicate')
      .on(table.duplicateOf)
      .where(sql`duplicate_of is not null`),
    index('reports_parent')
      .on(table.parent)
      .where(sql`parent is not null`),
    index('reports_status')
      .on(table.status)
      .where(sql`duplicate_of is null`),
    index('reports_changed')
      .on(table.changedAt, table.num)
      .where(sql`duplicate_of is null`),
  ],
)

/** Evidence by its report. `sender` is the report with which the evidence was sent. That report may be a duplicate. */
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

/** Receipts in the form in which they were returned. `evidence_ids` is a JSON list. */
export const reportReceipts = sqliteTable(
  'report_receipts',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    report: text('report').notNull(),
    duplicateOf: text('duplicate_of'),
    evidenceIds: json('evidence_ids').$type<readonly string[]>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('report_receipts_report').on(table.report)],
)

/** Idempotency keys. A key is first claimed until a certain time, and then stored with the receipt of its report. */
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
