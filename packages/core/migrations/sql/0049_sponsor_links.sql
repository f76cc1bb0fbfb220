CREATE TABLE `campaign_rejections` (
	`campaign` integer NOT NULL,
	`day` integer NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`campaign`, `day`, `reason`)
);
--> statement-breakpoint
CREATE TABLE `sponsor_links` (
	`campaign` integer PRIMARY KEY NOT NULL,
	`token_hash` text NOT NULL,
	`made_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sponsor_links_token` ON `sponsor_links` (`token_hash`);