ALTER TABLE `outbox` ADD `order_key` text;--> statement-breakpoint
CREATE INDEX `outbox_order` ON `outbox` (`channel`,`recipient`,`order_key`) WHERE order_key is not null and finished_at is null;