CREATE TABLE `rate_permits` (
	`num` integer PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`granted` integer NOT NULL,
	`spent` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rate_permits_key` ON `rate_permits` (`key`,`expires_at`);--> statement-breakpoint
CREATE INDEX `rate_permits_expiry` ON `rate_permits` (`expires_at`);--> statement-breakpoint
DROP TABLE `rate_windows`;