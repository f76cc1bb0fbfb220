ALTER TABLE "jobs" ADD COLUMN "terms_version" text collate "C";--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "country" text collate "C";--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "terms_version" text collate "C";--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "country" text collate "C";