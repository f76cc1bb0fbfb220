ALTER TABLE "contents" ADD COLUMN "tools" text collate "C";--> statement-breakpoint
ALTER TABLE "sale_items" ADD COLUMN "new_tokens" bigint;--> statement-breakpoint
ALTER TABLE "sales" ADD COLUMN "copies" json DEFAULT '{"traces":0,"tokens":0}'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "sales" ADD COLUMN "skipped" json DEFAULT '[]'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "details" text collate "C" DEFAULT '{}' NOT NULL;