ALTER TABLE `contents` ADD `tools` text;--> statement-breakpoint
ALTER TABLE `traces` ADD `details` text DEFAULT '{}' NOT NULL;