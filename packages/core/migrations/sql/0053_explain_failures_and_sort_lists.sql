DROP INDEX `jobs_total`;--> statement-breakpoint
DROP INDEX `jobs_rejected`;--> statement-breakpoint
ALTER TABLE `jobs` ADD `error_stage` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `error_class` text;--> statement-breakpoint
CREATE INDEX `jobs_error` ON `jobs` (`error_class`,`num`) WHERE error_class is not null;--> statement-breakpoint
CREATE INDEX `jobs_total` ON `jobs` (`total`,`num`);--> statement-breakpoint
CREATE INDEX `jobs_rejected` ON `jobs` (`rejected_count`,`num`);--> statement-breakpoint
DROP INDEX `outbox_recipient`;--> statement-breakpoint
ALTER TABLE `outbox` ADD `request_id` text;--> statement-breakpoint
CREATE INDEX `outbox_request` ON `outbox` (`request_id`) WHERE request_id is not null;--> statement-breakpoint
CREATE INDEX `outbox_recipient` ON `outbox` (`recipient`,`num`);--> statement-breakpoint
DROP INDEX `reports_changed`;--> statement-breakpoint
CREATE INDEX `reports_changed` ON `reports` (`changed_at`,`num`) WHERE duplicate_of is null;--> statement-breakpoint
DROP INDEX `sales_name`;--> statement-breakpoint
DROP INDEX `sales_usd`;--> statement-breakpoint
CREATE INDEX `sales_name` ON `sales` (`buyer`,`num`);--> statement-breakpoint
CREATE INDEX `sales_usd` ON `sales` (`usd`,`num`);--> statement-breakpoint
DROP INDEX `waitlist_joined`;--> statement-breakpoint
CREATE INDEX `waitlist_joined` ON `waitlist` (`at`,`owner`);--> statement-breakpoint
CREATE INDEX `applications_company` ON `applications` (`company_name`,`num`);--> statement-breakpoint
CREATE INDEX `ledger_paid` ON `ledger` ((-micros),`num`) WHERE kind = 'payout';