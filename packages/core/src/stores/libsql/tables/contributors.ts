import { sql } from 'drizzle-orm'
import { index, integer, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sqliteTable } from './sqlite-table.ts'

/**
 * One row for each person: the accepted terms, the residency, the pauses by the person and by the operator, and the
 * last day with copies. `owner` is `users.num` in every table of this file. Times are ms.
 */
export const standings = sqliteTable('standings', {
  owner: integer('owner').primaryKey(),
  termsVersion: text('terms_version'),
  termsAt: integer('terms_at'),
  residency: integer('residency').notNull().default(0),
  paused: integer('paused').notNull().default(0),
  operatorPaused: integer('operator_paused').notNull().default(0),
  /** The last UTC day on which copies were found. The event about copies is sent at most once a day. */
  copiesDay: integer('copies_day'),
})

/** Contact (null until it is entered) and ad consent. */
export const profiles = sqliteTable('profiles', {
  owner: integer('owner').primaryKey(),
  name: text('name'),
  email: text('email'),
  phone: text('phone'),
  contactAt: integer('contact_at'),
  attribution: integer('attribution').notNull().default(0),
  pixel: integer('pixel').notNull().default(0),
})

/**
 * At most one application of a person is not rejected, as the unique index ensures. The highest `num` is the latest.
 */
export const applications = sqliteTable(
  'applications',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    owner: integer('owner').notNull(),
    companyName: text('company_name').notNull(),
    incubatorBatch: text('incubator_batch'),
    website: text('website').notNull(),
    directoryUrl: text('directory_url'),
    email: text('email').notNull(),
    role: text('role').notNull(),
    status: text('status', { enum: ['pending', 'approved', 'rejected'] }).notNull(),
    submittedAt: integer('submitted_at').notNull(),
    reviewedAt: integer('reviewed_at'),
    reviewReason: text('review_reason'),
  },
  (table) => [
    uniqueIndex('applications_open')
      .on(table.owner)
      .where(sql`status <> 'rejected'`),
    index('applications_owner').on(table.owner),
    index('applications_status').on(table.status),
    index('applications_company').on(table.companyName, table.num),
  ],
)

export const waitlist = sqliteTable(
  'waitlist',
  {
    owner: integer('owner').primaryKey(),
    email: text('email').notNull(),
    country: text('country'),
    at: integer('at').notNull(),
    notifiedAt: integer('notified_at'),
  },
  (table) => [
    index('waitlist_country').on(table.country),
    index('waitlist_joined').on(table.at, table.owner),
    index('waitlist_email').on(table.email),
  ],
)

/** The history of a person's choices, with their times. `fact` is JSON. */
export const choices = sqliteTable(
  'choices',
  {
    num: integer('num').primaryKey(),
    owner: integer('owner').notNull(),
    at: integer('at').notNull(),
    kind: text('kind', { enum: ['terms', 'pause', 'operator_pause', 'consent'] }).notNull(),
    fact: text('fact').notNull(),
  },
  (table) => [index('choices_owner').on(table.owner)],
)

/**
 * The blocked terms of a person (a JSON list), and how often their identifying data changed. `due` is 1 until the
 * traces after `cursor` (a `traces.num`) are scrubbed again.
 */
export const scrubContexts = sqliteTable(
  'scrub_contexts',
  {
    owner: integer('owner').primaryKey(),
    terms: text('terms').notNull().default('[]'),
    termsAt: integer('terms_at'),
    revision: integer('revision').notNull().default(0),
    due: integer('due').notNull().default(0),
    cursor: integer('cursor').notNull().default(0),
  },
  (table) => [
    index('scrub_contexts_due')
      .on(table.due)
      .where(sql`due = 1`),
  ],
)
