CREATE TABLE `campaign_corrections` (
	`id` text PRIMARY KEY NOT NULL,
	`campaign` integer NOT NULL,
	`day` integer NOT NULL,
	`micros` integer NOT NULL,
	`reason` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `campaign_corrections_campaign` ON `campaign_corrections` (`campaign`,`day`);--> statement-breakpoint
CREATE TABLE `campaign_months` (
	`campaign` integer NOT NULL,
	`month` text NOT NULL,
	`impressions` integer NOT NULL,
	`clicks` integer NOT NULL,
	`not_counted` integer NOT NULL,
	`micros` integer NOT NULL,
	`corrections` integer NOT NULL,
	`closed_at` integer NOT NULL,
	PRIMARY KEY(`campaign`, `month`)
);
