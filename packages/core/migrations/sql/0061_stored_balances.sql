ALTER TABLE `users` ADD `unpaid` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `lifetime` integer;--> statement-breakpoint
CREATE INDEX `users_unpaid` ON `users` (`unpaid`,`num`) WHERE unpaid is not null;--> statement-breakpoint
CREATE INDEX `users_lifetime` ON `users` (`lifetime`,`num`) WHERE unpaid is not null;--> statement-breakpoint
CREATE INDEX `ledger_pending` ON `ledger` (`owner`,`available_at`) WHERE kind = 'sale';
--> statement-breakpoint
CREATE TRIGGER ledger_added AFTER INSERT ON ledger WHEN new.owner IS NOT NULL
BEGIN
  UPDATE users SET unpaid = coalesce(unpaid, 0) + new.micros,
    lifetime = coalesce(lifetime, 0) + CASE new.kind WHEN 'payout' THEN 0 ELSE new.micros END
    WHERE num = new.owner;
END;
--> statement-breakpoint
UPDATE users AS person SET (unpaid, lifetime) =
  (SELECT sum(micros), sum(CASE kind WHEN 'payout' THEN 0 ELSE micros END) FROM ledger WHERE owner = person.num);
