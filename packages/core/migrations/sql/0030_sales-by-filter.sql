ALTER TABLE `sales` ADD `filter` text;--> statement-breakpoint
ALTER TABLE `sales` ADD `pending` text;--> statement-breakpoint
CREATE INDEX `sales_pending` ON `sales` (`sold_at`) WHERE pending is not null;