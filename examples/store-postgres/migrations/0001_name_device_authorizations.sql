ALTER TABLE "jobs" ALTER COLUMN "traceparent" SET DATA TYPE text collate "C";--> statement-breakpoint
ALTER TABLE "device_authorizations" ADD COLUMN "id" text collate "C";