// Written by `npm run migrations`: do not edit.
import type { Migration } from './migration.ts'

export const generatedMigrations: readonly Migration[] = [
  {
    id: '0024-trace_title',
    sql: ['ALTER TABLE `traces` ADD `title` text'],
  },
  {
    id: '0025-daily_counts',
    sql: [
      'CREATE TABLE `daily_counts` (\n\t`day` integer NOT NULL,\n\t`name` text NOT NULL,\n\t`count` integer NOT NULL,\n\tPRIMARY KEY(`day`, `name`)\n)',
      'CREATE INDEX `reports_status` ON `reports` (`status`) WHERE duplicate_of is null',
    ],
  },
  {
    id: '0026-order_events',
    sql: [
      'ALTER TABLE `outbox` ADD `order_key` text',
      'CREATE INDEX `outbox_order` ON `outbox` (`channel`,`recipient`,`order_key`) WHERE order_key is not null and finished_at is null',
    ],
  },
  {
    id: '0027-ledger',
    sql: [
      'CREATE TABLE `ledger` (\n\t`num` integer PRIMARY KEY AUTOINCREMENT NOT NULL,\n\t`id` text NOT NULL,\n\t`owner` integer,\n\t`kind` text NOT NULL,\n\t`reference` text NOT NULL,\n\t`micros` integer NOT NULL,\n\t`at` integer NOT NULL,\n\t`available_at` integer NOT NULL,\n\t`sale_id` text,\n\t`traces` integer,\n\t`device` text,\n\t`day` integer,\n\t`reason` text\n)',
      'CREATE UNIQUE INDEX `ledger_id_unique` ON `ledger` (`id`)',
      'CREATE UNIQUE INDEX `ledger_reference` ON `ledger` (`kind`,`reference`)',
      'CREATE INDEX `ledger_owner` ON `ledger` (`owner`,`num`)',
      'ALTER TABLE `ad_days` ADD `micros` integer DEFAULT 0 NOT NULL',
      'ALTER TABLE `ad_days` ADD `unposted` integer DEFAULT 0 NOT NULL',
      'CREATE INDEX `ad_days_unposted` ON `ad_days` (`day`) WHERE unposted > 0',
    ],
  },
  {
    id: '0028-ledger_triggers',
    sql: [
      "CREATE TRIGGER ledger_unchanged BEFORE UPDATE ON ledger\n  WHEN new.owner IS NOT NULL OR (new.num, new.id, new.kind, new.micros, new.at, new.available_at) IS NOT\n    (old.num, old.id, old.kind, old.micros, old.at, old.available_at)\n    OR (new.sale_id, new.traces, new.day) IS NOT (old.sale_id, old.traces, old.day)\nBEGIN\n  SELECT raise(abort, 'an entry of the ledger cannot be changed');\nEND",
      "CREATE TRIGGER ledger_kept BEFORE DELETE ON ledger\nBEGIN\n  SELECT raise(abort, 'an entry of the ledger cannot be deleted');\nEND",
    ],
  },
  {
    id: '0029-blocked_terms',
    sql: [
      'CREATE TABLE `rescrub_passes` (\n\t`num` integer PRIMARY KEY NOT NULL,\n\t`version` text NOT NULL,\n\t`cursor` integer NOT NULL,\n\t`lease` text,\n\t`lease_until` integer\n)',
      "CREATE TABLE `scrub_contexts` (\n\t`owner` integer PRIMARY KEY NOT NULL,\n\t`terms` text DEFAULT '[]' NOT NULL,\n\t`terms_at` integer,\n\t`revision` integer DEFAULT 0 NOT NULL,\n\t`due` integer DEFAULT 0 NOT NULL,\n\t`cursor` integer DEFAULT 0 NOT NULL\n)",
      'CREATE INDEX `scrub_contexts_due` ON `scrub_contexts` (`due`) WHERE due = 1',
      'ALTER TABLE `traces` ADD `identity_revision` integer DEFAULT 0 NOT NULL',
      'ALTER TABLE `traces` ADD `withheld` text',
    ],
  },
  {
    id: '0030-sales-by-filter',
    sql: [
      'ALTER TABLE `sales` ADD `filter` text',
      'ALTER TABLE `sales` ADD `pending` text',
      'CREATE INDEX `sales_pending` ON `sales` (`sold_at`) WHERE pending is not null',
    ],
  },
  {
    id: '0031-webhooks',
    sql: [
      'CREATE TABLE `webhooks` (\n\t`num` integer PRIMARY KEY NOT NULL,\n\t`id` text NOT NULL,\n\t`url` text NOT NULL,\n\t`description` text NOT NULL,\n\t`events` text,\n\t`status` text NOT NULL,\n\t`disabled_reason` text,\n\t`secret` text NOT NULL,\n\t`previous_secret` text,\n\t`previous_until` integer DEFAULT 0 NOT NULL,\n\t`created_at` integer NOT NULL,\n\t`updated_at` integer NOT NULL\n)',
      'CREATE UNIQUE INDEX `webhooks_id` ON `webhooks` (`id`)',
      'CREATE UNIQUE INDEX `webhooks_url` ON `webhooks` (`url`)',
      "CREATE INDEX `outbox_webhook` ON `outbox` (`recipient`,`id`) WHERE channel = 'webhook'",
      "CREATE INDEX `outbox_webhook_open` ON `outbox` (`recipient`,`due_at`) WHERE channel = 'webhook' and finished_at is null",
    ],
  },
  {
    id: '0032-job-traceparent',
    sql: ['ALTER TABLE `jobs` ADD `traceparent` text'],
  },
  {
    id: '0033-merge-reports',
    sql: [
      'ALTER TABLE `reports` ADD `parent` text',
      'UPDATE `reports` SET `parent` = `duplicate_of` WHERE `duplicate_of` IS NOT NULL',
      'CREATE INDEX `reports_parent` ON `reports` (`parent`) WHERE parent is not null',
    ],
  },
  {
    id: '0034-content-blobs',
    sql: [
      'CREATE TABLE `content_blobs` (\n\t`key` text PRIMARY KEY NOT NULL,\n\t`due_at` integer NOT NULL,\n\t`deleting` integer NOT NULL\n)',
      'CREATE INDEX `content_blobs_due` ON `content_blobs` (`due_at`)',
      "CREATE TRIGGER content_stored AFTER INSERT ON contents WHEN substr(new.messages, 1, 17) = '{\"blob\":\"content/'\nBEGIN\n  SELECT raise(abort, 'the blob of a content is not reserved')\n    WHERE NOT EXISTS (SELECT 1 FROM content_blobs WHERE key = new.messages ->> '$.blob' AND deleting = 0);\n  DELETE FROM content_blobs WHERE key = new.messages ->> '$.blob';\nEND",
      "CREATE TRIGGER content_replaced AFTER UPDATE OF messages ON contents WHEN new.messages <> old.messages\n  AND (substr(new.messages, 1, 17) = '{\"blob\":\"content/' OR substr(old.messages, 1, 17) = '{\"blob\":\"content/')\nBEGIN\n  SELECT raise(abort, 'the blob of a content is not reserved')\n    WHERE substr(new.messages, 1, 17) = '{\"blob\":\"content/'\n      AND NOT EXISTS (SELECT 1 FROM content_blobs WHERE key = new.messages ->> '$.blob' AND deleting = 0);\n  DELETE FROM content_blobs\n    WHERE substr(new.messages, 1, 17) = '{\"blob\":\"content/' AND key = new.messages ->> '$.blob';\n  INSERT OR REPLACE INTO content_blobs (key, due_at, deleting)\n    SELECT old.messages ->> '$.blob', 0, 0 WHERE substr(old.messages, 1, 17) = '{\"blob\":\"content/';\nEND",
      "CREATE TRIGGER content_deleted AFTER DELETE ON contents WHEN substr(old.messages, 1, 17) = '{\"blob\":\"content/'\nBEGIN\n  INSERT OR REPLACE INTO content_blobs (key, due_at, deleting) VALUES (old.messages ->> '$.blob', 0, 0);\nEND",
    ],
  },
  {
    id: '0035-sold-traces',
    sql: ['CREATE INDEX `traces_sold` ON `traces` (`owner`) WHERE sale_count > 0'],
  },
  {
    id: '0036-webhook-results',
    sql: ['ALTER TABLE `outbox` ADD `results` text'],
  },
  {
    id: '0037-name_device_authorizations',
    sql: ['ALTER TABLE `device_logins` ADD `id` text'],
  },
  {
    id: '0038-drop_browser_of_sign_in_codes',
    sql: ['ALTER TABLE `sign_in_codes` DROP COLUMN `browser_hash`'],
  },
  {
    id: '0039-replacement_reasons',
    sql: ["ALTER TABLE `traces` ADD `replacements` text DEFAULT '{}' NOT NULL"],
  },
  {
    id: '0040-conversations',
    sql: [
      'CREATE TABLE `conversations` (\n\t`num` integer PRIMARY KEY NOT NULL,\n\t`owner` integer NOT NULL,\n\t`hash` blob NOT NULL\n)',
      'CREATE UNIQUE INDEX `conversations_hash` ON `conversations` (`owner`,`hash`)',
      'CREATE TABLE `deleted_segments` (\n\t`conversation` integer NOT NULL,\n\t`segment` integer NOT NULL,\n\tPRIMARY KEY(`conversation`, `segment`)\n)',
      'DROP INDEX `traces_name`',
      'ALTER TABLE `traces` ADD `conversation` integer',
      'ALTER TABLE `traces` ADD `parent` integer',
      'CREATE UNIQUE INDEX `traces_piece` ON `traces` (`conversation`,coalesce(segment_index, 0))',
      'CREATE INDEX `traces_former_name` ON `traces` (`owner`,`source`,`source_id`) WHERE conversation is null',
      'CREATE INDEX `traces_former_parent` ON `traces` (`owner`,`source`,`parent_trace_id`) WHERE parent is null and parent_trace_id is not null',
    ],
  },
  {
    id: '0041-payout_requests',
    sql: [
      'CREATE TABLE `payout_requests` (\n\t`num` integer PRIMARY KEY AUTOINCREMENT NOT NULL,\n\t`id` text NOT NULL,\n\t`owner` integer NOT NULL,\n\t`micros` integer NOT NULL,\n\t`status` text NOT NULL,\n\t`requested_at` integer NOT NULL,\n\t`decided_at` integer,\n\t`reason` text\n)',
      'CREATE UNIQUE INDEX `payout_requests_id_unique` ON `payout_requests` (`id`)',
      "CREATE UNIQUE INDEX `payout_requests_open` ON `payout_requests` (`owner`) WHERE status = 'open'",
      'CREATE INDEX `payout_requests_owner` ON `payout_requests` (`owner`)',
      'CREATE INDEX `payout_requests_status` ON `payout_requests` (`status`,`num`)',
    ],
  },
  {
    id: '0042-erased_audit_target',
    sql: [
      'DROP TRIGGER audit_unchanged',
      "CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit\n  WHEN (new.num, new.id, new.at, new.actor, new.action, new.request_id) IS NOT\n    (old.num, old.id, old.at, old.actor, old.action, old.request_id)\n    OR (new.state_before, new.state_after, new.address) IS NOT (old.state_before, old.state_after, old.address)\n    OR NOT EXISTS (SELECT 1 FROM account_jobs\n      WHERE id = substr(new.target, 8) AND 'erased-' || id = new.target AND kind = 'erasure' AND former_id = old.target)\nBEGIN\n  SELECT raise(abort, 'an entry of the audit cannot be changed');\nEND",
    ],
  },
  {
    id: '0043-copies',
    sql: [
      'CREATE TABLE `fingerprint_batches` (\n\t`num` integer PRIMARY KEY NOT NULL,\n\t`count` integer NOT NULL\n)',
      'CREATE TABLE `fingerprints` (\n\t`hash` integer NOT NULL,\n\t`trace` integer NOT NULL,\n\tPRIMARY KEY(`hash`, `trace`)\n) WITHOUT ROWID',
      'CREATE INDEX `fingerprints_trace` ON `fingerprints` (`trace`)',
      'CREATE TABLE `overlaps` (\n\t`trace` integer NOT NULL,\n\t`other` integer NOT NULL,\n\t`is_earlier` integer NOT NULL,\n\t`ranges` text NOT NULL,\n\t`compared_at` integer NOT NULL,\n\tPRIMARY KEY(`trace`, `other`)\n) WITHOUT ROWID',
      'CREATE INDEX `overlaps_other` ON `overlaps` (`other`)',
      'ALTER TABLE `ledger` ADD `tokens` integer',
      'ALTER TABLE `ledger` ADD `new_tokens` integer',
      'ALTER TABLE `sale_items` ADD `new_tokens` integer',
      "ALTER TABLE `sales` ADD `buyer_key` text DEFAULT '' NOT NULL",
      'ALTER TABLE `sales` ADD `copied_traces` integer DEFAULT 0 NOT NULL',
      'ALTER TABLE `sales` ADD `copied_tokens` integer DEFAULT 0 NOT NULL',
      "ALTER TABLE `sales` ADD `skipped` text DEFAULT '[]' NOT NULL",
      'UPDATE `sales` SET buyer_key = lower(trim(buyer))',
    ],
  },
  {
    id: '0044-trace_details',
    sql: ['ALTER TABLE `contents` ADD `tools` text', "ALTER TABLE `traces` ADD `details` text DEFAULT '{}' NOT NULL"],
  },
  {
    id: '0045-export_credential',
    sql: ['ALTER TABLE `account_jobs` ADD `credential` text', "DELETE FROM `account_jobs` WHERE `kind` = 'export'"],
  },
  {
    id: '0046-attempt_end',
    sql: ['ALTER TABLE `jobs` ADD `losses` integer DEFAULT 0 NOT NULL', 'ALTER TABLE `jobs` ADD `attempt_end` text'],
  },
  {
    id: '0047-add_buyers',
    sql: [
      'CREATE TABLE `buyer_sessions` (\n\t`hash` text PRIMARY KEY NOT NULL,\n\t`buyer` integer NOT NULL,\n\t`expires_at` integer NOT NULL\n)',
      'CREATE INDEX `buyer_sessions_buyer` ON `buyer_sessions` (`buyer`)',
      'CREATE INDEX `buyer_sessions_expiry` ON `buyer_sessions` (`expires_at`)',
      'CREATE TABLE `buyers` (\n\t`num` integer PRIMARY KEY AUTOINCREMENT NOT NULL,\n\t`id` text NOT NULL,\n\t`name` text NOT NULL,\n\t`buyer_key` text NOT NULL,\n\t`email` text,\n\t`token_hash` text,\n\t`created_at` integer NOT NULL,\n\t`token_at` integer NOT NULL\n)',
      'CREATE UNIQUE INDEX `buyers_id` ON `buyers` (`id`)',
      'CREATE UNIQUE INDEX `buyers_key` ON `buyers` (`buyer_key`)',
      'CREATE UNIQUE INDEX `buyers_token` ON `buyers` (`token_hash`)',
      'CREATE TABLE `removals` (\n\t`num` integer PRIMARY KEY AUTOINCREMENT NOT NULL,\n\t`id` text NOT NULL,\n\t`sale` integer NOT NULL,\n\t`buyer_trace_id` text NOT NULL,\n\t`reason` text NOT NULL,\n\t`at` integer NOT NULL,\n\t`acknowledged_at` integer,\n\t`erasure` text\n)',
      'CREATE UNIQUE INDEX `removals_id` ON `removals` (`id`)',
      'CREATE UNIQUE INDEX `removals_item` ON `removals` (`sale`,`buyer_trace_id`)',
      'CREATE INDEX `removals_erasure` ON `removals` (`erasure`) WHERE erasure is not null',
      'CREATE INDEX `removals_open` ON `removals` (`num`) WHERE acknowledged_at is null',
      'ALTER TABLE `traces` ADD `withdrawn_at` integer',
      'CREATE INDEX `sales_buyer` ON `sales` (`buyer_key`,`num`)',
    ],
  },
  {
    id: '0048-packed_fingerprints',
    sql: [
      'CREATE TABLE `fingerprint_index` (\n\t`hash` integer NOT NULL,\n\t`trace` integer NOT NULL,\n\tPRIMARY KEY(`hash`, `trace`)\n) WITHOUT ROWID',
      'CREATE TABLE `fingerprint_state` (\n\t`num` integer PRIMARY KEY NOT NULL,\n\t`version` integer NOT NULL,\n\t`filled` integer NOT NULL,\n\t`fill_until` integer NOT NULL\n)',
      'INSERT INTO fingerprint_state (num, version, filled, fill_until) SELECT 1, 0, 0, coalesce(max(num), 0) FROM traces',
      'DROP TABLE `fingerprint_batches`',
      'DROP TABLE `fingerprints`',
      'CREATE TABLE `fingerprints` (\n\t`trace` integer PRIMARY KEY NOT NULL,\n\t`hashes` text NOT NULL\n)',
      'DELETE FROM overlaps',
      'ALTER TABLE `standings` ADD `copies_day` integer',
      'ALTER TABLE `traces` ADD `copied_tokens` integer DEFAULT 0 NOT NULL',
      'CREATE INDEX `traces_copies` ON `traces` (`owner`) WHERE copied_tokens * 5 > token_count * 4',
      'CREATE TRIGGER fingerprints_stored AFTER INSERT ON fingerprints\nBEGIN\n  INSERT INTO fingerprint_index (hash, trace) SELECT value, new.trace FROM json_each(new.hashes)\n    WHERE (SELECT count(*) FROM (SELECT 1 FROM fingerprint_index same WHERE same.hash = value LIMIT 64)) < 64;\nEND',
      'CREATE TRIGGER fingerprints_deleted AFTER DELETE ON fingerprints\nBEGIN\n  DELETE FROM fingerprint_index WHERE trace = old.trace AND hash IN (SELECT value FROM json_each(old.hashes));\nEND',
      'CREATE TRIGGER overlap_stored AFTER INSERT ON overlaps WHEN new.is_earlier = 1\nBEGIN\n  UPDATE traces SET copied_tokens = (SELECT coalesce(sum(max(0, last - max(first, reached))), 0) FROM\n    (SELECT part.value->>0 AS first, part.value->>1 AS last, coalesce(max(part.value->>1)\n      OVER (ORDER BY part.value->>0, part.value->>1 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached\n    FROM overlaps pair, json_each(pair.ranges) part WHERE pair.trace = new.trace AND pair.is_earlier = 1))\n  WHERE num = new.trace;\nEND',
      'CREATE TRIGGER overlap_changed AFTER UPDATE OF ranges ON overlaps WHEN new.is_earlier = 1\nBEGIN\n  UPDATE traces SET copied_tokens = (SELECT coalesce(sum(max(0, last - max(first, reached))), 0) FROM\n    (SELECT part.value->>0 AS first, part.value->>1 AS last, coalesce(max(part.value->>1)\n      OVER (ORDER BY part.value->>0, part.value->>1 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached\n    FROM overlaps pair, json_each(pair.ranges) part WHERE pair.trace = new.trace AND pair.is_earlier = 1))\n  WHERE num = new.trace;\nEND',
      'CREATE TRIGGER overlap_deleted AFTER DELETE ON overlaps WHEN old.is_earlier = 1\nBEGIN\n  UPDATE traces SET copied_tokens = (SELECT coalesce(sum(max(0, last - max(first, reached))), 0) FROM\n    (SELECT part.value->>0 AS first, part.value->>1 AS last, coalesce(max(part.value->>1)\n      OVER (ORDER BY part.value->>0, part.value->>1 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached\n    FROM overlaps pair, json_each(pair.ranges) part WHERE pair.trace = old.trace AND pair.is_earlier = 1))\n  WHERE num = old.trace;\nEND',
    ],
  },
  {
    id: '0049-sponsor_links',
    sql: [
      'CREATE TABLE `campaign_rejections` (\n\t`campaign` integer NOT NULL,\n\t`day` integer NOT NULL,\n\t`reason` text NOT NULL,\n\t`count` integer NOT NULL,\n\tPRIMARY KEY(`campaign`, `day`, `reason`)\n)',
      'CREATE TABLE `sponsor_links` (\n\t`campaign` integer PRIMARY KEY NOT NULL,\n\t`token_hash` text NOT NULL,\n\t`made_at` integer NOT NULL\n)',
      'CREATE UNIQUE INDEX `sponsor_links_token` ON `sponsor_links` (`token_hash`)',
    ],
  },
  {
    id: '0050-trace_origin',
    sql: [
      'ALTER TABLE `jobs` ADD `terms_version` text',
      'ALTER TABLE `jobs` ADD `country` text',
      'ALTER TABLE `traces` ADD `terms_version` text',
      'ALTER TABLE `traces` ADD `country` text',
    ],
  },
  {
    id: '0051-search_operator_lists',
    sql: [
      'ALTER TABLE `cli_feedback` ADD `handled_at` integer',
      'CREATE INDEX `cli_feedback_handled` ON `cli_feedback` (`handled_at`)',
      'CREATE INDEX `audit_request` ON `audit` (`request_id`)',
      'CREATE INDEX `jobs_total` ON `jobs` (`total`)',
      'CREATE INDEX `jobs_rejected` ON `jobs` (`rejected_count`)',
      "CREATE INDEX `ledger_payouts` ON `ledger` (`num`) WHERE kind = 'payout'",
      'CREATE INDEX `outbox_recipient` ON `outbox` (`recipient`)',
      'CREATE INDEX `sales_name` ON `sales` (`buyer`)',
      'CREATE INDEX `sales_usd` ON `sales` (`usd`)',
      'CREATE INDEX `waitlist_joined` ON `waitlist` (`at`)',
      'CREATE INDEX `waitlist_email` ON `waitlist` (`email`)',
    ],
  },
  {
    id: '0052-sponsor_months',
    sql: [
      'CREATE TABLE `campaign_corrections` (\n\t`id` text PRIMARY KEY NOT NULL,\n\t`campaign` integer NOT NULL,\n\t`day` integer NOT NULL,\n\t`micros` integer NOT NULL,\n\t`reason` text NOT NULL,\n\t`at` integer NOT NULL\n)',
      'CREATE INDEX `campaign_corrections_campaign` ON `campaign_corrections` (`campaign`,`day`)',
      'CREATE TABLE `campaign_months` (\n\t`campaign` integer NOT NULL,\n\t`month` text NOT NULL,\n\t`impressions` integer NOT NULL,\n\t`clicks` integer NOT NULL,\n\t`not_counted` integer NOT NULL,\n\t`micros` integer NOT NULL,\n\t`corrections` integer NOT NULL,\n\t`closed_at` integer NOT NULL,\n\tPRIMARY KEY(`campaign`, `month`)\n)',
    ],
  },
  {
    id: '0053-explain_failures_and_sort_lists',
    sql: [
      'DROP INDEX `jobs_total`',
      'DROP INDEX `jobs_rejected`',
      'ALTER TABLE `jobs` ADD `error_stage` text',
      'ALTER TABLE `jobs` ADD `error_class` text',
      'CREATE INDEX `jobs_error` ON `jobs` (`error_class`,`num`) WHERE error_class is not null',
      'CREATE INDEX `jobs_total` ON `jobs` (`total`,`num`)',
      'CREATE INDEX `jobs_rejected` ON `jobs` (`rejected_count`,`num`)',
      'DROP INDEX `outbox_recipient`',
      'ALTER TABLE `outbox` ADD `request_id` text',
      'CREATE INDEX `outbox_request` ON `outbox` (`request_id`) WHERE request_id is not null',
      'CREATE INDEX `outbox_recipient` ON `outbox` (`recipient`,`num`)',
      'DROP INDEX `reports_changed`',
      'CREATE INDEX `reports_changed` ON `reports` (`changed_at`,`num`) WHERE duplicate_of is null',
      'DROP INDEX `sales_name`',
      'DROP INDEX `sales_usd`',
      'CREATE INDEX `sales_name` ON `sales` (`buyer`,`num`)',
      'CREATE INDEX `sales_usd` ON `sales` (`usd`,`num`)',
      'DROP INDEX `waitlist_joined`',
      'CREATE INDEX `waitlist_joined` ON `waitlist` (`at`,`owner`)',
      'CREATE INDEX `applications_company` ON `applications` (`company_name`,`num`)',
      "CREATE INDEX `ledger_paid` ON `ledger` ((-micros),`num`) WHERE kind = 'payout'",
    ],
  },
  {
    id: '0054-order_payouts_and_reports_by_indexes',
    sql: [
      'DROP INDEX `ledger_paid`',
      'DROP INDEX `ledger_payouts`',
      "CREATE INDEX `ledger_paid` ON `ledger` (`kind`,(-micros),`num`) WHERE kind = 'payout'",
      "CREATE INDEX `ledger_payouts` ON `ledger` (`kind`,`num`) WHERE kind = 'payout'",
      'DROP INDEX `reports_duplicate`',
      'CREATE INDEX `reports_duplicate` ON `reports` (`duplicate_of`) WHERE duplicate_of is not null',
    ],
  },
  {
    id: '0055-operator_passkeys',
    sql: [
      'CREATE TABLE `operator_passkeys` (\n\t`id` text PRIMARY KEY NOT NULL,\n\t`operator` text NOT NULL,\n\t`credential_id` text NOT NULL,\n\t`public_key` text NOT NULL,\n\t`counter` integer NOT NULL,\n\t`transports` text NOT NULL,\n\t`rp_id` text NOT NULL,\n\t`label` text NOT NULL,\n\t`created_at` integer NOT NULL,\n\t`used_at` integer\n)',
      'CREATE INDEX `operator_passkeys_operator` ON `operator_passkeys` (`operator`,`created_at`)',
      'CREATE UNIQUE INDEX `operator_passkeys_credential` ON `operator_passkeys` (`credential_id`)',
      'ALTER TABLE `operator_sessions` ADD `passkey` text',
      'ALTER TABLE `operator_sessions` ADD `challenge` text',
      'ALTER TABLE `operator_sessions` ADD `challenge_purpose` text',
      'ALTER TABLE `operator_sessions` ADD `challenge_expires_at` integer',
    ],
  },
  {
    id: '0056-campaign_sorts',
    sql: [
      'CREATE INDEX `campaigns_name` ON `campaigns` (`name`,`num`)',
      'CREATE INDEX `campaigns_spent` ON `campaigns` (`spent`,`num`)',
    ],
  },
  {
    id: '0057-order_sold_traces',
    sql: [
      'DROP INDEX `sale_items_buyer`',
      'CREATE INDEX `sale_items_order` ON `sale_items` (`sale`,substr(buyer_id, 1, 2))',
    ],
  },
  {
    id: '0058-sort_contributors_by_address',
    sql: ["CREATE INDEX `users_by_email` ON `users` (coalesce(email, ''),`num`)"],
  },
  {
    id: '0059-subject_of_idempotency_keys',
    sql: [
      'ALTER TABLE `idempotency_keys` ADD `subject` text',
      'CREATE INDEX `idempotency_keys_subject` ON `idempotency_keys` (`subject`) WHERE subject is not null',
      'UPDATE `idempotency_keys` SET `subject` = (SELECT `id` FROM `users` WHERE `num` = (SELECT `owner` FROM `ledger` WHERE `id` = `effect_id`))',
      "UPDATE `idempotency_keys` SET `reply` = 'null' WHERE `effect_id` IN (SELECT `id` FROM `ledger` WHERE `owner` IS NULL)",
    ],
  },
  {
    id: '0060-sliding_rate_limits',
    sql: [
      'CREATE TABLE `rate_permits` (\n\t`num` integer PRIMARY KEY NOT NULL,\n\t`key` text NOT NULL,\n\t`granted` integer NOT NULL,\n\t`spent` integer NOT NULL,\n\t`expires_at` integer NOT NULL\n)',
      'CREATE INDEX `rate_permits_key` ON `rate_permits` (`key`,`expires_at`)',
      'CREATE INDEX `rate_permits_expiry` ON `rate_permits` (`expires_at`)',
      'DROP TABLE `rate_windows`',
    ],
  },
  {
    id: '0061-stored_balances',
    sql: [
      'ALTER TABLE `users` ADD `unpaid` integer',
      'ALTER TABLE `users` ADD `lifetime` integer',
      'CREATE INDEX `users_unpaid` ON `users` (`unpaid`,`num`) WHERE unpaid is not null',
      'CREATE INDEX `users_lifetime` ON `users` (`lifetime`,`num`) WHERE unpaid is not null',
      "CREATE INDEX `ledger_pending` ON `ledger` (`owner`,`available_at`) WHERE kind = 'sale'",
      "CREATE TRIGGER ledger_added AFTER INSERT ON ledger WHEN new.owner IS NOT NULL\nBEGIN\n  UPDATE users SET unpaid = coalesce(unpaid, 0) + new.micros,\n    lifetime = coalesce(lifetime, 0) + CASE new.kind WHEN 'payout' THEN 0 ELSE new.micros END\n    WHERE num = new.owner;\nEND",
      "UPDATE users AS person SET (unpaid, lifetime) =\n  (SELECT sum(micros), sum(CASE kind WHEN 'payout' THEN 0 ELSE micros END) FROM ledger WHERE owner = person.num)",
    ],
  },
  {
    id: '0062-erase_texts_of_erased_sold_traces',
    sql: [
      "UPDATE `traces` SET `model` = NULL, `hash` = x'', `details` = '{}', `replacements` = '{}' WHERE `owner` IS NULL",
    ],
  },
  {
    id: '0063-withdrawal_reason',
    sql: [
      'ALTER TABLE `traces` ADD `withdrawal_reason` text',
      "UPDATE `traces` AS trace SET `withdrawal_reason` = json_extract(entry.state_after, '$.reason') FROM `audit` entry\n  WHERE entry.action = 'trace.withdraw' AND entry.target = trace.id AND trace.owner IS NOT NULL",
      'DROP TRIGGER audit_unchanged',
      "UPDATE `audit` SET `state_after` = json_remove(`state_after`, '$.reason') WHERE `action` = 'trace.withdraw'",
      "CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit\n  WHEN (new.num, new.id, new.at, new.actor, new.action, new.request_id) IS NOT\n    (old.num, old.id, old.at, old.actor, old.action, old.request_id)\n    OR (new.state_before, new.state_after, new.address) IS NOT (old.state_before, old.state_after, old.address)\n    OR NOT EXISTS (SELECT 1 FROM account_jobs\n      WHERE id = substr(new.target, 8) AND 'erased-' || id = new.target AND kind = 'erasure' AND former_id = old.target)\nBEGIN\n  SELECT raise(abort, 'an entry of the audit cannot be changed');\nEND",
    ],
  },
]
