import type { Migration } from './migration.ts'

/**
 * The migrations up to 0023, in the order in which a database gets them. They were written by hand and are released: never change
 * one. `generated.ts` goes on from here.
 */
export const releasedMigrations: readonly Migration[] = [
  // sessions
  {
    id: '0001-users',
    sql: [
      'create table users (num integer primary key autoincrement, id text not null unique, email text unique, created_at integer not null)',
    ],
  },
  {
    id: '0001-sessions',
    sql: [
      `create table credentials (
        hash text primary key not null, id text not null unique, kind text not null, owner integer not null, label text not null,
        created_at integer not null, used_at integer, expires_at integer not null) without rowid`,
      'create index credentials_owner on credentials (owner)',
      'create index credentials_expiry on credentials (expires_at)',
      `create table email_codes (
        address text primary key not null, hash text not null, tries integer not null, session text, expires_at integer not null) without rowid`,
      'create index email_codes_expiry on email_codes (expires_at)',
      `create table device_logins (
        device_hash text primary key not null, user_hash text not null unique, machine text not null, status text not null,
        wait integer not null, polled_at integer, early integer not null, created_at integer not null,
        expires_at integer not null, owner integer, token text) without rowid`,
      'create index device_logins_expiry on device_logins (expires_at)',
      'create index device_logins_owner on device_logins (owner)',
      `create table rate_windows (
        key text primary key not null, start integer not null, current integer not null, previous integer not null,
        granted integer not null, expires_at integer not null) without rowid`,
      'create index rate_windows_expiry on rate_windows (expires_at)',
    ],
  },
  {
    id: '0012-session-secrets',
    sql: ['create table session_secrets (num integer primary key, secret text not null, made_at integer not null)'],
  },
  {
    id: '0016-operator-sessions',
    sql: [
      `create table operator_sessions (
        hash text primary key not null, operator text not null, created_at integer not null, expires_at integer not null) without rowid`,
      'create index operator_sessions_expiry on operator_sessions (expires_at)',
    ],
  },
  {
    id: '0017-sign-in-codes',
    // Codes that are out live for ten minutes and belong to no challenge: people ask for another.
    sql: [
      'drop table email_codes',
      `create table sign_in_codes (
        challenge_hash text primary key not null, code_hash text not null, address text not null, browser_hash text,
        guesses integer not null, session text, created_at integer not null, expires_at integer not null) without rowid`,
      'create index sign_in_codes_address on sign_in_codes (address, created_at)',
      'create index sign_in_codes_created on sign_in_codes (created_at)',
    ],
  },
  { id: '0021-rate-windows-spent', sql: ['alter table rate_windows add column spent integer not null default 0'] },
  {
    id: '0022-ended-credentials',
    sql: [
      'create table ended_credentials (hash text primary key not null, owner integer not null, expires_at integer not null) without rowid',
      'create index ended_credentials_expiry on ended_credentials (expires_at)',
      'create index ended_credentials_owner on ended_credentials (owner)',
      `create trigger credentials_ended after delete on credentials begin
        insert or replace into ended_credentials (hash, owner, expires_at) values (old.hash, old.owner, old.expires_at);
      end`,
    ],
  },
  // traces
  {
    id: '0002-traces',
    sql: [
      `create table traces (
        num integer primary key, id text not null unique, owner integer, source text not null, source_id text not null,
        segment_index integer, model text, created_at text not null, parent_trace_id text, hash blob not null,
        token_count integer not null, estimated_usd real not null, scrub_version text not null, redactions text not null,
        sell_excluded integer not null default 0, sale_count integer not null default 0, stored_at integer not null)`,
      'create unique index traces_name on traces (owner, source, source_id, coalesce(segment_index, 0))',
      'create index traces_owner on traces (owner)',
      'create table contents (trace integer primary key, messages text not null)',
      'create table seen (owner integer not null, hash blob not null, trace integer, primary key (owner, hash)) without rowid',
      'create table sales (num integer primary key, id text not null unique, buyer text not null, usd real not null, sold_at integer not null)',
      'create table sale_items (sale integer not null, trace integer not null, primary key (sale, trace)) without rowid',
    ],
  },
  {
    id: '0016-traces-exported',
    sql: [
      'create index seen_deleted on seen (owner, hash) where trace is null',
      'create index sale_items_trace on sale_items (trace)',
    ],
  },
  {
    id: '0019-buyer-ids',
    sql: [
      'alter table sale_items add column buyer_id text',
      `update sale_items set buyer_id = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
        || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
      'create index sale_items_buyer on sale_items (sale, buyer_id)',
    ],
  },
  {
    id: '0022-deleted-names',
    sql: [
      'create table deleted_names (owner integer not null, hash blob not null, primary key (owner, hash)) without rowid',
    ],
  },
  // ingest
  {
    id: '0003-ingest',
    sql: [
      `create table jobs (
        num integer primary key, id text not null unique, owner integer not null, source text not null, status text not null,
        total integer not null, parts integer not null, trace_count integer not null default 0, rejected_count integer not null default 0,
        estimated_usd real, error_message text, enqueued_at integer not null, started_at integer, finished_at integer,
        attempts integer not null default 0, next_at integer not null, lease text, lease_until integer)`,
      'create index jobs_status on jobs (status, next_at)',
      'create index jobs_owner on jobs (owner)',
      `create table outcomes (
        job integer not null, idx integer not null, source_id text not null, outcome text not null, trace_id text,
        redactions integer not null, tokens integer not null, primary key (job, idx)) without rowid`,
      `create table uploads (
        id text primary key, owner integer not null, secret blob not null unique, bytes integer not null, expires_at integer not null,
        job text) without rowid`,
      'create table blobs (num integer primary key, key text not null, size integer not null, ready integer not null, written_at integer not null)',
      'create index blobs_key on blobs (key)',
      'create table blob_pieces (blob integer not null, piece integer not null, bytes blob not null, primary key (blob, piece))',
    ],
  },
  {
    id: '0010-unnamed',
    sql: [
      'create index outcomes_trace on outcomes (trace_id) where trace_id is not null',
      // Rows of traces that were deleted before deletions cleared this.
      "update outcomes set source_id = '' where trace_id is not null and trace_id not in (select id from traces)",
    ],
  },
  {
    id: '0013-uploads-swept',
    sql: ['create index uploads_expiry on uploads (expires_at)', 'create index uploads_owner on uploads (owner)'],
  },
  {
    id: '0014-blob-numbers',
    sql: [
      `create table blobs_numbered (
        num integer primary key autoincrement, key text not null, size integer not null, ready integer not null, written_at integer not null)`,
      'insert into blobs_numbered (num, key, size, ready, written_at) select num, key, size, ready, written_at from blobs',
      'delete from blob_pieces where blob not in (select num from blobs)',
      'drop table blobs',
      'alter table blobs_numbered rename to blobs',
      'create index blobs_key on blobs (key)',
    ],
  },
  {
    id: '0018-jobs-by-owner',
    sql: [
      'alter table jobs add column taken_at integer',
      'create index jobs_taken on jobs (owner, taken_at)',
      'create index jobs_lease on jobs (lease) where lease is not null',
      "create index jobs_open on jobs (owner, next_at) where status in ('queued', 'parsing', 'ingesting')",
    ],
  },
  { id: '0021-jobs-bytes', sql: ['alter table jobs add column bytes integer not null default 0'] },
  { id: '0023-jobs-finished', sql: ['create index jobs_finished on jobs (finished_at) where finished_at is not null'] },
  // contributors
  {
    id: '0004-contributors',
    sql: [
      `create table standings (
        owner integer primary key, terms_version text, terms_at integer, residency integer not null default 0,
        paused integer not null default 0, operator_paused integer not null default 0)`,
      `create table profiles (
        owner integer primary key, name text, email text, phone text, contact_at integer,
        attribution integer not null default 0, pixel integer not null default 0)`,
      `create table applications (
        num integer primary key, id text not null unique, owner integer not null, company_name text not null, incubator_batch text,
        website text not null, directory_url text, email text not null, role text not null, status text not null,
        submitted_at integer not null, reviewed_at integer, review_reason text)`,
      "create unique index applications_open on applications (owner) where status <> 'rejected'",
      'create index applications_owner on applications (owner)',
      'create index applications_status on applications (status)',
      'create table waitlist (owner integer primary key, email text not null, country text, at integer not null)',
      'create table choices (num integer primary key, owner integer not null, at integer not null, kind text not null, fact text not null)',
      'create index choices_owner on choices (owner)',
    ],
  },
  {
    id: '0014-waitlist-notified',
    sql: ['alter table waitlist add column notified_at integer', 'create index waitlist_country on waitlist (country)'],
  },
  // ads
  {
    id: '0005-ads',
    sql: [
      `create table campaigns (
        num integer primary key, id text not null unique, name text not null, brand_name text not null, title text not null,
        text text not null, url text not null, favicon text, fingerprint text not null, topics text not null, cpm_usd real not null,
        price integer not null, budget integer not null, daily_cap integer, starts_at integer, ends_at integer,
        created_at integer not null, status text not null, spent integer not null default 0,
        impressions integer not null default 0, clicks integer not null default 0)`,
      'create index campaigns_status on campaigns (status)',
      `create table campaign_days (
        campaign integer not null, day integer not null, impressions integer not null, micros integer not null, clicks integer not null,
        primary key (campaign, day)) without rowid`,
      `create table serves (
        id blob primary key not null, owner integer not null, device text not null, source text not null, campaign integer,
        fingerprint text not null, target text, network_url text, price integer not null, served_at integer not null,
        expires_at integer not null, last text, outcome text, seq integer, counted_at integer, click text, clicked_at integer) without rowid`,
      'create index serves_counted on serves (device, seq, counted_at) where seq is not null',
      'create index serves_owner on serves (owner)',
      `create table ad_days (
        owner integer not null, device text not null, day integer not null, outcome text not null, count integer not null,
        primary key (owner, device, day, outcome)) without rowid`,
      `create table ad_votes (
        serve blob primary key not null, owner integer not null, device text not null, fingerprint text not null, vote text not null,
        reason text, voted_at integer not null) without rowid`,
      'create index ad_votes_owner on ad_votes (owner, vote, fingerprint)',
      'create table ad_secrets (num integer primary key, secret text not null, made_at integer not null)',
    ],
  },
  {
    id: '0013-impression-caps',
    sql: [
      'create index serves_owner_counted on serves (owner, counted_at) where counted_at is not null',
      'create table ad_addresses (num integer primary key, address text not null, counted_at integer not null)',
      'create index ad_addresses_counted on ad_addresses (address, counted_at)',
    ],
  },
  // program
  {
    id: '0006-program',
    sql: [
      'create table devices (id text primary key not null, owner integer not null, claimed_at integer not null) without rowid',
      'create index devices_owner on devices (owner)',
    ],
  },
  // outbox
  {
    id: '0007-outbox',
    sql: [
      `create table outbox (
        num integer primary key, id text not null unique, owner integer, channel text not null, recipient text not null, subject text not null,
        payload text not null, status text not null default 'waiting', attempts integer not null default 0, last_error text,
        created_at integer not null, due_at integer not null, lease text, lease_until integer, taken_at integer, finished_at integer)`,
      'create index outbox_open on outbox (channel, status, due_at) where finished_at is null',
      "create index outbox_mailed on outbox (recipient, taken_at) where channel = 'mail' and taken_at is not null",
      'create index outbox_finished on outbox (finished_at) where finished_at is not null',
      'create index outbox_owner on outbox (owner) where owner is not null',
    ],
  },
  { id: '0013-outbox-listed', sql: ['create index outbox_status on outbox (status, id)'] },
  {
    id: '0015-outbox-untried',
    sql: ['create index outbox_untried on outbox (created_at) where attempts = 0 and finished_at is null'],
  },
  // telemetry
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
  // reports
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
  // idempotency
  {
    id: '0017-idempotency',
    sql: [
      `create table idempotency_keys (
        actor text not null, key text not null, fingerprint text not null, effect_id text not null, lease text not null,
        lease_until integer not null, reply text, created_at integer not null, primary key (actor, key)) without rowid`,
      'create index idempotency_keys_created on idempotency_keys (created_at)',
    ],
  },
  // audit
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
  // account
  {
    id: '0021-account-jobs',
    sql: [
      'alter table users add column erased_at integer',
      `create table account_jobs (
        num integer primary key, id text not null unique, owner integer not null, former_id text not null, kind text not null, status text not null,
        attempts integer not null default 0, requested_at integer not null, next_at integer not null, lease text, lease_until integer,
        secret text unique, bytes integer, parts integer not null default 0, url text, expires_at integer)`,
      'create index account_jobs_owner on account_jobs (owner)',
      "create index account_jobs_due on account_jobs (next_at) where status = 'waiting'",
      'create index account_jobs_expiry on account_jobs (expires_at) where expires_at is not null',
    ],
  },
]
