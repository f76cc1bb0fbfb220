import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, real, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { RejectionReason } from '../../../ads/store.ts'
import { json } from './json.ts'
import { sqliteTable } from './sqlite-table.ts'

/**
 * The operator's campaigns. `price`, `budget` and `spent` are millionths of a dollar; `topics` is JSON. Times are ms.
 */
export const campaigns = sqliteTable(
  'campaigns',
  {
    num: integer('num').primaryKey(),
    id: text('id').notNull().unique(),
    name: text('name').notNull(),
    brandName: text('brand_name').notNull(),
    title: text('title').notNull(),
    text: text('text').notNull(),
    url: text('url').notNull(),
    favicon: text('favicon'),
    fingerprint: text('fingerprint').notNull(),
    topics: json('topics').$type<readonly string[]>().notNull(),
    cpmUsd: real('cpm_usd').notNull(),
    price: integer('price').notNull(),
    budget: integer('budget').notNull(),
    dailyCap: integer('daily_cap'),
    startsAt: integer('starts_at'),
    endsAt: integer('ends_at'),
    createdAt: integer('created_at').notNull(),
    status: text('status', { enum: ['active', 'paused'] }).notNull(),
    spent: integer('spent').notNull().default(0),
    impressions: integer('impressions').notNull().default(0),
    clicks: integer('clicks').notNull().default(0),
  },
  (table) => [
    index('campaigns_status').on(table.status),
    index('campaigns_name').on(table.name, table.num),
    index('campaigns_spent').on(table.spent, table.num),
  ],
)

/**
 * The amounts that a campaign owes for a UTC day. The counters of the campaign contain the sums of these amounts;
 * `spent` also contains the corrections.
 */
export const campaignDays = sqliteTable(
  'campaign_days',
  {
    campaign: integer('campaign').notNull(),
    day: integer('day').notNull(),
    impressions: integer('impressions').notNull(),
    micros: integer('micros').notNull(),
    clicks: integer('clicks').notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaign, table.day] })],
)

/** The number of impressions of a campaign that did not count on a UTC day, by reason. */
export const campaignRejections = sqliteTable(
  'campaign_rejections',
  {
    campaign: integer('campaign').notNull(),
    day: integer('day').notNull(),
    reason: text('reason').$type<RejectionReason>().notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaign, table.day, table.reason] })],
)

/**
 * The amount that a campaign owed for a UTC month, such as `2026-11`, when the month was closed. It never changes.
 * Impressions that are stored later count for the month that is open at that time.
 */
export const campaignMonths = sqliteTable(
  'campaign_months',
  {
    campaign: integer('campaign').notNull(),
    month: text('month').notNull(),
    impressions: integer('impressions').notNull(),
    clicks: integer('clicks').notNull(),
    notCounted: integer('not_counted').notNull(),
    micros: integer('micros').notNull(),
    corrections: integer('corrections').notNull(),
    closedAt: integer('closed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaign, table.month] })],
)

/** The amount that an operator added to the spend of a campaign on a UTC day. A negative amount was subtracted. */
export const campaignCorrections = sqliteTable(
  'campaign_corrections',
  {
    id: text('id').primaryKey(),
    campaign: integer('campaign').notNull(),
    day: integer('day').notNull(),
    micros: integer('micros').notNull(),
    reason: text('reason').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [index('campaign_corrections_campaign').on(table.campaign, table.day)],
)

/** The link by which a sponsor reads a campaign, stored as the hash of the link's token. */
export const sponsorLinks = sqliteTable(
  'sponsor_links',
  {
    campaign: integer('campaign').primaryKey(),
    tokenHash: text('token_hash').notNull(),
    madeAt: integer('made_at').notNull(),
  },
  (table) => [uniqueIndex('sponsor_links_token').on(table.tokenHash)],
)

/**
 * Served ads. `id` is the UUID's 16 bytes, in the order of time. `last` is the result of the latest impression, and
 * `outcome` is the result after which the serve cannot be used again. `seq` numbers the counted serves of a device,
 * because clocks may be set back. `owner` is `users.num`.
 */
export const serves = sqliteTable(
  'serves',
  {
    id: blob('id', { mode: 'buffer' }).primaryKey(),
    owner: integer('owner').notNull(),
    device: text('device').notNull(),
    source: text('source', { enum: ['campaign', 'network', 'promotional'] }).notNull(),
    campaign: integer('campaign'),
    fingerprint: text('fingerprint').notNull(),
    target: text('target'),
    networkUrl: text('network_url'),
    price: integer('price').notNull(),
    servedAt: integer('served_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    last: text('last'),
    outcome: text('outcome'),
    seq: integer('seq'),
    countedAt: integer('counted_at'),
    click: text('click'),
    clickedAt: integer('clicked_at'),
  },
  (table) => [
    index('serves_counted')
      .on(table.device, table.seq, table.countedAt)
      .where(sql`seq is not null`),
    index('serves_owner').on(table.owner),
    index('serves_owner_counted')
      .on(table.owner, table.countedAt)
      .where(sql`counted_at is not null`),
  ],
)

/** Counted impressions of the last hour by keyed hash of the caller's address, in the order in which they counted. */
export const adAddresses = sqliteTable(
  'ad_addresses',
  {
    num: integer('num').primaryKey(),
    address: text('address').notNull(),
    countedAt: integer('counted_at').notNull(),
  },
  (table) => [index('ad_addresses_counted').on(table.address, table.countedAt)],
)

/**
 * Events of a device by UTC day and outcome. Events with owner 0 and device '' do not belong to a serve. For `counted`,
 * `micros` is the paid price, and `unposted` the part whose share is not in the ledger yet.
 */
export const adDays = sqliteTable(
  'ad_days',
  {
    owner: integer('owner').notNull(),
    device: text('device').notNull(),
    day: integer('day').notNull(),
    outcome: text('outcome').notNull(),
    count: integer('count').notNull(),
    micros: integer('micros').notNull().default(0),
    unposted: integer('unposted').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.device, table.day, table.outcome] }),
    index('ad_days_unposted')
      .on(table.day)
      .where(sql`unposted > 0`),
  ],
)

/** One vote for each serve, kept longer than the serve, so that a creative that was voted down is not shown again. */
export const adVotes = sqliteTable(
  'ad_votes',
  {
    serve: blob('serve', { mode: 'buffer' }).primaryKey(),
    owner: integer('owner').notNull(),
    device: text('device').notNull(),
    fingerprint: text('fingerprint').notNull(),
    vote: text('vote', { enum: ['up', 'down'] }).notNull(),
    reason: text('reason'),
    votedAt: integer('voted_at').notNull(),
  },
  (table) => [index('ad_votes_owner').on(table.owner, table.vote, table.fingerprint)],
)

/** The secret that signs nonces if the operator configured no secret. */
export const adSecrets = sqliteTable('ad_secrets', {
  num: integer('num').primaryKey(),
  secret: text('secret').notNull(),
  madeAt: integer('made_at').notNull(),
})
