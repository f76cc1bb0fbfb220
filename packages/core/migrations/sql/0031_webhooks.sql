CREATE TABLE `webhooks` (
	`num` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`url` text NOT NULL,
	`description` text NOT NULL,
	`events` text,
	`status` text NOT NULL,
	`disabled_reason` text,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_until` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_id` ON `webhooks` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_url` ON `webhooks` (`url`);--> statement-breakpoint
CREATE INDEX `outbox_webhook` ON `outbox` (`recipient`,`id`) WHERE channel = 'webhook';--> statement-breakpoint
CREATE INDEX `outbox_webhook_open` ON `outbox` (`recipient`,`due_at`) WHERE channel = 'webhook' and finished_at is null;