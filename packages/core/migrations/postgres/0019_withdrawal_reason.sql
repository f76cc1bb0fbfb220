ALTER TABLE "traces" ADD COLUMN "withdrawal_reason" text collate "C";--> statement-breakpoint
UPDATE "traces" trace SET "withdrawal_reason" = entry.state_after::jsonb ->> 'reason' FROM "audit" entry
  WHERE entry.action = 'trace.withdraw' AND entry.target = trace.id AND trace.owner IS NOT NULL;--> statement-breakpoint
ALTER TABLE "audit" DISABLE TRIGGER "audit_unchanged";--> statement-breakpoint
ALTER TABLE "audit" DISABLE TRIGGER "audit_target";--> statement-breakpoint
UPDATE "audit" SET "state_after" = ("state_after"::jsonb - 'reason')::text WHERE "action" = 'trace.withdraw';--> statement-breakpoint
ALTER TABLE "audit" ENABLE TRIGGER "audit_unchanged";--> statement-breakpoint
ALTER TABLE "audit" ENABLE TRIGGER "audit_target";
