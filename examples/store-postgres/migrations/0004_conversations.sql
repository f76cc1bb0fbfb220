CREATE TABLE "conversations" (
	"num" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "conversations_num_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner" bigint NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deleted_segments" (
	"conversation" bigint NOT NULL,
	"segment" integer NOT NULL,
	CONSTRAINT "deleted_segments_conversation_segment_pk" PRIMARY KEY("conversation","segment")
);
--> statement-breakpoint
DROP INDEX "traces_name";--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "conversation" bigint;--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "parent" bigint;--> statement-breakpoint
CREATE UNIQUE INDEX "conversations_hash" ON "conversations" USING btree ("owner","hash");--> statement-breakpoint
CREATE UNIQUE INDEX "traces_piece" ON "traces" USING btree ("conversation",coalesce(segment_index, 0));