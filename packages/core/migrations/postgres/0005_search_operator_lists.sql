ALTER TABLE "cli_feedback" ADD COLUMN "handled_at" bigint;--> statement-breakpoint
CREATE INDEX "audit_request" ON "audit" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "cli_feedback_handled" ON "cli_feedback" USING btree ("handled_at");--> statement-breakpoint
CREATE INDEX "jobs_total" ON "jobs" USING btree ("total");--> statement-breakpoint
CREATE INDEX "jobs_rejected" ON "jobs" USING btree ("rejected_count");--> statement-breakpoint
CREATE INDEX "ledger_payouts" ON "ledger" USING btree ("num") WHERE kind = 'payout';--> statement-breakpoint
CREATE INDEX "outbox_recipient" ON "outbox" USING btree ("recipient");--> statement-breakpoint
CREATE INDEX "sales_name" ON "sales" USING btree ("buyer");--> statement-breakpoint
CREATE INDEX "sales_usd" ON "sales" USING btree ("usd");--> statement-breakpoint
CREATE INDEX "waitlist_joined" ON "waitlist" USING btree ("at");--> statement-breakpoint
CREATE INDEX "waitlist_email" ON "waitlist" USING btree ("email");