CREATE TABLE `rescrub_passes` (
	`num` integer PRIMARY KEY NOT NULL,
	`version` text NOT NULL,
	`cursor` integer NOT NULL,
	`lease` text,
	`lease_until` integer
);
--> statement-breakpoint
CREATE TABLE `scrub_contexts` (
	`owner` integer PRIMARY KEY NOT NULL,
	`terms` text DEFAULT '[]' NOT NULL,
	`terms_at` integer,
	`revision` integer DEFAULT 0 NOT NULL,
	`due` integer DEFAULT 0 NOT NULL,
	`cursor` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `scrub_contexts_due` ON `scrub_contexts` (`due`) WHERE due = 1;--> statement-breakpoint
ALTER TABLE `traces` ADD `identity_revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `traces` ADD `withheld` text;