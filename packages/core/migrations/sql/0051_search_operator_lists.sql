ALTER TABLE `cli_feedback` ADD `handled_at` integer;--> statement-breakpoint
CREATE INDEX `cli_feedback_handled` ON `cli_feedback` (`handled_at`);--> statement-breakpoint
CREATE INDEX `audit_request` ON `audit` (`request_id`);--> statement-breakpoint
CREATE INDEX `jobs_total` ON `jobs` (`total`);--> statement-breakpoint
CREATE INDEX `jobs_rejected` ON `jobs` (`rejected_count`);--> statement-breakpoint
CREATE INDEX `ledger_payouts` ON `ledger` (`num`) WHERE kind = 'payout';--> statement-breakpoint
CREATE INDEX `outbox_recipient` ON `outbox` (`recipient`);--> statement-breakpoint
CREATE INDEX `sales_name` ON `sales` (`buyer`);--> statement-breakpoint
CREATE INDEX `sales_usd` ON `sales` (`usd`);--> statement-breakpoint
CREATE INDEX `waitlist_joined` ON `waitlist` (`at`);--> statement-breakpoint
CREATE INDEX `waitlist_email` ON `waitlist` (`email`);