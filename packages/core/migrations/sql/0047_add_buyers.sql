CREATE TABLE `buyer_sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`buyer` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `buyer_sessions_buyer` ON `buyer_sessions` (`buyer`);--> statement-breakpoint
CREATE INDEX `buyer_sessions_expiry` ON `buyer_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `buyers` (
	`num` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`buyer_key` text NOT NULL,
	`email` text,
	`token_hash` text,
	`created_at` integer NOT NULL,
	`token_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `buyers_id` ON `buyers` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `buyers_key` ON `buyers` (`buyer_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `buyers_token` ON `buyers` (`token_hash`);--> statement-breakpoint
CREATE TABLE `removals` (
	`num` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`sale` integer NOT NULL,
	`buyer_trace_id` text NOT NULL,
	`reason` text NOT NULL,
	`at` integer NOT NULL,
	`acknowledged_at` integer,
	`erasure` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `removals_id` ON `removals` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `removals_item` ON `removals` (`sale`,`buyer_trace_id`);--> statement-breakpoint
CREATE INDEX `removals_erasure` ON `removals` (`erasure`) WHERE erasure is not null;--> statement-breakpoint
CREATE INDEX `removals_open` ON `removals` (`num`) WHERE acknowledged_at is null;--> statement-breakpoint
ALTER TABLE `traces` ADD `withdrawn_at` integer;--> statement-breakpoint
CREATE INDEX `sales_buyer` ON `sales` (`buyer_key`,`num`);