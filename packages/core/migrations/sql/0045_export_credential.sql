ALTER TABLE `account_jobs` ADD `credential` text;
--> statement-breakpoint
DELETE FROM `account_jobs` WHERE `kind` = 'export';
