DROP INDEX "jobs_total";--> statement-breakpoint
DROP INDEX "jobs_rejected";--> statement-breakpoint
DROP INDEX "outbox_recipient";--> statement-breakpoint
DROP INDEX "reports_changed";--> statement-breakpoint
DROP INDEX "sales_name";--> statement-breakpoint
DROP INDEX "sales_usd";--> statement-breakpoint
DROP INDEX "waitlist_joined";--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "error_stage" text collate "C";--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "error_class" text collate "C";--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "request_id" text collate "C";--> statement-breakpoint
CREATE INDEX "applications_company" ON "applications" USING btree ("company_name","num");--> statement-breakpoint
CREATE INDEX "jobs_error" ON "jobs" USING btree ("error_class","num") WHERE error_class is not null;--> statement-breakpoint
CREATE INDEX "ledger_paid" ON "ledger" USING btree ((-micros),"num") WHERE kind = 'payout';--> statement-breakpoint
CREATE INDEX "outbox_request" ON "outbox" USING btree ("request_id") WHERE request_id is not null;--> statement-breakpoint
CREATE INDEX "jobs_total" ON "jobs" USING btree ("total","num");--> statement-breakpoint
CREATE INDEX "jobs_rejected" ON "jobs" USING btree ("rejected_count","num");--> statement-breakpoint
CREATE INDEX "outbox_recipient" ON "outbox" USING btree ("recipient","num");--> statement-breakpoint
CREATE INDEX "reports_changed" ON "reports" USING btree ("changed_at","num") WHERE duplicate_of is null;--> statement-breakpoint
CREATE INDEX "sales_name" ON "sales" USING btree ("buyer","num");--> statement-breakpoint
CREATE INDEX "sales_usd" ON "sales" USING btree ("usd","num");--> statement-breakpoint
CREATE INDEX "waitlist_joined" ON "waitlist" USING btree ("at","owner");