CREATE TABLE "operator_passkeys" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"operator" text collate "C" NOT NULL,
	"credential_id" text collate "C" NOT NULL,
	"public_key" text collate "C" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text collate "C" NOT NULL,
	"rp_id" text collate "C" NOT NULL,
	"label" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"used_at" bigint
);
--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD COLUMN "passkey" text collate "C";--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD COLUMN "challenge" text collate "C";--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD COLUMN "challenge_purpose" text collate "C";--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD COLUMN "challenge_expires_at" bigint;--> statement-breakpoint
CREATE INDEX "operator_passkeys_operator" ON "operator_passkeys" USING btree ("operator","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_passkeys_credential" ON "operator_passkeys" USING btree ("credential_id");