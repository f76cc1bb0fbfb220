ALTER TABLE `jobs` ADD `terms_version` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `country` text;--> statement-breakpoint
ALTER TABLE `traces` ADD `terms_version` text;--> statement-breakpoint
ALTER TABLE `traces` ADD `country` text;