ALTER TABLE `idempotency_keys` ADD `subject` text;--> statement-breakpoint
CREATE INDEX `idempotency_keys_subject` ON `idempotency_keys` (`subject`) WHERE subject is not null;--> statement-breakpoint
UPDATE `idempotency_keys` SET `subject` = (SELECT `id` FROM `users` WHERE `num` = (SELECT `owner` FROM `ledger` WHERE `id` = `effect_id`));--> statement-breakpoint
UPDATE `idempotency_keys` SET `reply` = 'null' WHERE `effect_id` IN (SELECT `id` FROM `ledger` WHERE `owner` IS NULL);
