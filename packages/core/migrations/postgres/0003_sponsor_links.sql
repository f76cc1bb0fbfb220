CREATE TABLE "campaign_rejections" (
	"campaign" bigint NOT NULL,
	"day" bigint NOT NULL,
	"reason" text collate "C" NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "campaign_rejections_campaign_day_reason_pk" PRIMARY KEY("campaign","day","reason")
);
--> statement-breakpoint
CREATE TABLE "sponsor_links" (
	"campaign" bigint PRIMARY KEY NOT NULL,
	"token_hash" text collate "C" NOT NULL,
	"made_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "sponsor_links_token" ON "sponsor_links" USING btree ("token_hash");