DROP INDEX "ledger_paid";--> statement-breakpoint
DROP INDEX "ledger_payouts";--> statement-breakpoint
DROP INDEX "reports_duplicate";--> statement-breakpoint
CREATE INDEX "ledger_paid" ON "ledger" USING btree ("kind",(-micros),"num") WHERE kind = 'payout';--> statement-breakpoint
CREATE INDEX "ledger_payouts" ON "ledger" USING btree ("kind","num") WHERE kind = 'payout';--> statement-breakpoint
CREATE INDEX "reports_duplicate" ON "reports" USING btree ("duplicate_of") WHERE duplicate_of is not null;