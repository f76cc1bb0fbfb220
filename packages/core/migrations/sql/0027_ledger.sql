CREATE TABLE `ledger` (
	`num` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner` integer,
	`kind` text NOT NULL,
	`reference` text NOT NULL,
	`micros` integer NOT NULL,
	`at` integer NOT NULL,
	`available_at` integer NOT NULL,
	`sale_id` text,
	`traces` integer,
	`device` text,
	`day` integer,
	`reason` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_id_unique` ON `ledger` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `ledger_reference` ON `ledger` (`kind`,`reference`);--> statement-breakpoint
CREATE INDEX `ledger_owner` ON `ledger` (`owner`,`num`);--> statement-breakpoint
ALTER TABLE `ad_days` ADD `micros` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `ad_days` ADD `unposted` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `ad_days_unposted` ON `ad_days` (`day`) WHERE unposted > 0;