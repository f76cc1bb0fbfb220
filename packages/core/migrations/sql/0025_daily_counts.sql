CREATE TABLE `daily_counts` (
	`day` integer NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`day`, `name`)
);
--> statement-breakpoint
CREATE INDEX `reports_status` ON `reports` (`status`) WHERE duplicate_of is null;