CREATE INDEX "campaigns_name" ON "campaigns" USING btree ("name","num");--> statement-breakpoint
CREATE INDEX "campaigns_spent" ON "campaigns" USING btree ("spent","num");