CREATE TABLE `operator_passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`operator` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`rp_id` text NOT NULL,
	`label` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `operator_passkeys_operator` ON `operator_passkeys` (`operator`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `operator_passkeys_credential` ON `operator_passkeys` (`credential_id`);--> statement-breakpoint
ALTER TABLE `operator_sessions` ADD `passkey` text;--> statement-breakpoint
ALTER TABLE `operator_sessions` ADD `challenge` text;--> statement-breakpoint
ALTER TABLE `operator_sessions` ADD `challenge_purpose` text;--> statement-breakpoint
ALTER TABLE `operator_sessions` ADD `challenge_expires_at` integer;