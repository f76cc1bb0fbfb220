CREATE TABLE "audit_entries" (
	"num" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_num_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"entry" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "contents" (
	"trace" bigint PRIMARY KEY NOT NULL,
	"messages" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"owner" bigint NOT NULL,
	"label" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"used_at" bigint,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "credentials_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "deleted_names" (
	"owner" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "deleted_names_owner_hash_pk" PRIMARY KEY("owner","hash")
);
--> statement-breakpoint
CREATE TABLE "device_authorizations" (
	"device_hash" text collate "C" PRIMARY KEY NOT NULL,
	"user_hash" text collate "C" NOT NULL,
	"machine" text collate "C" NOT NULL,
	"status" text collate "C" DEFAULT 'pending' NOT NULL,
	"wait" integer NOT NULL,
	"polled_at" bigint,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"owner" bigint,
	CONSTRAINT "device_authorizations_user_hash_unique" UNIQUE("user_hash")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"owner" bigint NOT NULL,
	"source" text collate "C" NOT NULL,
	"status" text collate "C" DEFAULT 'queued' NOT NULL,
	"total" integer NOT NULL,
	"parts" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"trace_count" integer DEFAULT 0 NOT NULL,
	"rejected_count" integer DEFAULT 0 NOT NULL,
	"estimated_usd" double precision,
	"error_message" text collate "C",
	"enqueued_at" bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" bigint NOT NULL,
	"lease" text collate "C",
	"lease_until" bigint,
	"claimed_at" bigint,
	"traceparent" text
);
--> statement-breakpoint
CREATE TABLE "known_hashes" (
	"owner" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"trace" bigint,
	CONSTRAINT "known_hashes_owner_hash_pk" PRIMARY KEY("owner","hash")
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"owner" bigint NOT NULL,
	"sale_id" text collate "C" NOT NULL,
	"micros" bigint NOT NULL,
	"at" bigint NOT NULL,
	"available_at" bigint NOT NULL,
	"traces" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operator_sessions" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"operator" text collate "C" NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"num" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_num_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text collate "C" NOT NULL,
	"owner" bigint,
	"channel" text collate "C" NOT NULL,
	"recipient" text collate "C" NOT NULL,
	"subject" text collate "C" NOT NULL,
	"payload" text collate "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"order_key" text collate "C",
	CONSTRAINT "outbox_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "outcomes" (
	"job" text collate "C" NOT NULL,
	"index" integer NOT NULL,
	"source_id" text collate "C" NOT NULL,
	"outcome" text collate "C" NOT NULL,
	"trace_id" text collate "C",
	"redactions" integer NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "outcomes_job_index_pk" PRIMARY KEY("job","index")
);
--> statement-breakpoint
CREATE TABLE "rate_windows" (
	"key" text collate "C" PRIMARY KEY NOT NULL,
	"start" bigint NOT NULL,
	"current" bigint NOT NULL,
	"previous" bigint NOT NULL,
	"granted" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "revoked_credentials" (
	"hash" text collate "C" PRIMARY KEY NOT NULL,
	"owner" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sale_items" (
	"sale" bigint NOT NULL,
	"trace" bigint NOT NULL,
	"buyer_id" text collate "C" NOT NULL,
	CONSTRAINT "sale_items_sale_trace_pk" PRIMARY KEY("sale","trace")
);
--> statement-breakpoint
CREATE TABLE "sales" (
	"num" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sales_num_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text collate "C" NOT NULL,
	"buyer" text collate "C" NOT NULL,
	"usd" double precision NOT NULL,
	"sold_at" bigint NOT NULL,
	"filter" json,
	"pending" json,
	CONSTRAINT "sales_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "secrets" (
	"num" integer PRIMARY KEY NOT NULL,
	"secret" text collate "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_codes" (
	"challenge_hash" text collate "C" PRIMARY KEY NOT NULL,
	"code_hash" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"browser_hash" text collate "C",
	"wrong_guesses" integer DEFAULT 0 NOT NULL,
	"is_used" boolean DEFAULT false NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "trace_places" (
	"num" integer PRIMARY KEY NOT NULL,
	"last" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "traces" (
	"num" bigint PRIMARY KEY NOT NULL,
	"id" text collate "C" NOT NULL,
	"owner" bigint,
	"source" text collate "C" NOT NULL,
	"source_id" text collate "C" NOT NULL,
	"segment_index" integer,
	"title" text collate "C",
	"model" text collate "C",
	"created_at" text collate "C" NOT NULL,
	"parent_trace_id" text collate "C",
	"content_hash" "bytea" NOT NULL,
	"token_count" bigint NOT NULL,
	"estimated_usd" double precision NOT NULL,
	"scrub_version" text collate "C" NOT NULL,
	"identity_revision" integer NOT NULL,
	"redactions" text collate "C" NOT NULL,
	"withheld" text collate "C",
	"sell_excluded" boolean DEFAULT false NOT NULL,
	"sale_count" integer DEFAULT 0 NOT NULL,
	"stored_at" bigint NOT NULL,
	CONSTRAINT "traces_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"owner" bigint NOT NULL,
	"secret_hash" text collate "C" NOT NULL,
	"bytes" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"job" text collate "C",
	CONSTRAINT "uploads_secret_hash_unique" UNIQUE("secret_hash")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"num" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_num_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text collate "C" NOT NULL,
	"email" text collate "C",
	"created_at" bigint NOT NULL,
	"erased_at" bigint,
	"identity_revision" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "users_id_unique" UNIQUE("id"),
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE INDEX "credentials_owner_index" ON "credentials" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "credentials_expires_at_index" ON "credentials" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "device_authorizations_owner_index" ON "device_authorizations" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "device_authorizations_expires_at_index" ON "device_authorizations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "jobs_owner_claimed_at_index" ON "jobs" USING btree ("owner","claimed_at");--> statement-breakpoint
CREATE INDEX "jobs_finished_at_index" ON "jobs" USING btree ("finished_at");--> statement-breakpoint
CREATE INDEX "jobs_open" ON "jobs" USING btree ("due_at") WHERE status in ('queued', 'parsing', 'ingesting');--> statement-breakpoint
CREATE INDEX "ledger_owner_index" ON "ledger" USING btree ("owner");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_sale_id_owner_index" ON "ledger" USING btree ("sale_id","owner");--> statement-breakpoint
CREATE INDEX "outbox_owner_index" ON "outbox" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "outcomes_trace_id_index" ON "outcomes" USING btree ("trace_id");--> statement-breakpoint
CREATE INDEX "rate_windows_expires_at_index" ON "rate_windows" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "revoked_credentials_owner_index" ON "revoked_credentials" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "revoked_credentials_expires_at_index" ON "revoked_credentials" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sale_items_trace_index" ON "sale_items" USING btree ("trace");--> statement-breakpoint
CREATE INDEX "sale_items_sale_buyer_id_index" ON "sale_items" USING btree ("sale","buyer_id");--> statement-breakpoint
CREATE INDEX "sign_in_codes_address_index" ON "sign_in_codes" USING btree ("address");--> statement-breakpoint
CREATE INDEX "sign_in_codes_created_at_index" ON "sign_in_codes" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "traces_name" ON "traces" USING btree ("owner","source","source_id",coalesce(segment_index, 0));--> statement-breakpoint
CREATE INDEX "traces_owner_num_index" ON "traces" USING btree ("owner","num");--> statement-breakpoint
CREATE INDEX "uploads_owner_index" ON "uploads" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "uploads_expires_at_index" ON "uploads" USING btree ("expires_at");