CREATE TABLE `conversations` (
	`num` integer PRIMARY KEY NOT NULL,
	`owner` integer NOT NULL,
	`hash` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `conversations_hash` ON `conversations` (`owner`,`hash`);--> statement-breakpoint
CREATE TABLE `deleted_segments` (
	`conversation` integer NOT NULL,
	`segment` integer NOT NULL,
	PRIMARY KEY(`conversation`, `segment`)
);
--> statement-breakpoint
DROP INDEX `traces_name`;--> statement-breakpoint
ALTER TABLE `traces` ADD `conversation` integer;--> statement-breakpoint
ALTER TABLE `traces` ADD `parent` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `traces_piece` ON `traces` (`conversation`,coalesce(segment_index, 0));--> statement-breakpoint
CREATE INDEX `traces_former_name` ON `traces` (`owner`,`source`,`source_id`) WHERE conversation is null;--> statement-breakpoint
CREATE INDEX `traces_former_parent` ON `traces` (`owner`,`source`,`parent_trace_id`) WHERE parent is null and parent_trace_id is not null;