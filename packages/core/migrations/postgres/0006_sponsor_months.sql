CREATE TABLE "campaign_corrections" (
	"id" text collate "C" PRIMARY KEY NOT NULL,
	"campaign" bigint NOT NULL,
	"day" bigint NOT NULL,
	"micros" bigint NOT NULL,
	"reason" text collate "C" NOT NULL,
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "campaign_months" (
	"campaign" bigint NOT NULL,
	"month" text collate "C" NOT NULL,
	"impressions" bigint NOT NULL,
	"clicks" bigint NOT NULL,
	"not_counted" bigint NOT NULL,
	"micros" bigint NOT NULL,
	"corrections" bigint NOT NULL,
	"closed_at" bigint NOT NULL,
	CONSTRAINT "campaign_months_campaign_month_pk" PRIMARY KEY("campaign","month")
);
--> statement-breakpoint
CREATE INDEX "campaign_corrections_campaign" ON "campaign_corrections" USING btree ("campaign","day");