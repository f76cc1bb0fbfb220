CREATE TABLE `content_blobs` (
	`key` text PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL,
	`deleting` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `content_blobs_due` ON `content_blobs` (`due_at`);--> statement-breakpoint
CREATE TRIGGER content_stored AFTER INSERT ON contents WHEN substr(new.messages, 1, 17) = '{"blob":"content/'
BEGIN
  SELECT raise(abort, 'the blob of a content is not reserved')
    WHERE NOT EXISTS (SELECT 1 FROM content_blobs WHERE key = new.messages ->> '$.blob' AND deleting = 0);
  DELETE FROM content_blobs WHERE key = new.messages ->> '$.blob';
END;
--> statement-breakpoint
CREATE TRIGGER content_replaced AFTER UPDATE OF messages ON contents WHEN new.messages <> old.messages
  AND (substr(new.messages, 1, 17) = '{"blob":"content/' OR substr(old.messages, 1, 17) = '{"blob":"content/')
BEGIN
  SELECT raise(abort, 'the blob of a content is not reserved')
    WHERE substr(new.messages, 1, 17) = '{"blob":"content/'
      AND NOT EXISTS (SELECT 1 FROM content_blobs WHERE key = new.messages ->> '$.blob' AND deleting = 0);
  DELETE FROM content_blobs
    WHERE substr(new.messages, 1, 17) = '{"blob":"content/' AND key = new.messages ->> '$.blob';
  INSERT OR REPLACE INTO content_blobs (key, due_at, deleting)
    SELECT old.messages ->> '$.blob', 0, 0 WHERE substr(old.messages, 1, 17) = '{"blob":"content/';
END;
--> statement-breakpoint
CREATE TRIGGER content_deleted AFTER DELETE ON contents WHEN substr(old.messages, 1, 17) = '{"blob":"content/'
BEGIN
  INSERT OR REPLACE INTO content_blobs (key, due_at, deleting) VALUES (old.messages ->> '$.blob', 0, 0);
END;
