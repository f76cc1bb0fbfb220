CREATE TABLE `fingerprint_batches` (
	`num` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fingerprints` (
	`hash` integer NOT NULL,
	`trace` integer NOT NULL,
	PRIMARY KEY(`hash`, `trace`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `fingerprints_trace` ON `fingerprints` (`trace`);--> statement-breakpoint
CREATE TABLE `overlaps` (
	`trace` integer NOT NULL,
	`other` integer NOT NULL,
	`is_earlier` integer NOT NULL,
	`ranges` text NOT NULL,
	`compared_at` integer NOT NULL,
	PRIMARY KEY(`trace`, `other`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `overlaps_other` ON `overlaps` (`other`);--> statement-breakpoint
ALTER TABLE `ledger` ADD `tokens` integer;--> statement-breakpoint
ALTER TABLE `ledger` ADD `new_tokens` integer;--> statement-breakpoint
ALTER TABLE `sale_items` ADD `new_tokens` integer;--> statement-breakpoint
ALTER TABLE `sales` ADD `buyer_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sales` ADD `copied_traces` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sales` ADD `copied_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sales` ADD `skipped` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
UPDATE `sales` SET buyer_key = lower(trim(buyer));
