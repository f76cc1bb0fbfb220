CREATE TABLE `fingerprint_index` (
	`hash` integer NOT NULL,
	`trace` integer NOT NULL,
	PRIMARY KEY(`hash`, `trace`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `fingerprint_state` (
	`num` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`filled` integer NOT NULL,
	`fill_until` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO fingerprint_state (num, version, filled, fill_until) SELECT 1, 0, 0, coalesce(max(num), 0) FROM traces;
--> statement-breakpoint
DROP TABLE `fingerprint_batches`;--> statement-breakpoint
DROP TABLE `fingerprints`;--> statement-breakpoint
CREATE TABLE `fingerprints` (
	`trace` integer PRIMARY KEY NOT NULL,
	`hashes` text NOT NULL
);
--> statement-breakpoint
DELETE FROM overlaps;--> statement-breakpoint
ALTER TABLE `standings` ADD `copies_day` integer;--> statement-breakpoint
ALTER TABLE `traces` ADD `copied_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `traces_copies` ON `traces` (`owner`) WHERE copied_tokens * 5 > token_count * 4;--> statement-breakpoint
CREATE TRIGGER fingerprints_stored AFTER INSERT ON fingerprints
BEGIN
  INSERT INTO fingerprint_index (hash, trace) SELECT value, new.trace FROM json_each(new.hashes)
    WHERE (SELECT count(*) FROM (SELECT 1 FROM fingerprint_index same WHERE same.hash = value LIMIT 64)) < 64;
END;
--> statement-breakpoint
CREATE TRIGGER fingerprints_deleted AFTER DELETE ON fingerprints
BEGIN
  DELETE FROM fingerprint_index WHERE trace = old.trace AND hash IN (SELECT value FROM json_each(old.hashes));
END;
--> statement-breakpoint
CREATE TRIGGER overlap_stored AFTER INSERT ON overlaps WHEN new.is_earlier = 1
BEGIN
  UPDATE traces SET copied_tokens = (SELECT coalesce(sum(max(0, last - max(first, reached))), 0) FROM
    (SELECT part.value->>0 AS first, part.value->>1 AS last, coalesce(max(part.value->>1)
      OVER (ORDER BY part.value->>0, part.value->>1 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached
    FROM overlaps pair, json_each(pair.ranges) part WHERE pair.trace = new.trace AND pair.is_earlier = 1))
  WHERE num = new.trace;
END;
--> statement-breakpoint
CREATE TRIGGER overlap_changed AFTER UPDATE OF ranges ON overlaps WHEN new.is_earlier = 1
BEGIN
  UPDATE traces SET copied_tokens = (SELECT coalesce(sum(max(0, last - max(first, reached))), 0) FROM
    (SELECT part.value->>0 AS first, part.value->>1 AS last, coalesce(max(part.value->>1)
      OVER (ORDER BY part.value->>0, part.value->>1 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached
    FROM overlaps pair, json_each(pair.ranges) part WHERE pair.trace = new.trace AND pair.is_earlier = 1))
  WHERE num = new.trace;
END;
--> statement-breakpoint
CREATE TRIGGER overlap_deleted AFTER DELETE ON overlaps WHEN old.is_earlier = 1
BEGIN
  UPDATE traces SET copied_tokens = (SELECT coalesce(sum(max(0, last - max(first, reached))), 0) FROM
    (SELECT part.value->>0 AS first, part.value->>1 AS last, coalesce(max(part.value->>1)
      OVER (ORDER BY part.value->>0, part.value->>1 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS reached
    FROM overlaps pair, json_each(pair.ranges) part WHERE pair.trace = old.trace AND pair.is_earlier = 1))
  WHERE num = old.trace;
END;
