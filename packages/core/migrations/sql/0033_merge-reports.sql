ALTER TABLE `reports` ADD `parent` text;--> statement-breakpoint
UPDATE `reports` SET `parent` = `duplicate_of` WHERE `duplicate_of` IS NOT NULL;--> statement-breakpoint
CREATE INDEX `reports_parent` ON `reports` (`parent`) WHERE parent is not null;