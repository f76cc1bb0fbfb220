CREATE TABLE `payout_requests` (
	`num` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`owner` integer NOT NULL,
	`micros` integer NOT NULL,
	`status` text NOT NULL,
	`requested_at` integer NOT NULL,
	`decided_at` integer,
	`reason` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payout_requests_id_unique` ON `payout_requests` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `payout_requests_open` ON `payout_requests` (`owner`) WHERE status = 'open';--> statement-breakpoint
CREATE INDEX `payout_requests_owner` ON `payout_requests` (`owner`);--> statement-breakpoint
CREATE INDEX `payout_requests_status` ON `payout_requests` (`status`,`num`);